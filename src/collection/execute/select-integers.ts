// A page of rows by an int field that has no index: the best ones are kept while all are read once. An
// index of them would put all rows in order for the few of the page.

import { finish, inSteps } from "../algorithms/steps.ts";
import type { Deadline } from "../algorithms/deadline.ts";

/** What may be of the page: what it is sorted by, lowest first, and its place. */
interface Candidate {
  readonly key: number;
  readonly place: number;
}

/** Equal keys, infinite ones too, keep the order of their places. */
const compare = (a: Candidate, b: Candidate) =>
  a.key === b.key ? a.place - b.place : a.key - b.key;

/**
 * The places of the integers, among `count` of them, that a stable sort would put on positions `from` up
 * to `to`. Cost: reading each, and the logarithm of `to` for each that is kept for a while.
 *
 * @throws DeadlineError
 */
export function selectByIntegers(
  count: number,
  integerAt: (place: number) => number,
  descending: boolean,
  from: number,
  to: number,
  deadline: Deadline | undefined,
): Uint32Array {
  const sign = descending ? -1 : 1;
  let best: Candidate[] = [];
  /** What is not lower comes after the page: so many that are lower were read before. */
  let bound: number | undefined;
  const keepBest = (low: number, high: number) => {
    for (let place = low; place < high; place++) {
      const key = sign * integerAt(place);
      if (bound !== undefined && key >= bound) continue;
      best.push({ key, place });
      if (best.length <= 2 * to) continue;
      best = best.sort(compare).slice(0, to);
      bound = best.at(-1)?.key;
    }
  };
  finish(inSteps(count, keepBest), deadline);
  return Uint32Array.from(best.sort(compare).slice(from, to), ({ place }) => place);
}
