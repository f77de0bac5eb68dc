// Patches as lines of a log. Each added record has its own patch, so that no line is longer than a record.

import type { Patch } from "../index.ts";
import { tuning } from "../engine/tuning.ts";
import { isMembers } from "../schema/input.ts";
import { recordsAdded } from "../database/changes.ts";
import type { DatabaseState } from "../database/database-state.ts";
import { orUndefined } from "../schema/errors.ts";
import { StoreError } from "./errors.ts";

/**
 * A line for each patch.
 *
 * @param file the file of the lines
 * @throws StoreError if a line would be too long
 */
export function* linesOf(patches: Iterable<Patch>, file: string): Generator<string, void> {
  for (const patch of patches) yield lineOf(patch, file);
}

/** A line for each patch that adds a record to a collection in files. @throws StoreError */
export function* linesAdding(
  source: string,
  patches: Iterable<Patch>,
  file: string,
): Generator<string, void> {
  for (const patch of patches) yield lineOf(patch, file, { source, adds: patch });
}

/**
 * The same as {@link linesOf}, made as they are read. Refuses patches with a line that is too long before that. Cost: that of visiting
 * each value, without its characters.
 *
 * @throws StoreError
 */
export function checkedLinesOf(patches: readonly Patch[], file: string): Iterable<string> {
  for (const patch of patches) if (mostBytes(patch) > tuning.longestLine) lineOf(patch, file);
  return linesOf(patches, file);
}

/** @param line what is written; default: the patch alone */
function lineOf(patch: Patch, file: string, line: object = patch): string {
  const longest = tuning.longestLine;
  // It fails if the line would be longer than strings can be.
  const text = orUndefined(() => JSON.stringify(line));
  if (text !== undefined && Buffer.byteLength(text) <= longest) return text;
  const what = `${JSON.stringify(patch.path)} has more`;
  throw new StoreError(file, `accepts at most ${longest} bytes of JSON for a record; ${what}`, {
    code: "limit",
  });
}

/** An upper bound of the bytes of a value as JSON: up to six for a character, 24 for a number. */
function mostBytes(value: unknown): number {
  if (typeof value === "string") return 6 * value.length + 3;
  let sum = 25;
  if (Array.isArray(value)) for (const each of value) sum += mostBytes(each);
  else if (isMembers(value)) {
    for (const name in value) sum += 6 * name.length + 3 + mostBytes(value[name]);
  }
  return sum;
}

/**
 * The patches that make a state from nothing. A Batch stored elsewhere is empty here, which keeps the
 * Batches in order.
 *
 * @param isElsewhere whether a collection is stored elsewhere
 */
export function* patchesOf(state: DatabaseState, isElsewhere: (source: string) => boolean) {
  for (const { source, collection, path, declaration } of state.collections()) {
    const isHere = !isElsewhere(source);
    if (declaration !== undefined) yield declaration(isHere);
    if (isHere) yield* recordsAdded(path, collection.state, "key");
  }
}
