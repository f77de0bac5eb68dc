// What a change of a service did, as patches between two states.

import { locationsIn } from "../collection/change/differences.ts";
import { patchesBetween, type Patch, type Patches } from "../collection/change/patch.ts";
import type { CollectionState } from "../collection/collection.ts";
import { freeze, type Document } from "../collection/records/layout.ts";
import type { FieldType } from "../schema/field.ts";
import type { Batch } from "./batch.ts";
import type { Lineage } from "./lineage.ts";
import type { List } from "./lists.ts";
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
function patchesOf(before: ServiceState, after: NextState): Patches {
  const patches: Patch[] = [];
  const inversePatches: Patch[] = [];
  const add = (path: readonly string[], between: Patches) => {
    for (const patch of between.patches) patches.push(under(path, patch));
    for (const patch of between.inversePatches) inversePatches.push(under(path, patch));
  };
  const { lineage } = after;
  add(["files"], patchesOfRecords(before.files, after.files, lineage));
  const changed = [...after.batches].sort(([a], [b]) => Number(a) - Number(b));
  for (const [id, young] of changed) {
    const old = before.batches.get(id);
    if (old !== undefined && old.declared === young?.declared) {
      add(["batches", id, "contacts"], patchesOfRecords(old.contacts, young.contacts, lineage));
    } else {
      add(["batches", id], {
        patches: [...batchPatches(id, old, young)],
        inversePatches: [...batchPatches(id, young, old)],
      });
    }
  }
  return { patches: Object.freeze(patches), inversePatches: Object.freeze(inversePatches) };
}

function patchesOfRecords(
  { state: before }: { readonly state: CollectionState },
  { state: after }: { readonly state: CollectionState },
  lineage: Lineage,
): Patches {
  return patchesBetween(before, after, lineage.keysBetween(before.snapshot, after.snapshot));
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
    const recoded = before.withLists(after.declared);
    const { patches } = patchesBetween(recoded.contacts.state, after.contacts.state);
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
  for (const [key, document] of documentsOf(contacts.state)) {
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
  const types = Object.create(null) as Record<string, FieldType>;
  for (const [name, type] of fields) types[name] = type;
  return { id, fields: types };
}
