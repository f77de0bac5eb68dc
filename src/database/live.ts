// A live query as a store of its result, for user interfaces.

import type { AnyFunction } from "../schema/input.ts";
import { isEqualJson } from "../schema/json.ts";
import { callable } from "../schema/options.ts";
import { LiveQuery, type Asked, type Listening } from "./live-query.ts";
import type { Subscribers } from "./subscribers.ts";

/**
 * The current result of a query, updated by changes. React's `useSyncExternalStore` takes `subscribe` and a function
 * that returns `current`; Svelte and Solid's `from` take it as a store.
 */
export interface Live<Result> {
  /**
   * The current result, frozen: the same object until it changes. Cost: a comparison if the collection has not changed
   * since, or subscribers were notified of each change; otherwise that of the query.
   *
   * @throws DeadlineError if the query takes too long
   */
  readonly current: Result;
  /**
   * Calls a listener with the result: immediately, and after each change that alters it. Errors that it throws go to
   * `onError` of the database, and so does a DeadlineError of the query, which is then run again after the next change.
   * Without subscribers, changes cost nothing.
   *
   * @returns a function that unsubscribes
   */
  readonly subscribe: (listener: (current: Result) => unknown) => () => void;
}

/** A query of a collection. */
export interface LiveAsked extends Asked, Pick<Listening, "isResult"> {
  /** An object that is another one after each change of what is asked. */
  readonly version: () => object;
}

/** @throws whatever the query throws */
export function liveResult(
  subscribers: Subscribers,
  { version, isResult, ...asked }: LiveAsked,
): Live<unknown> {
  const query = new LiveQuery(asked);
  let of = version();
  let last = Object.freeze(asked.ask());
  /** Whether the last run failed. */
  let isOutdated = false;
  let listeners = 0;

  /** The result: the same object as before if it is equal. */
  function read(): unknown {
    const now = version();
    isOutdated = now !== of;
    if (!isOutdated) return last;
    // Without listeners, it follows no changes.
    const result = listeners > 0 ? query.answer() : asked.ask();
    if (!isEqualJson(result, last)) last = Object.freeze(result);
    of = now;
    isOutdated = false;
    return last;
  }

  return Object.freeze({
    get current() {
      // The query was run again after each change that alters the result, except those in progress.
      return listeners > 0 && !isOutdated && !subscribers.isNotifying ? last : read();
    },
    subscribe(given: unknown) {
      const listener: AnyFunction = callable(given, "listener");
      const stop = subscribers.watch(query, { listener, isResult, onError: undefined }, read);
      listeners++;
      let isOver = false;
      return () => {
        if (isOver) return;
        isOver = true;
        listeners--;
        stop();
      };
    },
  });
}
