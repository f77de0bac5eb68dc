// Notifies subscribers and listeners of live queries in the order of subscription. A change made by one of them is
// reported once all have been notified of the current one.

import { callable } from "../schema/options.ts";
import type { DatabaseChange } from "./changes.ts";
import { LiveQueries, type Subscription } from "./live-queries.ts";
import { Reports, type Listening, type LiveQuery } from "./live-query.ts";
import type { Replaced } from "./member.ts";
import { attempt, report, type OnError } from "../engine/on-error.ts";

export class Subscribers {
  readonly #onError: OnError;
  readonly #ofAll = new Set<Subscription>();
  readonly #live = new LiveQueries();
  #order = 0;
  /** Report changes that are still to be reported; `undefined` while no change is being reported. */
  #pending: (() => void)[] | undefined;

  /** @param onError called with exceptions of subscribers */
  constructor(onError: OnError) {
    this.#onError = onError;
  }

  /** Whether a change is still to be reported. */
  get isNotifying(): boolean {
    return this.#pending !== undefined;
  }

  /** Calls a function after each change. @returns a function that unsubscribes */
  subscribe(subscriber: unknown): () => void {
    const subscription = this.#subscription(callable(subscriber, "subscriber"));
    this.#ofAll.add(subscription);
    return () => {
      subscription.notify = undefined;
      this.#ofAll.delete(subscription);
    };
  }

  /**
   * Reports the answer of a query, and again after each change that alters it.
   *
   * @param answer returns the current answer
   * @returns a function that ends it
   * @throws whatever `answer` throws at first
   */
  watch(
    query: LiveQuery,
    listening: Listening,
    answer: () => unknown = () => query.answer(),
  ): () => void {
    const first = answer();
    const reports = new Reports(answer, listening, first);
    const subscription = this.#subscription(() => reports.again());
    const stop = this.#live.add(query, subscription);
    this.call(() => listening.listener(first));
    return () => {
      subscription.notify = undefined;
      stop();
    };
  }

  /** Calls a function like a subscriber: the changes that it makes are reported afterwards. */
  call(run: () => unknown): void {
    const isNotifying = this.#pending !== undefined;
    this.#pending ??= [];
    this.#guard(run);
    if (!isNotifying) this.#notifyAll(this.#pending);
  }

  /** Notifies the subscribers and affected listeners of a committed change. */
  notify(change: DatabaseChange, replaced: readonly Replaced[]): void {
    const subscriptions = this.#live.follow(replaced, this.#ofAll);
    if (subscriptions.length === 0) return;
    const notifyEach = () => {
      for (const each of subscriptions) this.#guard(() => each.notify?.(change));
    };
    if (this.#pending !== undefined) this.#pending.push(notifyEach);
    else this.#notifyAll([notifyEach]);
  }

  #subscription(notify: (change: DatabaseChange) => unknown): Subscription {
    return { order: this.#order++, notify };
  }

  #notifyAll(pending: (() => void)[]): void {
    this.#pending = pending;
    // The loop includes changes pushed while it runs.
    for (const notifyEach of pending) notifyEach();
    this.#pending = undefined;
  }

  /** Calls a user's function, and reports its exception or rejection. */
  #guard(call: () => unknown): void {
    attempt(call, (thrown) => report(this.#onError, thrown));
  }
}
