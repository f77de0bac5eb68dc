// Patches: what turned one collection into another, as plain JSON in the form that Immer's users
// know. A path starts with the key of a row, which is its own for life.

import type { AnyRecord } from "../../schema/schema.ts";
import { freeze, isDocument, type Document } from "../records/layout.ts";
import type { Location } from "../snapshot/snapshot.ts";
import type { Versioned } from "./version.ts";
import { differences } from "./differences.ts";

/**
 * A change: a record that was added, removed or replaced, at the path `[key]`; or a field of a
 * record, at the path `[key, field]`.
 */
export interface Patch {
  readonly op: "add" | "remove" | "replace";
  readonly path: readonly (string | number)[];
  /** A record as a whole, or the value of a field; in wire form. */
  readonly value?: unknown;
}

export interface Patches {
  /** Turn the collection before into the one after. */
  readonly patches: readonly Patch[];
  /** Turn it back. */
  readonly inversePatches: readonly Patch[];
}

/**
 * The patches between two snapshots of one codec.
 *
 * @param keys those of all rows that changed, and perhaps of others, where they are known; otherwise
 *   the snapshots are compared
 */
export function patchesBetween(
  before: Versioned,
  after: Versioned,
  keys?: readonly number[],
): Patches {
  const { codec } = after;
  const patches: Patch[] = [];
  const inversePatches: Patch[] = [];
  const write = ({ segment: { rows }, row }: Location): Document => codec.write(rows, row);
  for (const { key, old, young } of differences(before.snapshot, after.snapshot, keys)) {
    const [before, after] = [old && write(old), young && write(young)];
    if (old === undefined || young === undefined) {
      addChanges(before, after, [key], patches, inversePatches);
      continue;
    }
    // Where a field would be revised on the way, the record as a whole says what it shall be.
    const isRevised = codec.revise(after, recordAt(old)) !== after;
    const isRevisedBack = codec.revise(before, recordAt(young)) !== before;
    addChanges(before, after, [key], isRevised ? [] : patches, isRevisedBack ? [] : inversePatches);
    if (isRevised) patches.push(patchOf(Object.freeze([key]), before, after));
    if (isRevisedBack) inversePatches.push(patchOf(Object.freeze([key]), after, before));
  }
  return { patches, inversePatches };
}

/** The patches between two documents or values of a field, and back; `undefined` where there is none. */
function addChanges(
  before: unknown,
  after: unknown,
  path: readonly (string | number)[],
  patches: Patch[],
  inversePatches: Patch[],
): void {
  if (!isDocument(before) || !isDocument(after)) {
    Object.freeze(path);
    patches.push(patchOf(path, before, after));
    inversePatches.push(patchOf(path, after, before));
    return;
  }
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [old, young] = [before[name], after[name]];
    if (old !== young) addChanges(old, young, [...path, name], patches, inversePatches);
  }
}

function recordAt({ segment, row }: Location): AnyRecord {
  return segment.rows.record(row);
}

/** Frozen: subscribers of a service share it. */
function patchOf(path: readonly (string | number)[], before: unknown, after: unknown): Patch {
  if (after === undefined) return Object.freeze({ op: "remove", path });
  freeze(after);
  return Object.freeze({ op: before === undefined ? "add" : "replace", path, value: after });
}
