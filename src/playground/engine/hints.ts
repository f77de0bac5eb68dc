// What the page knows of Contacts and Files besides their schemas. Everything else follows from the data.

import { Contact, File } from "../../index.ts";
import type { Facet, Kind } from "../messages.ts";

export interface Hints {
  /** What the records are called. */
  readonly title: string;
  /** The fields beside the answer, in order. Default: all that say something. */
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

/** What records with members of these names are; `undefined`: of no kind that the page knows. */
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
