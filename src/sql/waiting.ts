// Waits for results until the caller aborts its signal.

import { must, optional, readOptions } from "../schema/options.ts";
import type { Signal } from "./dialect.ts";

/** The options of every call. */
export interface AbortOptions {
  /** Aborting it rejects the promise with its reason, and aborts the driver's signal. */
  readonly signal?: Signal | undefined;
}

const isSignal = (given: unknown): given is AbortSignal => given instanceof AbortSignal;
const waitingOptions = { signal: optional(must("an AbortSignal", isSignal)) };

/** The signal in options that contain nothing else. @throws InputError */
export const signalIn = (waiting: unknown) =>
  waiting === undefined ? undefined : readOptions(waiting, "options", waitingOptions).signal;

/** Splits the signal from the other options, which are unchecked. @throws InputError */
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

/** Waits for work until the caller aborts, even if the driver ignores the signal. */
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
