// How laws ask. A law is written once, as a generator: it yields each question to the service, and
// goes on with the answer. So the same law is run on a service that answers at once and on one that
// answers by promises.

/** What is to be called. It may throw, and may return a promise. */
export interface Question {
  readonly call: () => unknown;
  /** Says what is asked, where the answer has a time limit. */
  readonly what?: (() => string) | undefined;
  /** Whether it is asked even after the check was aborted. */
  readonly isLast?: boolean | undefined;
}

/** Something that asks questions on its way to a result. */
export type Asking<Result> = Generator<Question, Result, unknown>;

/** Asks one question. What is thrown there, or why a promise is rejected, is thrown here. */
export function* ask<Answer>(
  call: () => Answer,
  more: Omit<Question, "call"> = {},
): Asking<Awaited<Answer>> {
  // Both ways of answering below give back what the question returns, without its promise.
  return (yield { call, ...more }) as Awaited<Answer>;
}

/** What is used of an `AbortSignal`: a project without the types of Node.js or the DOM has no name for it. */
export interface Signal {
  readonly aborted: boolean;
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/** How long the answers of a service are waited for. One of these is for one law. */
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

  /** Whether no further case is to be asked: each would be as slow as the one that got no answer. */
  get isOver(): boolean {
    return this.#isTried || this.isAborted;
  }

  /** @throws Aborted where the question is one that is not asked after an abort */
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

/** Answers each question at once; a promise is no answer. */
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

/** Answers each question when its promise is fulfilled, one after the other. */
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

/** What was thrown, unless to look at it throws in its turn, as a proxy may. */
function readable(thrown: unknown): unknown {
  try {
    Object.getPrototypeOf(Object(thrown));
    return thrown;
  } catch {
    return new Error("threw a value that can't be looked at");
  }
}

/** What is asked as if it answered at once answers by a promise. */
export class PromiseAnswer extends Error {
  constructor() {
    super(
      "the answer is a promise; use checkServiceAsync, checkCollectionAsync, or reportAsync of the law",
    );
  }
}

/**
 * A service throws this, or rejects its promise with it, if there is no answer to judge, for example because
 * the process that answers has ended. The law fails with this message, even where an error is expected.
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

/** Whether an error is not that of the service or the collection: there was no answer to judge. */
export const isAboutAsking = (thrown: unknown): boolean =>
  thrown instanceof NoAnswer || thrown instanceof Aborted || thrown instanceof PromiseAnswer;

export function isPromise(answer: unknown): answer is PromiseLike<unknown> {
  if (typeof answer !== "object" || answer === null || !("then" in answer)) return false;
  return typeof answer.then === "function";
}

function refusePromise(answer: PromiseLike<unknown>): never {
  // Nobody waits for it any more: that it is rejected must not end the process.
  Promise.resolve(answer).catch(() => undefined);
  throw new PromiseAnswer();
}
