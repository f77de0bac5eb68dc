// The patches between two states of a database.

import { locationsIn } from "../engine/changes/compare.ts";
import {
  added,
  removed,
  withPatches,
  type NamedBy,
  type Patch,
  type Patches,
} from "../engine/changes/patch.ts";
import type { CollectionState } from "../collection/types.ts";
import type { Document } from "../engine/columns/layout.ts";
import type { MemberChange } from "./member.ts";

/**
 * The effect of a change of a database. The path of a patch consists of the name of a collection, the identity of a
 * record and, for a field, its name.
 */
export type DatabaseChange = Patches;

/** The combined changes of all members. Keeps both states until the patches are first read. */
export function changeOf(memberChanges: readonly MemberChange[]): DatabaseChange {
  return withPatches({}, () => ({
    patches: Object.freeze(memberChanges.flatMap((member) => member.patches("identity"))),
    inversePatches: Object.freeze(memberChanges.flatMap((member) => member.inversePatches())),
  }));
}

/** Patches that add the records of a collection, each with its key, in the order of keys. */
export function* recordsAdded(
  path: Patch["path"],
  state: CollectionState,
  by: NamedBy,
): Generator<Patch, void> {
  for (const [key, record] of documentsOf(state)) {
    yield added(path, state.codec, key, record, by);
  }
}

/** Patches that remove the records of a collection, if they are unchanged. */
export function* recordsRemoved(
  path: Patch["path"],
  state: CollectionState,
): Generator<Patch, void> {
  for (const [key, record] of documentsOf(state)) {
    yield removed(path, state.codec, key, record);
  }
}

/** The records in the form of patches, with their keys, in order. */
export function* documentsOf({
  snapshot,
  codec,
}: CollectionState): Generator<readonly [key: number, document: Document], void> {
  for (const { segment, row } of locationsIn(snapshot)) {
    yield [segment.keyOf(row), codec.write(segment.rows, row)];
  }
}
