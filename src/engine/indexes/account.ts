// An account of something that may be built, such as an index: what queries have cost without it.

import { buildFor, type Deadline, type PostponedWork } from "../algorithms/deadline.ts";
import { tuning } from "../tuning.ts";

/**
 * How many times as long as estimated some work took; at least 1. Long pauses are not its own: the first queries of a
 * process wait for compilation, and any may for garbage collection.
 *
 * @param start when it began, by `tuning.clock`
 * @param estimate in nanoseconds
 */
export function slowness(start: number, estimate: number): number {
  const times = ((tuning.clock() - start) * 1e6) / Math.max(1, estimate);
  return Math.max(1, Math.min(times, MOST_TIMES));
}

const MOST_TIMES = 8;

/**
 * How many rows to charge, given how many were read. If the time was up before the first batch, that batch is charged:
 * otherwise no number of retries would get an index built.
 */
export function chargedRows(read: number, isDone: boolean): number {
  return isDone ? read : Math.max(read, tuning.smallestBatch);
}

export class Account {
  /** What queries have cost without it, in nanoseconds. */
  spent = 0;
  /** Whether a query was late for lack of it. */
  isUrgent = false;
  /** Whether it was evicted, or there was no room for it. */
  wasDropped = false;
  /** Its size in bytes, if there was no room for it. */
  bytes = 0;
  /** What a query has lately cost without it, in nanoseconds. */
  #latest = 0;
  #work: PostponedWork | undefined;

  /** Charges what a query has cost without it. */
  charge(nanoseconds: number): void {
    this.spent += nanoseconds;
    if (nanoseconds < Infinity) this.#latest = nanoseconds;
  }

  /** Called when it was built. */
  close(): void {
    this.spent = 0;
    this.isUrgent = false;
  }

  /** Called when it was evicted, or has no room. Before it is built again, queries must have cost its price again. */
  drop(): void {
    this.close();
    this.wasDropped = true;
  }

  /**
   * Builds it for a query. If the query has a deadline, when {@link Deadline.postpone} allows. Otherwise immediately, for
   * up to 50 ms, or half as long as a query takes without it: then it costs at most four times as much as if it had been
   * there from the beginning, and no query is held up for long.
   *
   * @param build does nothing if it already exists
   * @throws DeadlineError; building continues at the next request
   */
  request(build: (deadline: Deadline) => void, deadline: Deadline | undefined): void {
    if (deadline === undefined) {
      buildFor(Math.max(tuning.longestBuilding, this.#latest / 2e6), build);
    } else deadline.postpone((this.#work ??= this.#postponed(build)));
  }

  /** The same work for each request: a query may request an index for each of its criteria. */
  #postponed(build: PostponedWork["build"]): PostponedWork {
    const isUrgent = () => this.isUrgent;
    return {
      get isUrgent() {
        return isUrgent();
      },
      build,
      hurry: () => void (this.isUrgent = true),
    };
  }
}
