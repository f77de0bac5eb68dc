// A page of rows by an int field without an index: all are read once and the best are kept. An index
// would sort all rows for the few of the page.

import { finish, inSteps } from "./steps.ts";
import type { Deadline } from "./deadline.ts";

/** A candidate for the page: its sort key, lowest first, and its place. */
interface Candidate {
  readonly key: number;
  readonly place: number;
}

/** Equal keys, infinite ones too, keep the order of their places. */
const compare = (a: Candidate, b: Candidate) =>
  a.key === b.key ? a.place - b.place : a.key - b.key;

/** V8 replaces the code of a loop that runs long: ten thousand rows, inserted at once, are one loop. */
const ROWS = 1 << 14;

/**
 * The places of the integers that a stable sort would put at positions `from` up to `to`. They are given as
 * an array: the first page after an insertion reads ten thousand, before V8 has compiled a function for it.
 * Cost: reading each, and the logarithm of `to` for each candidate.
 *
 * @throws DeadlineError
 */
export function selectByIntegers(
  integers: Float64Array,
  descending: boolean,
  from: number,
  to: number,
  deadline: Deadline | undefined,
): Uint32Array {
  const sign = descending ? -1 : 1;
  let best: Candidate[] = [];
  /** Anything not lower comes after the page: enough lower ones were read before. */
  let bound: number | undefined;
  const keepBest = (low: number, high: number) => {
    for (let place = low; place < high; place++) {
      const key = sign * integers[place]!;
      if (bound !== undefined && key >= bound) continue;
      best.push({ key, place });
      if (best.length <= 2 * to) continue;
      best = best.sort(compare).slice(0, to);
      bound = best.at(-1)?.key;
    }
  };
  finish(inSteps(integers.length, keepBest, ROWS), deadline);
  return Uint32Array.from(best.sort(compare).slice(from, to), ({ place }) => place);
}
