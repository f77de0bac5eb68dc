// A collection under a name of a database.

import { applyPatches } from "../collection/change/change.ts";
import { outcomeOf } from "../collection/change/differences.ts";
import type { PlacedPatch } from "../collection/change/read-patches.ts";
import type { Change } from "../collection/change/version.ts";
import { Collection, type CollectionState } from "../collection/collection.ts";
import type { Snapshot } from "../collection/snapshot/snapshot.ts";
import { member } from "../schema/errors.ts";
import type { Schema } from "../schema/schema.ts";
import { collectionPatches } from "./changes.ts";
import type { DraftChanges } from "./draft-changes.ts";
import { DraftedCollection } from "./drafted-collection.ts";
import { sourceOf } from "./group.ts";
import type { DraftedGroup, Group, GroupChange, Part, PatchedGroup, Destination } from "./group.ts";

export class CollectionGroup<S extends Schema = Schema, Input = never> implements Group {
  readonly name: string;
  readonly #whose: string;
  #collection: Collection<S, Input>;

  /** @param whose names the records in errors, such as `Files of this service` */
  constructor(name: string, collection: Collection<S, Input>, whose: string) {
    this.name = name;
    this.#whose = whose;
    this.#collection = collection;
  }

  get collection(): Collection<S, Input> {
    return this.#collection;
  }

  parts(): Iterable<Part> {
    const { name } = this;
    const collection = this.#collection;
    const to = (state: CollectionState) => this.#toState(state);
    return [{ source: sourceOf(name), collection, path: [name], to }];
  }

  destinationFor(): Destination {
    const { codec, options: settings } = this.#collection.state;
    const path = [this.name];
    return { codec, settings, path, declarations: [], to: (state) => this.#toState(state) };
  }

  adopt(other: Group): GroupChange {
    // Groups of one name are of one kind and one schema.
    const { collection } = other as unknown as Pick<CollectionGroup<S, Input>, "collection">;
    return this.to(collection);
  }

  /** @param state of a collection of the same schema */
  #toState(state: CollectionState): GroupChange {
    const { state: before } = this.#collection;
    if (state.snapshot === before.snapshot) return this.to(this.#collection);
    return this.to(Collection.of({ ...before, snapshot: state.snapshot }));
  }

  draft(changes: DraftChanges): DraftedGroup {
    const path = member("draft", this.name);
    const drafted = new DraftedCollection(this.#collection, path, this.#whose, changes);
    return {
      get current() {
        return drafted.current;
      },
      put: (next) => drafted.put(next),
      finish: () => this.to(drafted.finish()),
    };
  }

  patching(changes: Map<Snapshot, Change>): PatchedGroup {
    const patches: PlacedPatch[] = [];
    return {
      add: (patch) => void patches.push({ ...patch, path: patch.path.slice(1) }),
      finish: () => this.to(patched(this.#collection, patches, changes)),
    };
  }

  /**
   * The change to another version of the collection.
   *
   * @param isEqual whether that has the same records, so that nobody is notified
   */
  to(after: Collection<S, Input>, isEqual = after === this.#collection): GroupChange {
    const { name } = this;
    const before = this.#collection;
    return {
      replaced: isEqual ? [] : [{ source: sourceOf(name), before, after }],
      net: (changes) => {
        const outcome = outcomeOf(changes, before.state, after.state);
        return this.to(outcome === "none" ? before : after, outcome !== "changed");
      },
      patches: (changes, by) => collectionPatches([name], before.state, after.state, changes, by),
      commit: () => {
        this.#collection = after;
      },
    };
  }
}

/** A collection with patches applied. @param changes receives the change */
export function patched<S extends Schema, Input>(
  before: Collection<S, Input>,
  patches: readonly PlacedPatch[],
  changes: Map<Snapshot, Change>,
): Collection<S, Input> {
  const change = applyPatches(before.state, patches);
  if (change.after !== change.before) changes.set(change.after, change);
  return before.change(change);
}
