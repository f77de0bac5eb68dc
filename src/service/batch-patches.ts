// The patches that turn one Batch, or none, into another.

import { compare } from "../engine/changes/compare.ts";
import type { Versioned } from "../engine/changes/delta.ts";
import { patchesTo, type NamedBy, type Patch } from "../engine/changes/patch.ts";
import { freeze } from "../engine/columns/layout.ts";
import { recordsAdded, recordsRemoved } from "../database/changes.ts";
import type { Batch } from "./batch.ts";
import type { Lists } from "./lists.ts";
import { pathToBatch, pathToContacts, pathToLists } from "./patch-path.ts";

export function batchRemoved(id: string): Patch {
  return { op: "remove", path: pathToBatch(id) };
}

/** Adds a Batch without Contacts. @param lists `undefined`: without Lists, too */
export function batchAdded(id: string, lists: Lists | undefined): Patch {
  const empty = lists?.toJSON().map((list) => ({ ...list, contacts: [] })) ?? [];
  return { op: "add", path: pathToBatch(id), value: { id, lists: empty } };
}

/** The patches from one Batch to another; `undefined` stands for no Batch. @param by how to identify the Contacts */
export function batchPatches(
  id: string,
  before: Batch | undefined,
  after: Batch | undefined,
  by: NamedBy,
): readonly Patch[] {
  return Array.from(batchPatchesTo(id, before, after, by), frozen);
}

/** The inverse patches. They are refused if the same values have changed since. */
export function inverseBatchPatches(
  id: string,
  before: Batch | undefined,
  after: Batch | undefined,
): readonly Patch[] {
  return Array.from(batchPatchesTo(id, after, before, "identity", true), frozen);
}

/** @param isChecked whether to refuse patches that would remove later additions or changes */
function* batchPatchesTo(
  id: string,
  before: Batch | undefined,
  after: Batch | undefined,
  by: NamedBy,
  isChecked = false,
): Generator<Patch, void> {
  const path = pathToContacts(id);
  if (after === undefined) {
    if (before === undefined) return;
    if (!isChecked) {
      yield batchRemoved(id);
      return;
    }
    yield* recordsRemoved(path, before.contacts.state);
    yield { ...batchRemoved(id), before: batchAdded(id, before.declared).value };
  } else if (before === undefined) {
    yield batchAdded(id, after.declared);
    yield* recordsAdded(path, after.contacts.state, by);
  } else {
    const { declared } = after;
    const redeclared = before.redeclared(declared);
    const declare: Patch = {
      ...{ op: "replace", path: pathToLists(id), value: declared.toJSON() },
      ...(isChecked && { before: before.declared.toJSON() }),
    };
    // If patches are checked, whatever the new Lists would remove is removed first.
    if (isChecked) {
      yield* lostPatches(path, before, redeclared);
    }
    yield declare;
    yield* comparisonPatches(path, redeclared.contacts.state, after.contacts.state, by);
  }
}

/** The patches that remove the Contacts and values that the other Batch does not have. @param path leads to them */
export function lostPatches(path: Patch["path"], before: Batch, after: Batch): readonly Patch[] {
  const [from, to] = [before.contacts.state, after.contacts.state];
  const patches = comparisonPatches(path, from, to, "identity");
  // A new Batch loses nothing.
  return patches.filter((patch) => patch.before !== undefined && patch.before !== null);
}

/** The patches from one version of Contacts to another, whose List Fields may differ. */
function comparisonPatches(
  path: Patch["path"],
  before: Versioned,
  after: Versioned,
  by: NamedBy,
): readonly Patch[] {
  const changes = compare(before.snapshot, after.snapshot);
  return patchesTo(path, changes, before.codec, after.codec, by);
}

/** Frozen, since subscribers share it. */
function frozen(patch: Patch): Patch {
  freeze(patch.value);
  Object.freeze(patch.path);
  return Object.freeze(patch);
}
