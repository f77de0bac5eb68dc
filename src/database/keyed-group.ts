// Collections by key under one name of a database, such as the Batches of a service: each with what is declared of
// its records, which changes together with them.

import {
  patchesBetween,
  type NamedBy,
  type Patch,
  type Patches,
} from "../collection/change/patch.ts";
import { outcomeOf } from "../collection/change/differences.ts";
import { requireBefore, type PlacedPatch } from "../collection/change/read-patches.ts";
import type { Change, Changes } from "../collection/change/version.ts";
import type { AnyCollection, CollectionState } from "../collection/collection.ts";
import type { Codec } from "../collection/records/codec.ts";
import { freeze } from "../collection/records/layout.ts";
import type { CollectionSettings } from "../collection/settings.ts";
import type { Snapshot } from "../collection/snapshot/snapshot.ts";
import { InputError } from "../schema/errors.ts";
import { collectionPatches, patchUnder, recordsAdded, recordsRemoved } from "./changes.ts";
import type { DraftChanges } from "./draft-changes.ts";
import { readSource, sourceOf } from "./group.ts";
import type { DraftedGroup, Group, GroupChange, Part, PatchedGroup, Destination } from "./group.ts";
import { draftKeyed, type DraftKind } from "./keyed-draft.ts";
import { keyedPaths, type KeyedNames, type KeyedTarget } from "./keyed-path.ts";

/** What is declared of the records of a collection, and the form that it gives them. */
export interface Declared {
  readonly codec: Codec;
  /** The values of their hidden columns. */
  readonly ids: readonly string[];
  /** What a patch replaces, and a store keeps. */
  toJSON(): unknown;
}

/** A collection under a key. It never changes. */
export interface Keyed<Self, D extends Declared> {
  readonly id: string;
  readonly declared: D;
  readonly collection: AnyCollection;
  /** The same with patches of its records applied. @param changes receives the change */
  patched(patches: readonly PlacedPatch[], changes: Map<Snapshot, Change>): Self;
  /** Its records, as far as they are of another declaration. */
  redeclared(declared: D): Self;
  /** Whether another one with this key has the same content. */
  isSame(other: Self): boolean;
  /** The same with settings, and a declaration of its own. */
  adopted(settings: CollectionSettings): Self;
}

/** What the items of a group are. */
export interface Kind<Item extends Keyed<Item, D>, D extends Declared>
  extends KeyedNames, DraftKind<Item> {
  /** What one is called in errors, such as `Batch`. */
  readonly one: string;
  /** @throws InputError with the number of the patch if it leads nowhere */
  targetOf(patch: PlacedPatch): KeyedTarget;
  /** Reads a whole one. @throws InputError */
  load(input: unknown, path: string, settings: CollectionSettings): Item;
  /** @throws InputError */
  declare(input: unknown, path: string): D;
  of(key: string, declared: D, settings: CollectionSettings, snapshot: Snapshot): Item;
  /** What {@link Kind.load} reads as one without records. @param declared `undefined` if nothing is declared */
  inputOf(key: string, declared: D | undefined): unknown;
}

/** The changed items by key; `undefined` stands for a removed one. */
type Changed<Item> = ReadonlyMap<string, Item | undefined>;

export class KeyedGroup<Item extends Keyed<Item, D>, D extends Declared> implements Group {
  readonly name: string;
  readonly #kind: Kind<Item, D>;
  readonly #paths: ReturnType<typeof keyedPaths>;
  readonly #items: Map<string, Item>;
  readonly #settings: CollectionSettings;
  /** The items as users see them. Made on first use, because it takes all of them. */
  #shown: Readonly<Record<string, Item>> | undefined;

  /** @param settings of the collections of added items */
  constructor(kind: Kind<Item, D>, items: Map<string, Item>, settings: CollectionSettings) {
    this.name = kind.name;
    this.#kind = kind;
    this.#paths = keyedPaths(kind);
    this.#items = items;
    this.#settings = settings;
  }

  get items(): ReadonlyMap<string, Item> {
    return this.#items;
  }

  /** The items by key, frozen. Without a prototype: `constructor` is no key. */
  get byKey(): Readonly<Record<string, Item>> {
    if (this.#shown === undefined) {
      const shown = Object.create(null) as Record<string, Item>;
      for (const [key, item] of this.#items) shown[key] = item;
      this.#shown = Object.freeze(shown);
    }
    return this.#shown;
  }

  *parts(): Generator<Part, void> {
    for (const [key, item] of this.#items) {
      const { declared, collection } = item;
      const { options, snapshot: own } = collection.state;
      yield {
        source: this.#sourceOf(key),
        collection,
        path: this.#paths.records(key),
        note: declared.toJSON(),
        declaration: (isComplete) => this.#added(key, isComplete ? declared : undefined),
        to: ({ snapshot }) => {
          const other = () => this.#kind.of(key, declared, options, snapshot);
          return this.to(new Map([[key, snapshot === own ? item : other()]]));
        },
      };
    }
  }

  destinationFor(source: string, note: unknown): Destination {
    const key = this.#keyOf(source);
    const declared = this.#kind.declare(note ?? [], "note");
    const settings = this.#settings;
    return {
      codec: declared.codec,
      settings,
      hidden: declared.ids,
      path: this.#paths.records(key),
      declarations: [
        ...(this.#items.has(key) ? [this.#removed(key)] : []),
        this.#added(key, declared),
      ],
      to: ({ snapshot }) =>
        this.to(new Map([[key, this.#kind.of(key, declared, settings, snapshot)]])),
    };
  }

  #sourceOf(key: string): string {
    return sourceOf(this.name, key);
  }

  #keyOf(source: string): string {
    const { key } = readSource(source);
    if (key === undefined) throw new RangeError(`${source} names no item of ${this.name}`);
    return key;
  }

  adopt({ items }: KeyedGroup<Item, D>, source?: string): GroupChange {
    const all =
      source === undefined ? [...this.#items.keys(), ...items.keys()] : [this.#keyOf(source)];
    return this.to(new Map(all.map((key) => [key, items.get(key)])));
  }

  draft(changes: DraftChanges): DraftedGroup {
    return draftKeyed(this.#kind, this.#items, this.#settings, changes, (after) =>
      this.#toChanged(after),
    );
  }

  /** Applies one patch after the other, but those to the records of one item together. */
  patching(changes: Map<Snapshot, Change>): PatchedGroup {
    const { one } = this.#kind;
    const changed = new Map<string, Item | undefined>();
    const waiting = new Map<string, PlacedPatch[]>();
    const find = (key: string) => (changed.has(key) ? changed.get(key) : this.#items.get(key));
    /** An item with the patches of its records applied. */
    const settle = (key: string, item: Item): Item => {
      const patches = waiting.get(key) ?? [];
      waiting.delete(key);
      return item.patched(patches, changes);
    };
    return {
      add: (patch) => {
        const { place, op, value } = patch;
        const target = this.#kind.targetOf(patch);
        const { kind, key } = target;
        const item = find(key);
        if ((item === undefined) !== (kind === "item" && op === "add")) {
          const reason =
            item === undefined ? `there is no ${one} ${key}` : `there is a ${one} ${key} already`;
          throw new InputError(`${place}.path`, reason, {
            code: item === undefined ? "not_found" : "conflict",
          });
        }
        if (kind === "record") {
          const patches = waiting.get(key) ?? [];
          waiting.set(key, patches);
          patches.push({ ...patch, path: target.within });
          return;
        }
        const settled = item && settle(key, item);
        const path = `${place}.value`;
        if (kind === "declared") {
          requireBefore(patch, settled?.declared.toJSON());
          const redeclared = settled?.redeclared(this.#kind.declare(value, path));
          if (patch.before !== undefined && settled !== undefined && redeclared !== undefined) {
            const [lost] = lostPatches(settled.collection, redeclared.collection);
            const reason = "would remove records or values that are there now";
            if (lost !== undefined) throw new InputError(path, reason);
          }
          changed.set(key, redeclared);
          return;
        }
        requireBefore(patch, settled && this.#added(key, settled.declared).value);
        if (patch.before !== undefined && (settled?.collection.state.snapshot.size ?? 0) > 0) {
          throw new InputError(`${place}.before`, `is empty, but the ${one} has records`);
        }
        changed.set(key, op === "remove" ? undefined : this.#load(key, value, path));
      },
      finish: () => {
        for (const key of [...waiting.keys()]) {
          const item = find(key);
          if (item !== undefined) changed.set(key, settle(key, item));
        }
        return this.#toChanged(changed);
      },
    };
  }

  #load(key: string, value: unknown, path: string): Item {
    const item = this.#kind.load(value, path, this.#settings);
    if (item.id === key) return item;
    throw new InputError(`${path}.id`, `must be ${key}, not ${item.id}`);
  }

  /** The change to other items, except for those with the same content as before. */
  #toChanged(after: Changed<Item>): GroupChange {
    const isSame = (item: Item | undefined, old: Item | undefined) =>
      old && item ? old.isSame(item) : old === item;
    return this.to(
      new Map([...after].filter(([key, item]) => !isSame(item, this.#items.get(key)))),
    );
  }

  /**
   * The change to other items.
   *
   * @param equal the keys of those that have the same content, of which nobody is notified
   */
  to(after: Changed<Item>, equal: ReadonlySet<string> = new Set()): GroupChange {
    const before = new Map<string, Item | undefined>();
    for (const key of after.keys()) before.set(key, this.#items.get(key));
    const others = [...after].filter(([key, item]) => item !== before.get(key) && !equal.has(key));
    return {
      net: (changes) => {
        const next = new Map<string, Item | undefined>();
        const same = new Set<string>();
        for (const [key, item] of after) {
          const outcome = outcomeOfItem(changes, before.get(key), item);
          if (outcome !== "none") next.set(key, item);
          if (outcome === "moved") same.add(key);
        }
        return this.to(next, same);
      },
      replaced: others.map(([key, item]) => ({
        source: this.#sourceOf(key),
        before: before.get(key)?.collection,
        after: item?.collection,
      })),
      patches: (changes, by) => this.#patches(before, after, changes, by),
      commit: () => {
        if (after.size > 0) this.#shown = undefined;
        for (const [key, item] of after) {
          if (item === undefined) this.#items.delete(key);
          else this.#items.set(key, item);
        }
      },
    };
  }

  #patches(before: Changed<Item>, after: Changed<Item>, changes: Changes, by: NamedBy): Patches {
    const sorted = [...after].sort(([a], [b]) => Number(a) - Number(b));
    const made = sorted.map(([key, young]): Patches => {
      const old = before.get(key);
      if (old !== undefined && old.declared === young?.declared) {
        const path = this.#paths.records(key);
        return collectionPatches(path, old.collection.state, young.collection.state, changes, by);
      }
      return {
        patches: [...this.#itemPatches(key, old, young, by)].map(frozen),
        // A journal needs no way back.
        inversePatches:
          by === "key" ? [] : [...this.#itemPatches(key, young, old, by, true)].map(frozen),
      };
    });
    return {
      patches: made.flatMap(({ patches }) => patches),
      inversePatches: made.flatMap(({ inversePatches }) => inversePatches),
    };
  }

  /**
   * The patches that turn one item, or none, into another.
   *
   * @param isChecked whether they are refused if they would remove what somebody has added or changed since
   */
  *#itemPatches(
    key: string,
    before: Item | undefined,
    after: Item | undefined,
    by: NamedBy,
    isChecked = false,
  ): Generator<Patch, void> {
    const path = this.#paths.records(key);
    const under = function* (from: CollectionState, to: CollectionState) {
      const { patches } = patchesBetween(from, to, undefined, by);
      for (const patch of patches) yield patchUnder(path, patch);
    };
    if (after === undefined) {
      if (before === undefined) return;
      if (!isChecked) {
        yield this.#removed(key);
        return;
      }
      yield* recordsRemoved(path, before.collection.state);
      yield { ...this.#removed(key), before: this.#added(key, before.declared).value };
    } else if (before === undefined) {
      yield this.#added(key, after.declared);
      yield* recordsAdded(path, after.collection.state, by);
    } else {
      const { declared } = after;
      const redeclared = before.redeclared(declared).collection;
      const declare: Patch = {
        ...{ op: "replace", path: this.#paths.declared(key), value: declared.toJSON() },
        ...(isChecked && { before: before.declared.toJSON() }),
      };
      // What the declaration would remove is removed before it, where that is checked.
      if (isChecked) {
        const lost = lostPatches(before.collection, redeclared);
        for (const patch of lost) yield patchUnder(path, patch);
      }
      yield declare;
      yield* under(redeclared.state, after.collection.state);
    }
  }

  #removed(key: string): Patch {
    return { op: "remove", path: this.#paths.item(key) };
  }

  /** Adds an item without records. */
  #added(key: string, declared: D | undefined): Patch {
    const value = this.#kind.inputOf(key, declared);
    return { op: "add", path: this.#paths.item(key), value };
  }
}

/** What becomes of the item of a key. */
function outcomeOfItem<Item extends Keyed<Item, D>, D extends Declared>(
  changes: Changes,
  before: Item | undefined,
  after: Item | undefined,
): ReturnType<typeof outcomeOf> {
  if (before === after) return "none";
  if (before === undefined || after === undefined) return "changed";
  if (before.declared !== after.declared) return before.isSame(after) ? "moved" : "changed";
  return outcomeOf(changes, before.collection.state, after.collection.state);
}

/** The patches that remove the records and values that are lost from one version to another. */
function lostPatches(before: AnyCollection, after: AnyCollection): readonly Patch[] {
  const { patches } = patchesBetween(before.state, after.state);
  // Where there was nothing, nothing is lost.
  return patches.filter((patch) => patch.before !== undefined && patch.before !== null);
}

/** Frozen: subscribers share it. */
function frozen(patch: Patch): Patch {
  freeze(patch.value);
  Object.freeze(patch.path);
  return Object.freeze(patch);
}
