// The account of something that may be built, such as an index: what queries have cost for lack of it.

import type { Deadline } from "../algorithms/deadline.ts";

export class Account {
  /** What queries have cost for lack of it, in nanoseconds. */
  spent = 0;
  /** Whether an answer was late for lack of it. */
  isUrgent = false;
  /** Whether it was evicted, or there was no room for it. */
  wasDropped = false;
  /** How many bytes it takes, once there was no room for it. */
  bytes = 0;

  /** It is built. */
  close(): void {
    this.spent = 0;
    this.isUrgent = false;
  }

  /** It was evicted, or has no room. Before it is built again, queries must have cost its price again. */
  drop(): void {
    this.close();
    this.wasDropped = true;
  }

  /**
   * Builds what a query needs: at once or, if the query has a deadline, when {@link Deadline.postpone} does.
   *
   * @param build does nothing if it is built
   * @throws DeadlineError; building continues at the next request
   */
  request(build: (deadline: Deadline | undefined) => void, deadline: Deadline | undefined): void {
    if (deadline === undefined) build(undefined);
    else deadline.postpone({ isUrgent: this.isUrgent, build, hurry: this.#hurry });
  }

  readonly #hurry = (): void => {
    this.isUrgent = true;
  };
}
