// Arithmetic over positions, some of which are gaps: counting the filled ones and finding the next ones. Gaps are
// ascending positions.

import { bisect } from "./bisect.ts";

export type Gaps = Uint32Array;

export const NO_GAPS: Gaps = new Uint32Array();

/** How many of the positions in [from, to) are not gaps. */
export function filledIn(gaps: Gaps, from: number, to: number): number {
  if (gaps.length === 0) return to - from;
  return to - from - (bisect(gaps, to) - bisect(gaps, from));
}

/** The position after `count` filled ones, counted from a position. */
export function passFilled(gaps: Gaps, position: number, count: number): number {
  if (gaps.length === 0) return position + count;
  const first = bisect(gaps, position);
  let low = first;
  let high = gaps.length;
  // The number of filled positions between a position and a gap is their distance minus the gaps in between. It grows
  // from gap to gap, so binary search finds the last gap with at most `count`.
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (gaps[middle]! - position - (middle - first) <= count) low = middle + 1;
    else high = middle;
  }
  return position + count + (low - first);
}

/** The gaps without some of them. */
export function withoutGaps(gaps: Gaps, less: Gaps): Gaps {
  if (less.length === 0) return gaps;
  const rest = new Uint32Array(gaps.length - less.length);
  let from = 0;
  for (let i = 0; i < less.length; i++) {
    const to = bisect(gaps, less[i]!);
    rest.set(gaps.subarray(from, to), from - i);
    from = to + 1;
  }
  rest.set(gaps.subarray(from), from - less.length);
  return rest;
}

/** The gaps and some more, none of which was a gap. */
export function mergeGaps(gaps: Gaps, more: Gaps): Gaps {
  if (more.length === 0) return gaps;
  const merged = new Uint32Array(gaps.length + more.length);
  let from = 0;
  for (let i = 0; i < more.length; i++) {
    const to = bisect(gaps, more[i]!);
    merged.set(gaps.subarray(from, to), from + i);
    merged[to + i] = more[i]!;
    from = to;
  }
  merged.set(gaps.subarray(from), from + more.length);
  return merged;
}
