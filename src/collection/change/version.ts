// A version of a collection, and the change that makes the next one of it.

import type { Codec } from "../records/codec.ts";
import type { Snapshot } from "../snapshot/snapshot.ts";

/** A version: a snapshot, and how its records are written. */
export interface Versioned {
  readonly snapshot: Snapshot;
  readonly codec: Codec;
}

/** A change of a collection. */
export interface Change {
  /** The function that made it. */
  readonly by: "insert" | "update" | "upsert" | "remove" | "applyPatches" | "compact";
  readonly before: Snapshot;
  /** The same as before if nothing changed. */
  readonly after: Snapshot;
  /** The keys of the changed rows, in any order, perhaps repeated. */
  readonly keys: () => readonly number[];
}

/** Changes by the snapshots that they made. */
export type Changes = ReadonlyMap<Snapshot, Change>;

/**
 * The keys of all rows that differ between two snapshots, and perhaps of others; `undefined` if no changes
 * lead from one to the other. Cost: linear in the keys.
 */
export function keysBetween(
  changes: Changes,
  before: Snapshot,
  after: Snapshot,
): readonly number[] | undefined {
  return changesBetween(changes, before, after)?.flatMap((change) => change.keys());
}

/** The changes that lead from one snapshot to another, the last one first; `undefined` if none do. */
export function changesBetween(
  changes: Changes,
  before: Snapshot,
  after: Snapshot,
): readonly Change[] | undefined {
  const chain: Change[] = [];
  for (let at = after; at !== before;) {
    const change = changes.get(at);
    if (change === undefined) return undefined;
    chain.push(change);
    at = change.before;
  }
  return chain;
}
