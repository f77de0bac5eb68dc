// The Batches of a service, as a group of its database: by id, each one collection of Contacts with its Lists
// beside it.

import type { PlacedPatch } from "../collection/change/read-patches.ts";
import { patchesBetween, type Patch, type Patches } from "../collection/change/patch.ts";
import type { Change, Changes } from "../collection/change/version.ts";
import { Collection } from "../collection/collection.ts";
import type { CollectionSettings } from "../collection/settings.ts";
import type { Snapshot } from "../collection/snapshot/snapshot.ts";
import { freeze, type Document } from "../collection/records/layout.ts";
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
import { membersOf, reading } from "../schema/input.ts";
import { Batch, changedBatches, loadBatch, type BatchContactCollection } from "./batch.ts";
import type { List, ListFieldType } from "./contact.ts";
import { INSPECT } from "./draft/batch-draft.ts";
import { DraftedBatches } from "./draft/batches-draft.ts";
import { readLists } from "./lists.ts";
import { pathTo, targetOf } from "./patch-path.ts";

/** The Batches that are not as they were, by id; `undefined` is one that is removed. */
export type ChangedBatches = ReadonlyMap<string, Batch | undefined>;

/** What live queries call the Contacts of a Batch. */
export const sourceOf = (id: string) => `batches/${id}`;

export class BatchesGroup implements Group {
  readonly name = "batches";
  readonly #batches: Map<string, Batch>;
  readonly #options: CollectionSettings;
  /** The Batches as users see them; made when they are first asked for, since that takes all. */
  #shown: Readonly<Record<string, Batch>> | undefined;

  /** @param options of the collections of Batches that are added */
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
      yield {
        source: sourceOf(id),
        collection,
        path: pathTo.contacts(id),
        note: declared.all.map(declarationOf),
        declaration: (isComplete) => batchPatch(id, isComplete ? declared.all : []),
        to: ({ snapshot }) => {
          const isSame = snapshot === collection.state.snapshot;
          const other = (): BatchContactCollection =>
            Collection.of({ ...collection.state, snapshot });
          return this.to(new Map([[id, batch.with(isSame ? collection : other())]]));
        },
      };
    }
  }

  roomFor(source: string, note: unknown): Room {
    const id = source.slice(this.name.length + 1);
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
      to: ({ snapshot }) => {
        const contacts: BatchContactCollection = Collection.of({
          codec,
          options: settings,
          snapshot,
        });
        return this.to(new Map([[id, new Batch(id, lists, contacts)]]));
      },
    };
  }

  adopt(other: BatchesGroup, source?: string): GroupChange {
    if (source === undefined) {
      const removed = [...this.#batches.keys()].map((id) => [id, undefined] as const);
      return this.to(new Map<string, Batch | undefined>([...removed, ...other.batches]));
    }
    const id = source.slice(this.name.length + 1);
    return this.to(new Map([[id, other.batches.get(id)]]));
  }

  draft(changes: DraftChanges): DraftedGroup {
    const drafted = new DraftedBatches(this.#batches, this.#options, changes);
    const target = Object.create(null) as Record<string, never>;
    const { proxy, revoke } = Proxy.revocable(target, drafted);
    // `console.log` asks the target. It may be left out of the proxy's keys, being configurable.
    Object.defineProperty(target, INSPECT, { value: () => ({ ...proxy }), configurable: true });
    return {
      current: proxy,
      put: (next) => {
        const path = "draft.batches";
        if (next !== proxy) reading(path, () => drafted.assign(membersOf(next, path)));
      },
      finish: () => this.to(drafted.finish()),
      end: revoke,
    };
  }

  patching(changes: Map<Snapshot, Change>): PatchedGroup {
    const patching = new PatchedBatches(this.#batches, this.#options, changes);
    return {
      add: (patch) => patching.add(patch),
      finish: () => this.to(patching.finish()),
    };
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
  const patches: Patch[] = [];
  const inversePatches: Patch[] = [];
  for (const [id, young] of [...after].sort(([a], [b]) => Number(a) - Number(b))) {
    const old = before.get(id);
    if (old !== undefined && old.declared === young?.declared) {
      const path = pathTo.contacts(id);
      const between = collectionPatches(path, old.contacts.state, young.contacts.state, changes);
      patches.push(...between.patches);
      inversePatches.push(...between.inversePatches);
    } else {
      patches.push(...batchPatches(id, old, young));
      inversePatches.push(...batchPatches(id, young, old));
    }
  }
  return { patches, inversePatches };
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
    for (const patch of patches) yield patchUnder(pathTo.contacts(id), patch);
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

  add(patch: PlacedPatch): void {
    const { place, op, value } = patch;
    const target = targetOf(patch);
    if (target.kind === "file") return;
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

  finish(): ChangedBatches {
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
