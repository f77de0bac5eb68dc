// Which collections of a service were made of which while its next state is made, and what changed on
// the way: so that patches need not look for it.

import type { Commit } from "../collection/change/change.ts";
import type { Snapshot } from "../collection/snapshot/snapshot.ts";

/** A collection. */
interface Made {
  readonly state: { readonly snapshot: Snapshot };
}

interface Step {
  readonly from: Snapshot;
  readonly keys: Commit["keys"];
}

export class Lineage {
  /** By the snapshot that was made. */
  readonly #steps = new WeakMap<Snapshot, Step>();

  add(made: Made, from: Made, { keys }: Commit): void {
    this.#steps.set(made.state.snapshot, { from: from.state.snapshot, keys });
  }

  /**
   * The keys of all rows that differ between two snapshots, and perhaps of others; `undefined` where
   * the one was not made of the other. Cost: linear in the keys.
   */
  keysBetween(before: Snapshot, after: Snapshot): readonly number[] | undefined {
    const keys: (readonly number[])[] = [];
    for (let at = after; at !== before;) {
      const step = this.#steps.get(at);
      if (step === undefined) return undefined;
      keys.push(step.keys());
      at = step.from;
    }
    return keys.flat();
  }
}
