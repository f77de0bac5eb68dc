// What is measured of the records of each group, in one pass over them. A record whose group is negative is in none.

import type { Measure, Measured } from "../groups.ts";

/** The numbers of records by their codes, which are in the order of numbers. */
export interface Numbers {
  readonly codes: Uint32Array;
  /** NaN for null, which has the lowest code. */
  readonly byCode: Float64Array;
}

/** The records and the measure of each group, and of all. */
export interface Measures {
  readonly records: Uint32Array;
  /** NaN if a group has no number. */
  readonly values: Float64Array;
  readonly total: Measured;
}

export function measuredOf({ records, values }: Measures, group: number): Measured {
  return { records: records[group] ?? 0, value: orNull(values[group]) };
}

const orNull = (value = NaN): number | null => (Number.isNaN(value) ? null : value);

const QUANTILES: Readonly<Partial<Record<Measure, number>>> = { median: 0.5, p99: 0.99 };

/** Records by their groups. */
export interface Grouped {
  /** The group of each record. */
  readonly groups: Int32Array;
  /** How many records each group has, and all of them. */
  readonly records: Uint32Array;
  readonly all: number;
}

export function grouped(groups: Int32Array, size: number): Grouped {
  const records = new Uint32Array(size);
  let all = 0;
  for (let i = 0; i < groups.length; i++) {
    const group = groups[i]!;
    if (group < 0) continue;
    records[group]!++;
    all++;
  }
  return { groups, records, all };
}

/** @param numbers of the records, unless they are counted */
export function measure(
  of: Measure,
  { groups, records, all }: Grouped,
  numbers: Numbers | undefined,
): Measures {
  const [values, total] = valuesOf(of, groups, records, numbers);
  return { records, values, total: { records: all, value: orNull(total ?? all) } };
}

type Found = readonly [values: Float64Array, total: number | undefined];

function valuesOf(
  of: Measure,
  groups: Int32Array,
  records: Uint32Array,
  numbers: Numbers | undefined,
): Found {
  if (of === "count" || numbers === undefined) return [new Float64Array(records), undefined];
  const share = QUANTILES[of];
  if (share !== undefined) return quantiles(share, groups, records, numbers);
  return of === "minimum" || of === "maximum"
    ? extremes(of === "minimum", groups, records.length, numbers)
    : sums(of === "mean", groups, records.length, numbers);
}

/** Sums, each with what was lost by rounding, which is added in the end. */
function sums(
  isMean: boolean,
  groups: Int32Array,
  size: number,
  { codes, byCode }: Numbers,
): Found {
  const found = new Float64Array(size);
  const lost = new Float64Array(size);
  const counts = new Uint32Array(isMean ? size : 0);
  const nulls = nullCodes(byCode);
  for (let i = 0; i < groups.length; i++) {
    const group = groups[i]!;
    const code = codes[i]!;
    if (group < 0 || code < nulls) continue;
    const number = byCode[code]!;
    const before = found[group]!;
    const sum = before + number;
    found[group] = sum;
    lost[group]! += lostIn(before, number, sum);
    if (isMean) counts[group]!++;
  }
  let [sum, missing, count] = [0, 0, 0];
  for (let group = 0; group < size; group++) {
    const own = found[group]! + lost[group]!;
    const next = sum + own;
    missing += lostIn(sum, own, next);
    sum = next;
    if (isMean) count += counts[group]!;
    // The sum of no numbers is 0, and they have no mean.
    found[group] = isMean ? own / counts[group]! : own;
  }
  return [found, isMean ? (sum + missing) / count : sum + missing];
}

/**
 * What rounding takes from the sum of two numbers. Asking which of them is larger would be slower: among many groups,
 * the processor guesses wrong, and waits for the sum to find that out.
 * Source: D. E. Knuth, "The Art of Computer Programming", volume 2, section 4.2.2, theorem B.
 */
function lostIn(a: number, b: number, sum: number): number {
  const added = sum - a;
  return a - (sum - added) + (b - added);
}

/** How many codes stand for null: one or none. */
const nullCodes = (byCode: Float64Array): number => (Number.isNaN(byCode[0] ?? 0) ? 1 : 0);

function extremes(
  isLowest: boolean,
  groups: Int32Array,
  size: number,
  { codes, byCode }: Numbers,
): Found {
  // Codes are in the order of numbers.
  const none = isLowest ? byCode.length : -1;
  const found = new Int32Array(size).fill(none);
  const nulls = nullCodes(byCode);
  let best = none;
  for (let i = 0; i < groups.length; i++) {
    const group = groups[i]!;
    const code = codes[i]!;
    if (group < 0 || code < nulls) continue;
    // The code or what was found, whichever is lower or higher, without a branch: see `lostIn`.
    const more = code - found[group]!;
    found[group]! += more & (isLowest ? more >> 31 : ~(more >> 31));
  }
  const values = new Float64Array(size);
  for (let group = 0; group < size; group++) {
    const code = found[group]!;
    if (isLowest ? code < best : code > best) best = code;
    values[group] = byCode[code] ?? NaN;
  }
  return [values, byCode[best] ?? NaN];
}

/** Of each group, and of all, the smallest number that at least such a share of the numbers does not exceed. */
function quantiles(
  share: number,
  groups: Int32Array,
  { length: size }: Uint32Array,
  { codes, byCode }: Numbers,
): Found {
  const nulls = nullCodes(byCode);
  const ends = new Uint32Array(size);
  const byNumber = new Uint32Array(byCode.length);
  for (let i = 0; i < groups.length; i++) {
    const group = groups[i]!;
    const code = codes[i]!;
    if (group < 0 || code < nulls) continue;
    ends[group]!++;
    byNumber[code]!++;
  }
  let end = 0;
  for (let group = 0; group < size; group++) {
    const count = ends[group]!;
    ends[group] = end;
    end += count;
  }
  // The codes of each group stand together. Afterwards, `ends` has where each group ends.
  const sorted = new Uint32Array(end);
  for (let i = 0; i < groups.length; i++) {
    const group = groups[i]!;
    const code = codes[i]!;
    if (group >= 0 && code >= nulls) sorted[ends[group]!++] = code;
  }
  const found = new Float64Array(size).fill(NaN);
  let start = 0;
  for (let group = 0; group < size; group++) {
    const stop = ends[group]!;
    if (stop === start + 1) found[group] = byCode[sorted[start]!]!;
    else if (stop > start) {
      const place = start + rankOf(share, stop - start);
      found[group] = byCode[select(sorted, start, stop - 1, place)]!;
    }
    start = stop;
  }
  return [found, end === 0 ? NaN : byCode[codeAt(byNumber, rankOf(share, end))]!];
}

/** The place of a quantile among so many numbers in their order. */
export const rankOf = (share: number, count: number): number =>
  Math.max(0, Math.ceil(share * count - 1e-9) - 1);

/** The code at a place of all records in the order of codes. */
export function codeAt(counts: Uint32Array, place: number): number {
  let code = 0;
  for (let left = place; code < counts.length && left >= counts[code]!; code++) {
    left -= counts[code]!;
  }
  return code;
}

/**
 * The number that would stand at a place if a part of an array were sorted: the part is partitioned around it.
 * Source: C. A. R. Hoare, "Algorithm 65: FIND", 1961.
 */
function select(array: Uint32Array, start: number, last: number, place: number): number {
  let [low, high] = [start, last];
  while (low < high) {
    const pivot = array[(low + high) >>> 1]!;
    let [left, right] = [low, high];
    while (left <= right) {
      while (array[left]! < pivot) left++;
      while (array[right]! > pivot) right--;
      if (left > right) break;
      const swapped = array[left]!;
      array[left++] = array[right]!;
      array[right--] = swapped;
    }
    if (place <= right) high = right;
    else if (place >= left) low = left;
    else break;
  }
  return array[place]!;
}
