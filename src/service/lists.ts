// Reads the declarations of a Batch's Lists, which determine the fields of its Contacts. In input, the values of List
// Fields are under `fields`, and the id of the List under `list`. The collection stores the values as fields that are
// not part of records, and the id in a hidden column.

import { dictionary } from "../schema/dictionary.ts";
import { Codec } from "../engine/columns/codec.ts";
import {
  Part,
  type Document,
  type DocumentReader,
  type Layout,
  type Reading,
} from "../engine/columns/layout.ts";
import type { ColumnName } from "../engine/columns/rows.ts";
import { describe, InputError, member, quote } from "../schema/errors.ts";
import type { FieldValue } from "../schema/field.ts";
import { iterate, membersOf, reading, readMembers } from "../schema/input.ts";
import { toIntegerText } from "../schema/numbers.ts";
import { oneOf } from "../schema/options.ts";
import type { AnyRecord } from "../schema/field-types.ts";
import type { Schema } from "../schema/schema.ts";
import {
  Contact,
  defineBatchContact,
  LIST_FIELDS_MEMBER,
  LIST_MEMBER,
  type ContactInput,
  type List,
  type ListFieldType,
  type ListFieldTypes,
} from "./contact.ts";

/** The input for a List of a Batch. */
export interface ListInput {
  readonly id: number | string | bigint;
  /** The List Fields with their types; in an array of names, all are strings. */
  readonly fields?: Readonly<Record<string, ListFieldType>> | readonly string[] | undefined;
  readonly contacts: Iterable<ContactInput>;
}

/** A List that was read, and its place in the input. */
export interface GivenList extends List {
  readonly path: string;
  readonly contacts: unknown;
}

/** The Lists of a Batch, and the form of Contacts that follows from them. */
export class Lists {
  readonly all: readonly List[];
  readonly ids: readonly string[];
  readonly codec: Codec<typeof Contact>;
  readonly layout: ContactLayout;

  /** @throws InputError if two have the same id, or if a List Field has two types */
  constructor(given: Iterable<List & { readonly path?: string }>) {
    const all = new Map<string, List>();
    const types = new Map<string, ListFieldType>();
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
    const schema = defineBatchContact(types);
    this.all = [...all.values()];
    this.ids = Object.freeze([...all.keys()]);
    this.layout = new ContactLayout(schema, this.all);
    this.codec = new Codec(schema, { layout: this.layout });
  }

  /** The Lists in input form, without Contacts: what a patch replaces. */
  toJSON() {
    return this.all.map(({ id, fields }) => {
      // No prototype, so that `__proto__` is a List Field like any other.
      const types = dictionary<ListFieldType>();
      for (const [name, type] of fields) types[name] = type;
      return { id, fields: types };
    });
  }

  /** Whether other Lists have the same declarations in the same order. */
  isSame(other: Lists): boolean {
    if (other === this) return true;
    const textOf = (lists: readonly List[]) =>
      JSON.stringify(lists.map(({ id, fields }) => [id, ...fields]));
    return textOf(other.all) === textOf(this.all);
  }
}

/** A List with its Contacts still to be read. @param members that it may have */
export function readList(
  input: unknown,
  path: string,
  members: readonly ("id" | "fields" | "contacts")[] = ["id", "fields", "contacts"],
): GivenList {
  const { id, fields, contacts } = readMembers(input, path, members);
  const place = `${path}.fields`;
  return {
    ...{ id: toId(id, `${path}.id`), path, contacts },
    fields: reading(place, () => readListFields(fields, place)),
  };
}

/** Reads Lists one by one, like {@link readList}. */
export function* listsIn(input: unknown, path: string, members?: Parameters<typeof readList>[2]) {
  let index = 0;
  for (const each of iterate(input, path)) yield readList(each, `${path}[${index++}]`, members);
}

/** The declarations of Lists, without Contacts: what a patch replaces. */
export const readLists = (input: unknown, path: string): Lists =>
  new Lists(listsIn(input, path, ["id", "fields"]));

/** The List Fields of a List, in either input form. */
function readListFields(input: unknown, path: string): ListFieldTypes {
  const fields = new Map<string, ListFieldType>();
  if (input === undefined) return fields;
  if (Array.isArray(input)) {
    for (const name of iterate(input, path)) addListField(fields, name, "string", path);
  } else {
    const types = membersOf(input, path);
    // A Map has no own properties, so it would declare no fields.
    if (Symbol.iterator in types) {
      throw new InputError(path, "must be an object or an array of names, not an iterable");
    }
    for (const [name, type] of Object.entries(types)) {
      addListField(fields, name, type, path);
    }
  }
  return fields;
}

export const readListFieldType = oneOf("int", "string");

/** @throws InputError if it can't be a List Field, or already is one */
export function addListField(
  fields: Map<string, ListFieldType>,
  name: unknown,
  type: unknown,
  path: string,
): void {
  if (typeof name !== "string") {
    throw new InputError(path, `must hold field names, not ${describe(name)}`);
  }
  const place = member(path, name);
  if (Object.hasOwn(Contact.fields, name)) {
    throw new InputError(place, "is already the name of a Contact field");
  }
  if (fields.has(name)) throw new InputError(place, "occurs twice", { code: "duplicate" });
  fields.set(name, readListFieldType(type, place));
}

/** @throws InputError if the value is not a valid id */
export function toId(value: unknown, path: string): string {
  const id = toIntegerText(value);
  if (id !== undefined) return id;
  throw new InputError(
    path,
    value === undefined
      ? "is missing"
      : `must be an integer or its canonical decimal string, not ${describe(value)}`,
    { code: value === undefined ? "missing" : "invalid" },
  );
}

export function duplicate(path: string, what: string, id: string): InputError {
  return new InputError(`${path}.id`, `${what} ${id} occurs twice`, { code: "duplicate" });
}

/** The column with the id of each Contact's List. */
export const LIST = Symbol("list");

class ContactLayout implements Layout {
  readonly hidden = [LIST];
  readonly parts: ReadonlySet<string> = new Set([LIST_FIELDS_MEMBER]);
  /** For each List its fields, and the part of a document that contains them. */
  readonly #lists: ReadonlyMap<string, { readonly names: readonly string[]; readonly part: Part }>;
  /** A Contact with its List, unless the List is known from the Contact's place. */
  readonly whole: Part;

  constructor({ places }: Schema, lists: readonly List[]) {
    const contactFields = places.filter(({ field }) => field.stored);
    const byName = new Map(places.map((place) => [place.name, place]));
    // A field that Contacts do not have is a List Field.
    const whereIs = (name: string) =>
      byName.has(name) ? `; it stands under ${quote(LIST_FIELDS_MEMBER)}` : undefined;
    this.whole = new Part(contactFields, [LIST_FIELDS_MEMBER, LIST_MEMBER], whereIs);
    this.#lists = new Map(
      lists.map(({ id, fields }) => {
        const names = [...fields.keys()];
        return [id, { names, part: new Part(names.flatMap((name) => byName.get(name) ?? [])) }];
      }),
    );
  }

  /** The layout of Contacts inside a List, which do not name it. */
  within(list: string): DocumentReader {
    return new ListReader(this, list);
  }

  readIn(list: string, document: unknown, reading: Reading): void {
    const [fields, given] = reading.take(document, this.whole);
    if (given !== undefined) {
      throw reading.refusal(LIST_MEMBER, "must be omitted: the record is inside its List");
    }
    this.#readList(list, fields, reading);
  }

  read(document: unknown, reading: Reading): void {
    const [fields, given] = reading.take(document, this.whole);
    this.#readList(this.#listOf(given, reading), fields, reading);
  }

  #readList(list: string, fields: unknown, reading: Reading): void {
    reading.hide(0, list);
    const part = this.#lists.get(list)?.part;
    if (fields !== undefined && part !== undefined) reading.take(fields, part, LIST_FIELDS_MEMBER);
  }

  #listOf(given: unknown, reading: Reading): string {
    const [only] = this.#lists.size === 1 ? this.#lists.keys() : [];
    if (given === undefined && only !== undefined) return only;
    const id = toIntegerText(given);
    if (id !== undefined && this.#lists.has(id)) return id;
    throw reading.refusal(
      LIST_MEMBER,
      given === undefined
        ? "is missing: the record's List must be named"
        : `must be the id of an existing List, not ${describe(given)}`,
      given === undefined ? "missing" : id === undefined ? "invalid" : "not_found",
    );
  }

  write(record: AnyRecord, valueOf: (column: ColumnName) => FieldValue): Document {
    const list = valueOf(LIST);
    // No prototype, so that `constructor` exists only if a List Field has that name.
    const fields = dictionary<FieldValue>();
    for (const name of this.#lists.get(typeof list === "string" ? list : "")?.names ?? [])
      fields[name] = valueOf(name);
    return { ...record, [LIST_FIELDS_MEMBER]: fields, [LIST_MEMBER]: list };
  }
}

/** Reads the Contacts of a List. Not a closure, because V8 discards optimized code together with the closure. */
class ListReader implements DocumentReader {
  readonly #layout: ContactLayout;
  readonly #list: string;

  constructor(layout: ContactLayout, list: string) {
    this.#layout = layout;
    this.#list = list;
  }

  read(document: unknown, reading: Reading): void {
    this.#layout.readIn(this.#list, document, reading);
  }
}
