// What the page knows about Contacts and Files besides their schemas. All else follows from the data.

import { Contact, File } from "../../index.ts";
import type { Facet, Kind } from "../messages.ts";

export interface Hints {
  /** What the records are called. */
  readonly title: string;
  /** The facets, in order. Default: those that follow from types and values. */
  readonly facets?: Readonly<Record<string, Facet["kind"]>>;
  /** The fields that come first in the table. */
  readonly leading: readonly string[];
}

export const TABLE: Hints = { title: "records", leading: [] };

export const HINTS: Readonly<Record<Kind, Hints>> = {
  contacts: {
    title: "Contacts",
    facets: {
      send_status: "values",
      open_type: "values",
      open_country: "values",
      send_time: "range",
      last_open_time: "range",
      open_count: "range",
      contact_email: "search",
    },
    leading: ["contact_email", "send_status", "open_type", "open_country", "open_count"],
  },
  files: {
    title: "Files",
    facets: {
      extension: "values",
      mime_type: "values",
      folder_id: "values",
      size: "range",
      creation_time: "range",
      last_modified_time: "range",
      name: "search",
    },
    leading: ["name", "size", "mime_type"],
  },
};

/** The kind of records that have these members; `undefined` if it is neither. */
export function kindOf(names: readonly string[]): Kind | undefined {
  const has = (...wanted: string[]) => wanted.every((name) => names.includes(name));
  const are = (fields: object, others = /^$/) =>
    names.every((name) => Object.hasOwn(fields, name) || others.test(name));
  if (has("send_id", "contact_id", "contact_email")) {
    if (are(Contact.fields, /^(?:list|fields(?:\..+)?)$/s)) return "contacts";
  }
  const isNamed = has("name") || has("basename", "extension");
  return has("id", "folder_id") && isNamed && are(File.fields) ? "files" : undefined;
}
