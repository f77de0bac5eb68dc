// What of a value is the key of its group: all of it, its first characters, or the start of a range or of a step of the
// calendar that contains it.

import { bisect } from "../algorithms/bisect.ts";
import { currentDeadline } from "../algorithms/deadline.ts";
import type { Derivation } from "../indexes/derived.ts";
import type { FieldIndex } from "../indexes/field-index.ts";
import type { SortValue } from "../versions/sort-order.ts";

export interface Cut {
  readonly keyOf: (value: SortValue) => SortValue;
  /** Whether keys are in the order of the values. */
  readonly isInOrder: boolean;
  /**
   * The start of each range of codes whose values have the same key, and the end of the last; the first is that of
   * null. Ranges may have the same key if keys are not in order. Default: each code has its own.
   *
   * @throws DeadlineError
   */
  readonly boundsIn?: (index: FieldIndex) => Uint32Array;
  /** How many first characters of strings are the key. */
  readonly prefix?: number;
  /** The range of numbers with one key that contains a number; an empty one if it is not known. */
  readonly rangeOf?: RangeOf;
  /** The key of the numbers below all ranges, which is shown as −Infinity. */
  readonly below?: number;
}

/** A cut of numbers. */
export type RangesCut = Cut & Required<Pick<Cut, "rangeOf">>;

export const WHOLE: Cut = { keyOf: (value) => value, isInOrder: true };

/** By this many first characters of strings. */
export const prefixCut = (most: number): Cut => ({
  keyOf: (value) => (typeof value === "string" ? firstCharacters(value, most) : value),
  isInOrder: true,
  boundsIn: (index) => boundsOfPrefixes(index, most),
  prefix: most,
});

/** A function of numbers that repeats, such as the hour of the day. */
export const numberCut = (keyOf: (number: number) => number, rangeOf: RangeOf): RangesCut => ({
  keyOf: (value) => (typeof value === "number" && value > -Infinity ? keyOf(value) : value),
  isInOrder: false,
  boundsIn: (index) => boundsOfRanges(index, rangeOf),
  rangeOf,
});

/** A range of numbers that have one key: from this number on, up to the other. */
export type RangeOf = (number: number) => readonly [from: number, end: number];

/** How many ranges are kept. */
const MOST_KNOWN = 1 << 12;

/** Finds the start of a number's range among those that were found before. */
function startsBy(rangeOf: RangeOf, check: (number: number) => void): (number: number) => number {
  const [starts, ends]: [number[], number[]] = [[], []];
  return (number) => {
    const next = bisect(starts, number);
    const at = starts[next] === number ? next : next - 1;
    if (at >= 0 && number < ends[at]!) return starts[at]!;
    check(number);
    const [start, end] = rangeOf(number);
    if (starts.length < MOST_KNOWN) {
      starts.splice(at + 1, 0, start);
      ends.splice(at + 1, 0, end);
    }
    return start;
  };
}

/**
 * By ranges of numbers, whose keys are where they begin.
 *
 * @param check throws for numbers that have no key
 */
export function rangeCut(
  rangeOf: RangeOf,
  check: (number: number) => void = () => undefined,
): RangesCut {
  const startOf = startsBy(rangeOf, check);
  return {
    keyOf: (value) => (typeof value === "number" && value > -Infinity ? startOf(value) : value),
    isInOrder: true,
    boundsIn: (index) => boundsOfRanges(index, rangeOf),
    rangeOf,
  };
}

/**
 * A cut of numbers for texts that stand for numbers, in the same order.
 *
 * @param keyFor the key for that of the number
 */
export function textCut(
  cut: RangesCut,
  numberOf: (text: string) => number,
  keyFor: (key: number) => SortValue,
): Cut {
  const { isInOrder, rangeOf } = cut;
  return {
    keyOf: (value) =>
      typeof value === "string" ? keyFor(Number(cut.keyOf(numberOf(value)))) : value,
    isInOrder,
    boundsIn: (index) =>
      boundsOfRanges(index, rangeOf, (code) => numberOf(index.values.at(code) ?? "")),
  };
}

/**
 * The start of each range from the one with the lowest number to the one with the highest, and finally the end of the
 * last; `undefined` if there are more ranges than `most`, or some are not known.
 */
export function rangesBetween(
  rangeOf: RangeOf,
  low: number,
  high: number,
  most: number,
): readonly number[] | undefined {
  const edges: number[] = [];
  let [from, end] = rangeOf(low);
  edges.push(from);
  while (end > from) {
    edges.push(end);
    if (end > high) return edges;
    if (edges.length > most) return undefined;
    const before = end;
    [from, end] = rangeOf(before);
    if (from !== before) return undefined;
  }
  return undefined;
}

/** @param numberAt the number of a code other than 0 */
function boundsOfRanges(
  index: FieldIndex,
  rangeOf: RangeOf,
  numberAt: (code: number) => number = (code) => index.numberAt(code),
): Uint32Array {
  const { length } = index.values;
  const deadline = currentDeadline();
  const bounds = [0];
  for (let code = 1; code < length;) {
    if (bounds.length % CHECKED_BOUNDS === 0) deadline?.check();
    bounds.push(code);
    const [, end] = rangeOf(numberAt(code));
    // Whatever a range says, it has at least the number that it was asked for.
    code = endOfRange(code + 1, length, (other) => numberAt(other) < end);
  }
  bounds.push(length);
  return Uint32Array.from(bounds);
}

/**
 * The first code, from `start` on, that is not in a range, or `length`. Doubling steps find one beyond the range, and
 * bisection then finds its end.
 */
function endOfRange(start: number, length: number, isIn: (code: number) => boolean): number {
  let low = start;
  let step = 1;
  while (low + step - 1 < length && isIn(low + step - 1)) {
    low += step;
    step *= 2;
  }
  let high = Math.min(length, low + step - 1);
  // Invariant: codes left of `low` are in the range, those from `high` on are not.
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isIn(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The ranges between given edges, ascending, and that of lower numbers. */
export function edgesCut(edges: readonly number[]): Cut {
  // As a key, −Infinity stands for null.
  const lowest = -Number.MAX_VALUE;
  const all = [...new Set([lowest, ...edges]), Infinity];
  const cut = rangeCut((number) => {
    const at = bisect(all, number);
    const from = all[at] === number ? at : at - 1;
    return [all[from]!, all[from + 1]!];
  });
  return edges[0] === lowest ? cut : { ...cut, below: lowest };
}

/** Ranges of equal width. @param origin where one of them begins */
export function widthCut(width: number, origin: number): Cut {
  const startOf = (range: number) => origin + range * width;
  return rangeCut((number) => {
    let range = Math.floor((number - origin) / width);
    // Where numbers are further apart than ranges, each has its own.
    if (!(startOf(range - 1) < startOf(range) && startOf(range) < startOf(range + 1))) {
      return [number, number];
    }
    // Both the quotient and the product are rounded.
    if (startOf(range) > number) range--;
    else if (startOf(range + 1) <= number) range++;
    return [startOf(range) + 0, startOf(range + 1)];
  });
}

/** The first characters of a string, by code point, so that no surrogate pair is split. */
export function firstCharacters(text: string, most: number): string {
  if (text.length <= most) return text;
  let end = 0;
  for (let i = 0; i < most && end < text.length; i++) end += isHighSurrogate(text, end) ? 2 : 1;
  return text.slice(0, end);
}

function isHighSurrogate(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xd800;
}

/**
 * The bounds of {@link boundsOfPrefixes}, for the latest number of characters, as far as they are known: a late query
 * leaves what it has found to the next one.
 */
class PrefixBounds implements Derivation {
  most = 0;
  begun: number[] = [];
  whole: Uint32Array | undefined;

  get bytes(): number {
    return 8 * this.begun.length + (this.whole?.byteLength ?? 0);
  }

  begin(most: number): void {
    this.most = most;
    this.begun = [0, 1];
    this.whole = undefined;
  }

  clear(): void {
    this.most = 0;
    this.begun = [];
    this.whole = undefined;
  }
}

/**
 * The start of each range of codes whose strings have the same first characters, and the end of the last. Such codes
 * are consecutive.
 *
 * @throws DeadlineError
 */
function boundsOfPrefixes(index: FieldIndex, most: number): Uint32Array {
  const known = index.derived.of(PrefixBounds);
  if (known.most !== most) known.begin(most);
  return (known.whole ??= findBounds(index, known));
}

function findBounds(index: FieldIndex, { most, begun }: PrefixBounds): Uint32Array {
  const { length } = index.values;
  const deadline = currentDeadline();
  const prefixAt = (code: number) => firstCharacters(index.values.at(code) ?? "", most);
  for (let start = begun.at(-1)!; start < length; begun.push(start)) {
    if (begun.length % CHECKED_BOUNDS === 0) deadline?.check();
    const prefix = prefixAt(start);
    start = endOfRange(start + 1, length, (code) => prefixAt(code) === prefix);
  }
  return Uint32Array.from(begun);
}

/** How many bounds are found between two looks at the deadline. */
const CHECKED_BOUNDS = 1 << 9;
