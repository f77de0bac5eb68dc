// Whether the other side is still there. Browsers say nothing when a worker is terminated or a tab is closed, but they
// release its locks: each side holds one with a name that nobody else has, and the other one waits for it.

const here: Partial<Pick<typeof globalThis, "navigator">> = globalThis;
const given: Partial<Pick<Navigator, "locks">> | undefined = here.navigator;
const locks = given?.locks;

/**
 * Holds a lock until the signal is aborted, or this thread ends.
 *
 * @returns its name; `null` where there are no locks, such as outside of secure contexts
 */
export async function holdLock(signal: AbortSignal): Promise<string | null> {
  if (locks === undefined) return null;
  const name = `tercet ${crypto.randomUUID()}`;
  try {
    await new Promise<void>((resolve, reject) => {
      const hold = () => {
        resolve();
        return new Promise<void>((release) => {
          if (signal.aborted) release();
          signal.addEventListener("abort", () => release());
        });
      };
      locks.request(name, hold).catch(reject);
    });
    return name;
  } catch {
    return null; // where scripts may not use locks
  }
}

/** Calls a function once nobody holds a lock. */
export function awaitLock(name: string, signal: AbortSignal, gone: () => void): void {
  locks?.request(name, { signal }, gone).catch(() => undefined);
}
