// Compares two versions of a collection when the changes between them are unknown: neither was made from the other by
// recorded changes.

import type { FieldValue } from "../../schema/field.ts";
import type { Location, Snapshot } from "../versions/snapshot.ts";
import type { Segment } from "../versions/segment.ts";
import type { RecordChange, Version } from "../columns/record-change.ts";
import { hasEqualValues, type Versioned } from "./delta.ts";

/**
 * The records that differ between two snapshots, compared by object identity, in the order of keys. Cost: linear in the
 * rows of segments that only one of the snapshots has.
 */
export function* compare(before: Snapshot, after: Snapshot): Generator<RecordChange, void> {
  const removed = locationsIn(before, after);
  const added = locationsIn(after, before);
  let old = removed.next().value;
  let now = added.next().value;
  while (old !== undefined || now !== undefined) {
    const key = Math.min(keyOf(old), keyOf(now));
    const change = {
      key,
      before: keyOf(old) === key ? versionAt(old) : undefined,
      after: keyOf(now) === key ? versionAt(now) : undefined,
    };
    // Each version of a record has its own object, wherever its row moves.
    if (identityOf(change.before) !== identityOf(change.after)) yield change;
    if (change.before !== undefined) old = removed.next().value;
    if (change.after !== undefined) now = added.next().value;
  }
}

/** Whether two snapshots have the same rows under the same keys. Their columns are the same. */
export function hasSameRows(a: Versioned, b: Versioned): boolean {
  if (a.snapshot.segments === b.snapshot.segments) return true;
  if (a.snapshot.size !== b.snapshot.size) return false;
  const values: FieldValue[] = [];
  for (const change of compare(a.snapshot, b.snapshot)) {
    if (!hasEqualValues(change, a.codec, b.codec, values)) return false;
  }
  return true;
}

function keyOf(location: Location | undefined): number {
  return location === undefined ? Infinity : location.segment.keyOf(location.row);
}

function versionAt(location: Location | undefined): Version | undefined {
  return location && { rows: location.segment.rows, row: location.row };
}

function identityOf(version: Version | undefined): object | undefined {
  return version?.rows.versionOf(version.row);
}

/**
 * The live rows of a snapshot in the order of keys, without those that the other snapshot, if given, has at the same
 * place.
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
