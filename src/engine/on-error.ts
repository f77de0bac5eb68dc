// Reports exceptions of the caller's functions, so that they stop nothing and are never lost (rule U5).

import { orUndefined } from "../schema/errors.ts";

export type OnError = (thrown: unknown) => unknown;

/** Writes an error to the console: the default of `onError` and `onInternalError`. */
export const writeError: OnError = (thrown) => {
  // A page may have replaced `console`.
  orUndefined(() => console.error(thrown));
};

/** Passes an error to a function. If that throws or rejects, both errors go to the console. Never throws. */
export function report(onError: OnError, thrown: unknown): void {
  attempt(
    () => onError(thrown),
    (failure) => {
      writeError(failure);
      if (failure !== thrown) writeError(thrown);
    },
  );
}

/** Runs a function, and passes on its exception or rejection. */
export function attempt(run: () => unknown, onError: (thrown: unknown) => void): void {
  try {
    const result = run();
    if (typeof result !== "object" || result === null) return;
    // Not Promise.resolve(), which reads more of the value than `then`.
    new Promise((resolve) => resolve(result)).catch(onError);
  } catch (thrown) {
    onError(thrown);
  }
}
