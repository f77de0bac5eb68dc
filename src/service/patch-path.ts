// The grammar of a service's patches: `["files", key, …]` leads to a File, and the path goes on to a field of it;
// the paths of Batches, their Lists and their Contacts are those of collections by key.

import type { PlacedPatch } from "../collection/change/read-patches.ts";
import { keyedTarget, type KeyedNames, type KeyedTarget } from "../database/keyed-path.ts";
import { InputError } from "../schema/errors.ts";
import { toWireInteger } from "../schema/numbers.ts";

/** The names in the paths of Batches. */
export const BATCHES: KeyedNames = {
  ...{ name: "batches", declared: "lists", records: "contacts" },
  readKey: toWireInteger,
};

/** Where a patch leads: to a File, or to a Batch, its Lists or a Contact of it. */
export type PatchTarget =
  | { readonly kind: "file"; readonly within: readonly unknown[] }
  | KeyedTarget;

/** @throws InputError with the number of the patch if it leads nowhere */
export function targetOf(patch: PlacedPatch): PatchTarget {
  const [part, ...within] = patch.path;
  if (part === "files") return { kind: "file", within };
  if (part === BATCHES.name) return batchTarget(patch);
  throw new InputError(`${patch.place}.path`, 'must start with "files" or "batches"');
}

/** The same of a patch of Batches. */
export function batchTarget(patch: PlacedPatch): KeyedTarget {
  const target = keyedTarget(patch, BATCHES);
  if (target === undefined) throw leadsNowhere(patch.place);
  return target;
}

export function leadsNowhere(place: string): InputError {
  return new InputError(
    `${place}.path`,
    "does not lead to a File, to a Batch, to its Lists or to its Contacts, or to a field of these",
  );
}
