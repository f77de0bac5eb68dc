// How long a caller waits for an answer: until it aborts its signal.

import { must, optional, readOptions } from "../schema/options.ts";
import type { Signal } from "./dialect.ts";

/** The options of every call. */
export interface AbortOptions {
  /** When it is aborted, the promise is rejected with its reason, and the driver's signal is aborted. */
  readonly signal?: Signal | undefined;
}

const isSignal = (given: unknown): given is AbortSignal => given instanceof AbortSignal;
const waitingOptions = { signal: optional(must("an AbortSignal", isSignal)) };

/** The signal of options that have nothing else. @throws InputError */
export const signalIn = (waiting: unknown) =>
  waiting === undefined ? undefined : readOptions(waiting, "options", waitingOptions).signal;

/** The signal, and the other options, which are checked by whoever reads them. @throws InputError */
export function splitSignal(options: unknown): {
  waiting: AbortSignal | undefined;
  others: unknown;
} {
  if (typeof options !== "object" || options === null || !("signal" in options)) {
    return { waiting: undefined, others: options };
  }
  const { signal, ...others } = options;
  return { waiting: signalIn({ signal }), others };
}

/** Waits for work until the caller gives up, even if the driver ignores that. */
export async function awaiting<Result>(
  given: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  if (given === undefined) return await work(new AbortController().signal);
  given.throwIfAborted();
  const done = new AbortController();
  const givenUp = new Promise<never>((_, reject) => {
    const giveUp = () => reject(given.reason as Error);
    given.addEventListener("abort", giveUp, { signal: done.signal });
  });
  return await Promise.race([work(given), givenUp]).finally(() => done.abort());
}
