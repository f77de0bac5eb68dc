// The changes that make new versions of a collection, and the difference between two versions. What changed is described
// once, and each description has a purpose of its own:
//
// - An edit says which rows a version loses and gets: the next version is made from it (versions/edit.ts).
// - A change is an edit with the two versions, so that a recipe's changes can be followed from one to the next.
// - A delta says which records changed, and how, whatever number of edits it took: live queries, patches, the cache and
//   the journal read it (columns/record-change.ts).
// - A transition makes the delta between two versions when somebody asks for it.
// - A change of a member, which is a collection or all Batches, can still be given up: it is prepared, written to the
//   journal, then committed (database/member.ts).

import type { Edit } from "../versions/edit.ts";
import type { Snapshot } from "../versions/snapshot.ts";
import { compare } from "./compare.ts";
import type { Delta } from "../columns/record-change.ts";
import { composed, deltaOfEdit, withoutEqual, type Versioned } from "./delta.ts";

/** A change of a collection. */
export interface Change {
  /** The method that made it. */
  readonly by: "insert" | "update" | "upsert" | "remove" | "applyPatches" | "compact";
  readonly before: Snapshot;
  /** The same snapshot as before if nothing changed. */
  readonly after: Snapshot;
  /** The rows removed and added; `undefined` if no record changed. */
  readonly edit: Edit | undefined;
}

/** Called with each change before its result is returned. */
export type ChangeListener = (change: Change) => void;

/** The changes that a recipe makes, to any collections. */
export class ChangeLog {
  readonly #byResult = new Map<Snapshot, Change>();

  add(change: Change): void {
    // A change without an effect leads to no new snapshot.
    if (change.after !== change.before) this.#byResult.set(change.after, change);
  }

  /** All changes, in the order in which they were made. */
  all(): Iterable<Change> {
    return this.#byResult.values();
  }

  /** The changes that lead from one snapshot to another, in order; `undefined` if none do. */
  between(before: Snapshot, after: Snapshot): readonly Change[] | undefined {
    const chain: Change[] = [];
    for (let at = after; at !== before;) {
      const change = this.#byResult.get(at);
      if (change === undefined) return undefined;
      chain.push(change);
      at = change.before;
    }
    return chain.reverse();
  }
}

/** From one version of a collection to another. */
export class Transition {
  readonly before: Versioned;
  readonly after: Versioned;
  /** The edits in between; `undefined` if they were not recorded. */
  readonly #edits: readonly Edit[] | undefined;
  #delta: Delta | undefined;

  /** @param log of the changes in between, if there is one */
  constructor(before: Versioned, after: Versioned, log?: ChangeLog) {
    this.before = before;
    this.after = after;
    this.#edits = log
      ?.between(before.snapshot, after.snapshot)
      ?.flatMap(({ edit }) => (edit === undefined ? [] : [edit]));
  }

  /** Whether the changes in between were recorded. */
  get isKnown(): boolean {
    return this.#edits !== undefined;
  }

  /** The delta, unless all records would have to be compared for it: neither version was made from the other. */
  get knownDelta(): Delta | undefined {
    const { before, after } = this;
    const isRelated = after.snapshot.cache === before.snapshot.cache;
    return this.isKnown || isRelated ? this.delta : undefined;
  }

  /** Whether all records are equal, and only stored differently (U3). */
  get isMoved(): boolean {
    return this.delta.length === 0;
  }

  /** Whether the changes cancel out (U3). */
  get isVoid(): boolean {
    if (this.before.snapshot === this.after.snapshot) return true;
    // A single edit always changes a value; without one, the same records are stored in another way.
    return this.#edits !== undefined && this.#edits.length > 1 && this.delta.length === 0;
  }

  /**
   * The records that changed. Cost: linear in the rows of the edits; if these were not recorded, in the rows of
   * segments that only one version has.
   */
  get delta(): Delta {
    return (this.#delta ??= this.#made());
  }

  #made(): Delta {
    const { before, after } = this;
    if (this.#edits === undefined) {
      return withoutEqual(compare(before.snapshot, after.snapshot), before.codec, after.codec);
    }
    const deltas = this.#edits.map(deltaOfEdit);
    return deltas.length > 1 ? composed(deltas, after.codec) : (deltas[0] ?? []);
  }
}
