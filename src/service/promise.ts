// A promise that nobody waits for must not end the process when it is rejected.

const ignore = (): void => undefined;

/** Handles the rejection of a value that may be a promise, or anything that can be waited for. */
export function ignoreRejection(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  try {
    Promise.resolve(value).catch(ignore);
  } catch {
    // A getter or a proxy threw: that is no promise.
  }
}
