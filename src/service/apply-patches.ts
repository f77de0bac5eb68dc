// Patches of a change applied to a state: those of Files, of Batches and their Lists, and of Contacts,
// all of them or none.

import { applyPatches } from "../collection/change/change.ts";
import { readPatches, type PlacedPatch } from "../collection/change/read-patches.ts";
import type { Change } from "../collection/change/version.ts";
import type { Collection } from "../collection/collection.ts";
import type { CollectionSettings } from "../collection/settings.ts";
import type { Snapshot } from "../collection/snapshot/snapshot.ts";
import { InputError } from "../schema/errors.ts";
import type { Schema } from "../schema/schema.ts";
import { changedBatches, loadBatch, type Batch } from "./batch.ts";
import { readLists } from "./lists.ts";
import { targetOf, type PatchTarget } from "./patch-path.ts";
import type { NextState, ServiceState } from "./state.ts";

/**
 * The state that patches make.
 *
 * @throws InputError with the number of the patch that does not fit
 */
export function patchState(
  state: ServiceState,
  input: unknown,
  options: CollectionSettings,
): NextState {
  const changes = new Map<Snapshot, Change>();
  const ofFiles: PlacedPatch[] = [];
  const batches = new PatchedBatches(state.batches, options, changes);
  for (const patch of readPatches(input)) {
    const target = targetOf(patch);
    if (target.kind === "file") ofFiles.push({ ...patch, path: target.within });
    else batches.add(patch, target);
  }
  const files = patched(state.files, ofFiles, changes);
  return { files, batches: batches.finish(), changes };
}

/** A collection with patches applied. */
function patched<S extends Schema, Input>(
  before: Collection<S, Input>,
  patches: readonly PlacedPatch[],
  changes: Map<Snapshot, Change>,
): Collection<S, Input> {
  const change = applyPatches(before.state, patches);
  if (change.after !== change.before) changes.set(change.after, change);
  return before.change(change);
}

/** Batches that are patched, one patch after the other; those of a Batch's Contacts together. */
class PatchedBatches {
  readonly #before: ReadonlyMap<string, Batch>;
  readonly #options: CollectionSettings;
  readonly #changes: Map<Snapshot, Change>;
  readonly #changed = new Map<string, Batch | undefined>();
  /** Patches of the Contacts of a Batch that are not applied yet. */
  readonly #ofContacts = new Map<string, PlacedPatch[]>();

  constructor(
    before: ReadonlyMap<string, Batch>,
    options: CollectionSettings,
    changes: Map<Snapshot, Change>,
  ) {
    this.#before = before;
    this.#options = options;
    this.#changes = changes;
  }

  add(patch: PlacedPatch, target: Exclude<PatchTarget, { readonly kind: "file" }>): void {
    const { place, op, value } = patch;
    const { kind, batch: id } = target;
    const batch = this.#find(id);
    if ((batch === undefined) !== (kind === "batch" && op === "add")) {
      const reason =
        batch === undefined ? `there is no Batch ${id}` : `there is a Batch ${id} already`;
      throw new InputError(`${place}.path`, reason);
    }
    if (kind === "contact") {
      const patches = this.#ofContacts.get(id) ?? [];
      patches.push({ ...patch, path: target.within });
      this.#ofContacts.set(id, patches);
      return;
    }
    const settled = batch && this.#settle(id, batch);
    if (kind === "lists") {
      this.#changed.set(id, settled?.withLists(readLists(value, `${place}.value`)));
    } else {
      this.#changed.set(id, op === "remove" ? undefined : this.#load(id, value, `${place}.value`));
    }
  }

  finish(): ReadonlyMap<string, Batch | undefined> {
    for (const id of [...this.#ofContacts.keys()]) {
      const batch = this.#find(id);
      if (batch !== undefined) this.#changed.set(id, this.#settle(id, batch));
    }
    return changedBatches(this.#before, this.#changed);
  }

  #find(id: string): Batch | undefined {
    return this.#changed.has(id) ? this.#changed.get(id) : this.#before.get(id);
  }

  #load(id: string, value: unknown, path: string): Batch {
    const batch = loadBatch(value, path, this.#options);
    if (batch.id === id) return batch;
    throw new InputError(`${path}.id`, `must be ${id}, not ${batch.id}`);
  }

  /** A Batch with the patches of its Contacts applied. */
  #settle(id: string, batch: Batch): Batch {
    const patches = this.#ofContacts.get(id) ?? [];
    this.#ofContacts.delete(id);
    return batch.with(patched(batch.contacts, patches, this.#changes));
  }
}
