// Selection: puts a range of the sorted order in place without sorting the rest. Expected linear time; in the worst
// case, that of a sort.

import { sortNumbers } from "./radix-sort.ts";
import type { Steps } from "./steps.ts";

/**
 * Random keys typically took three passes, and at most seven in 300 runs. Keys that take more were crafted to be slow.
 */
const MOST_PASSES = 12;

/**
 * Rearranges distinct keys so that `keys[from..to)` holds what a full sort would put there, sorted.
 * Keys left of it are smaller, keys right of it are larger, both in no particular order.
 *
 * Source: C. A. R. Hoare, "Algorithm 65: Find", CACM 4(7), 1961; to sort in the worst case, D. R. Musser,
 * "Introspective Sorting and Selection Algorithms", 1997; for the pivots, R. W. Floyd, R. L. Rivest, "Algorithm
 * 489: The Algorithm SELECT", CACM 18(3), 1975.
 */
export function* selectingRange(keys: Float64Array, from: number, to: number): Steps<void> {
  const end = Math.min(to, keys.length);
  if (from >= end) return;
  // The end of the range first: the keys to the right of it are then done with.
  if (end < keys.length) yield* selectOne(keys, end - 1, 0, keys.length - 1);
  const isInPlace = from === end - 1 && end < keys.length;
  if (from > 0 && !isInPlace) yield* selectOne(keys, from, 0, end - 1);
  yield* sort(keys, from, end);
}

/** Up to this many keys are sorted in one step; a radix sort would be no faster. */
const SORT_STEP = 1 << 16;

/** Sorts `keys[from..to)`. */
function* sort(keys: Float64Array, from: number, to: number): Steps<void> {
  const part = keys.subarray(from, to);
  if (part.length <= SORT_STEP) {
    part.sort();
    return;
  }
  const unsorted = part.slice();
  const positions = Uint32Array.from(unsorted.keys());
  yield* sortNumbers(unsorted, positions, true);
  for (let i = 0; i < positions.length; i++) part[i] = unsorted[positions[i]!]!;
}

/** In a longer part, a sample gives a pivot near the searched key: half as many keys are then compared. */
const SAMPLED = 600;

/**
 * Puts the k-th smallest of `keys` at position k, smaller ones left, larger right, if the keys outside `left` to `right`
 * already are.
 */
function* selectOne(keys: Float64Array, k: number, left: number, right: number): Steps<void> {
  let budget = MOST_PASSES * (right - left + 1);
  while (left < right) {
    budget -= right - left;
    if (budget < 0) {
      yield* sort(keys, left, right + 1);
      return;
    }
    const isSampled = right - left > SAMPLED;
    if (isSampled) yield* selectOne(keys, k, ...sampleAround(k, left, right));
    const pivot = keys[isSampled ? k : (left + right) >>> 1]!;
    let i = left;
    let j = right;
    // Invariant: keys left of i are at most the pivot, keys right of j at least.
    while (i <= j) {
      while (keys[i]! < pivot) i++;
      while (keys[j]! > pivot) j--;
      if (i <= j) {
        const key = keys[i]!;
        keys[i++] = keys[j]!;
        keys[j--] = key;
      }
    }
    yield;
    if (k <= j) right = j;
    else if (k >= i) left = i;
    else return;
  }
}

/** The first and the last position of a sample whose key at position k is just beyond the searched one. */
function sampleAround(
  k: number,
  left: number,
  right: number,
): readonly [first: number, last: number] {
  const length = right - left + 1;
  const place = k - left + 1;
  const size = Math.cbrt(length) ** 2 / 2;
  const side = place < length / 2 ? -1 : 1;
  const deviation = (side * Math.sqrt((Math.log(length) * size * (length - size)) / length)) / 2;
  const first = Math.floor(k - (place * size) / length + deviation);
  const last = Math.floor(k + ((length - place) * size) / length + deviation);
  return [Math.max(left, Math.min(k, first)), Math.min(right, Math.max(k, last))];
}
