// The clock that limits the time of a request (rule E14).

import { Deadline, DeadlineError, Postponed, within } from "../engine/algorithms/deadline.ts";
import { ServiceError } from "./errors.ts";

/** A timer with a longer delay fires immediately. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** The time left for a request. The clock stops while nothing is being computed. */
export class Clock {
  readonly #milliseconds: number | undefined;
  /** Index building after the last response; the requests of a batch share its time. */
  readonly #postponed = new Postponed();
  #left: number;

  /** @param milliseconds `undefined`: no limit */
  constructor(milliseconds: number | undefined) {
    this.#milliseconds = milliseconds;
    this.#left = milliseconds ?? 0;
  }

  /** Runs work that can't be interrupted, and subtracts its time. */
  spend<Result>(work: () => Result): Result {
    if (this.#milliseconds === undefined) return work();
    const deadline = new Deadline(this.#left);
    try {
      return work();
    } finally {
      this.#left = deadline.left;
    }
  }

  /**
   * Runs work that obeys a deadline.
   *
   * @throws ServiceError 100 if it takes longer than the time left; whatever the work throws
   */
  run<Result>(work: (deadline: Deadline | undefined) => Result): Result {
    if (this.#milliseconds === undefined) return work(undefined);
    const deadline = new Deadline(this.#left, this.#postponed);
    try {
      // Once the time of a batch is up, its remaining requests are not even read.
      deadline.check();
      const result = within(deadline, () => work(deadline));
      deadline.check();
      return result;
    } catch (thrown) {
      if (!(thrown instanceof DeadlineError)) throw thrown;
      this.#postponed.hurry();
      throw this.#late(thrown);
    } finally {
      this.#left = deadline.left;
    }
  }

  /**
   * Spends the remaining time on postponed work, such as building indexes. Call it after the last response; failures go
   * to `report`.
   *
   * @param report receives unexpected exceptions
   */
  spendRest(report: (thrown: unknown) => unknown): void {
    if (this.#milliseconds === undefined) return;
    try {
      this.#postponed.build(new Deadline(this.#left));
    } catch (thrown) {
      report(thrown);
    }
  }

  /**
   * Waits for a promise from the caller.
   *
   * @param work receives a signal, aborted once nothing waits for the promise
   * @throws ServiceError 100 as soon as the time is up; whatever the work throws
   */
  async wait<Result>(
    work: (signal: AbortSignal, deadline: Deadline | undefined) => Promise<Result>,
  ): Promise<Result> {
    const abortion = new AbortController();
    if (this.#milliseconds === undefined) return work(abortion.signal, undefined);
    const deadline = new Deadline(this.#left);
    let timer: ReturnType<typeof setTimeout> | undefined;
    try {
      deadline.check();
      const late = new Promise<never>((_, reject) => {
        const give = () => reject(new DeadlineError("exceeded its time limit"));
        // A timer may fire up to a millisecond early, with time still left.
        timer = setTimeout(give, Math.min(this.#left + 1, LONGEST_TIMER));
      });
      return await Promise.race([work(abortion.signal, deadline), late]);
    } catch (thrown) {
      abortion.abort();
      throw thrown instanceof DeadlineError ? this.#late(thrown) : thrown;
    } finally {
      clearTimeout(timer);
      this.#left = deadline.left;
    }
  }

  #late(cause: DeadlineError): ServiceError {
    const reason = `exceeded its time limit of ${this.#milliseconds} ms`;
    return new ServiceError(100, reason, { cause });
  }
}
