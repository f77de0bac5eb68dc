// The differences of two snapshots: rows that only one of them has, or has in another version.

import type { FieldValue } from "../../schema/field.ts";
import type { AnyRecord } from "../../schema/schema.ts";
import type { Codec } from "../records/codec.ts";
import type { Segment } from "../snapshot/segment.ts";
import type { Location, Snapshot } from "../snapshot/snapshot.ts";
import { changesBetween, type Changes, type Versioned } from "./version.ts";

/** A row that is not the same in two snapshots. */
export interface Difference {
  readonly key: number;
  readonly old: Location | undefined;
  readonly young: Location | undefined;
}

/**
 * The rows that are not the same in two snapshots, in the order of keys.
 * Cost: linear in the keys, with a search for each; without keys, linear in the rows of segments that only
 * one of the snapshots has.
 *
 * @param keys all keys of such rows, and perhaps others, if they are known
 */
export function differences(
  before: Snapshot,
  after: Snapshot,
  keys?: readonly number[],
): Iterable<Difference> {
  return keys === undefined ? compared(before, after) : sought(before, after, keys);
}

function* sought(
  before: Snapshot,
  after: Snapshot,
  keys: readonly number[],
): Generator<Difference, void> {
  yield* placed(before, after, Float64Array.from(new Set(keys)).sort());
}

/** The rows with some keys that are not the same in two snapshots. */
function* placed(
  before: Snapshot,
  after: Snapshot,
  keys: Iterable<number>,
): Generator<Difference, void> {
  for (const key of keys) {
    const [old, young] = [before.find(key), after.find(key)];
    if (versionOf(old) !== versionOf(young)) yield { key, old, young };
  }
}

function* compared(before: Snapshot, after: Snapshot): Generator<Difference, void> {
  const removed = locationsIn(before, after);
  const added = locationsIn(after, before);
  let old = removed.next().value;
  let young = added.next().value;
  while (old !== undefined || young !== undefined) {
    const key = Math.min(keyOf(old), keyOf(young));
    const difference = {
      key,
      old: keyOf(old) === key ? old : undefined,
      young: keyOf(young) === key ? young : undefined,
    };
    // Each version of a record has its own object, wherever it is moved.
    if (versionOf(difference.old) !== versionOf(difference.young)) yield difference;
    if (difference.old !== undefined) old = removed.next().value;
    if (difference.young !== undefined) young = added.next().value;
  }
}

/** Whether two snapshots have the same rows under the same keys. Their columns are the same. */
export function hasSameRows(a: Versioned, b: Versioned): boolean {
  if (a.snapshot.segments === b.snapshot.segments) return true;
  if (a.snapshot.size !== b.snapshot.size) return false;
  const values: FieldValue[] = [];
  const others = locationsIn(b.snapshot);
  for (const { segment, row } of locationsIn(a.snapshot)) {
    const other = others.next().value;
    if (other === undefined || keyOf(other) !== segment.keyOf(row)) return false;
    a.codec.copyValues(segment.rows, row, values);
    if (!b.codec.hasValues(other.segment.rows, other.row, values)) return false;
  }
  return true;
}

/**
 * What becomes of a collection: other records; the same, kept in another way; or nothing at all (rule U3).
 * Cost: linear in the keys of the changes, up to the first record that differs. If the changes are not known, see
 * {@link differences}.
 */
export function outcomeOf(
  changes: Changes,
  before: Versioned,
  after: Versioned,
): "changed" | "moved" | "none" {
  if (before.snapshot === after.snapshot) return "none";
  const chain = changesBetween(changes, before.snapshot, after.snapshot);
  const made = chain?.filter(({ by }) => by !== "compact");
  if (made === undefined) {
    const isRelated = before.snapshot.lineage === after.snapshot.lineage;
    const isSame = isRelated
      ? isEqual(before, after, differences(before.snapshot, after.snapshot))
      : hasSameRows(before, after);
    return isSame ? "moved" : "changed";
  }
  if (made.length === 0) return "moved";
  // One change alone always changes a value.
  if (made.length === 1) return "changed";
  const keys = new Set(made.flatMap((change) => change.keys()));
  return isEqual(before, after, placed(before.snapshot, after.snapshot, keys)) ? "none" : "changed";
}

function isEqual(before: Versioned, after: Versioned, rows: Iterable<Difference>): boolean {
  const values: FieldValue[] = [];
  for (const { old, young } of rows) {
    if (old === undefined || young === undefined) return false;
    before.codec.copyValues(old.segment.rows, old.row, values);
    if (!after.codec.hasValues(young.segment.rows, young.row, values)) return false;
  }
  return true;
}

function keyOf(location: Location | undefined): number {
  return location === undefined ? Infinity : location.segment.keyOf(location.row);
}

function versionOf(location: Location | undefined): object | undefined {
  return location?.segment.rows.versionOf(location.row);
}

/** The versions of records that only one of two snapshots has, with the fields that they do not carry. */
export function* versionsBetween(
  before: Snapshot,
  after: Snapshot,
  codec: Codec,
): Generator<AnyRecord, void> {
  for (const { old, young } of differences(before, after)) {
    if (old !== undefined) yield codec.flat(old.segment.rows, old.row);
    if (young !== undefined) yield codec.flat(young.segment.rows, young.row);
  }
}

/**
 * The live rows of a snapshot in the order of keys; if another snapshot is given, without those that it
 * holds at the same place.
 */
export function* locationsIn(snapshot: Snapshot, other?: Snapshot): Generator<Location, undefined> {
  const others = new Map(other?.segments.map((segment) => [segment.rows, segment]));
  const heads = snapshot.segments.map((segment) => {
    const shared = others.get(segment.rows);
    const rows =
      shared === undefined ? liveRows(segment) : shared.dead.difference(segment.dead).values();
    return { segment, rows, row: rows.next().value };
  });
  for (;;) {
    let first: (typeof heads)[number] | undefined;
    let lowest = Infinity;
    for (const head of heads) {
      if (head.row === undefined) continue;
      const key = head.segment.keyOf(head.row);
      if (key > lowest) continue;
      first = head;
      lowest = key;
    }
    if (first?.row === undefined) return undefined;
    yield { segment: first.segment, row: first.row };
    first.row = first.rows.next().value;
  }
}

function* liveRows({ size, dead }: Segment): Generator<number, undefined> {
  for (let row = 0; row < size; row++) if (!dead.has(row)) yield row;
  return undefined;
}
