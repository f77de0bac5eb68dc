// A Batch of a draft, or a new one: its Lists and List Fields are changed by functions of its own, its
// Contacts by putting another collection in their place.

import { insert } from "../../collection/change/change.ts";
import type { CollectionSettings } from "../../collection/settings.ts";
import { DEFAULT_MAX_CRITERIA } from "../../criteria/parse.ts";
import { describe, InputError } from "../../schema/errors.ts";
import type { ListFieldType } from "../contact.ts";
import { fieldOf } from "../../schema/schema.ts";
import { loadBatch, type Batch, type BatchContactCollection, type BatchInput } from "../batch.ts";
import type { BatchContactInput, Contact, List } from "../contact.ts";
import { addListField, Lists, readList, toId, type ListInput } from "../lists.ts";
import { DraftChanges } from "../../database/draft-changes.ts";
import { DraftedCollection } from "../../database/drafted-collection.ts";
import { refuseOthers } from "../../database/refuse-others.ts";
import type { Files } from "../state.ts";

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
  addListField(list: Id, name: string, type?: ListFieldType): void;

  /**
   * Removes a List Field, with its values.
   *
   * @throws InputError where there is no such List, or no such field in it
   */
  removeListField(list: Id, name: string): void;
}

/** What a recipe of a service changes: it puts changed collections in the place of the old ones. */
export interface ServiceDraft {
  files: Files;
  /** By id. One is added by {@link createBatch}, and removed by `delete`. */
  readonly batches: Record<string, BatchDraft>;
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

/** What Node's `console.log` calls: drafts have no members of their own that it could show. */
export const INSPECT = Symbol.for("nodejs.util.inspect.custom");

export class DraftedBatch implements BatchDraft {
  readonly #path: string;
  readonly #options: CollectionSettings;
  /** That of the update that it belongs to; where it belongs to none, one of its own. */
  readonly #changes: DraftChanges;
  readonly #isNew: boolean;
  /** Where a new one was put: from then on it is changed there. */
  #placed: string | undefined;
  /** Its Lists as they are now, with the Contacts that it had when they became so. */
  #batch: Batch;
  #contacts: DraftedCollection<typeof Contact, BatchContactInput>;

  constructor(
    batch: Batch,
    path: string,
    options: CollectionSettings,
    changes: DraftChanges | undefined,
  ) {
    this.#path = path;
    this.#options = options;
    this.#isNew = changes === undefined;
    this.#changes = changes ?? new DraftChanges();
    this.#batch = batch;
    this.#contacts = this.#draftContacts(batch);
  }

  /** The draft of a Batch, if the value is one that belongs to this update, or to none. */
  static of(value: unknown, changes: DraftChanges): DraftedBatch | undefined {
    if (typeof value !== "object" || value === null || !(#batch in value)) return undefined;
    return value.#isNew || value.#changes === changes ? value : undefined;
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
    this.#changes.finish();
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
      throw new InputError("name", `the List has no List Field ${describe(name)}`);
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
    this.#changes.refuseLate(this.#path);
    this.#batch = batch;
    this.#contacts = this.#draftContacts(batch);
  }

  #draftContacts({ contacts }: Batch): DraftedCollection<typeof Contact, BatchContactInput> {
    const path = `${this.#path}.contacts`;
    return new DraftedCollection(contacts, path, "Contacts of this Batch", this.#changes);
  }
}
