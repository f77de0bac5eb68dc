// The sources of a plan's rows: each produces them in batches, in a fixed order, so that a page can stop
// early and a filter can work on many rows at a time.
//
// Source: P. Boncz, M. Zukowski, N. Nes, "MonetDB/X100: Hyper-Pipelining Query Execution", 2005.

import { holdHiddenClassOf } from "../algorithms/hidden-class.ts";
import { addRows, createBitset, lowestRow, type Bitset } from "../algorithms/bitset.ts";
import { DeadRows } from "../snapshot/dead-rows.ts";
import { forEachRange, type CodeSet } from "../index/code-set.ts";
import { FieldIndex } from "../index/field-index.ts";
import { filledIn, passFilled } from "../algorithms/gaps.ts";
import { tuning } from "../tuning.ts";

export interface Source {
  /** Writes the next rows to the batch, at most `capacity`. Returns how many; 0 at the end. */
  next(batch: Uint32Array, capacity: number): number;
  /** Skips the next rows. */
  skip(count: number): void;
}

/** An index of no rows. */
const EMPTY = FieldIndex.ofNulls("int", 0);

/** All live rows in insertion order. */
export class ScanSource implements Source {
  #row = 0;
  readonly #end: number;
  readonly #dead: DeadRows;

  constructor(rows: number, dead = DeadRows.NONE) {
    this.#end = rows;
    this.#dead = dead;
  }

  next(batch: Uint32Array, capacity: number): number {
    const dead = this.#dead;
    if (dead.count === 0) return this.#nextOfAll(batch, capacity);
    let row = this.#row;
    let length = 0;
    for (; row < this.#end && length < capacity; row++) {
      batch[length] = row;
      length += dead.has(row) ? 0 : 1;
    }
    this.#row = row;
    return length;
  }

  #nextOfAll(batch: Uint32Array, capacity: number): number {
    const from = this.#row;
    const length = Math.min(capacity, this.#end - from);
    for (let i = 0; i < length; i++) batch[i] = from + i;
    this.#row = from + length;
    return length;
  }

  skip(count: number): void {
    this.#row = Math.min(this.#end, passFilled(this.#dead.gaps(undefined), this.#row, count));
  }
}

/** The live rows of a stretch of an index, in its order. */
export class StretchSource implements Source {
  readonly #index: FieldIndex;
  #position: number;
  readonly #end: number;
  readonly #dead: DeadRows;

  constructor(index: FieldIndex, from: number, to: number, dead: DeadRows) {
    this.#index = index;
    this.#position = from;
    this.#end = to;
    this.#dead = dead;
  }

  next(batch: Uint32Array, capacity: number): number {
    const dead = this.#dead;
    const end = this.#end;
    let position = this.#position;
    let length = 0;
    while (position < end && length < capacity) {
      const stop = Math.min(end, position + capacity - length);
      this.#index.copyRows(position, stop, batch, length);
      const read = length + stop - position;
      position = stop;
      length = dead.count === 0 ? read : keepLive(batch, length, read, dead);
    }
    this.#position = position;
    return length;
  }

  /** Where the next row is read. */
  get position(): number {
    return this.#position;
  }

  skip(count: number): void {
    const gaps = this.#dead.gaps(this.#index);
    this.#position = Math.min(this.#end, passFilled(gaps, this.#position, count));
  }
}

/** Keeps the live rows of a stretch of a batch, at its front; returns where they end. */
function keepLive(batch: Uint32Array, from: number, to: number, dead: DeadRows): number {
  let length = from;
  for (let i = from; i < to; i++) {
    const row = batch[i]!;
    batch[length] = row;
    length += dead.has(row) ? 0 : 1;
  }
  return length;
}

/** Rows in a list. */
export class ListSource implements Source {
  readonly #rows: ArrayLike<number>;
  #position = 0;
  readonly #end: number;

  constructor(rows: ArrayLike<number>) {
    this.#rows = rows;
    this.#end = rows.length;
  }

  next(batch: Uint32Array, capacity: number): number {
    const rows = this.#rows;
    const from = this.#position;
    const length = Math.min(capacity, this.#end - from);
    for (let i = 0; i < length; i++) batch[i] = rows[from + i]!;
    this.#position = from + length;
    return length;
  }

  skip(count: number): void {
    this.#position = Math.min(this.#end, this.#position + count);
  }
}

/** The rows that are in all of some bitsets, in insertion order. */
export class BitsetSource implements Source {
  readonly #sets: readonly Bitset[];
  readonly #words: number;
  #word = 0;
  /** The remainder of the word before `#word`. */
  #rest = 0;

  constructor(sets: readonly [Bitset, ...Bitset[]]) {
    this.#sets = sets;
    this.#words = sets[0].length;
  }

  next(batch: Uint32Array, capacity: number): number {
    let length = 0;
    while (length < capacity) {
      if (this.#rest === 0) {
        if (this.#word === this.#words) break;
        this.#rest = this.#readWord();
        continue;
      }
      batch[length++] = lowestRow(this.#word - 1, this.#rest);
      this.#rest &= this.#rest - 1;
    }
    return length;
  }

  skip(count: number): void {
    while (count > 0) {
      if (this.#rest === 0) {
        if (this.#word === this.#words) return;
        this.#rest = this.#readWord();
      } else {
        this.#rest &= this.#rest - 1;
        count--;
      }
    }
  }

  #readWord(): number {
    let bits = -1;
    for (const set of this.#sets) bits &= set[this.#word]!;
    this.#word++;
    return bits;
  }
}

/**
 * The live rows of a range of codes in descending order of value; rows of one value in insertion order.
 */
export class DescendingSource implements Source {
  readonly #index: FieldIndex;
  readonly #low: number;
  readonly #dead: DeadRows;
  /** The code whose run is being read, and the next position in it. */
  #code: number;
  #position: number;

  constructor(index: FieldIndex, low: number, high: number, dead = DeadRows.NONE) {
    this.#index = index;
    this.#low = low;
    this.#dead = dead;
    this.#code = high - 1;
    this.#position = index.startOf(Math.max(low, high - 1));
  }

  next(batch: Uint32Array, capacity: number): number {
    if (this.#index.isInPieces) return this.#nextInPieces(batch, capacity);
    const { order, starts } = this.#index;
    const dead = this.#dead;
    const low = this.#low;
    let code = this.#code;
    let position = this.#position;
    let length = 0;
    while (code >= low) {
      const end = starts[code + 1]!;
      while (position < end && length < capacity) {
        const stop = Math.min(end, position + capacity - length);
        let read = length;
        while (position < stop) batch[read++] = order[position++]!;
        length = dead.count === 0 ? read : keepLive(batch, length, read, dead);
      }
      if (length === capacity) break;
      if (--code >= low) position = starts[code]!;
    }
    this.#code = code;
    this.#position = position;
    return length;
  }

  /** The same for an index that is not in memory: run by run. */
  #nextInPieces(batch: Uint32Array, capacity: number): number {
    let length = 0;
    while (this.#code >= this.#low && length < capacity) {
      const end = this.#index.startOf(this.#code + 1);
      const run = new StretchSource(this.#index, this.#position, end, this.#dead);
      length += run.next(batch.subarray(length), capacity - length);
      this.#position = run.position;
      if (this.#position < end || --this.#code < this.#low) continue;
      this.#position = this.#index.startOf(this.#code);
    }
    return length;
  }

  skip(count: number): void {
    if (this.#code < this.#low) return;
    const index = this.#index;
    const starts = index.isInPieces ? undefined : index.starts;
    const startOf = (code: number) => (starts === undefined ? index.startOf(code) : starts[code]!);
    const gaps = this.#dead.gaps(index);
    const left = filledIn(gaps, this.#position, startOf(this.#code + 1));
    if (count < left) {
      this.#position = passFilled(gaps, this.#position, count);
      return;
    }
    // What remains of the range after the skipped rows, counted from its low end.
    const first = startOf(this.#low);
    const rest = filledIn(gaps, first, startOf(this.#code)) - (count - left);
    // The run with the last remaining row: the last run that is not skipped completely. If none remains,
    // the lowest run, which is skipped completely.
    let low = this.#low;
    let high = this.#code - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (filledIn(gaps, first, startOf(middle)) < rest) low = middle;
      else high = middle - 1;
    }
    this.#code = low;
    const passed = filledIn(gaps, first, startOf(low + 1)) - rest;
    this.#position = passFilled(gaps, startOf(low), passed);
  }
}

/** The rows of several codes of an index, dead ones included, in insertion order. */
export function openBitmapScan(index: FieldIndex, set: CodeSet, rows: number): Source {
  if (rows * tuning.densePart > index.rows) return new BitsetSource([bitsetOfCodes(index, set)]);
  const { order, starts } = index;
  const list = new Uint32Array(rows);
  let length = 0;
  forEachRange(set, (low, high) => {
    for (let i = starts[low]!; i < starts[high]!; i++) list[length++] = order[i]!;
  });
  return new ListSource(list.sort());
}

/** The rows of some codes of an index, as a set. */
export function bitsetOfCodes({ order, starts, rows }: FieldIndex, set: CodeSet): Bitset {
  const bits = createBitset(rows);
  forEachRange(set, (low, high) => addRows(bits, order, starts[low], starts[high]));
  return bits;
}

holdHiddenClassOf(
  new ScanSource(0),
  new StretchSource(EMPTY, 0, 0, DeadRows.NONE),
  new ListSource(new Uint32Array()),
  new BitsetSource([new Uint32Array()]),
  new DescendingSource(EMPTY, 0, 0),
);
