// How laws ask. A law is written once, as a generator: it yields each question to the service, and
// continues with the answer. So the same law runs on services that answer at once and on those that return
// promises.

/** The call. It may throw, and may return a promise. */
export interface Question {
  readonly call: () => unknown;
  /** Describes the question, for answers with a time limit. */
  readonly what?: (() => string) | undefined;
  /** Whether it is asked even after the check was aborted. */
  readonly isLast?: boolean | undefined;
}

/** A computation that asks questions. */
export type Asking<Result> = Generator<Question, Result, unknown>;

/** Asks one question. Throws what the call throws, or the reason of a rejected promise. */
export function* ask<Answer>(
  call: () => Answer,
  more: Omit<Question, "call"> = {},
): Asking<Awaited<Answer>> {
  // Both ways of answering below return what the question returns, without its promise.
  return (yield { call, ...more }) as Awaited<Answer>;
}

/** The parts of an `AbortSignal` in use: a project without the types of Node.js or the DOM lacks that name. */
export interface Signal {
  readonly aborted: boolean;
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/** How long a law waits for the answers of a service. */
export class Patience {
  readonly #timeout: number;
  readonly #signal: Signal | undefined;
  #isTried = false;

  /** @param timeout in milliseconds; `Infinity` for no limit */
  constructor(timeout: number, signal: Signal | undefined) {
    this.#timeout = timeout;
    this.#signal = signal;
  }

  get isAborted(): boolean {
    return this.#signal?.aborted === true;
  }

  /** Whether to ask no further case: each would be as slow as the one without an answer. */
  get isOver(): boolean {
    return this.#isTried || this.isAborted;
  }

  /** @throws Aborted if the check was aborted, unless the question is asked even then */
  admit({ what, isLast }: Question): void {
    if (what !== undefined && isLast !== true && this.isAborted) throw new Aborted();
  }

  /** The answer, unless it takes too long. */
  wait({ what, isLast }: Question, answer: PromiseLike<unknown>): PromiseLike<unknown> {
    if (what === undefined) return answer;
    return new Promise((resolve, reject) => {
      const signal = isLast === true ? undefined : this.#signal;
      const abort = () => {
        stop();
        reject(new Aborted());
      };
      const giveUp = () => {
        stop();
        this.#isTried = true;
        reject(new Unanswered(`${what()} was not answered within ${this.#timeout} ms`));
      };
      const timer = this.#timeout < Infinity ? setTimeout(giveUp, this.#timeout) : undefined;
      const stop = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", abort);
      };
      signal?.addEventListener("abort", abort);
      // A rejection that comes too late is handled here as well, and ends nothing.
      Promise.resolve(answer)
        .catch((reason: unknown) => {
          if (reason instanceof Unanswered) this.#isTried = true;
          throw reason;
        })
        .finally(stop)
        .then(resolve, reject);
    });
  }
}

/** Answers each question at once; a promise is not an answer. */
export function answerNow<Result>(asking: Asking<Result>, patience: Patience): Result {
  let step = asking.next();
  while (step.done !== true) {
    let answer: unknown;
    try {
      patience.admit(step.value);
      answer = step.value.call();
      if (isPromise(answer)) refusePromise(answer);
    } catch (thrown) {
      step = asking.throw(readable(thrown));
      continue;
    }
    step = asking.next(answer);
  }
  return step.value;
}

/** Answers each question when its promise is fulfilled, one at a time. */
export async function answerLater<Result>(
  asking: Asking<Result>,
  patience: Patience,
): Promise<Result> {
  let step = asking.next();
  while (step.done !== true) {
    let answer: unknown;
    try {
      patience.admit(step.value);
      answer = step.value.call();
      if (isPromise(answer)) answer = await patience.wait(step.value, answer);
    } catch (thrown) {
      step = asking.throw(readable(thrown));
      continue;
    }
    step = asking.next(answer);
  }
  return step.value;
}

/** The thrown value, unless reading it throws too, as a proxy may. */
function readable(thrown: unknown): unknown {
  try {
    Object.getPrototypeOf(Object(thrown));
    return thrown;
  } catch {
    return new Error("threw a value that can't be read");
  }
}

/** A synchronous check got a promise as an answer. */
export class PromiseAnswer extends Error {
  constructor() {
    super(
      "the answer is a promise; use checkServiceAsync, checkCollectionAsync, or reportAsync of the law",
    );
  }
}

/**
 * A service throws this, or rejects its promise with it, if there is no answer to judge, for example because
 * the process that answers has ended. The law fails with this message, even if it expects an error.
 */
export class NoAnswer extends Error {}

/** A question to which no answer came in time. The law ends: each further case might take as long. */
export class Unanswered extends NoAnswer {}

/** The caller's signal has ended the check. */
export class Aborted extends Error {
  constructor() {
    super("the check was aborted");
  }
}

/** Whether an error is not the service's or the collection's own: there was no answer to judge. */
export const isAboutAsking = (thrown: unknown): boolean =>
  thrown instanceof NoAnswer || thrown instanceof Aborted || thrown instanceof PromiseAnswer;

export function isPromise(answer: unknown): answer is PromiseLike<unknown> {
  if (typeof answer !== "object" || answer === null || !("then" in answer)) return false;
  return typeof answer.then === "function";
}

function refusePromise(answer: PromiseLike<unknown>): never {
  // Nothing waits for it any more, and its rejection must not end the process.
  Promise.resolve(answer).catch(() => undefined);
  throw new PromiseAnswer();
}
