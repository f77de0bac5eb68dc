// The lowest or highest of many numbers, in order: one pass keeps the best. Sorting would order all of them for the
// sake of a page.

import { finish, inSteps } from "./steps.ts";
import type { Deadline } from "./deadline.ts";

/** A candidate for the page: its sort key, lowest first, and its position. */
interface Candidate {
  readonly key: number;
  readonly place: number;
}

/** Equal keys, infinite ones included, keep the order of their positions. */
const compare = (a: Candidate, b: Candidate) =>
  a.key === b.key ? a.place - b.place : a.key - b.key;

/** V8 replaces the code of a loop while it runs: inserting ten thousand rows is one loop. */
const ROWS = 1 << 14;

/**
 * The positions of the integers that a stable sort would put at `[from, to)`. The integers are passed as an array:
 * after an insertion of ten thousand rows, all are read before V8 has compiled a function that reads one. Cost: one
 * read per integer, and the logarithm of `to` per candidate.
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
  /** Any number that is not lower comes after the page: enough lower ones were read before. */
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
