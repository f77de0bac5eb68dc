// Calls the subject of a law, one call at a time, each with a time limit. A call may return a promise.

/** The part of `AbortSignal` that tercet uses, for projects without the types of Node.js or the DOM. */
export interface Signal {
  readonly aborted: boolean;
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

// The page deletes these globals before it runs the code under test.
const { setTimeout, clearTimeout } = globalThis;

/** The calls of one law. */
export class Caller {
  readonly #timeout: number;
  readonly #signal: Signal | undefined;
  #hasTimedOut = false;

  /** @param timeout in milliseconds; `Infinity` for no limit */
  constructor(timeout: number, signal: Signal | undefined) {
    this.#timeout = timeout;
    this.#signal = signal;
  }

  /** Whether to run no further case, since each would be as slow as the one without a response. */
  get isOver(): boolean {
    return this.#hasTimedOut || this.#signal?.aborted === true;
  }

  /**
   * Calls the function, and waits if it returns a promise.
   *
   * @param describe names the call in the error if it takes too long
   * @param isLast whether to call it even after the check was aborted
   * @throws Aborted if the check was aborted; ResponseTimeout; and whatever the call throws or rejects with
   */
  async call<Result>(
    call: () => Result,
    describe: () => string,
    { isLast = false }: { readonly isLast?: boolean } = {},
  ): Promise<Awaited<Result>> {
    const signal = isLast ? undefined : this.#signal;
    if (signal?.aborted === true) throw new Aborted();
    try {
      const result = call();
      // Most calls return no promise, and need no timer.
      if (isThenable(result)) return await this.#withinLimit(result, describe, signal);
      return await result;
    } catch (thrown) {
      const reason = readable(thrown);
      if (reason instanceof ResponseTimeout) this.#hasTimedOut = true;
      throw reason;
    }
  }

  #withinLimit<Result>(
    result: Result,
    describe: () => string,
    signal: Signal | undefined,
  ): Promise<Awaited<Result>> {
    return new Promise((resolve, reject) => {
      const abort = () => reject(new Aborted());
      const giveUp = () => {
        const late = `${describe()} was not answered within ${this.#timeout} ms`;
        reject(new ResponseTimeout(late));
      };
      const timer = this.#timeout < Infinity ? setTimeout(giveUp, this.#timeout) : undefined;
      signal?.addEventListener("abort", abort);
      const stop = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", abort);
      };
      // Also handles a late rejection, which has no effect.
      Promise.resolve(result).finally(stop).then(resolve, reject);
    });
  }
}

/** Whether `await` may wait for it: an object or a function with `then`, which is not read here. */
const isThenable = (value: unknown): boolean =>
  ((typeof value === "object" && value !== null) || typeof value === "function") && "then" in value;

/** The thrown value, unless reading it throws too, as with a proxy. */
function readable(thrown: unknown): unknown {
  try {
    Object.getPrototypeOf(Object(thrown));
    return thrown;
  } catch {
    return new Error("threw a value that can't be read");
  }
}

/**
 * A service throws this, or rejects with it, if there is no response to check, for example because the responding
 * process has exited. The law fails with this message, even if it expects an error.
 */
export class NoResponse extends Error {}

/** A call without a response in time. The law ends: each further case might take as long. */
export class ResponseTimeout extends NoResponse {}

/** The caller's signal has ended the check. */
export class Aborted extends Error {
  constructor() {
    super("the check was aborted");
  }
}

/** Whether an error means that there was no response to check, rather than being the subject's own. */
export const lacksResponse = (thrown: unknown): boolean =>
  thrown instanceof NoResponse || thrown instanceof Aborted;
