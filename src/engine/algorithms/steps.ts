// Long work in steps: a generator that yields after every few thousand rows. The caller can run it to the end, checking
// a deadline between steps, or run a few steps and continue later.

import type { Deadline } from "./deadline.ts";

/** Work that yields between its steps and returns its result. A step takes a few milliseconds at most. */
export type Steps<Result> = Generator<undefined, Result, undefined>;

/** How many rows make a step, if each takes little time. */
export const STEP_ROWS = 1 << 12;

/**
 * Runs work to its end.
 *
 * @throws DeadlineError; the work can be continued from where it stopped
 */
export function finish<Result>(steps: Steps<Result>, deadline?: Deadline): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    deadline?.check();
  }
}

/** Work done in one step. */
export function* stepsOf<Result>(work: () => Result): Steps<Result> {
  yield;
  return work();
}

/** Visits the numbers from 0 up to `length` in ranges of one step each. @param rows how many rows make a step */
export function* inSteps(
  length: number,
  visit: (from: number, to: number) => void,
  rows = STEP_ROWS,
): Steps<void> {
  for (let from = 0; from < length; from += rows) {
    visit(from, Math.min(length, from + rows));
    yield;
  }
}
