// The collections of a draft, and the changes that its recipe makes to them. Each change makes a new collection, which
// the recipe must assign to the draft: a recipe that drops one probably expected the draft itself to change.

import { Collection } from "../collection/collection.ts";
import { applyPatches } from "../engine/changes/change.ts";
import type { PlacedPatch } from "../engine/changes/read-patches.ts";
import { ChangeLog, type Change, type ChangeListener } from "../engine/changes/transition.ts";
import type { Snapshot } from "../engine/versions/snapshot.ts";
import { InputError } from "../schema/errors.ts";
import type { Schema } from "../schema/schema.ts";

export class DraftChanges {
  readonly log = new ChangeLog();
  /** All changes, each with the path of the collection that it started from. */
  readonly #made: { readonly path: string; readonly change: Change }[] = [];
  /** The collections assigned to the draft. */
  readonly #placed = new Set<Snapshot>();
  #isOver = false;

  /** Receives the changes of the collection at a path. */
  listenerAt(path: string): ChangeListener {
    return (change) => {
      // Changes of a replaced collection would never be read.
      if (this.#isOver) return;
      this.log.add(change);
      this.#made.push({ path, change });
    };
  }

  /** Records that a collection was assigned to the draft. */
  place(snapshot: Snapshot): void {
    this.#placed.add(snapshot);
  }

  /** @throws InputError if a change led to no collection that was assigned to the draft */
  requirePlaced(): void {
    // Intermediate collections are no longer needed.
    for (const { change } of this.#made.toReversed()) {
      if (this.#placed.has(change.after)) this.#placed.add(change.before);
    }
    const dropped = this.#made.find(({ change }) => !this.#placed.has(change.after));
    if (dropped !== undefined) throw changesNothing(dropped.path, dropped.change);
  }

  /** Closes the draft: later changes throw. */
  end(): void {
    this.#isOver = true;
  }

  /** @throws InputError if the recipe of the draft has returned */
  refuseLate(path: string): void {
    if (this.#isOver)
      throw new InputError(path, "belongs to an update that has ended", { code: "closed" });
  }
}

/** A collection of a draft, which a recipe can replace with one made from it. */
export class DraftedCollection<S extends Schema, Input> {
  readonly #path: string;
  readonly #whose: string;
  readonly #changes: DraftChanges;
  readonly #before: Collection<S, Input>;
  readonly #listener: ChangeListener;
  /** The original collection, as recipes get it. */
  readonly #given: Collection<S, Input>;
  #current: Collection<S, Input>;

  /** @param whose names the collection in errors, such as `Files of this service` */
  constructor(before: Collection<S, Input>, path: string, whose: string, changes: DraftChanges) {
    this.#path = path;
    this.#whose = whose;
    this.#changes = changes;
    this.#before = before;
    this.#listener = changes.listenerAt(path);
    this.#given = Collection.of(before.state, this.#listener);
    this.#current = this.#given;
  }

  get current(): Collection<S, Input> {
    return this.#current;
  }

  put(next: unknown): void {
    this.#changes.refuseLate(this.#path);
    if (!this.#before.isRelated(next)) {
      throw new InputError(this.#path, `must be made from the ${this.#whose}`);
    }
    this.#changes.place(next.state.snapshot);
    // Changes of one that was kept from another update are recorded, too.
    this.#current = next === this.#given ? this.#given : Collection.of(next.state, this.#listener);
  }

  /** Applies patches. @returns a function that puts the result @throws InputError */
  patched(patches: readonly PlacedPatch[]): () => void {
    const current = this.#current;
    const change = applyPatches(current.state, patches);
    return () => this.put(current.change(change));
  }

  /** The collection of the next state: the original one, unless the recipe replaced it. */
  finish(): Collection<S, Input> {
    return this.#current === this.#given ? this.#before : Collection.of(this.#current.state);
  }
}

function changesNothing(path: string, { by }: Change): InputError {
  return new InputError(
    path,
    `${by}() does not change the collection, but returns a new one; write ${path} = ${path}.${by}(…)`,
  );
}
