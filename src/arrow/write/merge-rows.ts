// The order of merged rows: the rows by code, and the start of each code's rows. Memory use is bounded: for at most so
// many rows and codes at a time, the codes of all rows are read again.

import { FileError } from "../file-error.ts";
import { NumberWriter, type NumberReader, type Numbers } from "./numbers.ts";
import type { ScratchSpace } from "./scratch.ts";

/** For how many codes and rows an order is computed in one pass: four bytes of memory each. */
export const orderLimits = { codes: 1 << 24, rows: 1 << 24 };

/** How many numbers are handled at once. */
const NUMBERS_AT_ONCE = 1 << 16;

/**
 * Up to so many codes, rows are counted in several parts, one after the other in turn: most rows often have one code, and
 * a processor waits for a number that it has just written.
 */
const FEW_CODES = 1 << 14;
const LANES = 4;

/** Rows by code. */
export class MergedRows {
  readonly #name: string;
  readonly #rows: number;
  readonly #values: number;
  readonly #mapped: () => Iterable<Uint32Array>;
  readonly #space: ScratchSpace;
  /** How many rows each code has. */
  #counts: Numbers | undefined;
  /** The same while it is being counted: in parts, if the codes are few. */
  #counting: Uint32Array | undefined;
  #lanes = 1;

  /**
   * @param name of the codes, for errors
   * @param values how many codes there are
   * @param mapped the codes of all rows
   */
  constructor(
    name: string,
    rows: number,
    values: number,
    mapped: () => Iterable<Uint32Array>,
    space: ScratchSpace,
  ) {
    this.#name = name;
    this.#rows = rows;
    this.#values = values;
    this.#mapped = mapped;
    this.#space = space;
    if (this.#isUnique || values > orderLimits.codes) return;
    this.#lanes = values <= FEW_CODES ? LANES : 1;
    this.#counting = new Uint32Array(this.#lanes * values);
  }

  /** Whether each value belongs to one row, and none is null. */
  get #isUnique(): boolean {
    return this.#values === this.#rows + 1;
  }

  /** Counts codes that are read for another purpose: those of all rows, or none. */
  count(codes: Uint32Array): void {
    const counts = this.#counting;
    if (counts !== undefined) addCounts(counts, codes, this.#values, this.#lanes - 1);
  }

  /** Ends counting. */
  *counted(): Generator<Uint8Array> {
    const counts = this.#counting;
    if (counts === undefined) return;
    this.#counting = undefined;
    for (let i = this.#values; i < counts.length; i++) counts[i % this.#values]! += counts[i]!;
    const writer = new NumberWriter(this.#space);
    yield* addAll(writer, counts.subarray(0, this.#values));
    this.#counts = writer.finish();
  }

  /** The rows by code, then by row. */
  order(): Generator<Uint8Array> {
    return this.#isUnique ? this.#permutation() : this.#order();
  }

  /** The start of each code's rows, once the order was read. */
  starts(): Generator<Uint8Array> {
    return this.#isUnique ? this.#oneByOne() : this.#starts();
  }

  /** The order of rows with a code each. */
  *#permutation(): Generator<Uint8Array> {
    for (let low = 1; low < this.#values; low += orderLimits.rows) {
      const order = new Uint32Array(Math.min(this.#values - low, orderLimits.rows));
      let row = 0;
      let first = -1;
      for (const codes of this.#mapped()) {
        if (row === 0 && codes.length > 0) first = codes[0]! - low;
        placeOnce(order, codes, low, row);
        row += codes.length;
        yield NO_BYTES;
      }
      yield* this.#checkAll(order, first);
      yield new Uint8Array(order.buffer);
    }
  }

  /**
   * Checks that each code has a row. There are as many rows as codes: if a code was twice, another is missing.
   *
   * @param first the place of row 0
   */
  *#checkAll(order: Uint32Array, first: number): Generator<Uint8Array> {
    for (let from = 0; from < order.length; from += NUMBERS_AT_ONCE) {
      const part = order.subarray(from, from + NUMBERS_AT_ONCE);
      let none = part.indexOf(0);
      if (none >= 0 && from + none === first) none = part.indexOf(0, none + 1);
      if (none >= 0) throw new FileError(this.#name, "do not have all values of the dictionary");
      yield NO_BYTES;
    }
  }

  /** Their starts. */
  *#oneByOne(): Generator<Uint8Array> {
    for (let from = 0; from <= this.#values; from += NUMBERS_AT_ONCE) {
      const starts = new Uint32Array(Math.min(NUMBERS_AT_ONCE, this.#values + 1 - from));
      for (let i = 0; i < starts.length; i++) starts[i] = Math.max(0, from + i - 1);
      yield new Uint8Array(starts.buffer);
    }
  }

  *#order(): Generator<Uint8Array> {
    const counts = new Counts((this.#counts ??= yield* this.#countedInParts()).read());
    for (let low = 0; low < this.#values;) {
      const most = Math.min(this.#values - low, orderLimits.codes);
      const { own, rows } = yield* counts.take(most, orderLimits.rows);
      if (rows > orderLimits.rows) yield* this.#rowsOf(low);
      else yield* this.#rowsBetween(low, own, rows);
      low += own.length;
    }
  }

  /** Counts the rows of more codes than are counted at once. */
  *#countedInParts(): Generator<Uint8Array, Numbers> {
    const writer = new NumberWriter(this.#space);
    for (let low = 0; low < this.#values; low += orderLimits.codes) {
      const counts = new Uint32Array(Math.min(this.#values - low, orderLimits.codes));
      for (const codes of this.#mapped()) {
        for (let i = 0; i < codes.length; i++) {
          const at = codes[i]! - low;
          if (at >= 0 && at < counts.length) counts[at]!++;
        }
        yield NO_BYTES;
      }
      yield* addAll(writer, counts);
    }
    return writer.finish();
  }

  /** The rows of a range of codes. @param counts how many rows each has; overwritten */
  *#rowsBetween(low: number, counts: Uint32Array, rows: number): Generator<Uint8Array> {
    // The next place of each code.
    let next = 0;
    for (let i = 0; i < counts.length; i++) {
      const count = counts[i]!;
      counts[i] = next;
      next += count;
    }
    const order = new Uint32Array(rows);
    let row = 0;
    for (const codes of this.#mapped()) {
      place(order, counts, codes, low, row);
      row += codes.length;
      yield NO_BYTES;
    }
    yield new Uint8Array(order.buffer);
  }

  /** The rows of one code. */
  *#rowsOf(code: number): Generator<Uint8Array> {
    let row = 0;
    for (const codes of this.#mapped()) {
      const rows = new Uint32Array(codes.length);
      let length = 0;
      for (let i = 0; i < codes.length; i++, row++) if (codes[i] === code) rows[length++] = row;
      yield new Uint8Array(rows.buffer, 0, 4 * length);
    }
  }

  *#starts(): Generator<Uint8Array> {
    const counts = this.#counts?.read();
    let next = 0;
    for (let from = 0; from <= this.#values; from += NUMBERS_AT_ONCE) {
      const starts = new Uint32Array(Math.min(NUMBERS_AT_ONCE, this.#values + 1 - from));
      for (let i = 0; i < starts.length; i++) {
        starts[i] = next;
        if (from + i < this.#values) next += counts?.next() ?? 0;
      }
      yield new Uint8Array(starts.buffer);
    }
  }
}

function addCounts(counts: Uint32Array, codes: Uint32Array, values: number, mask: number): void {
  const { length } = codes;
  for (let i = 0; i < length; i++) counts[(i & mask) * values + codes[i]!]!++;
}

/** Writes the numbers of rows at the places of their codes, of which each occurs once. */
function placeOnce(order: Uint32Array, codes: Uint32Array, low: number, first: number): void {
  const { length } = codes;
  const end = order.length;
  for (let i = 0; i < length; i++) {
    const at = (codes[i]! | 0) - low;
    if (at >= 0 && at < end) order[at] = first + i;
  }
}

/** Writes the numbers of rows at the next places of their codes. @param next of each code from `low` on */
function place(
  order: Uint32Array,
  next: Uint32Array,
  codes: Uint32Array,
  low: number,
  first: number,
): void {
  const { length } = codes;
  const end = next.length;
  /** The place after the last row's is at hand: the next one often has the same code. */
  let last = 0;
  let free = next[0]!;
  for (let i = 0; i < length; i++) {
    const at = (codes[i]! | 0) - low;
    if (at < 0 || at >= end) continue;
    if (at !== last) {
      next[last] = free;
      last = at;
      free = next[at]!;
    }
    order[free++] = first + i;
  }
  next[last] = free;
}

/** Numbers of rows, read in groups of limited sums. */
class Counts {
  readonly #reader: NumberReader;
  /** Read already, but not taken. */
  #next: number | undefined;

  constructor(reader: NumberReader) {
    this.#reader = reader;
  }

  /** The next counts, at least one: at most so many, and of at most so many rows. */
  *take(
    most: number,
    limit: number,
  ): Generator<Uint8Array, { readonly own: Uint32Array; readonly rows: number }> {
    const all = new Uint32Array(most);
    let rows = 0;
    let length = 0;
    for (; length < most; length++) {
      const next: number = this.#next ?? this.#reader.next();
      this.#next = next;
      if (length > 0 && rows + next > limit) break;
      this.#next = undefined;
      all[length] = next;
      rows += next;
      if (length % NUMBERS_AT_ONCE === NUMBERS_AT_ONCE - 1) yield NO_BYTES;
    }
    return { own: all.subarray(0, length), rows };
  }
}

function* addAll(writer: NumberWriter, numbers: Uint32Array): Generator<Uint8Array> {
  for (let i = 0; i < numbers.length; i++) {
    writer.add(numbers[i]!);
    if (i % NUMBERS_AT_ONCE === NUMBERS_AT_ONCE - 1) yield NO_BYTES;
  }
}

const NO_BYTES = new Uint8Array();
