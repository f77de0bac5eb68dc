// The Batches of a service, as a group of its database: by id, each a collection of Contacts and its Lists.

import { patchesBetween, type Patch, type Patches } from "../collection/change/patch.ts";
import type { PlacedPatch } from "../collection/change/read-patches.ts";
import type { Change, Changes } from "../collection/change/version.ts";
import { freeze, type Document } from "../collection/records/layout.ts";
import type { CollectionSettings } from "../collection/settings.ts";
import type { Snapshot } from "../collection/snapshot/snapshot.ts";
import { collectionPatches, documentsOf, patchUnder, recordsAdded } from "../database/changes.ts";
import { patched } from "../database/collection-group.ts";
import type { DraftChanges } from "../database/draft-changes.ts";
import type {
  DraftedGroup,
  Group,
  GroupChange,
  Part,
  PatchedGroup,
  Room,
} from "../database/group.ts";
import { InputError } from "../schema/errors.ts";
import { Batch, loadBatch } from "./batch.ts";
import type { List, ListFieldType } from "./contact.ts";
import { draftBatches } from "./draft.ts";
import { readLists } from "./lists.ts";
import { pathTo, targetOf } from "./patch-path.ts";

/** The changed Batches by id; `undefined` stands for a removed one. */
type ChangedBatches = ReadonlyMap<string, Batch | undefined>;

/** What live queries call the Contacts of a Batch. */
export const sourceOf = (id: string) => `batches/${id}`;

export class BatchesGroup implements Group {
  readonly name = "batches";
  readonly #batches: Map<string, Batch>;
  readonly #options: CollectionSettings;
  /** The Batches as users see them. Made on first use, because it takes all of them. */
  #shown: Readonly<Record<string, Batch>> | undefined;

  /** @param options for the collections of added Batches */
  constructor(batches: Map<string, Batch>, options: CollectionSettings) {
    this.#batches = batches;
    this.#options = options;
  }

  get batches(): ReadonlyMap<string, Batch> {
    return this.#batches;
  }

  /** The Batches by id, frozen. Without a prototype: `constructor` is not the id of a Batch. */
  get byId(): Readonly<Record<string, Batch>> {
    if (this.#shown === undefined) {
      const shown = Object.create(null) as Record<string, Batch>;
      for (const [id, batch] of this.#batches) shown[id] = batch;
      this.#shown = Object.freeze(shown);
    }
    return this.#shown;
  }

  *parts(): Generator<Part, void> {
    for (const [id, batch] of this.#batches) {
      const { declared, contacts: collection } = batch;
      const { options, snapshot: own } = collection.state;
      yield {
        source: sourceOf(id),
        collection,
        path: pathTo.contacts(id),
        note: declared.all.map(declarationOf),
        declaration: (isComplete) => batchPatch(id, isComplete ? declared.all : []),
        to: ({ snapshot }) => {
          const other = () => Batch.of(id, declared, options, snapshot);
          return this.to(new Map([[id, snapshot === own ? batch : other()]]));
        },
      };
    }
  }

  roomFor(source: string, note: unknown): Room {
    const id = this.#idOf(source);
    const lists = readLists(note ?? [], "note");
    const { codec, ids: hidden } = lists;
    const settings = this.#options;
    const removed: Patch[] = this.#batches.has(id)
      ? [{ op: "remove", path: pathTo.batch(id) }]
      : [];
    return {
      codec,
      settings,
      hidden,
      path: pathTo.contacts(id),
      declarations: [...removed, batchPatch(id, lists.all)],
      to: ({ snapshot }) => this.to(new Map([[id, Batch.of(id, lists, settings, snapshot)]])),
    };
  }

  #idOf(source: string): string {
    return source.slice(this.name.length + 1);
  }

  adopt({ batches }: BatchesGroup, source?: string): GroupChange {
    const all =
      source === undefined ? [...this.#batches.keys(), ...batches.keys()] : [this.#idOf(source)];
    return this.to(new Map(all.map((id) => [id, batches.get(id)])));
  }

  draft(changes: DraftChanges): DraftedGroup {
    return draftBatches(this.#batches, this.#options, changes, (after) => this.#toChanged(after));
  }

  /** Applies one patch after the other, but those to the Contacts of one Batch together. */
  patching(changes: Map<Snapshot, Change>): PatchedGroup {
    const changed = new Map<string, Batch | undefined>();
    const waiting = new Map<string, PlacedPatch[]>();
    const find = (id: string) => (changed.has(id) ? changed.get(id) : this.#batches.get(id));
    /** A Batch with the patches of its Contacts applied. */
    const settle = (id: string, batch: Batch): Batch => {
      const patches = waiting.get(id) ?? [];
      waiting.delete(id);
      return batch.with(patched(batch.contacts, patches, changes));
    };
    return {
      add: (patch) => {
        const { place, op, value } = patch;
        const target = targetOf(patch);
        if (target.kind === "file") return;
        const { kind, batch: id } = target;
        const batch = find(id);
        if ((batch === undefined) !== (kind === "batch" && op === "add")) {
          const reason =
            batch === undefined ? `there is no Batch ${id}` : `there is a Batch ${id} already`;
          throw new InputError(`${place}.path`, reason);
        }
        if (kind === "contact") {
          const patches = waiting.get(id) ?? [];
          waiting.set(id, patches);
          patches.push({ ...patch, path: target.within });
          return;
        }
        const settled = batch && settle(id, batch);
        const path = `${place}.value`;
        if (kind === "lists") changed.set(id, settled?.withLists(readLists(value, path)));
        else changed.set(id, op === "remove" ? undefined : this.#load(id, value, path));
      },
      finish: () => {
        for (const id of [...waiting.keys()]) {
          const batch = find(id);
          if (batch !== undefined) changed.set(id, settle(id, batch));
        }
        return this.#toChanged(changed);
      },
    };
  }

  #load(id: string, value: unknown, path: string): Batch {
    const batch = loadBatch(value, path, this.#options);
    if (batch.id === id) return batch;
    throw new InputError(`${path}.id`, `must be ${id}, not ${batch.id}`);
  }

  /** The change to other Batches, except for those with the same content as before. */
  #toChanged(after: ChangedBatches): GroupChange {
    const isSame = (batch: Batch | undefined, old: Batch | undefined) =>
      old && batch ? old.isSame(batch) : old === batch;
    return this.to(
      new Map([...after].filter(([id, batch]) => !isSame(batch, this.#batches.get(id)))),
    );
  }

  /** The change to other Batches. */
  to(after: ChangedBatches): GroupChange {
    const before = new Map<string, Batch | undefined>();
    for (const id of after.keys()) before.set(id, this.#batches.get(id));
    const others = [...after].filter(([id, batch]) => batch !== before.get(id));
    return {
      replaced: others.map(([id, batch]) => ({
        source: sourceOf(id),
        before: before.get(id)?.contacts,
        after: batch?.contacts,
      })),
      patches: (changes) => patchesOf(before, after, changes),
      commit: () => {
        if (after.size > 0) this.#shown = undefined;
        for (const [id, batch] of after) {
          if (batch === undefined) this.#batches.delete(id);
          else this.#batches.set(id, batch);
        }
      },
    };
  }
}

function patchesOf(before: ChangedBatches, after: ChangedBatches, changes: Changes): Patches {
  const sorted = [...after].sort(([a], [b]) => Number(a) - Number(b));
  const made = sorted.map(([id, young]) => {
    const old = before.get(id);
    if (old !== undefined && old.declared === young?.declared) {
      const path = pathTo.contacts(id);
      return collectionPatches(path, old.contacts.state, young.contacts.state, changes);
    }
    return {
      patches: [...batchPatches(id, old, young)],
      inversePatches: [...batchPatches(id, young, old)],
    };
  });
  return {
    patches: made.flatMap(({ patches }) => patches),
    inversePatches: made.flatMap(({ inversePatches }) => inversePatches),
  };
}

/** The patches that turn one Batch, or none, into another. */
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
    for (const patch of patches) yield patchUnder(pathTo.contacts(id), patch);
  }
}

/**
 * A whole Batch, if loading it gives its Contacts the keys that they have. Otherwise a Batch without
 * Contacts, and each Contact with its key.
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

/** Adds a Batch with these Lists. @param contacts of each List; default: none */
function batchPatch(
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

/** The input for a List, without Contacts. */
function declarationOf({ id, fields }: List) {
  // No prototype: `__proto__` is a List Field like any other.
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
