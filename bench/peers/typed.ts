// Contacts as peers with types of their own store them: ints as numbers.

import type { FieldTypes, FlatContact } from "../contacts.ts";
import { valueOf } from "../value-of.ts";

/** Like `valueOf`, an int as a number. */
export function typedValueOf(
  contact: FlatContact,
  field: string,
  types: FieldTypes,
): string | number | null {
  const value = valueOf(contact, field);
  return value !== null && types.get(field) === "int" ? Number(value) : value;
}

/** A contact for a peer that holds objects: ints as numbers, and keys to sort by. */
export type Document = Record<string, string | number | null> & {
  row: number;
  send_time_key: number;
  last_open_time_key: number;
};

/** One literal, as in `flatten`: objects filled field by field are slow to make and to read. */
export function documentOf(c: FlatContact, row: number): Document {
  return {
    send_id: Number(c.send_id),
    contact_id: Number(c.contact_id),
    contact_email: c.contact_email,
    unsubscribe_email: c.unsubscribe_email,
    unsubscribe_time: numberOrNull(c.unsubscribe_time),
    unsubscribe_id: numberOrNull(c.unsubscribe_id),
    unsubscribe_count: numberOrNull(c.unsubscribe_count),
    updated_profile_count: Number(c.updated_profile_count),
    send_status: c.send_status,
    send_time: Number(c.send_time),
    open_type: c.open_type,
    open_count: Number(c.open_count),
    open_country: c.open_country,
    bounce_smtp_error_code: c.bounce_smtp_error_code,
    bounce_description: c.bounce_description,
    is_temporary_bounce: Number(c.is_temporary_bounce),
    first_open_time: Number(c.first_open_time),
    last_open_time: Number(c.last_open_time),
    first_updated_profile_time: Number(c.first_updated_profile_time),
    first_unsubscribe_time: Number(c.first_unsubscribe_time),
    first_permanent_bounce_time: Number(c.first_permanent_bounce_time),
    first_temporary_bounce_time: Number(c.first_temporary_bounce_time),
    first_bounce_time: Number(c.first_bounce_time),
    links_clicked: Number(c.links_clicked),
    Email: c.Email,
    "First Name": c["First Name"],
    "Last Name": c["Last Name"],
    row,
    send_time_key: descendingKey(Number(c.send_time), row),
    last_open_time_key: descendingKey(Number(c.last_open_time), row),
  };
}

function numberOrNull(text: string | null): number | null {
  return text === null ? null : Number(text);
}

/** The stored key that sorts by an int field. */
export const keyOf = (field: string) => `${field}_key`;

const ROWS = 2 ** 21;

/**
 * An int and the row in one number: in descending order of it, equal values are in insertion order. For
 * peers that sort by one key and leave the order of ties open, or reverse it. Exact for fewer than 2^21
 * rows.
 */
export function descendingKey(value: number, row: number): number {
  return value * ROWS + (ROWS - 1 - row);
}
