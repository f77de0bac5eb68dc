// Promises from the caller. If one is rejected that nobody waits for, the process must not end.

const ignore = (): void => undefined;

/**
 * A value as it was returned: it may be a promise, or any other thenable. Some thenables start to work each
 * time that `then` is called, so it is called once, here. The promise may be awaited any number of times.
 */
export function begun(value: unknown): unknown {
  if (typeof value !== "object") return value;
  // Not Promise.resolve(), which reads more of the value than `then`.
  const promise = new Promise((resolve) => resolve(value));
  promise.catch(ignore);
  return promise;
}
