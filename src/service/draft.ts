// What a recipe of a service changes: a draft of the Files and the Batches. It takes nothing that is
// not valid, so that what it holds at the end can be the next state. Only what the recipe touches is
// drafted: a draft of many Batches costs no more than one of a few.

import type { Collection, CollectionSettings } from "../collection/collection.ts";
import { unmakable, refusePromise } from "../collection/change/recipe.ts";
import { DEFAULT_MAX_CRITERIA } from "../criteria/parse.ts";
import { alternatives, describe, InputError, member, quote } from "../schema/errors.ts";
import type { FieldType } from "../schema/field.ts";
import { membersOf, reading, readMembers } from "../schema/input.ts";
import { fieldOf, type Schema } from "../schema/schema.ts";
import {
  addListField,
  loadBatch,
  Lists,
  readList,
  toId,
  type Batch,
  type BatchContactCollection,
  type BatchInput,
  type List,
  type ListInput,
} from "./batch.ts";
import type { BatchContactInput, Contact } from "./contact.ts";
import type { Files } from "./load.ts";

/** What a service answers from. */
export interface ServiceState {
  readonly files: Files;
  /** By id. */
  readonly batches: ReadonlyMap<string, Batch>;
}

/** What becomes of a state: the Files, and those Batches that were touched; `undefined` is removed. */
export interface NextState {
  readonly files: Files;
  readonly batches: ReadonlyMap<string, Batch | undefined>;
}

/** What a recipe of a service changes: it puts changed collections in the place of the old ones. */
export interface ServiceDraft {
  files: Files;
  /** By id. One is added by {@link createBatch}, and removed by `delete`. */
  readonly batches: Record<string, BatchDraft>;
}

/** The id of a List. */
type Id = number | string | bigint;

/** A Batch that can be changed: one of a {@link ServiceDraft}, or a new one. */
export interface BatchDraft {
  readonly id: string;
  /** The ids of its Lists. */
  readonly lists: readonly string[];
  contacts: BatchContactCollection;

  /**
   * Adds a List; its Contacts come last.
   *
   * @throws InputError with the path of the first offending member, such as `list.contacts[3].send_id`
   */
  addList(list: ListInput): void;

  /**
   * Removes a List, with its Contacts.
   *
   * @throws InputError where there is no such List
   */
  removeList(list: Id): void;

  /**
   * Adds a List Field, which is `null` for the Contacts that the List has.
   *
   * @param type default `"string"`
   * @throws InputError where the List is not there, or has the field, or where the name or type can't be
   */
  addListField(list: Id, name: string, type?: FieldType): void;

  /**
   * Removes a List Field, with its values.
   *
   * @throws InputError where there is no such List, or no such field in it
   */
  removeListField(list: Id, name: string): void;
}

/**
 * Makes a Batch to put into a service, in a recipe of its `update`:
 * `draft.batches["9"] = createBatch({ id: 9, lists: [] })`. Everything is checked and copied at once.
 *
 * @throws InputError with the path of the first offending member, such as `batch.lists[0].id`
 */
export function createBatch(input: BatchInput): BatchDraft {
  return new DraftedBatch(loadBatch(input, "batch", UNPLACED), "batch", UNPLACED, undefined);
}

/** The options of a Batch that is in no service. */
const UNPLACED: CollectionSettings = {
  maxCriteria: DEFAULT_MAX_CRITERIA,
  maxValues: Infinity,
  unknownOperator: "error",
};

/** A collection that was made of a draft's, by which of its functions, and where that one stands. */
interface Made {
  readonly from: object;
  readonly by: string;
  readonly path: string;
}

/** The collections that were made of a draft's and put nowhere yet. */
class Loose {
  readonly #made = new Map<object, Made>();
  #isOver = false;

  add(made: object, by: Made): void {
    this.#made.set(made, by);
  }

  /** From now on nothing that belongs to the draft can be changed. */
  end(): void {
    this.#isOver = true;
  }

  /** @throws InputError where the draft is of a recipe that has returned */
  refuseLate(path: string): void {
    if (this.#isOver) throw new InputError(path, "is of an update that is over");
  }

  /** Notes that a collection is put in a place: all that it was made of has then served. */
  keep(collection: object): void {
    for (let each: object | undefined = collection; each !== undefined;) {
      const from: object | undefined = this.#made.get(each)?.from;
      this.#made.delete(each);
      each = from;
    }
  }

  /** @throws InputError where there is one: whoever drops it expects the draft to be changed */
  refuse(): void {
    for (const { by, path } of this.#made.values()) {
      throw new InputError(
        path,
        `${by}() changes nothing in place, it makes a new collection; write ${path} = ${path}.${by}(…)`,
      );
    }
  }
}

/** A place of a draft where a collection stands, and others that are made from it can be put. */
class Place<S extends Schema, Input> {
  readonly #path: string;
  readonly #whose: string;
  readonly #loose: Loose;
  readonly #before: Collection<S, Input>;
  /** The collection before, as recipes are given it. */
  readonly #given: Collection<S, Input>;
  #current: Collection<S, Input>;

  /** @param whose names the collection in errors, such as `Files of this service` */
  constructor(before: Collection<S, Input>, path: string, whose: string, loose: Loose) {
    this.#path = path;
    this.#whose = whose;
    this.#loose = loose;
    this.#before = before;
    this.#given = before.traced((made, from, by) => loose.add(made, { from, by, path }));
    this.#current = this.#given;
  }

  get current(): Collection<S, Input> {
    return this.#current;
  }

  put(next: unknown): void {
    this.#loose.refuseLate(this.#path);
    if (!this.#before.isRelated(next)) {
      throw new InputError(this.#path, `must be made from the ${this.#whose}`);
    }
    this.#loose.keep(next);
    this.#current = next;
  }

  /** What stands there, for the state; the one before, where there is no other. */
  finish(): Collection<S, Input> {
    return this.#current === this.#given ? this.#before : this.#current.traced(undefined);
  }
}

/** What Node's `console.log` calls: drafts have no members of their own that it could show. */
const INSPECT = Symbol.for("nodejs.util.inspect.custom");

class DraftedBatch implements BatchDraft {
  readonly #path: string;
  readonly #options: CollectionSettings;
  /** That of the update that it belongs to; where it belongs to none, one of its own. */
  readonly #loose: Loose;
  readonly #isNew: boolean;
  /** Where a new one was put: from then on it is changed there. */
  #placed: string | undefined;
  /** Its Lists as they are now, with the Contacts that it had when they became so. */
  #batch: Batch;
  #contacts: Place<typeof Contact, BatchContactInput>;

  constructor(batch: Batch, path: string, options: CollectionSettings, loose: Loose | undefined) {
    this.#path = path;
    this.#options = options;
    this.#isNew = loose === undefined;
    this.#loose = loose ?? new Loose();
    this.#batch = batch;
    this.#contacts = this.#placeOf(batch);
  }

  /** The draft of a Batch, if the value is one that belongs to this update, or to none. */
  static of(value: unknown, loose: Loose): DraftedBatch | undefined {
    if (typeof value !== "object" || value === null || !(#batch in value)) return undefined;
    return value.#isNew || value.#loose === loose ? value : undefined;
  }

  get isNew(): boolean {
    return this.#isNew;
  }

  /**
   * The Batch that was made of a new one, for a place in an update. What is done to the new one
   * afterwards would change nothing there, and is refused.
   */
  place(path: string): Batch {
    const batch = this.finish();
    this.#loose.refuse();
    this.#placed = path;
    return batch;
  }

  /** The Batch that was made of it. */
  finish(): Batch {
    refuseOthers(this, this.#path, ["id", "lists", "contacts"]);
    return this.#batch.with(this.#contacts.finish());
  }

  get id(): string {
    return this.#batch.id;
  }

  set id(_: string) {
    throw new InputError(`${this.#path}.id`, "may not be changed");
  }

  get lists(): readonly string[] {
    return this.#batch.lists;
  }

  set lists(_: readonly string[]) {
    const functions = "addList(), removeList(), addListField() and removeListField()";
    throw new InputError(`${this.#path}.lists`, `may not be assigned; there are ${functions}`);
  }

  get contacts(): BatchContactCollection {
    return this.#contacts.current;
  }

  set contacts(next: BatchContactCollection) {
    this.#refusePlaced();
    this.#contacts.put(next);
  }

  /** What `JSON.stringify` writes, and what it writes of the Batch itself. */
  toJSON(): Pick<BatchDraft, "id" | "contacts" | "lists"> {
    return { id: this.id, contacts: this.contacts, lists: this.lists };
  }

  [INSPECT](): object {
    return this.toJSON();
  }

  addList(input: ListInput): void {
    const { contacts, ...list } = readList(input, "list");
    const { all } = this.#batch.declared;
    const next = this.finish().withLists(Lists.of([...all, list]), this.#options);
    this.#set(next.with(next.contacts.insertInto(all.length, contacts, "list.contacts")));
  }

  removeList(list: Id): void {
    const removed = this.#find(list);
    this.#declare(this.#batch.declared.all.filter((each) => each !== removed));
  }

  addListField(list: Id, name: string, type: FieldType = "string"): void {
    this.#changeFields(list, (fields) => {
      addListField(fields, name, type, "fields");
      const elsewhere = fieldOf(this.#batch.contacts.schema, name)?.type ?? type;
      if (elsewhere === type) return;
      throw new InputError("type", `is "${type}", and "${elsewhere}" in another List of the Batch`);
    });
  }

  removeListField(list: Id, name: string): void {
    this.#changeFields(list, (fields) => {
      if (fields.delete(name)) return;
      throw new InputError("name", `the List has no List Field ${describe(name)}`);
    });
  }

  #changeFields(list: Id, change: (fields: Map<string, FieldType>) => void): void {
    const { id, fields } = this.#find(list);
    const changed = new Map(fields);
    change(changed);
    const { all } = this.#batch.declared;
    this.#declare(all.map((each) => (each.id === id ? { id, fields: changed } : each)));
  }

  #find(list: Id): List {
    const id = toId(list, "list");
    const found = this.#batch.declared.all.find((each) => each.id === id);
    if (found === undefined) throw new InputError("list", `there is no List ${id} in the Batch`);
    return found;
  }

  #declare(all: readonly List[]): void {
    this.#set(this.finish().withLists(Lists.of(all), this.#options));
  }

  #refusePlaced(): void {
    if (this.#placed === undefined) return;
    throw new InputError(this.#path, `was put into a service; change ${this.#placed} there`);
  }

  #set(batch: Batch): void {
    this.#refusePlaced();
    this.#loose.refuseLate(this.#path);
    this.#batch = batch;
    this.#contacts = this.#placeOf(batch);
  }

  #placeOf({ contacts }: Batch): Place<typeof Contact, BatchContactInput> {
    return new Place(contacts, `${this.#path}.contacts`, "Contacts of this Batch", this.#loose);
  }
}

/** The Batches of a draft by id: an object to the recipe, whose members are drafted when they are read. */
class DraftedBatches implements ProxyHandler<Record<string, BatchDraft>> {
  readonly #before: ReadonlyMap<string, Batch>;
  readonly #options: CollectionSettings;
  readonly #loose: Loose;
  /** What was read or written; `undefined` is removed. */
  readonly #drafts = new Map<string, DraftedBatch | undefined>();

  constructor(before: ReadonlyMap<string, Batch>, options: CollectionSettings, loose: Loose) {
    this.#before = before;
    this.#options = options;
    this.#loose = loose;
  }

  /** The Batches that are not as they were. */
  finish(): Map<string, Batch | undefined> {
    const changed = new Map<string, Batch | undefined>();
    for (const [id, draft] of this.#drafts) {
      const batch = draft?.finish();
      if (batch !== this.#before.get(id)) changed.set(id, batch);
    }
    return changed;
  }

  /** Puts others in the place of all, or none where one can't be put there. */
  assign(others: Readonly<Record<string, unknown>>): void {
    const given = Object.entries(others);
    for (const [id, value] of given) this.#check(id, value);
    for (const [id, value] of given) this.set(undefined, id, value);
    const kept = new Set(given.map(([id]) => id));
    for (const id of this.ownKeys()) if (!kept.has(id)) this.deleteProperty(undefined, id);
  }

  get(_: unknown, id: string | symbol): DraftedBatch | undefined {
    if (typeof id === "symbol") return undefined;
    if (this.#drafts.has(id)) return this.#drafts.get(id);
    const batch = this.#before.get(id);
    return batch && this.#draft(id, batch);
  }

  has(_: unknown, id: string | symbol): boolean {
    return this.get(_, id) !== undefined;
  }

  ownKeys(): string[] {
    const ids = new Set(this.#before.keys());
    for (const [id, draft] of this.#drafts) {
      if (draft === undefined) ids.delete(id);
      else ids.add(id);
    }
    return [...ids];
  }

  getOwnPropertyDescriptor(_: unknown, id: string | symbol): PropertyDescriptor | undefined {
    const value = this.get(_, id);
    return value && { value, writable: true, enumerable: true, configurable: true };
  }

  set(_: unknown, id: string | symbol, value: unknown): true {
    const [place, given] = this.#check(id, value);
    if (!given.isNew) this.#drafts.set(place, given);
    else {
      // It gets the options of this service, and Lists that no other service shares.
      const batch = given.place(pathOf(place));
      this.#draft(place, batch.withLists(Lists.of(batch.declared.all), this.#options));
    }
    return true;
  }

  /** What is given for an id, where it can be put there. */
  #check(id: string | symbol, value: unknown): readonly [id: string, given: DraftedBatch] {
    const path = pathOf(String(id));
    if (typeof id === "symbol") throw new InputError(path, "is not the id of a Batch");
    const given = DraftedBatch.of(value, this.#loose);
    if (given === undefined) {
      throw new InputError(path, `must be made by createBatch(), not ${describe(value)}`);
    }
    if (given.id !== id) throw new InputError(path, `may not be Batch ${given.id}`);
    return [id, given];
  }

  defineProperty(_: unknown, id: string | symbol, { value }: PropertyDescriptor): true {
    return this.set(_, id, value);
  }

  deleteProperty(_: unknown, id: string | symbol): true {
    if (typeof id === "string" && this.get(_, id) !== undefined) this.#drafts.set(id, undefined);
    return true;
  }

  preventExtensions(): false {
    return false;
  }

  #draft(id: string, batch: Batch): DraftedBatch {
    const draft = new DraftedBatch(batch, pathOf(id), this.#options, this.#loose);
    this.#drafts.set(id, draft);
    return draft;
  }
}

/** Where a Batch stands in a draft. */
const pathOf = (id: string) => member("draft.batches", id);

const MEMBERS = ["files", "batches"] as const;

/**
 * What a recipe makes of a state.
 *
 * @throws whatever the recipe throws; InputError where it leaves what can't be, drops a collection
 *   that it made, returns a promise, or both changes its draft and returns something else
 */
export function runServiceRecipe(
  state: ServiceState,
  recipe: (draft: unknown) => unknown,
  options: CollectionSettings,
): NextState {
  const loose = new Loose();
  const files = new Place(state.files, "draft.files", "Files of this service", loose);
  const batches = new DraftedBatches(state.batches, options, loose);
  const target = Object.create(null) as Record<string, BatchDraft>;
  // `console.log` asks the target. It may be left out of the proxy's keys, being configurable.
  Object.defineProperty(target, INSPECT, { value: () => ({ ...proxy }), configurable: true });
  const { proxy, revoke } = Proxy.revocable(target, batches);
  const draft = Object.defineProperties({} as ServiceDraft, {
    files: {
      get: () => files.current,
      set: (next: unknown) => files.put(next),
      enumerable: true,
    },
    batches: {
      get: () => proxy,
      set: (next: unknown) => {
        if (next !== proxy)
          reading("draft.batches", () => batches.assign(membersOf(next, "draft.batches")));
      },
      enumerable: true,
    },
  });
  const finish = (): NextState => {
    refuseOthers(draft, "draft", MEMBERS);
    return { files: files.finish(), batches: batches.finish() };
  };
  try {
    const returned = refusePromise(recipe(draft), "draft");
    let next = finish();
    if (returned !== undefined && returned !== draft) {
      if (next.files !== state.files || next.batches.size > 0) throw unmakable("draft");
      const given = readMembers(returned, "draft", MEMBERS);
      Object.assign(draft, { files: undefined, batches: undefined, ...given });
      next = finish();
    }
    loose.refuse();
    return next;
  } finally {
    loose.end();
    revoke();
  }
}

/** Refuses what was put beside the members that a draft has. */
function refuseOthers(draft: object, path: string, members: readonly string[]): void {
  const other = Object.keys(draft).find((name) => !members.includes(name));
  if (other === undefined) return;
  throw new InputError(path, `has no member ${quote(other)}; use ${alternatives(members)}`);
}
