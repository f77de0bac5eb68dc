// What the commands print: JSON as it is, one record to a line, or a table for a person to read.

import { once } from "node:events";
import { align, widthOf } from "./table.ts";
import { printable } from "./text.ts";

/** Any record in wire form. */
export type WireRecord = Readonly<Record<string, string | null>>;

export interface Column {
  readonly field: string;
  /** How many characters are shown at most. */
  readonly width: number;
  /** Shows more of two different values that would look alike when cut. */
  readonly apart?: true;
  /** Takes whatever width the terminal has left. For the last column of a table. */
  readonly rest?: true;
  /** May be left out where the table would be too wide. */
  readonly optional?: true;
}

/** Leaves quietly when whoever reads stdout has seen enough, as `head` does. */
export function leaveOnBrokenPipe(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    // The exit code is 0 then, unless something was left out before.
    if (error.code === "EPIPE") process.exit();
    process.stderr.write(`tercet: stdout: ${error.message}\n`);
    process.exit(1);
  });
}

/** Writes, and waits where the reader is slower. */
export async function send(
  stream: NodeJS.WritableStream,
  text: string | Uint8Array,
): Promise<void> {
  if (!stream.write(text)) await once(stream, "drain");
}

const PIECE_LENGTH = 64 * 1024;

/** Writes many small texts in larger pieces: no text of the whole is ever made. */
export async function sendAll(
  stream: NodeJS.WritableStream,
  texts: Iterable<string | Uint8Array>,
): Promise<void> {
  for (const piece of inPieces(texts)) await send(stream, piece);
}

/** Small texts joined to larger ones. */
export function* inPieces(
  texts: Iterable<string | Uint8Array>,
): Generator<string | Uint8Array, void> {
  let piece = "";
  for (const text of texts) {
    if (typeof text === "string") piece += text;
    if (typeof text === "string" && piece.length < PIECE_LENGTH) continue;
    yield piece;
    piece = "";
    if (typeof text !== "string") yield text;
  }
  if (piece !== "") yield piece;
}

/** A JSON array with each item on a line of its own. */
export function* jsonArray(items: Iterable<unknown>): Generator<string, void> {
  let before = "[\n";
  for (const item of items) {
    yield before + JSON.stringify(item);
    before = ",\n";
  }
  yield before === "[\n" ? "[]" : "\n]";
}

/** The width of a table where stdout is no terminal. */
const PIPE_WIDTH = 100;
const GAP = "  ";

/** The least width of a column that takes what is left: less would tell nothing. */
const LEAST_REST = 24;

/** A column with its cells, and how wide the widest of them is. */
interface Filled {
  readonly column: Column;
  readonly cells: readonly string[];
  readonly width: number;
}

/**
 * The rows of a table, heads first, aligned over all of it. Where it is too wide, columns that are
 * not needed are left out, the last one first.
 */
export function* table(
  columns: readonly Column[],
  records: readonly WireRecord[],
): Generator<string, void> {
  const shown = fit(
    columns.map((column) => fill(column, records)),
    process.stdout.isTTY ? process.stdout.columns : PIPE_WIDTH,
  );
  const heads = shown.map(({ column }) => column.field);
  const rows = records.map((_, index) => shown.map(({ cells }) => cells[index] ?? ""));
  for (const row of align([heads, ...rows])) yield `${row.join(GAP).replace(/ +$/, "")}\n`;
}

function fill(column: Column, records: readonly WireRecord[]): Filled {
  const cells = cut(
    records.map((record) => cellOf(record, column)),
    column,
    column.width,
  );
  return { column, cells, width: widest(column, cells) };
}

function widest({ field }: Column, cells: readonly string[]): number {
  return cells.reduce((most, cell) => Math.max(most, widthOf(cell)), field.length);
}

function fit(columns: readonly Filled[], available: number): readonly Filled[] {
  const least = ({ column, width }: Filled) => (column.rest ? Math.min(width, LEAST_REST) : width);
  const sum = columns.reduce((total, each) => total + least(each) + GAP.length, -GAP.length);
  const spare = columns.findLast(({ column }) => column.optional);
  if (sum > available && spare !== undefined) {
    return fit(
      columns.filter((each) => each !== spare),
      available,
    );
  }
  return columns.map((each) => {
    if (!each.column.rest) return each;
    const width = Math.min(each.width, Math.max(least(each), least(each) + available - sum));
    const cells = cut(each.cells, each.column, width);
    return { ...each, width: widest(each.column, cells), cells };
  });
}

function cellOf(record: WireRecord, { field, width, apart }: Column): string {
  const value = record[field] ?? null;
  // A null is not the text "null", and neither is an empty string.
  if (value === null) return "-";
  // A control that is written as six characters, and these six characters, would look alike.
  if (apart) return printable(value.replace(/\\(?=u[\da-f]{4})/g, "\\u005c"));
  // What is cut anyway need not be made printable: it may be long.
  return printable(cutMiddle(value, 2 * width + 1));
}

/** The cells with at most so many characters each; more where the column keeps them apart. */
function cut(cells: readonly string[], { apart }: Column, width: number): string[] {
  const short = cells.map((cell) => cutMiddle(cell, width));
  if (!apart) return short;
  for (let wider = width; ;) {
    const alike = indexesOfAlike(cells, short);
    if (alike.length === 0) return short;
    wider = Math.ceil(1.5 * wider);
    for (const index of alike) short[index] = cutMiddle(cells[index] ?? "", wider);
  }
}

/** Where a short form stands that is that of more than one cell. */
function indexesOfAlike(cells: readonly string[], short: readonly string[]): number[] {
  const first = new Map<string, string | undefined>();
  const alike = new Set<string>();
  for (const [index, text] of short.entries()) {
    const cell = cells[index];
    if (!first.has(text)) first.set(text, cell);
    else if (first.get(text) !== cell) alike.add(text);
  }
  return [...short.keys()].filter((index) => alike.has(short[index] ?? ""));
}

/** At most so many characters of a text; its start and its end where there are more. */
function cutMiddle(text: string, width: number): string {
  if (text.length <= width) return text;
  // No character has more than two code units: what lies beyond can't be shown.
  const start = Array.from(text.slice(0, 2 * width));
  const end = Array.from(text.slice(-2 * width));
  if (text.length <= 2 * width && start.length <= width) return text;
  const tail = Math.floor(width / 2);
  return `${start.slice(0, width - 1 - tail).join("")}…${end.slice(end.length - tail).join("")}`;
}
