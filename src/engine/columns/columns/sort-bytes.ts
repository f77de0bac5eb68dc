// Sorts distinct byte strings bytewise, which for UTF-8 is code point order.
//
// Source: like `engine/algorithms/radix-sort.ts`, with windows of bytes.

import { radixSort } from "../../algorithms/radix-sort.ts";
import { finish } from "../../algorithms/steps.ts";

/** Numbered byte strings: the start of each in `bytes`, and the end of the last. */
export interface ByteStrings {
  readonly bytes: Uint8Array;
  readonly offsets: Uint32Array;
}

/** The bytes of a window: four words. */
const WINDOW = 16;

/** Up to this many strings are sorted by comparing. */
const FEW = 200;

/** Strings that are equal in their first `depth` bytes. */
interface Group {
  readonly from: number;
  readonly to: number;
  readonly depth: number;
}

/** Sorts the numbers of strings, in place. No byte may be 255, which never occurs in UTF-8. */
export function sortBytes(strings: ByteStrings, numbers: Uint32Array): void {
  // A list instead of recursion, since long common prefixes would exhaust the stack.
  const left: Group[] = [{ from: 0, to: numbers.length, depth: 0 }];
  for (let group = left.pop(); group !== undefined; group = left.pop()) {
    const { from, to, depth } = group;
    if (to - from <= FEW) {
      sortByComparing(strings, numbers.subarray(from, to), depth);
      continue;
    }
    const order = numbers.subarray(from, to);
    const words = windowOf(strings, order, depth);
    const sorted = finish(radixSort(words, order.length));
    const before = order.slice();
    for (let i = 0; i < order.length; i++) order[i] = before[sorted[i]!]!;
    let start = 0;
    for (let i = 1; i <= sorted.length; i++) {
      if (i < sorted.length && isSame(words, sorted[start]!, sorted[i]!)) continue;
      if (i - start > 1) left.push({ from: from + start, to: from + i, depth: depth + WINDOW });
      start = i;
    }
  }
}

/**
 * The next bytes of each string as four words; 0 stands for its end, and each byte is stored plus one.
 */
function windowOf(
  { bytes, offsets }: ByteStrings,
  numbers: Uint32Array,
  depth: number,
): Uint32Array[] {
  const words = Array.from({ length: WINDOW / 4 }, () => new Uint32Array(numbers.length));
  for (let i = 0; i < numbers.length; i++) {
    const number = numbers[i]!;
    const end = offsets[number + 1]!;
    let at = offsets[number]! + depth;
    for (const word of words) {
      let key = 0;
      for (let byte = 0; byte < 4; byte++, at++) key = (key << 8) | (at < end ? bytes[at]! + 1 : 0);
      word[i] = key;
    }
  }
  return words;
}

function isSame(words: readonly Uint32Array[], a: number, b: number): boolean {
  for (const word of words) if (word[a] !== word[b]) return false;
  return true;
}

function sortByComparing(strings: ByteStrings, numbers: Uint32Array, depth: number): void {
  const { bytes, offsets } = strings;
  const compare = (a: number, b: number): number => {
    const [endOfA, endOfB] = [offsets[a + 1]!, offsets[b + 1]!];
    let i = offsets[a]! + depth;
    let j = offsets[b]! + depth;
    while (i < endOfA && j < endOfB) {
      const difference = bytes[i++]! - bytes[j++]!;
      if (difference !== 0) return difference;
    }
    return endOfA - i - (endOfB - j);
  };
  if (numbers.length > 24) {
    numbers.set(Array.from(numbers).sort(compare));
    return;
  }
  for (let i = 1; i < numbers.length; i++) {
    const moving = numbers[i]!;
    let j = i;
    // Invariant: numbers[0..i) is sorted, and the elements formerly at j.. are higher than `moving`.
    for (; j > 0 && compare(numbers[j - 1]!, moving) > 0; j--) numbers[j] = numbers[j - 1]!;
    numbers[j] = moving;
  }
}
