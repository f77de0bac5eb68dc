// Promises from the caller. An unhandled rejection must not end the process.

const ignore = (): void => undefined;

/**
 * Calls `then` of a thenable once, since some thenables start work at each call. The returned promise may be awaited
 * any number of times.
 */
export function begun(value: unknown): unknown {
  if (typeof value !== "object") return value;
  // Not Promise.resolve(), which reads more of the value than `then`.
  const promise = new Promise((resolve) => resolve(value));
  promise.catch(ignore);
  return promise;
}
