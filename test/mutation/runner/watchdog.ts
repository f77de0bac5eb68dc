// Ends code that runs on without counting its work: in files of the library without mutants in this run, or in the test
// itself.

import { Script } from "node:vm";

let call: () => unknown = () => undefined;
const caller = new Script("globalThis.$watched()");
Reflect.set(globalThis, "$watched", () => call());

/** Code that took longer than it may. It was ended where it stood: what it had begun is not undone. */
export class HangError extends Error {}

/**
 * Calls a function that must have returned, or given a promise, in time.
 *
 * @throws HangError; whatever the function throws
 */
export function within(milliseconds: number, run: () => unknown): unknown {
  call = run;
  try {
    return caller.runInThisContext({ timeout: milliseconds }) as unknown;
  } catch (error) {
    const isLate =
      error instanceof Error && "code" in error && error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT";
    throw isLate ? new HangError() : error;
  }
}
