// What a peer does with the orders of the figure `own`, each by its best idiom.

import type { Awaitable } from "../peers/peer.ts";
import type { Order, Summed } from "./orders.ts";

/** Orders as the peer returns them, by their ids. */
export type Found = Iterable<{ readonly id?: unknown }>;

export interface OwnPeer {
  /** Loads the orders and builds the indexes that help what follows. */
  load(orders: readonly Order[]): Awaitable<void>;
  lookup(id: number): Awaitable<Found>;
  /** Those with this state and country: the largest quantities first, then the largest totals. */
  page(state: string, country: string): Awaitable<Found>;
  /** The first orders whose title contains the text, in any case, in the order in which they were loaded. */
  search(text: string): Awaitable<Found>;
  /** Of the totals of the orders in a state. */
  summary(state: string): Awaitable<Summed>;
  /** Sets the total of one order. All watchers are notified before it returns. */
  update(id: number, total: number): Awaitable<void>;
  /** Tells of each change of one order. */
  watch?(id: number, tell: () => void): Awaitable<void>;
  /** Writes everything to the path. */
  save?(): Awaitable<void>;
}

/** A way to make a peer. */
export interface OwnEntry {
  /** Whether its records lie outside V8's heap. */
  readonly isNative?: boolean;
  /** @param path of the file or folder that `save` makes */
  readonly create: (path: string) => Awaitable<OwnPeer>;
  /** Opens what `save` has written. */
  readonly open?: (path: string) => Awaitable<Pick<OwnPeer, "lookup">>;
}
