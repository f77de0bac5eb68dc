// Changes by given records: one, or any number of them.

import { insert, insertOne, upsert } from "../engine/changes/change.ts";
import type { Versioned } from "../engine/changes/delta.ts";
import type { Change } from "../engine/changes/transition.ts";
import { uniqueConstraint } from "../engine/execution/lookup.ts";
import { isIterable, isMembers, reading } from "../schema/input.ts";
import { flag, optional, readOptions } from "../schema/options.ts";

/** Inserts records at the end. @throws InputError */
export const inserting = (before: Versioned, records: unknown): Change =>
  isOneRecord(records) ? insertOne(before, records) : insert(before, records);

/** Replaces the records with the same value in a unique field or combination. @throws InputError */
export function upserting(
  before: Versioned,
  records: unknown,
  field: unknown,
  options: unknown,
): Change {
  const { schema, unique } = before.codec;
  const by = uniqueConstraint(schema, unique, field);
  const { merge } = readOptions(options, "options", { merge: optional(flag, false) });
  return upsert(before, records, by, isOneRecord(records), merge);
}

/** Whether the input is a single record. */
function isOneRecord(given: unknown): boolean {
  return reading("records", () => isMembers(given) && !isIterable(given));
}
