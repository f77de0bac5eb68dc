// What a request may ask of the service (rule E14): the limits, and the clock that holds it to the
// time it may take. None of them changes an answer that is given.

import { UNLIMITED } from "../collection/plan/query.ts";
import { Deadline, DeadlineError } from "../collection/algorithms/deadline.ts";
import { DEFAULT_MAX_CRITERIA } from "../criteria/parse.ts";
import { count, optional, readOptions, type OptionReaders } from "../schema/options.ts";
import { ServiceError } from "./errors.ts";

/** Non-negative integers. */
export interface ServiceLimits {
  /** How many criteria a request may have; more is error 311. Default 1,000. */
  readonly criteria?: number | undefined;
  /** How many values an `in` may have; more is error 311. Default: as many as are sent. */
  readonly values?: number | undefined;
  /** How many records a result may have; more is error 310. Default: as many as there are. */
  readonly rows?: number | undefined;
  /**
   * How many characters `dispatchJson` may answer to a text; a longer answer is error 310. It does
   * not concern `dispatchChunks`, which never holds an answer as a whole. Default 67,108,864.
   */
  readonly responseLength?: number | undefined;
  /**
   * How long the service may work on a request, a batch as a whole; longer is error 100. The time
   * in which it waits for `authenticate`, or writes pieces, does not count. Default: no limit.
   */
  readonly milliseconds?: number | undefined;
  /** How many members a JSON-RPC batch may have; more is refused as a whole. Default 100. */
  readonly batch?: number | undefined;
}

/** Every limit; where there is none, a number that nothing exceeds, or no milliseconds. */
export interface Limits {
  readonly criteria: number;
  readonly values: number;
  readonly rows: number;
  readonly responseLength: number;
  readonly milliseconds: number | undefined;
  readonly batch: number;
}

/** V8's longest string has 2^29 - 24 characters; errors of a batch and its brackets come on top. */
const LONGEST_RESPONSE = 2 ** 29 - 2 ** 24;

const limits: OptionReaders<Limits> = {
  criteria: optional(count, DEFAULT_MAX_CRITERIA),
  values: optional(count, Number.MAX_SAFE_INTEGER),
  rows: optional(count, UNLIMITED),
  responseLength: optional(count, 64 * 1024 * 1024),
  milliseconds: optional(count),
  batch: optional(count, 100),
};

/** @throws InputError with the path of the first limit that is not valid, such as `options.limits.rows` */
export function readLimits(input: unknown, path = "options.limits"): Limits {
  const read = readOptions(input ?? {}, path, limits);
  const responseLength = Math.min(read.responseLength, LONGEST_RESPONSE);
  return { ...read, rows: Math.min(read.rows, UNLIMITED), responseLength };
}

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
