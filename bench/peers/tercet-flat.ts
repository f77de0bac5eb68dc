// A collection of flat contacts: 27 fields side by side, as in a file.

import {
  Contact,
  createCollection,
  defineSchema,
  string,
  type Collection,
  type InputOf,
} from "../../src/index.ts";
import { LIST_FIELDS, type FlatContact } from "../contacts.ts";

const listFields = Object.keys(LIST_FIELDS).map(
  (name) => [name, string({ nullable: true })] as const,
);

const FlatContacts = defineSchema(
  {
    ...Contact.fields,
    ...Object.fromEntries(listFields),
  },
  { form: "wire" },
);

export function collectionOfFlat(contacts: Iterable<FlatContact>): Collection {
  // Its fields are named at run time.
  return createCollection(FlatContacts, contacts as Iterable<InputOf<typeof FlatContacts>>);
}
