// A clock that counts work: each reading is one millisecond later than the previous one. A deadline reads the clock at
// each of its checks, so a limit of 50 ms is 50 steps of work, on any machine.

import { vi } from "vitest";

export interface WorkClock extends Disposable {
  /** How many steps of work there were so far. */
  readonly now: number;
}

/** Replaces `performance.now` until what it returns is disposed of. */
export function workClock(): WorkClock {
  let now = 0;
  const spy = vi.spyOn(performance, "now").mockImplementation(() => ++now);
  return {
    get now() {
      return now;
    },
    [Symbol.dispose]: () => spy.mockRestore(),
  };
}
