// The records that a change affected, before and after, as recorded by the code that made the change. Patches, the
// journal and live queries are derived from it. Versions are compared (compare.ts) only if their changes were not
// recorded.

import type { Codec } from "../columns/codec.ts";
import type { Delta, RecordChange, Version } from "../columns/record-change.ts";
import type { Edit } from "../versions/edit.ts";
import type { Snapshot } from "../versions/snapshot.ts";
import type { FieldValue } from "../../schema/field.ts";

/** A version of a collection: a snapshot and the codec of its records. */
export interface Versioned {
  readonly snapshot: Snapshot;
  readonly codec: Codec;
}

/** The effect of an edit. Cost: linear in its rows. */
export function deltaOfEdit({ removed, added, keys }: Edit): Delta {
  const before: { key: number; version: Version }[] = [];
  removed.forEach((own, segment) => {
    const { rows } = segment;
    for (let i = 0; i < own.length; i++) {
      before.push({ key: segment.keyOf(own[i]!), version: { rows, row: own[i]! } });
    }
  });
  // The rows of one segment are in order already.
  if (removed.size > 1) before.sort((a, b) => a.key - b.key);
  const delta: RecordChange[] = [];
  let at = 0;
  for (let row = 0; row < keys.length; row++) {
    const key = keys[row]!;
    for (; at < before.length && before[at]!.key < key; at++) delta.push(removal(before[at]!));
    const replaced = before[at]?.key === key ? before[at++]!.version : undefined;
    delta.push({ key, before: replaced, after: { rows: added, row } });
  }
  for (; at < before.length; at++) delta.push(removal(before[at]!));
  return delta;
}

const removal = ({ key, version }: { key: number; version: Version }): RecordChange => {
  return { key, before: version, after: undefined };
};

/** The combined effect of several consecutive changes. Records that end as they began have not changed (U3). */
export function composed(deltas: readonly Delta[], codec: Codec): Delta {
  const byKey = new Map<number, RecordChange>();
  for (const delta of deltas) {
    for (const change of delta) {
      const earlier = byKey.get(change.key);
      const { key, after } = change;
      byKey.set(key, earlier === undefined ? change : { key, before: earlier.before, after });
    }
  }
  const all = [...byKey.values()].sort((a, b) => a.key - b.key);
  return withoutEqual(all, codec, codec);
}

/** The changes that give a record different values. Both codecs have the same fields. */
export function withoutEqual(changes: Iterable<RecordChange>, before: Codec, after: Codec): Delta {
  const values: FieldValue[] = [];
  const delta: RecordChange[] = [];
  for (const change of changes) {
    if (!hasEqualValues(change, before, after, values)) delta.push(change);
  }
  return delta;
}

/** @param values overwritten */
export function hasEqualValues(
  { before: old, after: now }: RecordChange,
  before: Codec,
  after: Codec,
  values: FieldValue[],
): boolean {
  if (old === undefined || now === undefined) return old === now;
  before.copyValues(old.rows, old.row, values);
  return after.hasValues(now.rows, now.row, values);
}
