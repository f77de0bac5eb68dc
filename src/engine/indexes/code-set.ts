// Sets of codes of an index: a few ranges, or else one bit per code. However many criteria a query has, a set takes at
// most one bit per distinct value.

import { holdHiddenClassOf } from "../algorithms/hidden-class.ts";
import {
  addRange,
  addRows,
  bitAt,
  createBitset,
  forEachRun,
  intersectInto,
  lowestRow,
  ones,
  removeFrom,
  type Bitset,
} from "../algorithms/bitset.ts";
import { tuning } from "../tuning.ts";

/** Pairs [low, high), ascending and disjoint. */
export type CodeRanges = readonly number[];

export type CodeSet = CodeRanges | Bitset;

function isRanges(set: CodeSet): set is CodeRanges {
  return Array.isArray(set);
}

type Range = readonly [low: number, high: number];

function isOneRange(set: CodeSet): set is Range {
  return isRanges(set) && set.length === 2;
}

/** The single range of a set, if the set is one range. */
export function onlyRange(set: CodeSet): Range | undefined {
  return isOneRange(set) ? set : undefined;
}

/** The single code of a set, if it has only one: its rows are already in insertion order. */
export function onlyCode(set: CodeSet): number | undefined {
  return isOneRange(set) && set[1] === set[0] + 1 ? set[0] : undefined;
}

/** The ranges of a set, unless it is a bitset. */
export const rangesOf = (set: CodeSet): CodeRanges | undefined => (isRanges(set) ? set : undefined);

/** The ranges of a set, if they are few. */
export function fewRanges(set: CodeSet): CodeRanges | undefined {
  return isRanges(set) && set.length <= 2 * tuning.fewRanges ? set : undefined;
}

/** Visits the ranges of a set, ascending. */
export function forEachRange(set: CodeSet, visit: (low: number, high: number) => void): void {
  if (isRanges(set)) {
    for (let i = 0; i < set.length; i += 2) visit(set[i]!, set[i + 1]!);
    return;
  }
  forEachRun(set, visit);
}

/** Builds a set from codes added in ascending order; repetitions are allowed. */
export class CodeSetBuilder {
  readonly #end: number;
  readonly #ranges: number[] = [];
  #bits: Bitset | undefined;

  /** @param end how many codes there are */
  constructor(end: number) {
    this.#end = end;
  }

  add(low: number, high = low + 1): void {
    if (this.#bits !== undefined) {
      addRange(this.#bits, low, high);
      return;
    }
    const ranges = this.#ranges;
    if (ranges.length > 0 && low <= ranges[ranges.length - 1]!) ranges[ranges.length - 1] = high;
    else if (ranges.length < 2 * tuning.mostRanges) ranges.push(low, high);
    else {
      this.#bits = bitsOf(ranges, this.#end);
      addRange(this.#bits, low, high);
    }
  }

  finish(): CodeSet {
    return this.#bits ?? this.#ranges;
  }
}

/** The set of some codes, in any order; repetitions are allowed. */
export function setOfCodes(codes: number[] | Uint32Array, end: number): CodeSet {
  if (codes.length === 1) return [codes[0]!, codes[0]! + 1];
  if (codes.length > tuning.mostRanges) {
    const bits = createBitset(end);
    addRows(bits, codes);
    return bits;
  }
  codes.sort((a, b) => a - b);
  const builder = new CodeSetBuilder(end);
  for (const code of codes) builder.add(code);
  return builder.finish();
}

/** How many codes are in a set. */
export function countCodes(set: CodeSet): number {
  let count = 0;
  if (isRanges(set)) forEachRange(set, (low, high) => (count += high - low));
  else for (let word = 0; word < set.length; word++) count += ones(set[word]!);
  return count;
}

/** The codes in a set, ascending. */
export function codesOf(set: CodeSet): Uint32Array {
  const codes = new Uint32Array(countCodes(set));
  let length = 0;
  if (isRanges(set)) {
    forEachRange(set, (low, high) => {
      for (let code = low; code < high; code++) codes[length++] = code;
    });
    return codes;
  }
  for (let word = 0; word < set.length; word++) {
    for (let rest = set[word]!; rest !== 0; rest &= rest - 1)
      codes[length++] = lowestRow(word, rest);
  }
  return codes;
}

/** Whether a code is in a set. */
export function hasCode(set: CodeSet, code: number): boolean {
  if (!isRanges(set)) return bitAt(set, code) === 1;
  let low = 0;
  let high = set.length >>> 1;
  // Invariant: the ranges left of `low` begin at the code or below, those from `high` on above it.
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (set[2 * middle]! <= code) low = middle + 1;
    else high = middle;
  }
  return low > 0 && code < set[2 * low - 1]!;
}

/** The codes from 0 up to `end` that are not in a set. */
export function complement(set: CodeSet, end: number): CodeSet {
  if (!isRanges(set)) {
    const bits = createBitset(end);
    addRange(bits, 0, end);
    removeFrom(bits, set);
    return bits;
  }
  const others = new CodeSetBuilder(end);
  let from = 0;
  forEachRange(set, (low, high) => {
    if (from < low) others.add(from, low);
    from = high;
  });
  if (from < end) others.add(from, end);
  return others.finish();
}

/** The codes in both sets. */
export function intersect(a: CodeSet, b: CodeSet, end: number): CodeSet {
  if (!isRanges(a) || !isRanges(b)) {
    const bits = bitsOf(a, end).slice();
    intersectInto(bits, bitsOf(b, end));
    return bits;
  }
  const both = new CodeSetBuilder(end);
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    const low = Math.max(a[i]!, b[j]!);
    const high = Math.min(a[i + 1]!, b[j + 1]!);
    if (low < high) both.add(low, high);
    if (high === a[i + 1]) i += 2;
    else j += 2;
  }
  return both.finish();
}

/** The codes in either set. */
export function unite(a: CodeSet, b: CodeSet, end: number): CodeSet {
  return complement(intersect(complement(a, end), complement(b, end), end), end);
}

/** The set as a bitset; the set itself if it is one already. */
export function bitsOf(set: CodeSet, end: number): Bitset {
  if (!isRanges(set)) return set;
  const bits = createBitset(end);
  forEachRange(set, (low, high) => addRange(bits, low, high));
  return bits;
}

holdHiddenClassOf(new CodeSetBuilder(0));
