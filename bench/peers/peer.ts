// The interface between a peer and the harness.

import type { Contacts, FieldTypes, FlatContact } from "../contacts.ts";
import type { BenchQuery, Call } from "../queries.ts";

/** A record as the peer returns it. Ints may be numbers: the peer need not pay for converting them. */
export type Row = Readonly<Record<string, unknown>>;

export type Awaitable<T> = T | Promise<T>;

/** Answers a call: the full records of the page, in their order. */
export type Run = (call: Call) => Awaitable<readonly Row[]>;

/** Why a peer has no answer to a query. */
export interface Cannot {
  readonly cannot: string;
}

/** @template Input the form it is loaded from: flat contacts, or for tercet nested ones from the wire */
export interface Peer<Input = FlatContact> {
  load(contacts: readonly Input[], fields: FieldTypes): Awaitable<void>;
  /** Builds the indexes. */
  prepare?(): Awaitable<void>;
  /** Prepares what does not depend on the call, such as a prepared statement. */
  compile(query: BenchQuery): Awaitable<Run | Cannot>;
  /** After `prepare`: what it can change. */
  updates?(): Awaitable<Updater>;
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

/** The faster of two ways to run a query, each tried three times with calls that are then not measured. */
export function faster(ways: readonly [Run, Run], { calls }: BenchQuery): Run {
  const timeOf = (run: Run) => {
    const times = calls.slice(0, 3).map((call) => {
      const start = performance.now();
      void run(call);
      return performance.now() - start;
    });
    return Math.min(...times);
  };
  const [first, second] = ways;
  return timeOf(first) <= timeOf(second) ? first : second;
}
