// Patches: the changes from one collection to another, as plain JSON in Immer's form. A path starts with the
// key of a row, which the row keeps for life.

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
  /** A whole record, or the value of a field, as records hold it. */
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
 * @param keys those of all rows that changed, and perhaps of others, if they are known; otherwise the
 *   snapshots are compared
 */
export function patchesBetween(
  before: Versioned,
  after: Versioned,
  keys?: readonly number[],
): Patches {
  const { codec } = after;
  const patches: Patch[] = [];
  const inversePatches: Patch[] = [];
  const { parts } = codec.layout;
  const write = ({ segment: { rows }, row }: Location): Document => codec.write(rows, row);
  for (const { key, old, young } of differences(before.snapshot, after.snapshot, keys)) {
    const [before, after] = [old && write(old), young && write(young)];
    if (old === undefined || young === undefined) {
      addChange(before, after, [key], patches, inversePatches);
      continue;
    }
    // If applying a field's patch would revise other fields, the patch replaces the whole record.
    const isRevised = codec.revise(after, recordAt(old)) !== after;
    const isRevisedBack = codec.revise(before, recordAt(young)) !== before;
    const to = [isRevised ? [] : patches, isRevisedBack ? [] : inversePatches] as const;
    for (const [names, old, young] of membersThatDiffer(before, after, parts)) {
      addChange(old, young, [key, ...names], ...to);
    }
    if (isRevised) patches.push(patchOf(Object.freeze([key]), before, after));
    if (isRevisedBack) inversePatches.push(patchOf(Object.freeze([key]), after, before));
  }
  return { patches, inversePatches };
}

/**
 * The members in which two documents differ, by the names that lead to them, and their values in both.
 *
 * @param parts the members that hold fields
 */
function* membersThatDiffer(
  before: unknown,
  after: unknown,
  parts: ReadonlySet<string> = new Set(),
): Generator<readonly [names: readonly string[], old: unknown, young: unknown], void> {
  if (!isDocument(before) || !isDocument(after)) return;
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [old, young] = [before[name], after[name]];
    if (old === young) continue;
    if (!parts.has(name)) yield [[name], old, young];
    else
      for (const [names, ...both] of membersThatDiffer(old, young))
        yield [[name, ...names], ...both];
  }
}

/** The patch from one document or value to another, and back; `undefined` if they do not differ. */
function addChange(
  before: unknown,
  after: unknown,
  path: readonly (string | number)[],
  patches: Patch[],
  inversePatches: Patch[],
): void {
  Object.freeze(path);
  patches.push(patchOf(path, before, after));
  inversePatches.push(patchOf(path, after, before));
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
