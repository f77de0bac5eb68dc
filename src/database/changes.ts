// What a change of a database did, as patches between two states.

import { locationsIn } from "../collection/change/differences.ts";
import {
  added,
  patchesBetween,
  removed,
  type NamedBy,
  type Patch,
  type Patches,
} from "../collection/change/patch.ts";
import { keysBetween, type Changes } from "../collection/change/version.ts";
import type { CollectionState } from "../collection/collection.ts";
import type { Document } from "../collection/records/layout.ts";
import type { GroupChange } from "./group.ts";

/**
 * What a change of a database did. The path of a patch begins with the name of a collection and the identity of a
 * record; that of a field continues with the field's name.
 */
export type DatabaseChange = Patches;

/**
 * What changes of groups do together. Patches are made when they are first read: until then it holds both
 * states, afterwards neither.
 */
export function patchesOf(groups: readonly GroupChange[], changes: Changes): DatabaseChange {
  let made: Patches | undefined;
  let left: readonly GroupChange[] = groups;
  const patches = (): Patches => {
    if (made === undefined) {
      const all = left.map((group) => group.patches(changes, "identity"));
      made = {
        patches: Object.freeze(all.flatMap((each) => each.patches)),
        inversePatches: Object.freeze(all.flatMap((each) => each.inversePatches)),
      };
      left = [];
    }
    return made;
  };
  return Object.freeze({
    get patches() {
      return patches().patches;
    },
    get inversePatches() {
      return patches().inversePatches;
    },
  });
}

/** The patches between two versions of a collection, and back. @param path leads to the collection */
export function collectionPatches(
  path: Patch["path"],
  before: CollectionState,
  after: CollectionState,
  changes: Changes,
  by: NamedBy,
): Patches {
  const keys = keysBetween(changes, before.snapshot, after.snapshot);
  const { patches, inversePatches } = patchesBetween(before, after, keys, by);
  const under = (all: readonly Patch[]) => all.map((patch) => patchUnder(path, patch));
  return { patches: under(patches), inversePatches: under(inversePatches) };
}

/** A patch of a collection, as a patch of the collection's group. */
export function patchUnder(path: Patch["path"], patch: Patch): Patch {
  return Object.freeze({ ...patch, path: Object.freeze([...path, ...patch.path]) });
}

/** Adds the records of a collection, each with its key, in the order of keys. */
export function* recordsAdded(
  path: Patch["path"],
  state: CollectionState,
  by: NamedBy,
): Generator<Patch, void> {
  for (const [key, record] of documentsOf(state)) {
    yield patchUnder(path, added(state.codec, key, record, by));
  }
}

/** Removes the records of a collection, if they are still as they were. */
export function* recordsRemoved(
  path: Patch["path"],
  state: CollectionState,
): Generator<Patch, void> {
  for (const [key, record] of documentsOf(state)) {
    yield patchUnder(path, removed(state.codec, key, record));
  }
}

/** The records as patches carry them, each with its key, in the order of keys. */
export function* documentsOf({
  snapshot,
  codec,
}: CollectionState): Generator<readonly [key: number, document: Document], void> {
  for (const { segment, row } of locationsIn(snapshot)) {
    yield [segment.keyOf(row), codec.write(segment.rows, row)];
  }
}
