// From the service's input, Files and Batches, to the collections it answers from (rule V8).

import { Collection } from "../collection/collection.ts";
import { Format } from "../collection/format.ts";
import { Loader } from "../collection/load.ts";
import type { CriteriaOptions } from "../criteria/parse.ts";
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
import { completeNames, File, reviseNames, type FileInput } from "./file.ts";

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

/** The Files of a service. */
export type Files = Collection<typeof File, FileInput>;

/** The Contacts of a Batch. */
export type BatchContactCollection = Collection<typeof Contact, BatchContactInput>;

/** A Batch: one collection, the Contacts of its Lists one after the other (rule P7). */
export interface Batch {
  readonly id: string;
  readonly contacts: BatchContactCollection;
  /** The ids of its Lists. */
  readonly lists: readonly string[];
}

export function loadFiles(input: unknown, options: Required<CriteriaOptions>): Files {
  const format = new Format(File, { complete: completeNames, revise: reviseNames });
  const loader = new Loader(format);
  loader.add(input, "files");
  return Collection.of(File, format, loader.finish(), options);
}

export function loadBatches(input: unknown, options: Required<CriteriaOptions>): Batch[] {
  const batches: Batch[] = [];
  let index = 0;
  for (const each of iterate(input, "batches")) {
    const path = `batches[${index++}]`;
    const batch = loadBatch(each, path, options);
    if (batches.some(({ id }) => id === batch.id)) throw duplicate(path, "Batch", batch.id);
    batches.push(batch);
  }
  return batches;
}

const BATCH_MEMBERS = ["id", "lists"] as const;
const LIST_MEMBERS = ["id", "fields", "contacts"] as const;

function loadBatch(input: unknown, path: string, options: Required<CriteriaOptions>): Batch {
  const given = readMembers(input, path, BATCH_MEMBERS);
  const id = toId(given.id, path);
  const sources: { id: string; path: string; fields: ListFieldTypes; contacts: unknown }[] = [];
  const listFields = new Map<string, FieldType>();
  let index = 0;
  for (const list of iterate(given.lists, `${path}.lists`)) {
    const listPath = `${path}.lists[${index++}]`;
    const { id: rawId, fields: rawFields, contacts } = readMembers(list, listPath, LIST_MEMBERS);
    const listId = toId(rawId, listPath);
    if (sources.some((other) => other.id === listId)) throw duplicate(listPath, "List", listId);
    const fieldsPath = `${listPath}.fields`;
    const fields = reading(fieldsPath, () => readListFields(rawFields, fieldsPath));
    for (const [name, type] of fields) {
      const earlier = listFields.get(name) ?? type;
      if (earlier !== type) {
        throw new InputError(
          member(fieldsPath, name),
          `is "${type}" here and "${earlier}" in an earlier List of the Batch`,
        );
      }
      listFields.set(name, type);
    }
    sources.push({ id: listId, path: `${listPath}.contacts`, fields, contacts });
  }

  const schema = defineBatchContact(listFields);
  const lists = sources.map(({ id: listId, fields }) => ({
    id: listId,
    nested: new Set(fields.keys()),
  }));
  const format = new Format(schema, {
    nestUnder: LIST_FIELDS_MEMBER,
    groups: { name: "List", member: LIST_MEMBER, all: lists },
  });
  const loader = new Loader(format);
  sources.forEach((source, list) => loader.add(source.contacts, source.path, list));
  return Object.freeze({
    id,
    contacts: Collection.of<typeof Contact, BatchContactInput>(
      schema,
      format,
      loader.finish(),
      options,
    ),
    lists: Object.freeze(lists.map(({ id: listId }) => listId)),
  });
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

function addListField(
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

function toId(value: unknown, path: string): string {
  const id = toWireInteger(value);
  if (id !== undefined) return id;
  throw new InputError(
    `${path}.id`,
    value === undefined ? "is missing" : `must be an integer, not ${describe(value)}`,
  );
}

function duplicate(path: string, what: string, id: string): InputError {
  return new InputError(`${path}.id`, `${what} ${id} is there twice`);
}
