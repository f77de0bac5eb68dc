// A deadline: the time by which a query must return. Long steps check it, so none of them overruns it by much. Work
// that would make later queries faster, such as building an index, is done in the time left over.

import { TercetError, type TercetErrorCode } from "../../schema/errors.ts";
import { tuning } from "../tuning.ts";

/**
 * A query took longer than allowed. It leaves nothing half-done, except that a missing index is closer to being built:
 * if the query is fast enough with its indexes, repeating it succeeds eventually.
 */
export class DeadlineError extends TercetError {
  protected static override readonly code = "timeout";
  override readonly name = "DeadlineError";
  declare readonly code: TercetErrorCode;
}

/** Work that makes later queries faster. */
export interface PostponedWork {
  /** Whether a query was late for lack of it. */
  readonly isUrgent: boolean;
  /** Continues the work until it is done; returns immediately if it already is. @throws DeadlineError */
  build(deadline: Deadline): void;
  /** Called when a query was late for lack of it. */
  hurry(): void;
}

/** Work postponed by queries. */
export class Postponed {
  readonly #work = new Set<PostponedWork>();

  add(work: PostponedWork): void {
    this.#work.add(work);
  }

  /** Called when a query was late. */
  hurry(): void {
    for (const work of this.#work) work.hurry();
  }

  /** Does as much of the work as there is time for. */
  build(deadline: Deadline): void {
    unlessLate(() => {
      for (const work of this.#work) {
        deadline.check();
        within(deadline, () => work.build(deadline));
      }
    });
  }
}

export class Deadline {
  readonly #milliseconds: number;
  readonly #end: number;
  readonly #now: () => number;
  readonly #postponed: Postponed;
  /** The urgent work that had its share of the time. */
  readonly #hurried = new Set<PostponedWork>();
  /** Whether the same was asked before, and was late: what helps the next query comes first. */
  isRetry = false;

  /** @param milliseconds how long from now @param now the time in milliseconds. Default: that of the platform */
  constructor(milliseconds: number, postponed = new Postponed(), now = platformTime) {
    this.#milliseconds = milliseconds;
    this.#now = now;
    this.#end = now() + milliseconds;
    this.#postponed = postponed;
  }

  /** The remaining milliseconds; negative once the deadline has passed. */
  get left(): number {
    return this.#end - this.#now();
  }

  /** Whether less than half of the time has passed, and an estimate is a small part of it. */
  hasTimeFor(nanoseconds: number): boolean {
    return nanoseconds * 100 < this.#milliseconds * 1e6 && this.left * 2 > this.#milliseconds;
  }

  /** @returns the remaining milliseconds @throws DeadlineError if it has passed */
  check(): number {
    const { left } = this;
    if (left >= 0) return left;
    throw new DeadlineError(`exceeded its time limit of ${this.#milliseconds} ms`);
  }

  /**
   * Postpones work until the query is answered. If a query was late for lack of it, the work first gets half of the
   * remaining time: it makes progress, and queries that need less time still succeed.
   *
   * @throws DeadlineError once the time is up
   */
  postpone(work: PostponedWork): void {
    this.#postponed.add(work);
    if (!work.isUrgent || this.#hurried.has(work)) return;
    this.#hurried.add(work);
    const half = new Deadline(this.left / 2);
    unlessLate(() => within(half, () => work.build(half)));
    this.check();
  }

  /**
   * Returns what `answer` returns, and spends the remaining time on postponed work.
   *
   * @throws DeadlineError if the answer is late; whatever `answer` throws
   */
  spend<Answer>(answer: () => Answer): Answer {
    let found: Answer;
    try {
      found = within(this, answer);
      this.check();
    } catch (thrown) {
      if (thrown instanceof DeadlineError) this.#postponed.hurry();
      throw thrown;
    }
    this.#postponed.build(this);
    return found;
  }
}

const platformTime = () => performance.now();

let current: Deadline | undefined;

/**
 * The deadline of what runs now, for long work that is reached through a property and so cannot be passed one: reading
 * a column of a file.
 */
export function currentDeadline(): Deadline | undefined {
  return current;
}

/** Returns what `work` returns; meanwhile {@link currentDeadline} is this one. */
export function within<Result>(deadline: Deadline | undefined, work: () => Result): Result {
  const outer = current;
  current = deadline;
  try {
    return work();
  } finally {
    current = outer;
  }
}

/** Returns what `answer` returns, under a deadline if there is one. @throws DeadlineError; whatever `answer` throws */
export function answerBy<Answer>(deadline: Deadline | undefined, answer: () => Answer): Answer {
  return deadline === undefined ? answer() : deadline.spend(answer);
}

/** How many milliseconds the current query, which has no deadline, has built. */
let built = 0;

/** How many queries there were. */
let queries = 0;

/** To be called for each query that is read, and before a change looks for values. */
export function beginQuery(): void {
  built = 0;
  queries++;
}

/** The number of the current query. */
export const currentQuery = (): number => queries;

/**
 * Builds something for a query without a deadline: for so many milliseconds, less those that the query has built before.
 * The next query continues.
 *
 * @param build throws a DeadlineError once the time is up
 */
export function buildFor(milliseconds: number, build: (until: Deadline) => void): void {
  const left = milliseconds - built;
  if (left <= 0) return;
  const start = tuning.clock();
  const until = new Deadline(left, undefined, tuning.clock);
  try {
    unlessLate(() => within(until, () => build(until)));
  } finally {
    built += tuning.clock() - start;
  }
}

/** Runs work that can be continued later. */
function unlessLate(work: () => void): void {
  try {
    work();
  } catch (thrown) {
    if (!(thrown instanceof DeadlineError)) throw thrown;
  }
}
