// The interface between a peer and the harness.

import type { Contacts, FieldTypes, FlatContact } from "../contacts.ts";
import type { BenchQuery } from "../queries.ts";
import type { Counted, Counter } from "./counting.ts";

/** A record as the peer returns it. Ints may be numbers: the peer need not pay for converting them. */
export type Row = Readonly<Record<string, unknown>>;

export type Awaitable<T> = T | Promise<T>;

/** Answers a query for values of its criteria: the full records of the page, in their order. */
export type Run = (values: readonly string[]) => Awaitable<readonly Row[]>;

/** Why a peer has no answer to a query. */
export interface Cannot {
  readonly cannot: string;
}

/** @template Input the form it is loaded from: flat contacts, or for tercet nested ones from the wire */
export interface Peer<Input = FlatContact> {
  load(contacts: readonly Input[], fields: FieldTypes): Awaitable<void>;
  /** Builds the indexes. */
  prepare?(): Awaitable<void>;
  /** Prepares what does not depend on the values, such as a prepared statement. */
  compile(query: BenchQuery): Awaitable<Run | Cannot>;
  /** Writes pending data and closes its file, if it has one. */
  close?(): Awaitable<void>;
  /** After `prepare`: what it can change. */
  updates?(): Awaitable<Updater>;
  /** After `load`: prepares a count, with indexes of its own. */
  counting?(): Awaitable<(counted: Counted) => Awaitable<Counter>>;
  /** After `prepare`: its live queries. */
  watching?(): Awaitable<Watching>;
}

/** Live queries: a function is called after each change that alters the answer. */
export interface Watching {
  /** The contact that has this email address. */
  watchContact(email: string, told: () => void): Awaitable<void>;
  /** The first contacts of those that opened last. */
  watchPage(limit: number, told: () => void): Awaitable<void>;
  /** Like {@link Updater.open}; all listeners are called by the time it is done. */
  open(email: string, time: number): Awaitable<void>;
}

/** Events of a Batch that was sent, and the queries that follow them. */
export interface Updater {
  /** The contact that has this email address, by the peer's index of it. */
  lookup(email: string): Awaitable<Row | undefined>;
  /** The 50 contacts that opened last; of those that opened at the same time, the earlier inserted. */
  page(): Awaitable<readonly Row[]>;
  /** The contact with this email address opens: sets its `last_open_time`. */
  open(email: string, time: number): Awaitable<void>;
  /** Adds contacts after all others, given in the form that the peer is loaded from. */
  insert(contacts: Contacts): Awaitable<void>;
  /** Removes the contacts with this `send_status`, by the peer's index of it. */
  removeWithStatus(status: string): Awaitable<void>;
}

/** How many contacts the page of an {@link Updater} has. */
export const PAGE = 50;

/** The fastest of several ways to run a query, each tried three times with its first values. */
export function fastest(runs: readonly [() => Run, ...(() => Run)[]], query: BenchQuery): Run {
  let best = { run: runs[0](), time: Infinity };
  if (runs.length === 1) return best.run;
  for (const make of runs) {
    const run = make();
    let time = Infinity;
    for (let i = 0; i < 3; i++) {
      const start = performance.now();
      void run(query.values[0] ?? []);
      time = Math.min(time, performance.now() - start);
    }
    if (time < best.time) best = { run, time };
  }
  return best.run;
}
