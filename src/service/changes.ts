// Changes of a service as patches: those between two states, and the state that patches make.

import type { CollectionSettings } from "../collection/collection.ts";
import {
  freeze,
  readPatches,
  type Document,
  type Patch,
  type Patches,
  type PlacedPatch,
} from "../collection/change/patch.ts";
import { InputError } from "../schema/errors.ts";
import type { FieldType } from "../schema/field.ts";
import { toWireInteger } from "../schema/integer.ts";
import { loadBatch, readLists, type Batch, type List } from "./batch.ts";
import type { NextState, ServiceState } from "./draft.ts";

/**
 * What a change of a service did. The path of a patch leads to a File, `["files", key]`; to a Batch,
 * `["batches", id]`, whose value is one as it is given to `createBatch`; to its Lists and their
 * fields, `["batches", id, "lists"]`; or to a Contact, `["batches", id, "contacts", key]`. To a
 * field of a record the path goes on.
 */
export type ServiceChange = Patches;

/**
 * The change from one state to another. Its patches are made when somebody first asks for them: till
 * then it holds both states, and after that neither.
 */
export function changeBetween(before: ServiceState, after: NextState): ServiceChange {
  let states: readonly [ServiceState, NextState] | undefined = [before, after];
  let made: Patches = NO_PATCHES;
  const patches = (): Patches => {
    if (states !== undefined) {
      made = patchesBetween(...states);
      states = undefined;
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

const NO_PATCHES: Patches = { patches: [], inversePatches: [] };

/** The patches between two states, and back. */
function patchesBetween(before: ServiceState, after: NextState): Patches {
  const patches: Patch[] = [];
  const inversePatches: Patch[] = [];
  const add = (path: readonly string[], between: Patches) => {
    for (const patch of between.patches) patches.push(under(path, patch));
    for (const patch of between.inversePatches) inversePatches.push(under(path, patch));
  };
  add(["files"], after.files.patchesFrom(before.files));
  const changed = [...after.batches].sort(([a], [b]) => Number(a) - Number(b));
  for (const [id, young] of changed) {
    const old = before.batches.get(id);
    if (old !== undefined && old.declared === young?.declared) {
      add(["batches", id, "contacts"], young.contacts.patchesFrom(old.contacts));
    } else {
      const between = [[...batchPatches(id, old, young)], [...batchPatches(id, young, old)]];
      add(["batches", id], { patches: between[0] ?? [], inversePatches: between[1] ?? [] });
    }
  }
  return { patches: Object.freeze(patches), inversePatches: Object.freeze(inversePatches) };
}

function under(path: readonly string[], patch: Patch): Patch {
  return Object.freeze({ ...patch, path: Object.freeze([...path, ...patch.path]) });
}

/** The patches that make a Batch of another one, or of none. Their paths start within the Batch. */
function* batchPatches(
  id: string,
  before: Batch | undefined,
  after: Batch | undefined,
): Generator<Patch, void> {
  if (after === undefined) {
    if (before !== undefined) yield { op: "remove", path: [] };
  } else if (before === undefined) {
    yield* newBatchPatches(after);
  } else {
    const { all } = after.declared;
    yield { op: "replace", path: ["lists"], value: freeze(all.map((list) => declarationOf(list))) };
    const { patches } = after.contacts.patchesFrom(before.withLists(after.declared).contacts);
    for (const patch of patches) yield under(["contacts"], patch);
  }
}

/**
 * A Batch as a whole, where loading gives its Contacts the keys that they have. Else it is a Batch
 * without Contacts, and each of them with its key.
 */
function* newBatchPatches({ id, lists, declared, contacts }: Batch): Generator<Patch, void> {
  const places = new Map(lists.map((list, place) => [list, place]));
  const contactsOf = lists.map((): Document[] => []);
  const each: Patch[] = [];
  let isAsLoaded = true;
  let last = 0;
  for (const [key, document] of contacts.documents()) {
    const { list, ...contact } = document;
    const place = places.get(String(list)) ?? 0;
    if (key !== each.length || place < last) isAsLoaded = false;
    last = place;
    contactsOf[place]?.push(contact);
    each.push({ op: "add", path: ["contacts", key], value: freeze(document) });
  }
  const value = {
    id,
    lists: declared.all.map((list, place) => ({
      ...declarationOf(list),
      contacts: isAsLoaded ? contactsOf[place] : [],
    })),
  };
  yield { op: "add", path: [], value: freeze(value) };
  if (!isAsLoaded) yield* each;
}

/** A List as it is given, without Contacts. */
function declarationOf({ id, fields }: List) {
  // No prototype: `__proto__` is a List Field as any other.
  const types = Object.create(null) as Record<string, FieldType>;
  for (const [name, type] of fields) types[name] = type;
  return { id, fields: types };
}

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
  const ofFiles: PlacedPatch[] = [];
  const batches = new PatchedBatches(state.batches, options);
  for (const patch of readPatches(input)) {
    const [part, ...path] = patch.path;
    if (part === "files") ofFiles.push({ ...patch, path });
    else if (part === "batches") batches.add({ ...patch, path });
    else throw new InputError(`${patch.place}.path`, `must start with "files" or "batches"`);
  }
  return { files: state.files.applyPlaced(ofFiles), batches: batches.finish() };
}

/** Batches that are patched, one patch after the other; those of a Batch's Contacts together. */
class PatchedBatches {
  readonly #before: ReadonlyMap<string, Batch>;
  readonly #options: CollectionSettings;
  readonly #changed = new Map<string, Batch | undefined>();
  /** Patches of the Contacts of a Batch that are not applied yet. */
  readonly #ofContacts = new Map<string, PlacedPatch[]>();

  constructor(before: ReadonlyMap<string, Batch>, options: CollectionSettings) {
    this.#before = before;
    this.#options = options;
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
    return this.#changed;
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
    return batch.with(batch.contacts.applyPlaced(patches));
  }
}

function leadsNowhere(place: string): InputError {
  return new InputError(
    `${place}.path`,
    "does not lead to a Batch, to its Lists or to its Contacts",
  );
}
