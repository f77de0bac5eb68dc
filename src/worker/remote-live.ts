// A live query of a database in a worker: the page's copy of its result.

import { attempt, report, type OnError } from "../engine/on-error.ts";
import type { AnyFunction } from "../schema/input.ts";
import { callable, optional } from "../schema/options.ts";
import { changedBy, type Difference } from "./changed-by.ts";

/**
 * The result of a query in a worker, updated by changes: a store for user interfaces, like `Live` of a database, whose
 * result is there once the worker has answered.
 */
export interface RemoteLive<Result> {
  /**
   * The current result, frozen: the same object until it changes, and its rows the same objects until they change.
   * `undefined` until the worker has answered, and again once the query has ended.
   *
   * @throws whatever the query throws in the worker; WorkerError once the connection has ended
   */
  readonly current: Result | undefined;
  /** Starts the query, and resolves with its first result: the same promise until the query ends. */
  readonly ready: () => Promise<Result>;
  /**
   * Calls a listener with the result: immediately if it is there, and after each change that alters it. The query starts
   * with the first listener, and ends once there has been none for the time of the option `linger`.
   *
   * @param onError called with the error of the query, or of the connection. Default: that of the connection
   * @returns a function that unsubscribes
   */
  readonly subscribe: (
    listener: (current: Result) => unknown,
    onError?: (error: unknown) => unknown,
  ) => () => void;
}

/** What starts the query in the worker. @returns a function that ends it */
export type Open = (live: LiveState) => () => void;

interface Listener {
  readonly listener: AnyFunction;
  readonly onError: OnError;
}

type Outcome = { readonly result: unknown } | { readonly error: unknown };

interface Ready {
  readonly promise: Promise<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export class LiveState {
  readonly #open: Open;
  readonly #onError: OnError;
  readonly #linger: number;
  /** Called when it has not been used for a while. */
  readonly #forget: () => void;
  readonly #listeners = new Set<Listener>();
  #close: (() => void) | undefined;
  #outcome: Outcome | undefined;
  #ready: Ready | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(open: Open, onError: OnError, linger: number, forget: () => void) {
    this.#open = open;
    this.#onError = onError;
    this.#linger = linger;
    this.#forget = forget;
    this.#wait();
  }

  get store(): RemoteLive<unknown> {
    const read = () => this.#current;
    return Object.freeze({
      get current() {
        return read();
      },
      ready: () => this.#firstResult(),
      subscribe: (listener: unknown, onError?: unknown) => this.#subscribe(listener, onError),
    });
  }

  get #current(): unknown {
    if (this.#outcome === undefined) return undefined;
    if ("error" in this.#outcome) throw this.#outcome.error;
    return this.#outcome.result;
  }

  #firstResult(): Promise<unknown> {
    if (this.#ready !== undefined) return this.#ready.promise;
    let settle: Pick<Ready, "resolve" | "reject"> | undefined;
    const promise = new Promise((resolve, reject) => (settle = { resolve, reject }));
    if (settle === undefined) throw new TypeError("a promise has not called its function");
    this.#ready = { promise, ...settle };
    this.#start();
    this.#settle();
    if (this.#listeners.size === 0) this.#wait();
    return promise;
  }

  #settle(): void {
    if (this.#outcome === undefined) return;
    if ("error" in this.#outcome) this.#ready?.reject(this.#outcome.error);
    else this.#ready?.resolve(this.#outcome.result);
  }

  #subscribe(given: unknown, onError: unknown): () => void {
    const listener = {
      listener: callable(given, "listener"),
      onError: optional(callable, this.#onError)(onError, "onError"),
    };
    clearTimeout(this.#timer);
    this.#listeners.add(listener);
    this.#start();
    this.#notify(listener);
    return () => {
      if (!this.#listeners.delete(listener) || this.#listeners.size > 0) return;
      this.#wait();
    };
  }

  #start(): void {
    this.#close ??= this.#open(this);
  }

  /** Ends it after a while, unless a listener comes. */
  #wait(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.end(), this.#linger);
    // It doesn't keep a process of Node.js alive.
    const timer: unknown = this.#timer;
    if (typeof timer === "object" && timer !== null && "unref" in timer) this.#timer.unref();
  }

  /** Ends the query; the next listener starts it again. */
  end(): void {
    clearTimeout(this.#timer);
    this.#forget();
    this.#close?.();
    this.#close = undefined;
    this.#outcome = undefined;
    this.#ready = undefined;
  }

  /** @returns what notifies the listeners */
  take(result: unknown): () => void {
    this.#outcome = { result: frozen(result) };
    this.#settle();
    return () => this.#notifyAll();
  }

  /** @returns what notifies the listeners @throws WorkerError if it does not belong to the result */
  change(difference: Difference): () => void {
    const { result } = this.#outcome as { readonly result: unknown };
    return this.take(changedBy(result, difference));
  }

  /** The query has ended with an error. @returns what notifies the listeners */
  fail(error: unknown): () => void {
    this.#outcome = { error };
    this.#settle();
    return () => this.#notifyAll();
  }

  #notifyAll(): void {
    for (const each of [...this.#listeners]) {
      if (this.#listeners.has(each)) this.#notify(each);
    }
  }

  #notify({ listener, onError }: Listener): void {
    const outcome = this.#outcome;
    if (outcome === undefined) return;
    if ("error" in outcome) report(onError, outcome.error);
    else
      attempt(
        () => listener(outcome.result),
        (thrown) => report(this.#onError, thrown),
      );
  }
}

/** Freezes plain data deeply. What is frozen already came with an earlier result. */
function frozen(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.values(value).forEach(frozen);
  return Object.freeze(value);
}
