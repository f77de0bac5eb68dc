// A Batch: its Lists as they are declared, and the Contacts of all of them as one collection
// (rules P7, V8).

import { Collection, type CollectionSettings } from "../collection/collection.ts";
import { Codec } from "../collection/records/codec.ts";
import { Loader } from "../collection/records/loader.ts";
import { describe, member, InputError } from "../schema/errors.ts";
import type { FieldType } from "../schema/field.ts";
import { iterate, membersOf, reading, readMembers } from "../schema/input.ts";
import { toWireInteger } from "../schema/integer.ts";
import {
  Contact,
  defineBatchContact,
  LIST_FIELDS_MEMBER,
  LIST_MEMBER,
  type BatchContactInput,
  type ContactInput,
  type ListFieldTypes,
} from "./contact.ts";

/** A Batch as it is given. */
export interface BatchInput {
  readonly id: number | string | bigint;
  /** The Lists to which the Batch was sent. */
  readonly lists: Iterable<ListInput>;
}

/** A List of a Batch as it is given. */
export interface ListInput {
  readonly id: number | string | bigint;
  /** The List Fields with their types; an array of names means that all are strings. */
  readonly fields?: Readonly<Record<string, FieldType>> | readonly string[] | undefined;
  readonly contacts: Iterable<ContactInput>;
}

/** The Contacts of a Batch. */
export type BatchContactCollection = Collection<typeof Contact, BatchContactInput>;

/** A List as it is declared. */
export interface List {
  readonly id: string;
  readonly fields: ListFieldTypes;
}

/** A List that was read, and where. */
interface GivenList extends List {
  readonly path: string;
  readonly contacts: unknown;
}

/** The Lists of a Batch, and the form that its Contacts have because of them. */
export class Lists {
  readonly all: readonly List[];
  readonly ids: readonly string[];
  readonly schema: typeof Contact;
  readonly codec: Codec;

  private constructor(all: readonly List[], types: ListFieldTypes) {
    this.all = all;
    this.ids = Object.freeze(all.map(({ id }) => id));
    this.schema = defineBatchContact(types);
    this.codec = new Codec(this.schema, {
      nestUnder: LIST_FIELDS_MEMBER,
      groups: {
        name: "List",
        member: LIST_MEMBER,
        all: all.map(({ id, fields }) => ({ id, nested: new Set(fields.keys()) })),
      },
    });
  }

  /** @throws InputError where two have one id, or a List Field has two types */
  static of(given: Iterable<List & { readonly path?: string }>): Lists {
    const all = new Map<string, List>();
    const types = new Map<string, FieldType>();
    for (const { id, fields, path = "list" } of given) {
      if (all.has(id)) throw duplicate(path, "List", id);
      for (const [name, type] of fields) {
        const earlier = types.get(name) ?? type;
        if (earlier !== type) {
          throw new InputError(
            member(`${path}.fields`, name),
            `is "${type}" here and "${earlier}" in an earlier List of the Batch`,
          );
        }
        types.set(name, type);
      }
      all.set(id, { id, fields });
    }
    return new Lists([...all.values()], types);
  }
}

/** A Batch: one collection, the Contacts of its Lists one after the other (rule P7). Frozen. */
export class Batch {
  readonly id: string;
  readonly contacts: BatchContactCollection;
  /** The ids of its Lists. */
  readonly lists: readonly string[];
  readonly #declared: Lists;

  /** @internal */
  constructor(id: string, declared: Lists, contacts: BatchContactCollection) {
    this.id = id;
    this.contacts = contacts;
    this.lists = declared.ids;
    this.#declared = declared;
    Object.freeze(this);
  }

  /** @internal Its Lists with their fields. */
  get declared(): Lists {
    return this.#declared;
  }

  /** @internal The Batch with other Contacts of the same Lists. */
  with(contacts: BatchContactCollection): Batch {
    return contacts === this.contacts ? this : new Batch(this.id, this.#declared, contacts);
  }

  /** @internal The Batch with other Lists: Contacts of a List that is no more are not there. */
  withLists(declared: Lists, options?: CollectionSettings): Batch {
    const { schema, codec } = declared;
    return new Batch(this.id, declared, this.contacts.recode(schema, codec, options));
  }
}

const BATCH_MEMBERS = ["id", "lists"] as const;

/** @throws InputError with the path of the first offending member */
export function loadBatch(input: unknown, path: string, options: CollectionSettings): Batch {
  const given = readMembers(input, path, BATCH_MEMBERS);
  const id = toId(given.id, `${path}.id`);
  const sources: GivenList[] = [];
  const readAll = function* () {
    let index = 0;
    for (const each of iterate(given.lists, `${path}.lists`)) {
      const list = readList(each, `${path}.lists[${index++}]`);
      sources.push(list);
      yield list;
    }
  };
  const lists = Lists.of(readAll());
  const { schema, codec } = lists;
  const loader = new Loader(codec);
  sources.forEach(({ contacts, path: at }, list) => loader.add(contacts, `${at}.contacts`, list));
  return new Batch(id, lists, Collection.of(schema, codec, loader.finish(), options));
}

/** A List with its Contacts, which are not read yet. */
export function readList(input: unknown, path: string): GivenList {
  const { id, fields, contacts } = readMembers(input, path, ["id", "fields", "contacts"]);
  return { ...listOf(id, fields, path), path, contacts };
}

/** Lists as they are declared, without Contacts: what a patch replaces. */
export function readLists(input: unknown, path: string): Lists {
  const readAll = function* () {
    let index = 0;
    for (const each of iterate(input, path)) {
      const place = `${path}[${index++}]`;
      const { id, fields } = readMembers(each, place, ["id", "fields"]);
      yield { ...listOf(id, fields, place), path: place };
    }
  };
  return Lists.of(readAll());
}

function listOf(id: unknown, fields: unknown, path: string): List {
  const fieldsPath = `${path}.fields`;
  return {
    id: toId(id, `${path}.id`),
    fields: reading(fieldsPath, () => readListFields(fields, fieldsPath)),
  };
}

/** The List Fields of a List, whichever way they are given. */
function readListFields(input: unknown, path: string): ListFieldTypes {
  const fields = new Map<string, FieldType>();
  if (input === undefined) return fields;
  if (Array.isArray(input)) {
    for (const name of iterate(input, path)) addListField(fields, name, "string", path);
  } else {
    for (const [name, type] of Object.entries(membersOf(input, path))) {
      addListField(fields, name, type, path);
    }
  }
  return fields;
}

/** @throws InputError where it can't be a List Field, or is one already */
export function addListField(
  fields: Map<string, FieldType>,
  name: unknown,
  type: unknown,
  path: string,
): void {
  if (typeof name !== "string") {
    throw new InputError(path, `must hold field names, not ${describe(name)}`);
  }
  const place = member(path, name);
  if (Object.hasOwn(Contact.fields, name)) {
    throw new InputError(place, "is the name of a Contact field");
  }
  if (fields.has(name)) throw new InputError(place, "is there twice");
  if (type !== "int" && type !== "string") {
    throw new InputError(place, `must be "int" or "string", not ${describe(type)}`);
  }
  fields.set(name, type);
}

/** @throws InputError where the value is not the id of anything */
export function toId(value: unknown, path: string): string {
  const id = toWireInteger(value);
  if (id !== undefined) return id;
  throw new InputError(
    path,
    value === undefined
      ? "is missing"
      : `must be an integer or its canonical decimal string, not ${describe(value)}`,
  );
}

export function duplicate(path: string, what: string, id: string): InputError {
  return new InputError(`${path}.id`, `${what} ${id} is there twice`);
}
