// Converts a stream of Contacts, each with its List, to a Batch for a service.

import type { ListFieldType } from "../service/contact.ts";
import type { BatchInput } from "../service/batch.ts";
import type { BatchContactInput, ContactInput } from "../service/contact.ts";
import type { ListFields } from "./form.ts";

export interface ToBatchOptions {
  /** The id of the Batch. */
  readonly id: number | string | bigint;
  /** The id of the List for Contacts that name none. Default 1. */
  readonly list?: number | string | bigint | undefined;
  /**
   * The List Fields with their types, which every List then has. By default each List has the List Fields
   * of its Contacts; these are strings, unless they contain numbers.
   */
  readonly listFields?: ListFields | undefined;
}

interface Growing {
  readonly id: string;
  readonly fields: Map<string, ListFieldType>;
  readonly contacts: ContactInput[];
}

/**
 * Turns Contacts into a Batch for `createService` and `createBatch`, with the Lists that the Contacts
 * name, in the order of their first mention. Cost: linear; holds the Contacts.
 */
export function toBatch(
  contacts: Iterable<BatchContactInput>,
  { id, list: otherwise = 1, listFields }: ToBatchOptions,
): BatchInput {
  const lists = new Map<string, Growing>();
  const types = new Map<string, ListFieldType>();
  for (const given of contacts) {
    const { list: named = otherwise, ...contact } = given;
    const key = String(named);
    let list = lists.get(key);
    if (list === undefined) lists.set(key, (list = { id: key, fields: new Map(), contacts: [] }));
    list.contacts.push(contact);
    if (listFields !== undefined || contact.fields === undefined) continue;
    for (const name of Object.keys(contact.fields)) {
      const value = contact.fields[name];
      const isNumber = typeof value === "number" || typeof value === "bigint";
      if (isNumber || !types.has(name)) types.set(name, isNumber ? "int" : "string");
      list.fields.set(name, "string");
    }
  }
  return {
    id,
    lists: [...lists.values()].map(({ id, fields, contacts }) => ({
      id,
      // The same type in all Lists, because a Batch allows only one for each name.
      fields:
        listFields ??
        Object.fromEntries([...fields.keys()].map((name) => [name, types.get(name) ?? "string"])),
      contacts,
    })),
  };
}
