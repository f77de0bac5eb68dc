// Patches of Batches: of their Lists, of their Contacts, and of whole Batches.

import type { PlacedPatch } from "../engine/changes/read-patches.ts";
import { requireBefore } from "../engine/changes/read-patches.ts";
import type { ChangeLog } from "../engine/changes/transition.ts";
import type { CollectionSettings } from "../engine/settings.ts";
import { patched } from "../database/collection-member.ts";
import type { PatchedMember } from "../database/member.ts";
import { InputError } from "../schema/errors.ts";
import { loadBatch, type Batch } from "./batch.ts";
import { batchAdded, lostPatches } from "./batch-patches.ts";
import { readLists } from "./lists.ts";
import { batchTarget } from "./patch-path.ts";

/**
 * Applies patches one by one, except that those to the Contacts of one Batch are applied together.
 *
 * @param current returns a Batch as it is before the patches
 * @param log receives the changes of Contacts
 */
export function patchBatches(
  current: (id: string) => Batch | undefined,
  settings: CollectionSettings,
  log: ChangeLog,
): PatchedMember<ReadonlyMap<string, Batch | undefined>> {
  const changed = new Map<string, Batch | undefined>();
  const waiting = new Map<string, PlacedPatch[]>();
  const find = (id: string) => (changed.has(id) ? changed.get(id) : current(id));
  /** Applies the patches to a Batch's Contacts. */
  const settle = (id: string, batch: Batch): Batch => {
    const patches = waiting.get(id) ?? [];
    waiting.delete(id);
    return batch.with(patched(batch.contacts, patches, log));
  };
  return {
    add: (patch) => {
      const { place, op, value } = patch;
      const target = batchTarget(patch);
      const { kind, batch: id } = target;
      const batch = find(id);
      if ((batch === undefined) !== (kind === "batch" && op === "add")) {
        const [reason, code] =
          batch === undefined
            ? ([`there is no Batch ${id}`, "not_found"] as const)
            : ([`there is a Batch ${id} already`, "conflict"] as const);
        throw new InputError(`${place}.path`, reason, { code });
      }
      if (kind === "contact") {
        const patches = waiting.get(id) ?? [];
        waiting.set(id, patches);
        patches.push({ ...patch, path: target.within });
        return;
      }
      const settled = batch && settle(id, batch);
      const path = `${place}.value`;
      if (kind === "lists") {
        requireBefore(patch, settled?.declared.toJSON());
        const redeclared = settled?.redeclared(readLists(value, path));
        if (patch.before !== undefined && settled !== undefined && redeclared !== undefined) {
          const [lost] = lostPatches([], settled, redeclared);
          const reason = "would remove records or values that are there now";
          if (lost !== undefined) throw new InputError(path, reason);
        }
        changed.set(id, redeclared);
        return;
      }
      requireBefore(patch, settled && batchAdded(id, settled.declared).value);
      if (patch.before !== undefined && (settled?.contacts.size ?? 0) > 0) {
        throw new InputError(`${place}.before`, "is empty, but the Batch has records");
      }
      changed.set(id, op === "remove" ? undefined : load(id, value, path, settings));
    },
    finish: () => {
      for (const id of [...waiting.keys()]) {
        const batch = find(id);
        if (batch !== undefined) changed.set(id, settle(id, batch));
      }
      return changed;
    },
  };
}

function load(id: string, value: unknown, path: string, settings: CollectionSettings): Batch {
  const batch = loadBatch(value, path, settings);
  if (batch.id === id) return batch;
  throw new InputError(`${path}.id`, `must be ${id}, not ${batch.id}`);
}
