// The live queries of a database. Each change is shown to those whose criteria select a changed record, before or after
// the change; the listeners of those whose answers may differ are notified.

import { mostFollowed } from "../engine/maintenance/most-followed.ts";
import type { DatabaseChange } from "./changes.ts";
import type { LiveQuery, Moved, Source } from "./live-query.ts";
import type { Replaced } from "./member.ts";
import { QueryFinder } from "./query-finder.ts";

/** A function that is called after changes. */
export interface Subscription {
  /** Its position in the order of calls. */
  readonly order: number;
  /** Cleared when it ends. */
  notify: ((change: DatabaseChange) => unknown) | undefined;
}

/** All live queries of a database, by what they ask. */
export class LiveQueries {
  readonly #bySource = new Map<Source, Watched>();

  /** @returns a function that ends it */
  add(query: LiveQuery, subscription: Subscription): () => void {
    const { source } = query;
    const watched = this.#bySource.get(source) ?? new Watched();
    this.#bySource.set(source, watched);
    watched.add(query, subscription);
    return () => {
      const isLast = watched.delete(query, subscription) === 0;
      // Unsubscribing twice must not end queries that have started since.
      if (isLast && this.#bySource.get(source) === watched) this.#bySource.delete(source);
    };
  }

  /** Follows a change. @param all the listeners of every change @returns the listeners to notify, in order */
  follow(replaced: readonly Replaced[], all: ReadonlySet<Subscription>): readonly Subscription[] {
    // Changes that were not recorded must be found by comparing.
    const isChange =
      all.size > 0 && replaced.some(({ transition }) => transition?.isMoved !== true);
    const notified = new Set(isChange ? all : []);
    const notify = (subscription: Subscription) => notified.add(subscription);
    for (const { source, transition } of replaced) {
      this.#bySource.get(source)?.follow(transition, notify);
    }
    this.#bySource.forEach((watched, source) => {
      if (typeof source === "string" || !replaced.some((each) => source.has(each.source))) return;
      watched.follow(source.follow(replaced), notify);
    });
    return [...notified].sort((a, b) => a.order - b.order);
  }
}

/** The live queries of one collection, or of one with fields of others. */
class Watched {
  readonly #queries = new Map<LiveQuery, Set<Subscription>>();
  /** The queries whose last run failed: any change runs them again. */
  readonly #outdated = new Set<LiveQuery>();
  /** Created by the first change. */
  #finder: QueryFinder | undefined;

  add(query: LiveQuery, subscription: Subscription): void {
    const subscriptions = this.#queries.get(query);
    if (subscriptions !== undefined) {
      subscriptions.add(subscription);
      return;
    }
    this.#queries.set(query, new Set([subscription]));
    query.noteIn(this.#outdated);
    this.#finder?.add(query);
  }

  /** @returns how many queries are left */
  delete(query: LiveQuery, subscription: Subscription): number {
    const subscriptions = this.#queries.get(query);
    subscriptions?.delete(subscription);
    if (subscriptions?.size === 0) {
      this.#queries.delete(query);
      this.#finder?.delete(query);
      query.leave(this.#outdated);
    }
    return this.#queries.size;
  }

  /** @param notify is called with the subscriptions whose answers may differ */
  follow(transition: Moved | undefined, notify: (subscription: Subscription) => void): void {
    const delta = transition?.knownDelta;
    if (delta?.length === 0) return;
    if (
      transition === undefined ||
      delta === undefined ||
      delta.length > mostFollowed(transition.after.snapshot)
    ) {
      this.#queries.forEach((subscriptions, query) => {
        query.restart();
        subscriptions.forEach(notify);
      });
      return;
    }
    const [before, after] = [transition.before.codec, transition.after.codec];
    if (this.#finder?.schema !== after.schema) {
      this.#finder = new QueryFinder(after.schema, this.#queries.keys());
    }
    const finder = this.#finder;
    const affected = new Set(this.#outdated);
    for (const { key, before: old, after: now } of delta) {
      finder.visit(
        old && before.flat(old.rows, old.row),
        now && after.flat(now.rows, now.row),
        (query, isBefore, isAfter) => {
          const change = {
            key,
            before: isBefore ? old : undefined,
            after: isAfter ? now : undefined,
          };
          if (query.follow(change)) affected.add(query);
        },
      );
    }
    for (const query of affected) this.#queries.get(query)?.forEach(notify);
  }
}
