// What a change of a service did, as patches between two states.

import type { List } from "./contact.ts";
import { locationsIn } from "../collection/change/differences.ts";
import { patchesBetween, type Patch, type Patches } from "../collection/change/patch.ts";
import { keysBetween, type Changes } from "../collection/change/version.ts";
import type { CollectionState } from "../collection/collection.ts";
import { freeze, type Document } from "../collection/records/layout.ts";
import type { ListFieldType } from "./contact.ts";
import type { Batch } from "./batch.ts";

import { pathTo } from "./patch-path.ts";
import type { NextState, ServiceState } from "./state.ts";

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
      made = patchesOf(...states);
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
function patchesOf(before: ServiceState, { files, batches, changes }: NextState): Patches {
  const patches: Patch[] = [];
  const inversePatches: Patch[] = [];
  const addRecords = (path: Patch["path"], old: Records, young: Records) => {
    const between = recordPatches(old.state, young.state, changes);
    for (const patch of between.patches) patches.push(under(path, patch));
    for (const patch of between.inversePatches) inversePatches.push(under(path, patch));
  };
  addRecords(pathTo.files, before.files, files);
  for (const [id, young] of [...batches].sort(([a], [b]) => Number(a) - Number(b))) {
    const old = before.batches.get(id);
    if (old !== undefined && old.declared === young?.declared) {
      addRecords(pathTo.contacts(id), old.contacts, young.contacts);
    } else {
      for (const patch of batchPatches(id, old, young)) patches.push(patch);
      for (const patch of batchPatches(id, young, old)) inversePatches.push(patch);
    }
  }
  return { patches: Object.freeze(patches), inversePatches: Object.freeze(inversePatches) };
}

type Records = { readonly state: CollectionState };

function recordPatches(before: CollectionState, after: CollectionState, changes: Changes): Patches {
  return patchesBetween(before, after, keysBetween(changes, before.snapshot, after.snapshot));
}

function under(path: Patch["path"], patch: Patch): Patch {
  return Object.freeze({ ...patch, path: Object.freeze([...path, ...patch.path]) });
}

/** The patches that make a Batch of another one, or of none. */
function* batchPatches(
  id: string,
  before: Batch | undefined,
  after: Batch | undefined,
): Generator<Patch, void> {
  if (after === undefined) {
    if (before !== undefined) yield frozen({ op: "remove", path: pathTo.batch(id) });
  } else if (before === undefined) {
    yield* newBatchPatches(after);
  } else {
    const lists = after.declared.all.map((list) => declarationOf(list));
    yield frozen({ op: "replace", path: pathTo.lists(id), value: lists });
    const recoded = before.withLists(after.declared);
    const { patches } = patchesBetween(recoded.contacts.state, after.contacts.state);
    for (const patch of patches) yield under(pathTo.contacts(id), patch);
  }
}

/**
 * A Batch as a whole, where loading gives its Contacts the keys that they have. Else it is a Batch
 * without Contacts, and each of them with its key.
 */
function* newBatchPatches({ id, lists, declared, contacts }: Batch): Generator<Patch, void> {
  const places = new Map(lists.map((list, place) => [list, place]));
  const contactsOf = lists.map((): Document[] => []);
  let next = 0;
  let last = 0;
  let isAsLoaded = true;
  for (const [key, { list, ...contact }] of documentsOf(contacts.state)) {
    const place = places.get(String(list)) ?? 0;
    isAsLoaded = key === next++ && place >= last;
    if (!isAsLoaded) break;
    last = place;
    contactsOf[place]?.push(contact);
  }
  yield frozen(batchPatch(id, declared.all, isAsLoaded ? contactsOf : []));
  if (isAsLoaded) return;
  for (const patch of recordsAdded(pathTo.contacts(id), contacts.state)) yield frozen(patch);
}

/** Adds a Batch of some Lists. @param contacts of each List; default: none */
export function batchPatch(
  id: string,
  lists: readonly List[],
  contacts: readonly (readonly Document[])[] = [],
): Patch {
  const declared = lists.map((list, i) => ({
    ...declarationOf(list),
    contacts: contacts[i] ?? [],
  }));
  return { op: "add", path: pathTo.batch(id), value: { id, lists: declared } };
}

/** Adds the records of a collection, each with its key, in the order of keys. */
export function* recordsAdded(path: Patch["path"], state: CollectionState): Generator<Patch, void> {
  for (const [key, value] of documentsOf(state)) yield { op: "add", path: [...path, key], value };
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

/** A List as it is given, without Contacts. */
export function declarationOf({ id, fields }: List) {
  // No prototype: `__proto__` is a List Field as any other.
  const types = Object.create(null) as Record<string, ListFieldType>;
  for (const [name, type] of fields) types[name] = type;
  return { id, fields: types };
}

/** Frozen: subscribers share it. */
function frozen(patch: Patch): Patch {
  freeze(patch.value);
  Object.freeze(patch.path);
  return Object.freeze(patch);
}
