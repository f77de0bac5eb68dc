// The Contact record type, field by field as the contract lists it (section 2.4; rules V4 to V7),
// and the record type of a Batch: the Contact fields and the List Fields of its Lists.

import type { CheckedCriteria, CriteriaOnOthers } from "../criteria/criteria.ts";
import { member } from "../schema/errors.ts";
import { int, string } from "../schema/declare.ts";
import { type TextValue } from "../schema/field.ts";
import { isMembers } from "../schema/input.ts";
import type { InputOf, RecordOf } from "../schema/record-types.ts";
import type { AnyRecord } from "../schema/field-types.ts";
import { schemaOf } from "../schema/schema.ts";

const contactFields = {
  send_id: int(),
  contact_id: int(),
  contact_email: string(),
  unsubscribe_email: string({ nullable: true }),
  unsubscribe_time: int({ nullable: true }),
  unsubscribe_id: int({ nullable: true }),
  unsubscribe_count: int({ nullable: true }),
  updated_profile_count: int({ default: "0" }),
  send_status: string({
    oneOf: ["pending", "completed", "failed", "split_sms"],
    default: "pending",
  }),
  send_time: int({ default: "0" }),
  open_type: string({ oneOf: ["not_opened", "html", "text", "sms"], default: "not_opened" }),
  open_count: int({ default: "0" }),
  open_country: string({ nullable: true }),
  bounce_smtp_error_code: string({ nullable: true }),
  bounce_description: string({ nullable: true, searchable: false }),
  is_temporary_bounce: int({ default: "0" }),
  first_open_time: int({ default: "0" }),
  last_open_time: int({ default: "0" }),
  first_updated_profile_time: int({ default: "0" }),
  first_unsubscribe_time: int({ default: "0" }),
  first_permanent_bounce_time: int({ default: "0" }),
  first_temporary_bounce_time: int({ default: "0" }),
  first_bounce_time: int({ default: "0" }),
  links_clicked: int({ default: "0", searchable: false }),
};

/**
 * Written out, because Contacts then load 1.6 times as fast. `rowMaker` explains why other schemas have no such
 * function.
 */
function createContact(values: readonly TextValue[]): AnyRecord {
  return {
    send_id: values[0] ?? null,
    contact_id: values[1] ?? null,
    contact_email: values[2] ?? null,
    unsubscribe_email: values[3] ?? null,
    unsubscribe_time: values[4] ?? null,
    unsubscribe_id: values[5] ?? null,
    unsubscribe_count: values[6] ?? null,
    updated_profile_count: values[7] ?? null,
    send_status: values[8] ?? null,
    send_time: values[9] ?? null,
    open_type: values[10] ?? null,
    open_count: values[11] ?? null,
    open_country: values[12] ?? null,
    bounce_smtp_error_code: values[13] ?? null,
    bounce_description: values[14] ?? null,
    is_temporary_bounce: values[15] ?? null,
    first_open_time: values[16] ?? null,
    last_open_time: values[17] ?? null,
    first_updated_profile_time: values[18] ?? null,
    first_unsubscribe_time: values[19] ?? null,
    first_permanent_bounce_time: values[20] ?? null,
    first_temporary_bounce_time: values[21] ?? null,
    first_bounce_time: values[22] ?? null,
    links_clicked: values[23] ?? null,
  };
}

/** The record type of Contacts, without List Fields. */
export const Contact = schemaOf(contactFields, {
  form: "contract",
  create: createContact,
});

/** A Contact in wire form: the contract's 24 fields. */
export type ContactRecord = RecordOf<typeof Contact>;

/** The member of a Contact's input that holds its List Fields. */
export const LIST_FIELDS_MEMBER = "fields";

/** The input for a Contact, with the values of its List Fields under `fields`. */
export type ContactInput = InputOf<typeof Contact> & {
  readonly fields?: Readonly<Record<string, string | number | bigint | null | undefined>>;
};

/** The member of a Contact's input that holds the id of its List. */
export const LIST_MEMBER = "list";

/** The input for a Contact of a Batch with several Lists, with the id of its List. */
export type BatchContactInput = ContactInput & { readonly list?: string | number | bigint };

type ListFieldName = string & {};

/** Criteria on Contact fields and List Fields, whose names are known only when a Batch is loaded. */
export type ContactCriteria = CriteriaOnOthers<typeof Contact, ListFieldName>;

/** The type check of {@link ContactCriteria} of the type `C`, for a call that infers it. */
export type CheckedContactCriteria<C> = CheckedCriteria<typeof Contact, C, ListFieldName>;

/** The types of a List's fields by name. */
export type ListFieldType = "int" | "string";
export type ListFieldTypes = ReadonlyMap<string, ListFieldType>;

/** The declaration of a List. */
export interface List {
  readonly id: string;
  readonly fields: ListFieldTypes;
}

/**
 * The record type of a Batch's Contacts: List Fields can be searched and sorted by, but are not returned (P8). They
 * come after the Contact fields, whatever their names.
 */
export function defineBatchContact(listFields: ListFieldTypes): typeof Contact {
  const listField = { nullable: true, stored: false } as const;
  const fields = Object.fromEntries(
    [...listFields].map(([name, type]) => [
      name,
      type === "int" ? int(listField) : string(listField),
    ]),
  );
  return schemaOf(
    { ...contactFields, ...fields },
    {
      form: "contract",
      names: [...Object.keys(contactFields), ...listFields.keys()],
      create: createContact,
      deriveFields: (input) => besideEachOther(input, listFields),
    },
  );
}

/** The input for a Contact of a Batch, with its List Fields as direct members. */
function besideEachOther(input: unknown, listFields: ListFieldTypes): unknown {
  if (!isMembers(input)) return input;
  const contact: Record<string, unknown> = { ...input };
  const nested = contact[LIST_FIELDS_MEMBER];
  const isNested = isMembers(nested);
  // Flat input, in which a List Field may be called `fields` or `list`.
  if (isNested || !listFields.has(LIST_MEMBER)) Reflect.deleteProperty(contact, LIST_MEMBER);
  if (!isNested) return contact;
  Reflect.deleteProperty(contact, LIST_FIELDS_MEMBER);
  // Members of `fields` can only be List Fields: others get a name that no field has, so they are not accepted.
  const values = Object.entries(nested).map(([name, value]) => [
    listFields.has(name) ? name : member(LIST_FIELDS_MEMBER, name),
    value,
  ]);
  return { ...contact, ...Object.fromEntries(values) };
}
