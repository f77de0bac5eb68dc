// Patches as lines of a log. Each added record has its own patch, so that no line is longer than a record.

import type { Patch } from "../index.ts";
import { tuning } from "../engine/tuning.ts";
import { isMembers } from "../schema/input.ts";
import { recordsAdded } from "../database/changes.ts";
import type { DatabaseState } from "../database/database-state.ts";
import { orUndefined } from "../schema/errors.ts";
import { StoreError } from "./errors.ts";
import { bytesOf } from "./text.ts";

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

/** How many characters of lines are held before they are written. */
const MOST_HELD = 2 ** 22;

/**
 * Like {@link linesOf}, but throws beforehand if a line is too long. The first lines are made at once; the others, which
 * memory should not hold, while they are read. Cost of those: also visiting each value, but not its characters.
 *
 * @throws StoreError
 */
export function checkedLinesOf(patches: readonly Patch[], file: string): Iterable<string> {
  const first: string[] = [];
  let length = 0;
  for (const patch of patches) {
    if (length >= MOST_HELD) break;
    const line = lineOf(patch, file);
    first.push(line);
    length += line.length;
  }
  if (first.length === patches.length) return first;
  const others = patches.slice(first.length);
  for (const patch of others) if (mostBytes(patch) > tuning.longestLine) lineOf(patch, file);
  return chained(first, linesOf(others, file));
}

function* chained(first: readonly string[], others: Iterable<string>): Generator<string, void> {
  yield* first;
  yield* others;
}

/** @param line what to write; default: just the patch */
function lineOf(patch: Patch, file: string, line: object = patch): string {
  const longest = tuning.longestLine;
  // Throws if the line would exceed the maximum length of a string.
  const text = orUndefined(() => JSON.stringify(line));
  // A character has at most three bytes.
  const fits = (line: string) => 3 * line.length <= longest || bytesOf(line).length <= longest;
  if (text !== undefined && fits(text)) return text;
  const what = `${JSON.stringify(patch.path)} has more`;
  throw new StoreError(file, `accepts at most ${longest} bytes of JSON for a record; ${what}`, {
    code: "limit",
  });
}

/** An upper bound of the bytes of a value as JSON: up to six per character, 24 per number. */
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
 * The patches that create a state from nothing. A Batch stored elsewhere is empty here, which preserves the order of
 * Batches.
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
