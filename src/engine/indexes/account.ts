// An account of something that may be built, such as an index: what queries have cost without it.
//
// Building must not hold a query for long, so it goes on for some milliseconds in each of several queries, all of which
// still scan. Say that building takes `b`, a scan `s`, and a query builds for `x`. If building begins once scans have
// taken `a · b`, all that was paid when it ends is `a · b + b + s · b / x`, and at most another scan. In hindsight the
// best choice would have cost `b`, or all scans if these cost less. So `a + s / x ≤ 1.5` keeps what is paid within 2.5
// times the best, and one scan.

import {
  buildFor,
  currentQuery,
  type Deadline,
  type PostponedWork,
} from "../algorithms/deadline.ts";
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

/** Of `a + s / x`. */
const MOST_SHARE = 1.5;

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
  /** The query that has. */
  #query = 0;
  #work: PostponedWork | undefined;

  /** Charges what a query has cost without it. */
  charge(nanoseconds: number): void {
    this.spent += nanoseconds;
    if (nanoseconds === Infinity) return;
    const query = currentQuery();
    // One query may be charged for several of its parts.
    this.#latest = nanoseconds + (this.#query === query ? this.#latest : 0);
    this.#query = query;
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
   * The share of its price that queries must have cost before it is built: all of it, or less if scans take long
   * compared with how long each query may build.
   */
  get dueShare(): number {
    if (this.wasDropped) return 1;
    return Math.max(0, Math.min(1, MOST_SHARE - this.#scan / this.#slice));
  }

  /** What a query has lately cost without it, in milliseconds, and how long the next one may build it. */
  get #scan(): number {
    return this.#latest / 1e6;
  }

  get #slice(): number {
    return Math.max(tuning.longestBuilding, this.#scan / MOST_SHARE);
  }

  /**
   * Builds it for a query. If the query has a deadline, when {@link Deadline.postpone} allows. Otherwise immediately, for
   * up to 50 ms; if a query takes more than 75 ms without it, for two thirds of that.
   *
   * @param build does nothing if it already exists
   * @throws DeadlineError; building continues at the next request
   */
  request(build: (deadline: Deadline) => void, deadline: Deadline | undefined): void {
    if (deadline === undefined) {
      buildFor(this.#slice, build);
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
