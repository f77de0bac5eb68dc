// Batches in input form, and their Contacts in the form that criteria refer to.

import * as fc from "fast-check";
import {
  createBatch,
  type BatchInput,
  type ContactInput,
  type ListFieldType,
  type ListInput,
  type Schema,
} from "../../index.ts";
import { contactRecord, recordList, type OfTexts } from "./records.ts";
import { integerInput } from "./values.ts";

/** A Batch whose Lists and Contacts can be read more than once. */
export interface ArrayBatch extends BatchInput {
  readonly lists: readonly ArrayList[];
}

/** The input for a List whose Contacts are an array. */
export interface ArrayList extends ListInput {
  readonly contacts: readonly ContactInput[];
}

/** The options of the arbitrary `batch`. */
export interface BatchShape extends OfTexts {
  /** The Batch's id. Default: any. */
  readonly id?: number | string | bigint;
  /** The maximum number of Lists. Default 4. */
  readonly maxLists?: number;
  /** The maximum number of Contacts in a List. Default 6. */
  readonly maxContacts?: number;
  /** The List Fields with their types; each List has some of them. */
  readonly listFields?: Readonly<Record<string, ListFieldType>>;
}

/**
 * Ordinary names, and names that careless code confuses: the names of array indexes, which come first among the keys of
 * an object, and those of inherited members. All are own members.
 */
const LIST_FIELDS: Readonly<Record<string, ListFieldType>> = Object.fromEntries<ListFieldType>([
  ["Email", "string"],
  ["Age", "int"],
  ["First Name", "string"],
  ["email", "int"],
  ["EMAIL", "string"],
  ["", "string"],
  ["0", "string"],
  ["7", "int"],
  ["2024", "string"],
  ["4294967294", "string"],
  ["constructor", "string"],
  ["toString", "int"],
  ["__proto__", "int"],
]);

/** The maximum number of List Fields in a List. */
const MOST_LIST_FIELDS = 6;

/** A Batch of several Lists with different List Fields. A name has the same type in all of them. */
export function batch(shape: BatchShape = {}): fc.Arbitrary<ArrayBatch> {
  const { id, maxLists = 4, maxContacts = 6, listFields = LIST_FIELDS, texts } = shape;
  const names = Object.keys(listFields);
  const list = fc
    .record({
      id: integerInput(),
      fields: fc.subarray(names, { maxLength: Math.min(names.length, MOST_LIST_FIELDS) }),
      asNames: fc.boolean(),
      contacts: recordList(contactRecord({ listFields, texts }), maxContacts),
    })
    .map(({ id: listId, fields, asNames, contacts }): ArrayList => {
      const types = pick(listFields, fields);
      const allStrings = Object.values(types).every((type) => type === "string");
      return {
        id: listId,
        ...(fields.length === 0 ? {} : { fields: asNames && allStrings ? fields : types }),
        contacts: contacts.map(({ fields: values = {}, ...contact }) => {
          const own = pick(values, fields);
          return Object.keys(own).length === 0 ? contact : { ...contact, fields: own };
        }),
      };
    });
  return fc.record(
    {
      id: id === undefined ? integerInput() : fc.constant(id),
      lists: fc.uniqueArray(list, {
        selector: (each) => String(each.id),
        maxLength: maxLists,
        size: "max",
      }),
    },
    { noNullPrototype: true },
  );
}

/** A Contact in input form, with its List Fields as direct members. */
export type SearchedContact = Readonly<Record<string, string | number | bigint | null | undefined>>;

/**
 * The Contacts of a Batch in the form that criteria refer to, with the Contact fields and the List Fields as direct
 * members, ordered by List; and their schema. Both are arguments for `criteria(schema, { records })`.
 */
export function contactsOf(given: BatchInput): {
  readonly schema: Schema;
  readonly records: readonly SearchedContact[];
} {
  const records: SearchedContact[] = [];
  const lists: ListInput[] = [];
  for (const { contacts, ...list } of given.lists) {
    lists.push({ ...list, contacts: [] });
    for (const { fields, ...contact } of contacts) records.push({ ...contact, ...fields });
  }
  return { schema: createBatch({ id: given.id, lists }).contacts.schema, records };
}

/** Selects members by name; they are own members. */
function pick<Value>(
  members: Readonly<Record<string, Value>>,
  names: readonly string[],
): Record<string, Value> {
  return Object.fromEntries(Object.entries(members).filter(([name]) => names.includes(name)));
}
