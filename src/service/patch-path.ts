// The grammar of a service's patches:
//
//   ["files", record, …]                   to a File; the path goes on to a field of it
//   ["batches", id]                        to a Batch as a whole
//   ["batches", id, "lists"]               to its Lists, which are replaced as a whole
//   ["batches", id, "contacts", record, …] to a Contact; the path goes on to a field of it

import type { Patch } from "../engine/changes/patch.ts";
import type { PlacedPatch } from "../engine/changes/read-patches.ts";
import { InputError } from "../schema/errors.ts";
import { toIntegerText } from "../schema/numbers.ts";

type Path = Patch["path"];

export const pathToBatch = (id: string): Path => ["batches", id];
export const pathToLists = (id: string): Path => ["batches", id, "lists"];
export const pathToContacts = (id: string): Path => ["batches", id, "contacts"];

/** The target of a patch of Batches. The path to a Contact begins, within the collection, with its key. */
export type BatchTarget =
  | { readonly kind: "batch" | "lists"; readonly batch: string }
  | { readonly kind: "contact"; readonly batch: string; readonly within: readonly unknown[] };

/** The target of a patch: a File, or a Batch, its Lists or one of its Contacts. */
export type PatchTarget =
  | { readonly kind: "file"; readonly within: readonly unknown[] }
  | BatchTarget;

/** @throws InputError with the number of the patch if it has no target */
export function targetOf(patch: PlacedPatch): PatchTarget {
  const [first, ...within] = patch.path;
  if (first === "files") return { kind: "file", within };
  if (first === "batches") return batchTarget(patch);
  throw new InputError(`${patch.place}.path`, 'must start with "files" or "batches"');
}

/** Like `targetOf`, for a patch of Batches. */
export function batchTarget({ place, op, path }: PlacedPatch): BatchTarget {
  const [, id, member, ...within] = path;
  const batch = toIntegerText(id);
  if (batch === undefined) throw leadsNowhere(place);
  if (path.length === 2) return { kind: "batch", batch };
  if (member === "contacts") return { kind: "contact", batch, within };
  const isLists = member === "lists" && within.length === 0 && op === "replace";
  if (!isLists) throw leadsNowhere(place);
  return { kind: "lists", batch };
}

export function leadsNowhere(place: string): InputError {
  return new InputError(
    `${place}.path`,
    "does not point to a File, to a Batch, to its Lists or to its Contacts, or to a field of these",
  );
}
