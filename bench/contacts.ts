// The data of every measurement: synthetic Contacts in wire form, and as flat records for the peers. Both share their
// strings.

import { Contact, type FieldType } from "../src/index.ts";
import { generateLazyBatch, type SyntheticContact } from "../src/synthetic/index.ts";

/** A Contact's 24 fields and its three List Fields, as direct members. */
export type FlatContact = Omit<SyntheticContact, "fields"> &
  Readonly<Record<"Email" | "First Name" | "Last Name", string | null>>;

export const LIST_FIELDS = {
  Email: "string",
  "First Name": "string",
  "Last Name": "string",
} as const satisfies Readonly<Record<string, FieldType>>;

export type FieldTypes = ReadonlyMap<string, FieldType>;

/** The 27 fields of a flat record with their types. */
export const FIELD_TYPES: FieldTypes = new Map([
  ...Object.entries(Contact.fields).map(([name, { type }]) => [name, type] as const),
  ...Object.entries(LIST_FIELDS),
]);

/** The first `count` Contacts of seed 1, generated on demand, each converted to JSON and back. */
export function* wireContacts(count: number): Generator<SyntheticContact> {
  const [list] = generateLazyBatch({ count, lists: 1, seed: 1 }).lists;
  for (const contact of list?.contacts ?? []) {
    // The generator's strings are concatenations; those of parsed JSON are flat.
    yield JSON.parse(JSON.stringify(contact)) as SyntheticContact;
  }
}

/** A Batch of one List, as `createService` takes it. */
export function batchOf(contacts: Iterable<SyntheticContact>) {
  return { id: 1, lists: [{ id: 101, fields: LIST_FIELDS, contacts }] };
}

/** Contacts in both forms; each peer takes one. */
export interface Contacts {
  readonly textForm: readonly SyntheticContact[];
  readonly flat: readonly FlatContact[];
}

/** A flat record. A single literal, so that all have one shape and none becomes a dictionary. */
export function flatten({ fields, ...c }: SyntheticContact): FlatContact {
  return {
    send_id: c.send_id,
    contact_id: c.contact_id,
    contact_email: c.contact_email,
    unsubscribe_email: c.unsubscribe_email,
    unsubscribe_time: c.unsubscribe_time,
    unsubscribe_id: c.unsubscribe_id,
    unsubscribe_count: c.unsubscribe_count,
    updated_profile_count: c.updated_profile_count,
    send_status: c.send_status,
    send_time: c.send_time,
    open_type: c.open_type,
    open_count: c.open_count,
    open_country: c.open_country,
    bounce_smtp_error_code: c.bounce_smtp_error_code,
    bounce_description: c.bounce_description,
    is_temporary_bounce: c.is_temporary_bounce,
    first_open_time: c.first_open_time,
    last_open_time: c.last_open_time,
    first_updated_profile_time: c.first_updated_profile_time,
    first_unsubscribe_time: c.first_unsubscribe_time,
    first_permanent_bounce_time: c.first_permanent_bounce_time,
    first_temporary_bounce_time: c.first_temporary_bounce_time,
    first_bounce_time: c.first_bounce_time,
    links_clicked: c.links_clicked,
    Email: fields.Email ?? null,
    "First Name": fields["First Name"] ?? null,
    "Last Name": fields["Last Name"] ?? null,
  };
}

/** How many contacts are examined to choose search strings. */
const SAMPLE = 50_000;

/** The share of email addresses that contain a selective string. */
const SELECTIVE = 0.0004;

/** Strings of 12 characters, each in about 0.04 % of the email addresses, judging by the first 50,000. */
export function selectiveTexts(contacts: readonly FlatContact[], count: number): string[] {
  const sample = contacts.slice(0, SAMPLE);
  const counts = countsOf(sample, function* (email) {
    for (let at = 0; at + 12 <= email.length; at++) yield email.slice(at, at + 12);
  });
  const distance = (found: number) => Math.abs(found / sample.length - SELECTIVE);
  return [...counts]
    .sort(([, a], [, b]) => distance(a) - distance(b))
    .slice(0, count)
    .map(([text]) => text);
}

/** The strings of at least three characters that occur in the most email addresses, judging by the first 5,000. */
export function commonTexts(contacts: readonly FlatContact[], count: number): string[] {
  const counts = countsOf(contacts.slice(0, SAMPLE / 10), function* (email) {
    for (let from = 0; from + 3 <= email.length; from++) {
      for (let to = from + 3; to <= email.length; to++) yield email.slice(from, to);
    }
  });
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .slice(0, count)
    .map(([text]) => text);
}

/** In how many of the email addresses each of their texts is. */
function countsOf(
  contacts: readonly FlatContact[],
  textsOf: (email: string) => Iterable<string>,
): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { contact_email: email } of contacts) {
    for (const text of new Set(textsOf(email))) counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return counts;
}
