// Sorts row numbers by the values of a field with as few comparisons as possible: integers by least-significant-digit
// radix sort, strings by radix sort of a window of characters at a time. Both are stable: rows with equal values keep
// their order. Both work in steps.
//
// Source: D. E. Knuth, The Art of Computer Programming, vol. 3, 5.2.5 (radix sort). Going on to the next window within
// groups of equal keys is most-significant-digit radix sort with digits of many characters.

import { compareCodePoints } from "../../schema/order.ts";
import { isLadder } from "./ladder.ts";
import { inSteps, STEP_ROWS, type Steps } from "./steps.ts";

const DIGIT_BITS = 11;
const DIGITS = 1 << DIGIT_BITS;
const DIGIT_MASK = DIGITS - 1;
const PASSES_PER_WORD = 3;
/** Up to this many keys are sorted by comparison, since counting digits would take longer. */
const FEW = 64;

/**
 * Orders positions by keys of several 32-bit words, the most significant first.
 *
 * @param words each word of the key: its values by position
 * @returns the positions from 0 to `length − 1` in the order of their keys
 */
export function* radixSort(words: readonly Uint32Array[], length: number): Steps<Uint32Array> {
  if (length <= FEW) return insertionSort(words, length);
  let order = new Uint32Array(length);
  let other = new Uint32Array(length);
  for (let i = 0; i < length; i++) order[i] = i;
  const counts = new Uint32Array(DIGITS);
  for (let w = words.length - 1; w >= 0; w--) {
    const word = words[w]!;
    // A digit that is the same in all keys does not affect the order.
    let differing = 0;
    yield* inSteps(length, (from, to) => (differing |= differenceIn(word, from, to)));
    for (let pass = 0; pass < PASSES_PER_WORD; pass++) {
      const shift = pass * DIGIT_BITS;
      if (((differing >>> shift) & DIGIT_MASK) === 0) continue;
      counts.fill(0);
      yield* inSteps(length, (from, to) => {
        countDigits(counts, word, shift, from, to);
      });
      let start = 0;
      for (let digit = 0; digit < DIGITS; digit++) {
        const count = counts[digit]!;
        counts[digit] = start;
        start += count;
      }
      const [source, target] = [order, other];
      yield* inSteps(length, (from, to) => {
        distribute(source, target, word, shift, counts, from, to);
      });
      [order, other] = [target, source];
    }
  }
  return order;
}

function insertionSort(words: readonly Uint32Array[], length: number): Uint32Array {
  const order = new Uint32Array(length);
  for (let i = 0; i < length; i++) {
    let at = i;
    // Invariant: the keys from `at` on up to `i` are greater than that of `i`.
    for (; at > 0 && isLess(words, i, order[at - 1]!); at--) order[at] = order[at - 1]!;
    order[at] = i;
  }
  return order;
}

function isLess(words: readonly Uint32Array[], a: number, b: number): boolean {
  for (let w = 0; w < words.length; w++) {
    const word = words[w]!;
    if (word[a] !== word[b]) return word[a]! < word[b]!;
  }
  return false;
}

/** The bits in which some words differ from the first. */
function differenceIn(word: Uint32Array, from: number, to: number): number {
  let differing = 0;
  for (let i = from; i < to; i++) differing |= word[i]! ^ word[0]!;
  return differing;
}

function countDigits(
  counts: Uint32Array,
  word: Uint32Array,
  shift: number,
  from: number,
  to: number,
): void {
  for (let i = from; i < to; i++) counts[(word[i]! >>> shift) & DIGIT_MASK]!++;
}

/** One step of a pass: puts each position where the count of its digit says. */
function distribute(
  order: Uint32Array,
  other: Uint32Array,
  word: Uint32Array,
  shift: number,
  counts: Uint32Array,
  from: number,
  to: number,
): void {
  for (let i = from; i < to; i++) {
    const position = order[i]!;
    other[counts[(word[position]! >>> shift) & DIGIT_MASK]!++] = position;
  }
}

/**
 * Marks the elements of a sorted array that equal the previous one with 1. The sort knows most of this; finding out
 * afterwards would mean reading every value.
 */
export type Repeated = Uint8Array;

/**
 * Sorts positions of numbers, in place.
 *
 * @param areIntegers whether all are safe integers: these have fewer differing digits than their float64 bits
 */
export function* sortNumbers(
  numbers: Float64Array,
  positions: Uint32Array,
  areIntegers: boolean,
): Steps<Repeated> {
  const { length } = positions;
  const high = new Uint32Array(length);
  const low = new Uint32Array(length);
  const halves = new Uint32Array(numbers.buffer, numbers.byteOffset, 2 * numbers.length);
  yield* inSteps(length, (from, to) => {
    for (let i = from; i < to; i++) {
      const position = positions[i]!;
      if (areIntegers) {
        const upper = Math.floor(numbers[position]! / 2 ** 32);
        high[i] = upper + 2 ** 21;
        low[i] = numbers[position]! - upper * 2 ** 32;
        continue;
      }
      // The bits of positive numbers sort like the numbers, those of negative numbers in reverse.
      const upper = halves[2 * position + 1]!;
      const flips = upper >>> 31 === 1 ? 0xffffffff : 0;
      high[i] = upper ^ (flips | 0x80000000);
      low[i] = halves[2 * position]! ^ flips;
    }
  });
  yield* rearrange(positions, yield* radixSort([high, low], length));
  const repeated = new Uint8Array(length);
  yield* inSteps(length, (from, to) => {
    for (let i = Math.max(1, from); i < to; i++) {
      if (numbers[positions[i]!] === numbers[positions[i - 1]!]) repeated[i] = 1;
    }
  });
  return repeated;
}

/** Puts the elements into the order given by their positions. */
function* rearrange(elements: Uint32Array, order: Uint32Array): Steps<void> {
  if (isLadder(elements, 0)) {
    elements.set(order);
    return;
  }
  const before = elements.slice();
  yield* inSteps(order.length, (from, to) => {
    for (let i = from; i < to; i++) elements[i] = before[order[i]!]!;
  });
}

/** Measured: with one, two or three words the descent into groups costs more than it saves. */
const WINDOW_WORDS = 4;
/** Below this many strings, counting digits costs more than comparing. */
const SMALL = 400;
const TINY = 24;

/** Strings, and possibly other elements at positions that are not sorted. */
type Strings = readonly (string | null)[];

/** Positions of strings that are equal in their first `depth` units. */
interface Group {
  readonly from: number;
  readonly to: number;
  readonly depth: number;
}

/** Sorts positions of well-formed strings by code point, in place. */
export function* sortStrings(values: Strings, positions: Uint32Array): Steps<Repeated> {
  const repeated = new Uint8Array(positions.length);
  // Groups still to be sorted. A list, since long common prefixes would exhaust the stack.
  const left: Group[] = [{ from: 0, to: positions.length, depth: 0 }];
  for (let group = left.pop(); group !== undefined; group = left.pop()) {
    const { from, to, depth } = group;
    const order = positions.subarray(from, to);
    if (order.length <= SMALL) {
      sortByComparing(values, order, repeated.subarray(from, to), depth);
      continue;
    }
    const window = yield* readWindow(values, order, depth);
    const sorted = yield* radixSort(window.words, order.length);
    yield* rearrange(order, sorted);
    yield* sortGroups(values, order, repeated.subarray(from, to), sorted, window, group, left);
  }
  return repeated;
}

/** Sorts small groups with equal windows, and lists the others. */
function* sortGroups(
  values: Strings,
  order: Uint32Array,
  repeated: Repeated,
  sorted: Uint32Array,
  { words, units }: Window,
  { from: start, depth }: Group,
  left: Group[],
): Steps<void> {
  const last = words[WINDOW_WORDS - 1]!;
  const unitMask = units === 4 ? 0xff : 0xffff;
  const deeper = depth + units * WINDOW_WORDS;
  let from = 0;
  const sortUpTo = (end: number) => {
    for (let to = from + 1; from < end; to++) {
      if (to < sorted.length && sameKey(words, sorted[from]!, sorted[to]!)) continue;
      if (to - from > 1) {
        // Equal strings that end within the window are equal altogether.
        if ((last[sorted[from]!]! & unitMask) === 0) repeated.fill(1, from + 1, to);
        else if (to - from > SMALL)
          left.push({ from: start + from, to: start + to, depth: deeper });
        else sortByComparing(values, order.subarray(from, to), repeated.subarray(from, to), deeper);
      }
      from = to;
    }
  };
  for (let end = 0; end < sorted.length;) {
    end = Math.min(sorted.length, from + STEP_ROWS);
    sortUpTo(end);
    yield;
  }
}

function sameKey(words: readonly Uint32Array[], a: number, b: number): boolean {
  for (const word of words) if (word[a] !== word[b]) return false;
  return true;
}

interface Window {
  readonly words: readonly Uint32Array[];
  /** How many characters a word holds. */
  readonly units: 2 | 4;
}

/** The next characters of each string as a key of four words; 0 stands for the end of the string. */
function* readWindow(values: Strings, order: Uint32Array, depth: number): Steps<Window> {
  const words = Array.from({ length: WINDOW_WORDS }, () => new Uint32Array(order.length));
  let isNarrow = true;
  for (let from = 0; from < order.length && isNarrow; from += STEP_ROWS) {
    const to = Math.min(order.length, from + STEP_ROWS);
    isNarrow = readNarrow(values, order, depth, words, from, to);
    yield;
  }
  if (!isNarrow) {
    yield* inSteps(order.length, (from, to) => readWide(values, order, depth, words, from, to));
  }
  return { words, units: isNarrow ? 4 : 2 };
}

/** Four characters per word. Returns whether each fits in a byte; if not, the words are useless. */
function readNarrow(
  values: Strings,
  order: Uint32Array,
  depth: number,
  words: readonly Uint32Array[],
  from: number,
  to: number,
): boolean {
  for (let i = from; i < to; i++) {
    const value = values[order[i]!]!;
    const { length } = value;
    let at = depth;
    for (let w = 0; w < WINDOW_WORDS; w++) {
      let key = 0;
      for (let unit = 0; unit < 4; unit++, at++) {
        const code = at < length ? value.charCodeAt(at) + 1 : 0;
        if (code > 0xff) return false;
        key = (key << 8) | code;
      }
      words[w]![i] = key;
    }
  }
  return true;
}

/** Two characters per word. */
function readWide(
  values: Strings,
  order: Uint32Array,
  depth: number,
  words: readonly Uint32Array[],
  from: number,
  to: number,
): void {
  for (let i = from; i < to; i++) {
    const value = values[order[i]!]!;
    const { length } = value;
    let at = depth;
    for (let w = 0; w < WINDOW_WORDS; w++) {
      let key = 0;
      for (let unit = 0; unit < 2; unit++, at++) {
        const code = at < length ? codePointRank(value.charCodeAt(at)) + 1 : 0;
        key = (key << 16) | code;
      }
      words[w]![i] = key;
    }
  }
}

/**
 * Moves the high surrogates above all other units, so that units compare like code points. Low surrogates share their
 * ranks with units they are never compared with: in well-formed strings that are equal so far, a low surrogate occurs
 * only where the others have one too. So rank + 1 fits in 16 bits.
 */
function codePointRank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xdc00 ? unit + 0x2000 : unit - 0x800;
}

function sortByComparing(
  values: Strings,
  order: Uint32Array,
  repeated: Repeated,
  depth: number,
): void {
  if (order.length <= TINY) {
    sortByInsertion(values, order, depth);
  } else {
    const sorted = Array.from(order);
    sorted.sort((a, b) => compareCodePoints(values[a]!, values[b]!, depth));
    order.set(sorted);
  }
  for (let i = 1; i < order.length; i++) {
    if (values[order[i]!] === values[order[i - 1]!]) repeated[i] = 1;
  }
}

function sortByInsertion(values: Strings, order: Uint32Array, depth: number): void {
  for (let i = 1; i < order.length; i++) {
    const moving = order[i]!;
    const value = values[moving]!;
    let j = i;
    // Invariant: order[0..i) is sorted, and the elements formerly at j.. are higher than `value`.
    while (j > 0 && compareCodePoints(values[order[j - 1]!]!, value, depth) > 0) {
      order[j] = order[j - 1]!;
      j--;
    }
    order[j] = moving;
  }
}
