// Which columns a table shows, in which order and how wide; how a link records this, and how it
// changes.

import { MOST_COLUMNS, type FieldInfo } from "./messages.ts";

/** A column that the reader chose; without a width it is as wide as its values. */
export interface Column {
  readonly name: string;
  /** In pixels. */
  readonly width?: number;
}

/** A column as it is drawn. */
export interface ShownColumn {
  readonly field: FieldInfo;
  /** Which value of a row it shows. */
  readonly at: number;
  readonly width: number;
}

const NARROWEST = 56;
const WIDEST = 1200;

/** What a column takes at least. */
const LEAST = 96;

/** Without space for more, no column is wider by itself. */
const USUAL = 310;

/** In pixels: wide enough for its name, its type and most of its values. */
function widthOf({ name, type, width }: FieldInfo): number {
  const head = Math.max(name.length * 7.4 + 44, type.length * 6 + 56);
  return Math.round(Math.max(LEAST, head, width * 7.6 + 28));
}

/** A column of numbers gets at most so many times the space that it takes: numbers are read beside other columns. */
const WIDER = 1.6;

/**
 * The chosen columns of those that there are; without a choice, the first ones.
 *
 * @param space how many pixels there are for all of them: what is left over goes to the columns without a chosen width
 */
export function shownColumns(
  fields: readonly FieldInfo[],
  chosen: readonly Column[],
  space = 0,
): ShownColumn[] {
  const stored = fields.filter((field) => field.stored);
  const positions = new Map(stored.map(({ name }, at) => [name, at]));
  const named = chosen.flatMap(({ name, width }) => {
    const at = positions.get(name);
    const field = at === undefined ? undefined : stored[at];
    return at === undefined || field === undefined ? [] : [{ field, at, width }];
  });
  const all = stored.map((field, at) => ({ field, at, width: undefined }));
  const columns = (named.length > 0 ? named : all).slice(0, MOST_COLUMNS);
  const wanted = columns.map(({ field, width }) => width ?? Math.min(WIDEST, widthOf(field)));
  const least = columns.map(({ width }, i) => width ?? Math.min(USUAL, wanted[i] ?? 0));
  const grown = shared(least, wanted, space);
  const isNumber = ({ field: { type, unit } }: (typeof columns)[number]) =>
    unit === undefined && (type === "int" || type === "float");
  const most = columns.map(
    (column, i) => column.width ?? (isNumber(column) ? (grown[i] ?? 0) * WIDER : Infinity),
  );
  const widths = shared(grown, most, space);
  // Where there are but numbers, they take all.
  const whole = shared(
    widths,
    columns.map(({ width }) => width ?? Infinity),
    space,
  );
  return columns.map(({ field, at }, i) => ({ field, at, width: whole[i] ?? 0 }));
}

/** Widths that share a space that is left over, each by its size and up to its own limit. */
function shared(widths: readonly number[], most: readonly number[], space: number): number[] {
  let grown = [...widths];
  for (let round = 0; round < 4; round++) {
    const free = Math.floor(space - sumOf(grown));
    const open = grown.map((width, i) => (width < (most[i] ?? 0) ? width : 0));
    const sum = sumOf(open);
    if (free <= 0 || sum === 0) break;
    grown = grown.map((width, i) =>
      Math.min(Math.max(width, most[i] ?? 0), width + Math.floor((free * (open[i] ?? 0)) / sum)),
    );
  }
  return grown;
}

const sumOf = (widths: readonly number[]): number => widths.reduce((sum, width) => sum + width, 0);

/** What is shown, as a choice that can be changed. */
export const chosenOf = (columns: readonly ShownColumn[], chosen: readonly Column[]): Column[] =>
  columns.map(({ field: { name } }) => chosen.find((each) => each.name === name) ?? { name });

/** With a column moved by some places. */
export function withMoved(columns: readonly Column[], name: string, by: number): Column[] {
  const from = columns.findIndex((each) => each.name === name);
  const moved = columns[from];
  if (moved === undefined) return [...columns];
  const to = Math.max(0, Math.min(columns.length - 1, from + by));
  return columns.toSpliced(from, 1).toSpliced(to, 0, moved);
}

export function withWidth(columns: readonly Column[], name: string, width: number): Column[] {
  const rounded = Math.round(Math.max(NARROWEST, Math.min(WIDEST, width)));
  return columns.map((each) => (each.name === name ? { name, width: rounded } : each));
}

/** As a link has them: names, or pairs of a name and a width. */
export const columnsAsJson = (columns: readonly Column[]): string =>
  JSON.stringify(columns.map(({ name, width }) => (width === undefined ? name : [name, width])));

/** Ignores everything in the text that is not a column. */
export function columnsFromJson(text: string): Column[] {
  const found = new Map<string, Column>();
  for (const each of parsed(text)) {
    const [name, width] = Array.isArray(each) ? (each as unknown[]) : [each];
    if (typeof name !== "string" || found.size === MOST_COLUMNS) continue;
    const isWidth = typeof width === "number" && width >= NARROWEST && width <= WIDEST;
    found.set(name, isWidth ? { name, width: Math.round(width) } : { name });
  }
  return [...found.values()];
}

function parsed(text: string): readonly unknown[] {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
}
