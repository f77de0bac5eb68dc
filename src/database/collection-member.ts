// A collection as a member of a database.

import { applyPatches } from "../engine/changes/change.ts";
import type { PlacedPatch } from "../engine/changes/read-patches.ts";
import { patchesTo, reversed, type NamedBy, type Patch } from "../engine/changes/patch.ts";
import { Transition, type ChangeLog } from "../engine/changes/transition.ts";
import { Collection } from "../collection/collection.ts";
import type { CollectionState } from "../collection/types.ts";
import { member } from "../schema/errors.ts";
import type { InputOf } from "../schema/record-types.ts";
import type { Schema } from "../schema/schema.ts";
import { DraftedCollection, type DraftChanges } from "./draft-changes.ts";
import { sourceOf } from "./member.ts";
import type {
  DraftedMember,
  Member,
  MemberChange,
  MemberCollection,
  PatchedMember,
  Destination,
} from "./member.ts";

export class CollectionMember<S extends Schema = Schema, Input = never> implements Member {
  readonly name: string;
  readonly #whose: string;
  #collection: Collection<S, Input>;

  /** @param whose names the records in errors, such as `Files of this service` */
  constructor(name: string, collection: Collection<S, Input>, whose: string) {
    this.name = name;
    this.#whose = whose;
    this.#collection = collection;
  }

  /** Whether a member is a collection, whatever its schema. */
  static is(member: unknown): member is CollectionMember<Schema, InputOf<Schema>> {
    return member instanceof CollectionMember;
  }

  get collection(): Collection<S, Input> {
    return this.#collection;
  }

  collections(): Iterable<MemberCollection> {
    const { name } = this;
    const collection = this.#collection;
    const to = (state: CollectionState, log?: ChangeLog) => this.#toState(state, log);
    return [{ source: sourceOf(name), collection, path: [name], to }];
  }

  destinationFor(): Destination {
    const { codec, options: settings } = this.#collection.state;
    const path = [this.name];
    return { codec, settings, path, declarations: [], to: (state) => this.#toState(state) };
  }

  replaceWith(other: Member): MemberChange {
    // Members of one name have one kind and one schema.
    const { collection } = other as unknown as Pick<CollectionMember<S, Input>, "collection">;
    return this.to(collection);
  }

  /** @param state of a collection of the same schema */
  #toState(state: CollectionState, log?: ChangeLog): MemberChange {
    const { state: before } = this.#collection;
    if (state.snapshot === before.snapshot) return this.to(this.#collection);
    return this.to(Collection.of({ ...before, snapshot: state.snapshot }), log);
  }

  draft(changes: DraftChanges): DraftedMember {
    const path = member("draft", this.name);
    const drafted = new DraftedCollection(this.#collection, path, this.#whose, changes);
    return {
      get current() {
        return drafted.current;
      },
      put: (next) => drafted.put(next),
      patching: () => {
        const patches: PlacedPatch[] = [];
        return {
          add: (patch) => void patches.push(withinMember(patch)),
          finish: () => drafted.patched(patches),
        };
      },
      finish: () => this.to(drafted.finish(), changes.log),
    };
  }

  isOfRecord(path: readonly unknown[]): boolean {
    return path.length > 1;
  }

  patching(log: ChangeLog): PatchedMember<MemberChange> {
    const patches: PlacedPatch[] = [];
    return {
      add: (patch) => void patches.push(withinMember(patch)),
      finish: () => this.to(patched(this.#collection, patches, log), log),
    };
  }

  /** The change to another version of the collection. @param log of the changes that led to it */
  to(after: Collection<S, Input>, log?: ChangeLog): MemberChange {
    const { name } = this;
    const before = this.#collection;
    const transition = new Transition(before.state, after.state, log);
    return {
      replaced: transition.isVoid ? [] : [{ source: sourceOf(name), transition }],
      patches: (by) => transitionPatches([name], transition, by),
      inversePatches: () => inversePatches([name], transition),
      undo: () => this.to(before),
      commit: () => {
        if (!transition.isVoid) this.#collection = after;
      },
    };
  }
}

/** A patch whose path begins after the name of a member. */
const withinMember = (patch: PlacedPatch): PlacedPatch => ({ ...patch, path: patch.path.slice(1) });

/** The patches of a transition. @param path leads to the collection */
export function transitionPatches(
  path: Patch["path"],
  { before, after, delta }: Transition,
  by: NamedBy,
): readonly Patch[] {
  return patchesTo(path, delta, before.codec, after.codec, by);
}

/** The patches that undo a transition. @param path leads to the collection */
export function inversePatches(
  path: Patch["path"],
  { before, after, delta }: Transition,
): readonly Patch[] {
  return patchesTo(path, reversed(delta), after.codec, before.codec, "identity");
}

/** Applies patches to a collection. @param log receives the change */
export function patched<S extends Schema, Input>(
  before: Collection<S, Input>,
  patches: readonly PlacedPatch[],
  log: ChangeLog,
): Collection<S, Input> {
  const change = applyPatches(before.state, patches);
  log.add(change);
  return before.change(change);
}
