// The clock that holds a request to the time that it may take (rule E14).

import { Deadline, DeadlineError } from "../collection/algorithms/deadline.ts";
import { ServiceError } from "./errors.ts";

/** Timers go off at once that are set to more. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** What is left of the time that a request may take. It runs only while work is done. */
export class Clock {
  readonly #milliseconds: number | undefined;
  #left: number;

  /** @param milliseconds `undefined`: as long as it takes */
  constructor(milliseconds: number | undefined) {
    this.#milliseconds = milliseconds;
    this.#left = milliseconds ?? 0;
  }

  /** Does work that can't be stopped: its time is taken off what is left. */
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
   * Does work that obeys a deadline.
   *
   * @throws ServiceError 100 where it took longer than what was left; whatever the work throws
   */
  run<Result>(work: (deadline: Deadline | undefined) => Result): Result {
    if (this.#milliseconds === undefined) return work(undefined);
    const deadline = new Deadline(this.#left);
    try {
      // The rest of a batch that has had its time is not even read.
      deadline.check();
      const result = work(deadline);
      deadline.check();
      return result;
    } catch (thrown) {
      throw thrown instanceof DeadlineError ? this.#late(thrown) : thrown;
    } finally {
      this.#left = deadline.left;
    }
  }

  /**
   * Waits for work that others do.
   *
   * @param work is given a signal, which is aborted when nobody waits for it any more
   * @throws ServiceError 100 as soon as it has taken longer than what was left; whatever the work throws
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
        const give = () => reject(new DeadlineError("the time is up"));
        // A timer may ring up to a millisecond early: there would be time left.
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
    const reason = `took longer than the ${this.#milliseconds} ms that a request may take`;
    return new ServiceError(100, reason, { cause });
  }
}
