// The grammar of a service's patches: writes and reads their paths.
//
//   ["files", key, …]                     to a File; the path goes on to a field of it
//   ["batches", id]                       to a Batch
//   ["batches", id, "lists"]              to its Lists and their fields, which are replaced as a whole
//   ["batches", id, "contacts", key, …]   to a Contact; the path goes on to a field of it

import type { PlacedPatch } from "../collection/change/read-patches.ts";
import { InputError } from "../schema/errors.ts";
import { toWireInteger } from "../schema/numbers.ts";

type Path = readonly (string | number)[];

export const pathTo = {
  files: ["files"] as Path,
  batch: (id: string): Path => ["batches", id],
  lists: (id: string): Path => ["batches", id, "lists"],
  contacts: (id: string): Path => ["batches", id, "contacts"],
};

/** Where a patch leads. The path to a record, within its collection, begins with its key. */
export type PatchTarget =
  | { readonly kind: "file"; readonly within: readonly unknown[] }
  | { readonly kind: "batch" | "lists"; readonly batch: string }
  | { readonly kind: "contact"; readonly batch: string; readonly within: readonly unknown[] };

/** @throws InputError with the number of the patch if it leads nowhere */
export function targetOf({ place, op, path }: PlacedPatch): PatchTarget {
  const [part, id, member, ...within] = path;
  if (part === "files") return { kind: "file", within: path.slice(1) };
  if (part !== "batches") {
    throw new InputError(`${place}.path`, 'must start with "files" or "batches"');
  }
  const batch = toWireInteger(id);
  if (batch !== undefined) {
    if (path.length === 2) return { kind: "batch", batch };
    if (member === "contacts") return { kind: "contact", batch, within };
    if (member === "lists" && within.length === 0 && op === "replace") {
      return { kind: "lists", batch };
    }
  }
  throw leadsNowhere(place);
}

/** The id of the Batch, if a path leads to a whole Batch. */
export function batchOf([part, id, ...within]: readonly unknown[]): string | undefined {
  return part === "batches" && within.length === 0 ? toWireInteger(id) : undefined;
}

export function leadsNowhere(place: string): InputError {
  return new InputError(
    `${place}.path`,
    "does not lead to a File, to a Batch, to its Lists or to its Contacts, or to a field of these",
  );
}
