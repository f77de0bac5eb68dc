// How laws ask. A law is written once, as a generator: it yields each question to the service, and
// goes on with the answer. So the same law is run on a service that answers at once and on one that
// answers by promises.

/** What is to be called. It may throw, and may return a promise. */
export type Question = () => unknown;

/** Something that asks questions on its way to a result. */
export type Asking<Result> = Generator<Question, Result, unknown>;

/** Asks one question. What is thrown there, or why a promise is rejected, is thrown here. */
export function* ask<Answer>(question: () => Answer): Asking<Awaited<Answer>> {
  // Both ways of answering below give back what the question returns, without its promise.
  return (yield question) as Awaited<Answer>;
}

/** Answers each question at once; a promise is no answer. */
export function answerNow<Result>(asking: Asking<Result>): Result {
  let step = asking.next();
  while (step.done !== true) {
    let answer: unknown;
    try {
      answer = step.value();
      refusePromise(answer);
    } catch (thrown) {
      step = asking.throw(thrown);
      continue;
    }
    step = asking.next(answer);
  }
  return step.value;
}

/** Answers each question when its promise is fulfilled, one after the other. */
export async function answerLater<Result>(asking: Asking<Result>): Promise<Result> {
  let step = asking.next();
  while (step.done !== true) {
    let answer: unknown;
    try {
      answer = await step.value();
    } catch (thrown) {
      step = asking.throw(thrown);
      continue;
    }
    step = asking.next(answer);
  }
  return step.value;
}

/** A service that is asked as if it answered at once, and answers by a promise. */
export class PromiseAnswer extends Error {
  constructor() {
    super("the service answered a promise; use checkServiceAsync, or reportAsync of the law");
  }
}

function refusePromise(answer: unknown): void {
  if (typeof answer !== "object" || answer === null || !("then" in answer)) return;
  if (typeof answer.then !== "function") return;
  // Nobody waits for it any more: that it is rejected must not end the process.
  Promise.resolve(answer).catch(() => undefined);
  throw new PromiseAnswer();
}
