// Collections by key in a draft. To the recipe they are an object, whose members become drafts when they are read.

import type { CollectionSettings } from "../collection/settings.ts";
import { describe, InputError, member } from "../schema/errors.ts";
import { membersOf, reading } from "../schema/input.ts";
import type { DraftChanges } from "./draft-changes.ts";
import type { DraftedGroup, GroupChange } from "./group.ts";

/** An item in a draft, or a new one that belongs to none. */
export interface DraftedItem<Item> {
  readonly id: string;
  readonly isNew: boolean;
  /** The item made from a new one, for a place in an update. */
  place(path: string): Item;
  /** The item made from it. */
  finish(): Item;
}

/** How the items of a group are drafted. */
export interface DraftKind<Item> {
  /** The name of the group. */
  readonly name: string;
  /** What one is called in errors, such as `Batch`. */
  readonly one: string;
  /** The function that makes a new one, such as `createBatch()`. */
  readonly maker: string;
  draft(item: Item, path: string, changes: DraftChanges): DraftedItem<Item>;
  /** A value as a draft, if it is one and belongs to this update or to none. */
  draftIn(value: unknown, changes: DraftChanges): DraftedItem<Item> | undefined;
}

interface Adoptable<Item> {
  adopted(settings: CollectionSettings): Item;
}

/** Called by Node's `console.log`: drafts have no members of their own to show. */
export const INSPECT = Symbol.for("nodejs.util.inspect.custom");

class DraftedItems<Item extends Adoptable<Item>> implements ProxyHandler<
  Record<string, DraftedItem<Item>>
> {
  readonly path: string;
  readonly #kind: DraftKind<Item>;
  readonly #before: ReadonlyMap<string, Item>;
  readonly #settings: CollectionSettings;
  readonly #changes: DraftChanges;
  /** What was read or written; `undefined` stands for a removed one. */
  readonly #drafts = new Map<string, DraftedItem<Item> | undefined>();

  constructor(
    kind: DraftKind<Item>,
    before: ReadonlyMap<string, Item>,
    settings: CollectionSettings,
    changes: DraftChanges,
  ) {
    this.path = member("draft", kind.name);
    this.#kind = kind;
    this.#before = before;
    this.#settings = settings;
    this.#changes = changes;
  }

  /** The items that may have changed. */
  finish(): Map<string, Item | undefined> {
    return new Map(Array.from(this.#drafts, ([key, draft]) => [key, draft?.finish()]));
  }

  /** Replaces all items; if one is not valid, it replaces none. */
  assign(others: Readonly<Record<string, unknown>>): void {
    const given = Object.entries(others);
    for (const [key, value] of given) this.#check(key, value);
    for (const [key, value] of given) this.set(undefined, key, value);
    const kept = new Set(given.map(([key]) => key));
    for (const key of this.ownKeys()) if (!kept.has(key)) this.deleteProperty(undefined, key);
  }

  get(_: unknown, key: string | symbol): DraftedItem<Item> | undefined {
    if (typeof key === "symbol") return undefined;
    if (this.#drafts.has(key)) return this.#drafts.get(key);
    const item = this.#before.get(key);
    return item && this.#draft(key, item);
  }

  has(_: unknown, key: string | symbol): boolean {
    return this.get(_, key) !== undefined;
  }

  ownKeys(): string[] {
    const keys = new Set(this.#before.keys());
    for (const [key, draft] of this.#drafts) {
      if (draft === undefined) keys.delete(key);
      else keys.add(key);
    }
    return [...keys];
  }

  getOwnPropertyDescriptor(_: unknown, key: string | symbol): PropertyDescriptor | undefined {
    const value = this.get(_, key);
    return value && { value, writable: true, enumerable: true, configurable: true };
  }

  set(_: unknown, key: string | symbol, value: unknown): true {
    const [place, given] = this.#check(key, value);
    if (!given.isNew) this.#drafts.set(place, given);
    else this.#draft(place, given.place(member(this.path, place)).adopted(this.#settings));
    return true;
  }

  /** The value assigned to a key, if it is valid there. */
  #check(key: string | symbol, value: unknown): readonly [key: string, given: DraftedItem<Item>] {
    const { one, maker } = this.#kind;
    const path = member(this.path, String(key));
    if (typeof key === "symbol") throw new InputError(path, `is not the id of a ${one}`);
    const given = this.#kind.draftIn(value, this.#changes);
    if (given === undefined) {
      throw new InputError(path, `must be made by ${maker}, not ${describe(value)}`);
    }
    if (given.id !== key) throw new InputError(path, `may not be ${one} ${given.id}`);
    return [key, given];
  }

  defineProperty(_: unknown, key: string | symbol, { value }: PropertyDescriptor): true {
    return this.set(_, key, value);
  }

  deleteProperty(_: unknown, key: string | symbol): true {
    if (typeof key === "string") this.#drafts.set(key, undefined);
    return true;
  }

  preventExtensions(): false {
    return false;
  }

  #draft(key: string, item: Item): DraftedItem<Item> {
    const draft = this.#kind.draft(item, member(this.path, key), this.#changes);
    this.#drafts.set(key, draft);
    return draft;
  }
}

/**
 * The items of a draft.
 *
 * @param to makes the change to the items that may have changed; `undefined` stands for a removed one
 */
export function draftKeyed<Item extends Adoptable<Item>>(
  kind: DraftKind<Item>,
  before: ReadonlyMap<string, Item>,
  settings: CollectionSettings,
  changes: DraftChanges,
  to: (after: ReadonlyMap<string, Item | undefined>) => GroupChange,
): DraftedGroup {
  const drafted = new DraftedItems(kind, before, settings, changes);
  const target = Object.create(null) as Record<string, never>;
  const { proxy, revoke } = Proxy.revocable(target, drafted);
  // `console.log` asks the target. Since the member is configurable, the proxy's keys may leave it out.
  Object.defineProperty(target, INSPECT, { value: () => ({ ...proxy }), configurable: true });
  return {
    current: proxy,
    put: (next) => {
      const { path } = drafted;
      if (next !== proxy) reading(path, () => drafted.assign(membersOf(next, path)));
    },
    finish: () => to(drafted.finish()),
    end: revoke,
  };
}
