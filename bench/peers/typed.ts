// Contacts as peers with types of their own store them: ints as numbers.

import type { FieldType } from "../../src/index.ts";
import type { FlatContact } from "../contacts.ts";

export type FieldTypes = ReadonlyMap<string, FieldType>;

/** A field of a contact that is named at run time. */
export function valueOf(contact: FlatContact, field: string): string | null {
  return (contact as Readonly<Record<string, string | null>>)[field] ?? null;
}

/** As {@link valueOf}, an int as a number. */
export function typedValueOf(
  contact: FlatContact,
  field: string,
  types: FieldTypes,
): string | number | null {
  const value = valueOf(contact, field);
  return value !== null && types.get(field) === "int" ? Number(value) : value;
}

const ROWS = 2 ** 21;

/**
 * An int and the row in one number: in descending order of it, equal values stand in insertion order.
 * For peers that sort by one key and leave the order of ties open, or reverse it.
 */
export function descendingKey(contact: FlatContact, field: string, row: number): number {
  return Number(valueOf(contact, field)) * ROWS + (ROWS - 1 - row);
}
