// What the commands print: JSON with one record per line, or a table for people.

import { once } from "node:events";
import type { FieldValue } from "../index.ts";
import { align, widthOf } from "./table.ts";
import { printable } from "./text.ts";

/** Any record. */
export type AnyRecord = Readonly<Record<string, FieldValue>>;

export interface Column {
  readonly field: string;
  /** The maximum number of characters to show. */
  readonly width: number;
  /** Shows more characters of values that would otherwise be truncated to the same string. */
  readonly distinct?: true;
  /** Takes the remaining width of the terminal. For the last column of a table. */
  readonly rest?: true;
  /** May be left out if the table would be too wide. */
  readonly optional?: true;
}

/** Exits quietly when the reader of stdout closes it, like `head`. */
export function leaveOnBrokenPipe(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    // The exit code is then 0, unless something was left out before.
    if (error.code === "EPIPE") process.exit();
    process.stderr.write(`tercet: stdout: ${error.message}\n`);
    process.exit(1);
  });
}

/** Writes, and waits for a slow reader. */
export async function send(
  stream: NodeJS.WritableStream,
  text: string | Uint8Array,
): Promise<void> {
  if (!stream.write(text)) await once(stream, "drain");
}

const PIECE_LENGTH = 64 * 1024;

/** Writes many short strings in larger pieces, never all of them as one. */
export async function sendAll(
  stream: NodeJS.WritableStream,
  texts: Iterable<string | Uint8Array>,
): Promise<void> {
  for (const piece of inPieces(texts)) await send(stream, piece);
}

/** Joins short strings into larger ones. */
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

/** A JSON array with each item on its own line. */
export function* jsonArray(items: Iterable<unknown>): Generator<string, void> {
  let before = "[\n";
  for (const item of items) {
    yield before + JSON.stringify(item);
    before = ",\n";
  }
  yield before === "[\n" ? "[]" : "\n]";
}

/** The width of a table if stdout is not a terminal. */
const PIPE_WIDTH = 100;
const GAP = "  ";

/** The minimum useful width of the column that takes the rest. */
const LEAST_REST = 24;

/** A column with its cells, and the width of the widest. */
interface Filled {
  readonly column: Column;
  readonly cells: readonly string[];
  readonly width: number;
}

/**
 * The rows of a table, headers first, all aligned. If it is too wide, optional columns are left out, starting with the
 * last.
 */
export function* table(
  columns: readonly Column[],
  records: readonly AnyRecord[],
): Generator<string, void> {
  const shown = fit(
    columns.map((column) => fill(column, records)),
    process.stdout.isTTY ? process.stdout.columns : PIPE_WIDTH,
  );
  const heads = shown.map(({ column }) => printable(column.field));
  const rows = records.map((_, index) => shown.map(({ cells }) => cells[index] ?? ""));
  for (const row of align([heads, ...rows])) yield `${row.join(GAP).trimEnd()}\n`;
}

function fill(column: Column, records: readonly AnyRecord[]): Filled {
  const cells = cut(
    records.map((record) => cellOf(record, column)),
    column,
    column.width,
  );
  return { column, cells, width: widest(column, cells) };
}

function widest({ field }: Column, cells: readonly string[]): number {
  return cells.reduce((most, cell) => Math.max(most, widthOf(cell)), widthOf(field));
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

function cellOf(record: AnyRecord, { field, width, distinct }: Column): string {
  const given = Object.hasOwn(record, field) ? (record[field] ?? null) : null;
  // A null must not look like the string "null" or an empty string.
  if (given === null) return "-";
  const value = typeof given === "string" ? given : JSON.stringify(given);
  // A control character, printed as six characters, would look like those six characters.
  if (distinct) return printable(value.replace(/\\(?=u[\da-f]{4})/g, "\\u005c"));
  // Truncated first, because the value may be long.
  return printable(cutMiddle(value, 2 * width + 1));
}

/** The cells, truncated to at most `width` characters each, or more if the column keeps them distinct. */
function cut(cells: readonly string[], { distinct }: Column, width: number): string[] {
  const short = cells.map((cell) => cutMiddle(cell, width));
  if (!distinct) return short;
  for (let wider = width; ;) {
    const alike = indexesOfAlike(cells, short);
    if (alike.length === 0) return short;
    wider = Math.ceil(1.5 * wider);
    for (const index of alike) short[index] = cutMiddle(cells[index] ?? "", wider);
  }
}

/** The indexes of cells that are truncated to the same string. */
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

/** A string of at most `width` characters: a longer one keeps its start and end. */
function cutMiddle(text: string, width: number): string {
  if (text.length <= width) return text;
  // No character has more than two code units, so the rest can't be shown.
  const start = Array.from(text.slice(0, 2 * width));
  const end = Array.from(text.slice(-2 * width));
  if (text.length <= 2 * width && start.length <= width) return text;
  const tail = Math.floor(width / 2);
  return `${start.slice(0, width - 1 - tail).join("")}…${end.slice(end.length - tail).join("")}`;
}
