// The Lists of a Batch as they are declared: read from what was given, and the form that Contacts have
// because of them.

import { Codec } from "../collection/records/codec.ts";
import { describe, InputError, member } from "../schema/errors.ts";
import type { ListFieldType } from "./contact.ts";
import { iterate, membersOf, reading, readMembers } from "../schema/input.ts";
import { toWireInteger } from "../schema/numbers.ts";
import {
  Contact,
  defineBatchContact,
  type ContactInput,
  type List,
  type ListFieldTypes,
} from "./contact.ts";
import { ContactLayout } from "./contact-layout.ts";

/** A List of a Batch as it is given. */
export interface ListInput {
  readonly id: number | string | bigint;
  /** The List Fields with their types; an array of names means that all are strings. */
  readonly fields?: Readonly<Record<string, ListFieldType>> | readonly string[] | undefined;
  readonly contacts: Iterable<ContactInput>;
}

/** A List that was read, and where. */
export interface GivenList extends List {
  readonly path: string;
  readonly contacts: unknown;
}

/** The Lists of a Batch, and the form that its Contacts have because of them. */
export class Lists {
  readonly all: readonly List[];
  readonly ids: readonly string[];
  readonly codec: Codec<typeof Contact>;
  readonly layout: ContactLayout;
  readonly #byId: ReadonlyMap<string | null, List>;

  private constructor(byId: ReadonlyMap<string, List>, types: ListFieldTypes) {
    const all = [...byId.values()];
    const schema = defineBatchContact(types);
    this.all = all;
    this.ids = Object.freeze(all.map(({ id }) => id));
    this.layout = new ContactLayout(schema, all);
    this.codec = new Codec(schema, { layout: this.layout });
    this.#byId = byId;
  }

  /** @throws InputError where two have one id, or a List Field has two types */
  static of(given: Iterable<List & { readonly path?: string }>): Lists {
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
    return new Lists(all, types);
  }

  /** Whether others are declared as these are, in the same order. */
  isSame({ all }: Lists): boolean {
    const textOf = (lists: readonly List[]) =>
      JSON.stringify(lists.map(({ id, fields }) => [id, ...fields]));
    return textOf(all) === textOf(this.all);
  }

  find(id: string | null): List | undefined {
    return this.#byId.get(id);
  }
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
  const fields = new Map<string, ListFieldType>();
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
