// Promises of the caller's: one that nobody waits for must not end the process when it is rejected.

const ignore = (): void => undefined;

/**
 * A value that may be a promise, or anything that can be waited for, as it was returned. What can be
 * waited for may begin its work whenever it is: so it is waited for once, here, and its promise may
 * be waited for as often as one likes, or never.
 */
export function begun(value: unknown): unknown {
  if (typeof value !== "object") return value;
  // Not Promise.resolve(), which reads more of a promise than `then`.
  const promise = new Promise((resolve) => resolve(value));
  promise.catch(ignore);
  return promise;
}
