// Patches of a change applied to a state: those of Files, of Batches and their Lists, and of Contacts,
// all of them or none.

import { applyPatches } from "../collection/change/change.ts";
import { readPatches, type PlacedPatch } from "../collection/change/read-patches.ts";
import type { Collection } from "../collection/collection.ts";
import type { CollectionSettings } from "../collection/settings.ts";
import { InputError } from "../schema/errors.ts";
import { toWireInteger } from "../schema/integer.ts";
import type { Schema } from "../schema/schema.ts";
import { changedBatches, loadBatch, type Batch } from "./batch.ts";
import { Lineage } from "./lineage.ts";
import { readLists } from "./lists.ts";
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
  const lineage = new Lineage();
  const ofFiles: PlacedPatch[] = [];
  const batches = new PatchedBatches(state.batches, options, lineage);
  for (const patch of readPatches(input)) {
    const [part, ...path] = patch.path;
    if (part === "files") ofFiles.push({ ...patch, path });
    else if (part === "batches") batches.add({ ...patch, path });
    else throw new InputError(`${patch.place}.path`, `must start with "files" or "batches"`);
  }
  return {
    files: patched(state.files, ofFiles, lineage),
    batches: batches.finish(),
    lineage,
  };
}

/** A collection with patches applied. */
function patched<S extends Schema, Input>(
  before: Collection<S, Input>,
  patches: readonly PlacedPatch[],
  lineage: Lineage,
): Collection<S, Input> {
  const commit = applyPatches(before.state, patches);
  const after = before.change("applyPatches", commit);
  if (after !== before) lineage.add(after, before, commit);
  return after;
}

/** Batches that are patched, one patch after the other; those of a Batch's Contacts together. */
class PatchedBatches {
  readonly #before: ReadonlyMap<string, Batch>;
  readonly #options: CollectionSettings;
  readonly #lineage: Lineage;
  readonly #changed = new Map<string, Batch | undefined>();
  /** Patches of the Contacts of a Batch that are not applied yet. */
  readonly #ofContacts = new Map<string, PlacedPatch[]>();

  constructor(before: ReadonlyMap<string, Batch>, options: CollectionSettings, lineage: Lineage) {
    this.#before = before;
    this.#options = options;
    this.#lineage = lineage;
  }

  add({ place, op, path: [given, member, ...rest], value }: PlacedPatch): void {
    const id = toWireInteger(given);
    if (id === undefined) throw leadsNowhere(place);
    const batch = this.#find(id);
    if ((batch === undefined) !== (op === "add" && member === undefined)) {
      const reason =
        batch === undefined ? `there is no Batch ${id}` : `there is a Batch ${id} already`;
      throw new InputError(`${place}.path`, reason);
    }
    if (batch === undefined || member === undefined) {
      if (batch !== undefined) this.#settle(id, batch);
      this.#changed.set(id, op === "remove" ? undefined : this.#load(id, value, `${place}.value`));
      return;
    }
    if (member === "contacts") {
      const patches = this.#ofContacts.get(id);
      const patch = { place, op, path: rest, value };
      if (patches === undefined) this.#ofContacts.set(id, [patch]);
      else patches.push(patch);
    } else if (member === "lists" && rest.length === 0 && op === "replace") {
      const lists = readLists(value, `${place}.value`);
      this.#changed.set(id, this.#settle(id, batch).withLists(lists));
    } else throw leadsNowhere(place);
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
    return batch.with(patched(batch.contacts, patches, this.#lineage));
  }
}

function leadsNowhere(place: string): InputError {
  return new InputError(
    `${place}.path`,
    "does not lead to a Batch, to its Lists or to its Contacts",
  );
}
