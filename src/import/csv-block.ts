// Consecutive rows of CSV, as positions in the bytes. Strings are made only when they are read.

import { grown } from "../engine/algorithms/codes.ts";
import type { Cells } from "../engine/columns/columns/column-builder.ts";
import type { CsvFormat } from "./csv-format.ts";
import { decodeAnyway, isAt } from "./utf8.ts";

/** A value of a row; `null` if it is an unquoted string for null. */
export type Cell = string | null;

export const PLAIN = 0;
export const QUOTED = 1;
/** In quotes, with escaped characters in it. */
export const ESCAPED = 2;

/**
 * A block is full at this number of values. Its columns are filled one after the other, so its bytes and positions
 * should fit into the processor's caches.
 */
const MOST_VALUES = 1 << 12;

/** Values are numbered through all rows of a block. */
export class CsvBlock {
  bytes: Uint8Array = new Uint8Array(0);
  /** How many rows are complete. */
  rows = 0;
  #values = 0;
  /** For each value: its start, its end, and how it is written. */
  #bounds = new Int32Array(3 * MOST_VALUES);
  /** Whether some values are quoted, and some have escaped characters. */
  #kinds = PLAIN;
  /** The first value of each row, and the end of the last. */
  #starts = new Int32Array(1 + MOST_VALUES);
  /** The line on which each row begins. */
  readonly #lines = new Float64Array(MOST_VALUES);
  readonly #unescape: (text: string) => string;
  /** Whether an empty value means null, and which other strings do. */
  readonly #isNothingNull: boolean;
  readonly #nulls: readonly Uint8Array[];
  /** The text of all bytes, if each is one character. */
  #text: string | undefined;
  #isRead = false;

  constructor({ nullTexts, quote = "", escape = quote }: CsvFormat) {
    const encoder = new TextEncoder();
    this.#isNothingNull = nullTexts.includes("");
    this.#nulls = nullTexts.filter((text) => text !== "").map((text) => encoder.encode(text));
    this.#unescape =
      escape === quote
        ? (text) => text.replaceAll(quote + quote, quote)
        : (text) => text.replaceAll(new RegExp(`\\${escape}(.)`, "gsu"), "$1");
  }

  /** Begins the first block in some bytes. */
  begin(bytes: Uint8Array): void {
    this.bytes = bytes;
    this.#isRead = false;
    this.clear();
  }

  /** Begins another block in the same bytes. */
  clear(): void {
    this.rows = this.#values = 0;
    this.#kinds = PLAIN;
  }

  /** Adds a value to the incomplete row. */
  add(from: number, to: number, kind: number): void {
    const at = 3 * this.#values++;
    if (at === this.#bounds.length) this.#bounds = grown(this.#bounds, Int32Array, 2 * at);
    this.#bounds[at] = from;
    this.#bounds[at + 1] = to;
    this.#bounds[at + 2] = kind;
    this.#kinds |= kind;
  }

  /**
   * Gives the incomplete row a number of values: adds empty ones, or drops those beyond it while they are empty. Blank
   * rows are left alone.
   *
   * @param width 0 if this row decides it
   * @param at where the row ends
   * @returns the number of values of the rows; 0 if it is still unknown
   */
  fit(width: number, at: number): number {
    const first = this.#starts[this.rows]!;
    const isBare = (value: number) => this.isEmpty(value) && !this.isQuoted(value);
    if (this.#values === first + 1 && isBare(first)) return width;
    if (width === 0) return this.#values - first;
    while (this.#values < first + width) this.add(at, at, PLAIN);
    while (this.#values > first + width && isBare(this.#values - 1)) this.#values--;
    return width;
  }

  /** Completes a row. */
  endRow(line: number): void {
    this.#lines[this.rows++] = line;
    this.#starts[this.rows] = this.#values;
  }

  /** Whether the block should be read before another row is added. */
  get isFull(): boolean {
    return this.#values >= MOST_VALUES;
  }

  /** The first value of a row. */
  start(row: number): number {
    return this.#starts[row]!;
  }

  /** How many values a row has. */
  width(row: number): number {
    return this.#starts[row + 1]! - this.#starts[row]!;
  }

  line(row: number): number {
    return this.#lines[row]!;
  }

  isBlank(row: number): boolean {
    const only = this.start(row);
    return this.width(row) === 1 && this.isEmpty(only) && !this.isQuoted(only);
  }

  /** The first row, from one on, that is blank or has another number of values; without one, the number of rows. */
  endOfWidth(row: number, width: number): number {
    let end = row;
    while (end < this.rows && this.width(end) === width && !this.isBlank(end)) end++;
    return end;
  }

  /** The values of a row. */
  cells(row: number): Cell[] {
    const start = this.start(row);
    return Array.from({ length: this.width(row) }, (_, index) => this.cell(start + index));
  }

  /**
   * The values of a column, from a row on. All rows have the same number of values.
   *
   * @param isNullable whether nothing may mean null
   * @returns `undefined` if the bytes of some values are not the values, or others than nothing are null
   */
  column(row: number, index: number, isNullable: boolean): Cells | undefined {
    if (!this.#areTheirBytes) return undefined;
    const [bytes, bounds] = [this.bytes, this.#bounds];
    const isNothingNull = isNullable && this.#isNothingNull && this.#kinds === PLAIN;
    const first = 3 * (this.start(row) + index);
    return { bytes, bounds, first, stride: 3 * this.width(row), isNothingNull };
  }

  /** Whether two columns have the same values in some rows, none of them empty or null. */
  areSame(row: number, count: number, index: number, other: number): boolean {
    if (!this.#areTheirBytes) return false;
    const { bytes } = this;
    for (let i = row; i < row + count; i++) {
      const [a, b] = [this.start(i) + index, this.start(i) + other];
      const [from, otherFrom] = [this.from(a), this.from(b)];
      const length = this.to(a) - from;
      if (length === 0 || length !== this.to(b) - otherFrom) return false;
      for (let k = 0; k < length; k++) if (bytes[from + k] !== bytes[otherFrom + k]) return false;
    }
    return true;
  }

  /** Whether values are what their bytes say: none has escaped characters, and only an empty one may be null. */
  get #areTheirBytes(): boolean {
    return (this.#kinds & ESCAPED) === 0 && this.#nulls.length === 0;
  }

  from(value: number): number {
    return this.#bounds[3 * value]!;
  }

  to(value: number): number {
    return this.#bounds[3 * value + 1]!;
  }

  isEmpty(value: number): boolean {
    return this.from(value) === this.to(value);
  }

  isQuoted(value: number): boolean {
    return this.#bounds[3 * value + 2] !== PLAIN;
  }

  /** Whether the bytes of a value differ from it because of escaped characters. */
  isEscaped(value: number): boolean {
    return this.#bounds[3 * value + 2] === ESCAPED;
  }

  isNull(value: number): boolean {
    if (this.isQuoted(value)) return false;
    const from = this.from(value);
    const length = this.to(value) - from;
    if (length === 0) return this.#isNothingNull;
    for (const each of this.#nulls) {
      if (each.length === length && isAt(each, this.bytes, from)) return true;
    }
    return false;
  }

  cell(value: number): Cell {
    return this.isNull(value) ? null : this.text(value);
  }

  text(value: number): string {
    if (!this.#isRead) {
      this.#isRead = true;
      const text = decodeAnyway(this.bytes);
      this.#text = text.length === this.bytes.length ? text : undefined;
    }
    const [from, to] = [this.from(value), this.to(value)];
    const text = this.#text?.slice(from, to) ?? decodeAnyway(this.bytes.subarray(from, to));
    return this.isEscaped(value) ? this.#unescape(text) : text;
  }
}
