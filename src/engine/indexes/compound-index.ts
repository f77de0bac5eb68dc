// An index of several fields: in the order of the last, the codes of the others, as one number. It counts the rows with
// some codes of all fields, and finds the k-th row with some codes of the others in the order of the last.
//
// Like the indexes of its fields, it has dead rows too, so that all versions of a segment share it.

import { bitAt, type Bitset } from "../algorithms/bitset.ts";
import { WaveletMatrix } from "../algorithms/wavelet-matrix.ts";
import { finish, inSteps, type Steps } from "../algorithms/steps.ts";
import { bitsOf, forEachRange, onlyRange, type CodeRanges } from "./code-set.ts";
import type { Codes, FieldIndex } from "./field-index.ts";
import type { Structure } from "./index-budget.ts";
import { codesTypeFor, indexOfNulls } from "./memory-index.ts";

/** The name of the index of some fields. Only compound indexes have such names; a field may be called the same. */
export const compoundName = (fields: readonly string[]): string =>
  fields.map((field) => `${field.length} ${field}`).join("");

/** The fields of a compound index. */
export function fieldsOfCompound(name: string): readonly [field: string, ...others: string[]] {
  const fields: string[] = [];
  for (let at = 0; at < name.length;) {
    const start = name.indexOf(" ", at) + 1;
    const end = start + Number(name.slice(at, start));
    fields.push(name.slice(start, end));
    at = end;
  }
  const [first = "", ...others] = fields;
  return [first, ...others];
}

/** How many combinations of values some indexes have. */
export const combinationsOf = (indexes: readonly FieldIndex[]): number =>
  indexes.reduce((product, { values }) => product * values.length, 1);

/** Some codes of an index, in few ranges. */
export interface SomeCodes {
  readonly index: FieldIndex;
  readonly ranges: CodeRanges;
}

/** The numbers that stand for some codes of each of some indexes; `undefined` if they are many ranges. */
export function combined(all: readonly SomeCodes[], mostRanges: number): CodeRanges | undefined {
  let ranges: CodeRanges = [0, 1];
  for (const { index, ranges: own } of all) {
    const next: number[] = [];
    const add = (low: number, high: number) => {
      if (next.at(-1) === low) next[next.length - 1] = high;
      else next.push(low, high);
    };
    const { length } = index.values;
    const [from, to] = onlyRange(own) ?? [];
    if (from === 0 && to === length) {
      ranges = ranges.map((number) => number * length);
      continue;
    }
    for (let i = 0; i < ranges.length; i += 2) {
      for (let code = ranges[i]!; code < ranges[i + 1]!; code++) {
        forEachRange(own, (low, high) => add(code * length + low, code * length + high));
        if (next.length > 2 * mostRanges) return undefined;
      }
    }
    ranges = next;
  }
  return ranges;
}

export class CompoundIndex implements Structure {
  lastUsed = 0;
  /** The numbers of the codes of all fields but the last, in the order of the last. */
  readonly codes: Codes;
  /** Higher than all of them. */
  readonly end: number;
  readonly #matrix: WaveletMatrix;

  private constructor(codes: Codes, end: number, matrix: WaveletMatrix) {
    this.codes = codes;
    this.end = end;
    this.#matrix = matrix;
  }

  /** @param by the index in whose order it is */
  static *building(indexes: readonly FieldIndex[], by: FieldIndex): Steps<CompoundIndex> {
    const { rows, codes: places } = by;
    const end = combinationsOf(indexes);
    const codes = new (codesTypeFor(end))(rows);
    const next = by.starts.slice();
    const [first, ...others] = indexes.map((index) => [index.codes, index.values.length] as const);
    yield* inSteps(rows, (from, to) => {
      for (let row = from; row < to; row++) {
        let code = first![0][row]!;
        for (const [own, length] of others) code = code * length + own[row]!;
        codes[next[places[row]!]!++] = code;
      }
    });
    return new CompoundIndex(codes, end, yield* WaveletMatrix.building(codes, end));
  }

  /** How many steps a rank takes. */
  get levels(): number {
    return this.#matrix.levels;
  }

  get bytes(): number {
    return this.codes.byteLength + this.#matrix.bytes;
  }

  /** How many rows with some of these numbers are at some positions in the order of the last field. */
  count(set: CodeRanges, from: number, to: number): number {
    const matrix = this.#matrix;
    let count = 0;
    for (let i = 0; i < set.length; i += 2) {
      count += matrix.count(set[i]!, set[i + 1]!, from, to);
    }
    return count;
  }

  /** How many rows have some of these numbers, and some codes of the last field. */
  countBoth(set: CodeRanges, by: FieldIndex, others: CodeRanges): number {
    let count = 0;
    forEachRange(others, (low, high) => {
      count += this.count(set, by.startOf(low), by.startOf(high));
    });
    return count;
  }
}

/** The positions, in the order of the last field, of the rows with some codes of the others. */
export class CompoundPositions {
  readonly #index: CompoundIndex;
  readonly #set: CodeRanges;
  /** The lowest number, and how many there are, if they are one range. */
  readonly #low: number;
  readonly #width: number;
  readonly #bits: Bitset | undefined;
  readonly #total: number;

  /** @param set of numbers of the index */
  constructor(index: CompoundIndex, set: CodeRanges) {
    const [low, high] = onlyRange(set) ?? [0, 0];
    this.#index = index;
    this.#set = set;
    this.#low = low;
    this.#width = high - low;
    this.#bits = set.length > 2 ? bitsOf(set, index.end) : undefined;
    this.#total = index.count(set, 0, index.codes.length);
  }

  has(position: number): boolean {
    return this.#nextNear(position, position + 1) === position;
  }

  /** How many of them are lower than a position. */
  rank(position: number): number {
    if (position === 0) return 0;
    const index = this.#index;
    return position === index.codes.length ? this.#total : index.count(this.#set, 0, position);
  }

  /** The one with a rank, which must be lower than their number. */
  select(rank: number): number {
    let low = 0;
    let lowRank = 0;
    let high = this.#index.codes.length;
    let highRank = this.#total;
    // Invariant: at most `rank` come before `low`, and more before `high`. Where they are evenly spread, the position is
    // close to its share of the range, so both sides of that are tried; every third time, the middle.
    for (let step = 0; high - low > NEAR; step++) {
      const width = high - low;
      const guess = low + ((rank - lowRank) / (highRank - lowRank)) * width;
      const margin = (step % 3 === 0 ? -1 : 1) * Math.sqrt(width);
      const middle = step % 3 === 2 ? low + width / 2 : guess + margin;
      const position = Math.max(low + 1, Math.min(high - 1, Math.floor(middle)));
      const found = this.rank(position);
      if (found <= rank) {
        low = position;
        lowRank = found;
      } else {
        high = position;
        highRank = found;
      }
    }
    low = this.#nextNear(low, high);
    for (let left = rank - lowRank; left > 0; left--) low = this.#nextNear(low + 1, high);
    return low;
  }

  /** The first in `[position, end)`; `end` if there is none. */
  next(position: number, end: number): number {
    if (position >= end) return end;
    const near = Math.min(end, position + FAR);
    position = this.#nextNear(position, near);
    if (position < near || near === end) return position;
    const rank = this.rank(position);
    return rank < this.rank(end) ? this.select(rank) : end;
  }

  /** The first in `[position, end)`, of which each is looked at; `end` if there is none. */
  #nextNear(position: number, end: number): number {
    const { codes } = this.#index;
    const bits = this.#bits;
    const low = this.#low;
    const width = this.#width;
    // One comparison for each: that of a random number with a bound is mispredicted.
    if (bits === undefined)
      while (position < end && (codes[position]! - low) >>> 0 >= width) position++;
    else while (position < end && bitAt(bits, codes[position]!) === 0) position++;
    return position;
  }

  /** The last one before a position; −1 if there is none. */
  previous(position: number): number {
    const near = Math.max(0, position - FAR);
    while (position > near) if (this.has(--position)) return position;
    const rank = this.rank(position);
    return rank === 0 ? -1 : this.select(rank - 1);
  }
}

/** No positions, of an index without rows. */
export const NO_POSITIONS = new CompoundPositions(
  finish(CompoundIndex.building([indexOfNulls("int", 0)], indexOfNulls("int", 0))),
  [],
);

/** Among so many positions, one is found by looking at each. */
const NEAR = 256;

/** If the next one is farther away, it is found by its rank. */
export const FAR = 2048;
