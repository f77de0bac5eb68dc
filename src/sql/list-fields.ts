// The values of a Contact's List Fields, which share one column: their keys in it, and their types, which are in the
// table of Lists.

import type { List, ListFieldType } from "../service/contact.ts";
import { addListField } from "../service/lists.ts";
import { RowError } from "./records.ts";

/**
 * The key of a List Field in its column and in statements; both must have the same text for indexes to match. So every
 * character with a meaning to engines, drivers or JSON paths is replaced by its code.
 */
export function listFieldKey(name: string): string {
  if (/^[A-Za-z0-9 _]+$/.test(name)) return name;
  const key = name.replace(/[^A-Za-z0-9 _\u{a0}-\u{10ffff}]|\p{Surrogate}/gu, (character) => {
    const code = character.charCodeAt(0).toString(16).toUpperCase();
    return code.length > 2 ? `%u${code}` : `%${code.padStart(2, "0")}`;
  });
  return key === "" ? "%" : key;
}

/** The List Fields of a List in the form stored in its row. */
export function writeListFields({ fields }: List): string {
  return JSON.stringify([...fields]);
}

/** @throws RowError if the string was not written by {@link writeListFields} */
export function readListFields(text: string | null): Map<string, ListFieldType> {
  try {
    const fields = new Map<string, ListFieldType>();
    for (const [name, type] of JSON.parse(text ?? "") as Iterable<readonly unknown[]>) {
      addListField(fields, name, type, "list");
    }
    return fields;
  } catch (cause) {
    const reason = "the table of Lists must hold List Fields as pairs of a name and a type";
    throw new RowError(reason, { cause });
  }
}
