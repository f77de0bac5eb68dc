// The Contact record type, field by field as the contract lists it (section 2.4; rules V4 to V7),
// and the record type of a Batch: the Contact fields and the List Fields of its Lists.

import type { OperatorName } from "../criteria/operators.ts";
import { int, string, type FieldType } from "../schema/field.ts";
import { defineSchema, type InputOf, type RecordOf } from "../schema/schema.ts";

/** The record type of Contacts, without List Fields. */
export const Contact = defineSchema({
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
});

/** A Contact in wire form: the contract's 24 fields. */
export type ContactRecord = RecordOf<typeof Contact>;

/** The member of a Contact's input that holds its List Fields. */
export const LIST_FIELDS_MEMBER = "fields";

/** A Contact as it is given, with the values of its List's fields under `fields`. */
export type ContactInput = InputOf<typeof Contact> & {
  readonly fields?: Readonly<Record<string, string | number | bigint | null | undefined>>;
};

/** A Contact field or List Field criterion; List Fields are known only when a Batch is loaded. */
export type ContactCriteria = readonly (
  | readonly [
      field: string,
      operator: OperatorName,
      value: string | number | null | readonly (string | number | null)[],
    ]
  | "OR"
)[];

/** The types of a List's fields by name. */
export type ListFieldTypes = ReadonlyMap<string, FieldType>;

/** The record type of a Batch's Contacts: List Fields are searched and sorted, but not returned (P8). */
export function defineBatchContact(listFields: ListFieldTypes): typeof Contact {
  const listField = { nullable: true, stored: false } as const;
  return defineSchema({
    ...Contact.fields,
    ...Object.fromEntries(
      [...listFields].map(([name, type]) => [
        name,
        type === "int" ? int(listField) : string(listField),
      ]),
    ),
  });
}
