// A Batch in a recipe of a service, or a new one. Its methods change Lists and List Fields; its Contacts are changed by
// assigning another collection.

import { insert } from "../engine/changes/change.ts";
import { planning } from "../engine/execution/planning.ts";
import type { CollectionSettings } from "../engine/settings.ts";
import { DEFAULT_MAX_CRITERIA } from "../criteria/parse.ts";
import type { PatchableDraft } from "../database/database.ts";
import { DraftChanges, DraftedCollection } from "../database/draft-changes.ts";
import { describe, InputError } from "../schema/errors.ts";
import { checkMembers } from "../schema/input.ts";
import { fieldOf } from "../schema/names.ts";
import { loadBatch, type Batch, type BatchContactCollection, type BatchInput } from "./batch.ts";
import type { BatchContactInput, Contact, List, ListFieldType } from "./contact.ts";
import { addListField, Lists, readList, toId, type ListInput } from "./lists.ts";
import type { Files } from "./state.ts";

type Id = number | string | bigint;

/** A Batch that can be changed: part of a {@link ServiceDraft}, or new. */
export interface BatchDraft {
  readonly id: string;
  /** The ids of its Lists. */
  readonly lists: readonly string[];
  contacts: BatchContactCollection;

  /**
   * Adds a List. Its Contacts come last.
   *
   * @throws InputError with the path of the first offending member, such as `list.contacts[3].send_id`
   */
  addList(list: ListInput): void;

  /**
   * Removes a List and its Contacts.
   *
   * @throws InputError if there is no such List
   */
  removeList(list: Id): void;

  /**
   * Adds a List Field, which is `null` for all Contacts of the List.
   *
   * @param type default `"string"`
   * @throws InputError if there is no such List, if it already has the field, or if the name or type is not valid
   */
  addListField(list: Id, name: string, type?: ListFieldType): void;

  /**
   * Removes a List Field and its values.
   *
   * @throws InputError if there is no such List, or no such field in it
   */
  removeListField(list: Id, name: string): void;
}

/** The draft that a recipe of a service changes, by replacing collections with changed ones. */
export interface ServiceDraft extends PatchableDraft {
  files: Files;
  /** By id. {@link createBatch} makes a new one to assign; `delete` removes one. */
  readonly batches: Record<string, BatchDraft>;
}

/**
 * Makes a Batch to add to a service, in a recipe of its `update`: `draft.batches["9"] = createBatch({ id: 9, lists: []
 * })`. Everything is checked and copied immediately.
 *
 * @throws InputError with the path of the first offending member, such as `batch.lists[0].id`
 */
export function createBatch(input: BatchInput): BatchDraft {
  return new DraftedBatch(loadBatch(input, "batch", UNPLACED), "batch");
}

/** The options of a Batch outside any service. */
const UNPLACED: CollectionSettings = {
  maxCriteria: DEFAULT_MAX_CRITERIA,
  maxValues: Infinity,
  unknownOperator: "error",
  finder: planning,
};

/** Called by `console.log` of Node.js, which would show an empty object. */
export const INSPECT = Symbol.for("nodejs.util.inspect.custom");

export class DraftedBatch implements BatchDraft {
  readonly #path: string;
  /** The draft of its update, or its own if it belongs to none. */
  readonly #changes: DraftChanges;
  readonly #isNew: boolean;
  /** Where a new Batch was assigned; from then on, it must be changed there. */
  #placed: string | undefined;
  /** Its current Lists, with the Contacts at the time of the last change of Lists. */
  #batch: Batch;
  #contacts: DraftedCollection<typeof Contact, BatchContactInput>;

  constructor(batch: Batch, path: string, changes?: DraftChanges) {
    this.#path = path;
    this.#isNew = changes === undefined;
    this.#changes = changes ?? new DraftChanges();
    this.#batch = batch;
    this.#contacts = this.#draftContacts(batch);
  }

  /** The draft of a Batch, if the value is one and belongs to this update or to none. */
  static of(value: unknown, changes: DraftChanges): DraftedBatch | undefined {
    if (typeof value !== "object" || value === null || !(#batch in value)) return undefined;
    return value.#isNew || value.#changes === changes ? value : undefined;
  }

  get isNew(): boolean {
    return this.#isNew;
  }

  /**
   * Assigns a new Batch to a place in an update. Later changes to the original would have no effect there, and throw.
   */
  place(path: string): Batch {
    const batch = this.finish();
    this.#changes.requirePlaced();
    this.#placed = path;
    return batch;
  }

  /** The resulting Batch. */
  finish(): Batch {
    checkMembers(this, this.#path, ["id", "lists", "contacts"]);
    return this.#batch.with(this.#contacts.finish());
  }

  get id(): string {
    return this.#batch.id;
  }

  set id(_: string) {
    throw new InputError(`${this.#path}.id`, "can't be changed");
  }

  get lists(): readonly string[] {
    return this.#batch.lists;
  }

  set lists(_: readonly string[]) {
    const functions = "addList(), removeList(), addListField() and removeListField()";
    throw new InputError(`${this.#path}.lists`, `can't be assigned; use ${functions}`);
  }

  get contacts(): BatchContactCollection {
    return this.#contacts.current;
  }

  set contacts(next: BatchContactCollection) {
    this.#refusePlaced();
    this.#contacts.put(next);
  }

  /** The result of `JSON.stringify`, the same as for the Batch itself. */
  toJSON(): Pick<BatchDraft, "id" | "contacts" | "lists"> {
    return { id: this.id, contacts: this.contacts, lists: this.lists };
  }

  [INSPECT](): object {
    return this.toJSON();
  }

  addList(input: ListInput): void {
    const { contacts, ...list } = readList(input, "list");
    const { all } = this.#batch.declared;
    const next = this.finish().redeclared(new Lists([...all, list]));
    const { contacts: before } = next;
    const layout = next.declared.layout.within(list.id);
    const change = insert(before.state, contacts, "list.contacts", layout);
    this.#set(next.with(before.change(change)));
  }

  removeList(list: Id): void {
    const removed = this.#find(list);
    this.#declare(this.#batch.declared.all.filter((each) => each !== removed));
  }

  addListField(list: Id, name: string, type: ListFieldType = "string"): void {
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
      throw new InputError("name", `the List has no List Field ${describe(name)}`, {
        code: "not_found",
      });
    });
  }

  #changeFields(list: Id, change: (fields: Map<string, ListFieldType>) => void): void {
    const { id, fields } = this.#find(list);
    const changed = new Map(fields);
    change(changed);
    const { all } = this.#batch.declared;
    this.#declare(all.map((each) => (each.id === id ? { id, fields: changed } : each)));
  }

  #find(list: Id): List {
    const id = toId(list, "list");
    const found = this.#batch.declared.all.find((each) => each.id === id);
    if (found === undefined) {
      throw new InputError("list", `there is no List ${id} in the Batch`, { code: "not_found" });
    }
    return found;
  }

  #declare(all: readonly List[]): void {
    this.#set(this.finish().redeclared(new Lists(all)));
  }

  #refusePlaced(): void {
    if (this.#placed === undefined) return;
    throw new InputError(this.#path, `was added to a service; change ${this.#placed} there`);
  }

  #set(batch: Batch): void {
    this.#refusePlaced();
    this.#changes.refuseLate(this.#path);
    this.#batch = batch;
    this.#contacts = this.#draftContacts(batch);
  }

  #draftContacts({ contacts }: Batch): DraftedCollection<typeof Contact, BatchContactInput> {
    const path = `${this.#path}.contacts`;
    return new DraftedCollection(contacts, path, "Contacts of this Batch", this.#changes);
  }
}
