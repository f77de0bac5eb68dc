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

/** How many characters a time takes. */
const TIME = 19;

/** What a column takes at least: of numbers, their sum below it. */
const LEAST = 112;
const LEAST_OF_NUMBERS = 136;

/** In pixels: wide enough for its name, and for most of its values. */
const widthOf = ({ name, type, unit, width }: FieldInfo): number => {
  const characters = unit === undefined ? width : Math.max(width, TIME);
  const head = name.length * 7.4 + type.length * 5.6 + 44;
  const isSummed = unit === undefined && (type === "int" || type === "float");
  const least = isSummed ? LEAST_OF_NUMBERS : LEAST;
  return Math.round(Math.min(310, Math.max(least, head, characters * 7.6 + 28)));
};

/** The chosen columns of those that there are; without a choice, the first ones. */
export function shownColumns(
  fields: readonly FieldInfo[],
  chosen: readonly Column[],
): ShownColumn[] {
  const stored = fields.filter((field) => field.stored);
  const positions = new Map(stored.map(({ name }, at) => [name, at]));
  const named = chosen.flatMap(({ name, width }) => {
    const at = positions.get(name);
    const field = at === undefined ? undefined : stored[at];
    return at === undefined || field === undefined
      ? []
      : [{ field, at, width: width ?? widthOf(field) }];
  });
  const all = stored.map((field, at) => ({ field, at, width: widthOf(field) }));
  return (named.length > 0 ? named : all).slice(0, MOST_COLUMNS);
}

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
