// Separate from contacts.ts, which imports tercet: peers that read fields by name do not.

import type { FlatContact } from "./contacts.ts";

/** The value of a field chosen at run time. */
export function valueOf(contact: FlatContact, field: string): string | null {
  return (contact as Readonly<Record<string, string | null>>)[field] ?? null;
}
