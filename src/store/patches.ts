// Patches as lines of a log. A Batch that was added becomes one without Contacts, followed by each
// Contact with its key: no line is longer than a record, however large the Batch.

import type { Patch } from "../index.ts";
import { isMembers } from "../schema/input.ts";
import { batchPatch, recordsAdded } from "../service/changes.ts";
import { pathTo, targetOf } from "../service/patch-path.ts";
import type { ServiceState } from "../service/state.ts";
import { StoreError } from "./errors.ts";

/**
 * The most bytes of a line: what is written must be readable in any process, and some engines limit
 * strings to 2^28 characters.
 */
const LONGEST_LINE = 255 * 2 ** 20;

/**
 * Each patch, in one or more lines.
 *
 * @param file the file of the lines
 * @throws StoreError if a line would be too long
 */
export function* linesOf(patches: Iterable<Patch>, file: string): Generator<string, void> {
  for (const patch of patches) for (const each of split(patch)) yield lineOf(each, file);
}

/**
 * Refuses patches with a line that is too long, before any is written. Cost: that of visiting each
 * value, without its characters.
 *
 * @throws StoreError
 */
export function refuseLong(patches: Iterable<Patch>, file: string, longest = LONGEST_LINE): void {
  for (const patch of patches) {
    if (mostBytes(patch) <= longest) continue;
    for (const each of split(patch)) if (mostBytes(each) > longest) lineOf(each, file, longest);
  }
}

function lineOf(patch: Patch, file: string, longest = LONGEST_LINE): string {
  const line = stringified(patch);
  if (line !== undefined && Buffer.byteLength(line) <= longest) return line;
  const what = `${JSON.stringify(patch.path)} has more`;
  throw new StoreError(file, `accepts at most ${longest} bytes of JSON for a record; ${what}`);
}

/** `undefined` if it would be longer than strings can be. */
function stringified(patch: Patch): string | undefined {
  try {
    return JSON.stringify(patch);
  } catch (thrown) {
    if (thrown instanceof RangeError) return undefined;
    throw thrown;
  }
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
 * @param isElsewhere whether the Files, or the Batch with an id, are stored elsewhere
 */
export function* patchesOf(
  { files, batches }: ServiceState,
  isElsewhere: (batch: string | undefined) => boolean,
): Generator<Patch, void> {
  if (!isElsewhere(undefined)) yield* recordsAdded(pathTo.files, files.state);
  for (const [id, { declared, contacts }] of batches) {
    const isHere = !isElsewhere(id);
    yield batchPatch(id, isHere ? declared.all : []);
    if (isHere) yield* recordsAdded(pathTo.contacts(id), contacts.state);
  }
}

function* split(patch: Patch): Generator<Patch, void> {
  const { op, path, value } = patch;
  const target = targetOf({ place: "patch", op, path, value });
  if (op !== "add" || target.kind !== "batch" || !isMembers(value)) {
    yield patch;
    return;
  }
  const contactsPath = pathTo.contacts(target.batch);
  const lists = membersOf(value.lists);
  yield { op, path, value: { ...value, lists: lists.map((list) => ({ ...list, contacts: [] })) } };
  // Loading takes the Contacts List by List, with keys from 0 on.
  let key = 0;
  for (const { id: list, contacts } of lists) {
    for (const contact of membersOf(contacts)) {
      yield { op, path: [...contactsPath, key++], value: { list, ...contact } };
    }
  }
}

function membersOf(list: unknown): Readonly<Record<string, unknown>>[] {
  return Array.isArray(list) ? list.filter(isMembers) : [];
}
