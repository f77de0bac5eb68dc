// The records of a snapshot in another codec: with more fields that records do not carry, or fewer,
// and in other groups. Each record keeps its key, and stays the same object where it loses nothing.

import type { WireValue } from "../../schema/field.ts";
import { fieldOf, type WireRecord } from "../../schema/schema.ts";
import type { Codec } from "../records/codec.ts";
import { locationsIn } from "./patch.ts";
import type { Rows } from "../records/rows.ts";
import { Segment, type SegmentOptions } from "../snapshot/segment.ts";
import { Snapshot } from "../snapshot/snapshot.ts";

/**
 * A record whose group is no more is left out. A field of which the codec before says nothing, or
 * another type, is `null`. Indexes are built again when they are first asked for.
 * Cost: linear in the records.
 */
export function recode(
  snapshot: Snapshot,
  from: Codec,
  to: Codec,
  options: SegmentOptions,
): Snapshot {
  const others = to.groups?.all ?? [];
  const groupOf = from.groups?.all.map(({ id }) => others.findIndex((group) => group.id === id));
  const names = new Set([...from.unstored, ...to.unstored].map(({ name }) => name));
  const nested = Array.from(names, (name) => ({
    name,
    values: [] as WireValue[],
    /** The groups whose records keep their values. */
    isKept:
      fieldOf(from.schema, name)?.type === fieldOf(to.schema, name)?.type &&
      (to.groups?.all ?? [undefined]).map((group) => group?.nested.has(name) !== false),
  }));
  const records: WireRecord[] = [];
  const keys: number[] = [];
  const groups: number[] = [];
  for (const { segment, row } of locationsIn(snapshot)) {
    const { rows } = segment;
    const group = groupOf?.[rows.groups?.[row] ?? 0] ?? 0;
    if (group < 0) continue;
    let hasLost = false;
    for (const { name, values, isKept } of nested) {
      const value = rows.columns.get(name)?.[row] ?? null;
      const keeps = isKept !== false && isKept[group] === true;
      values.push(keeps ? value : null);
      if (!keeps && value !== null) hasLost = true;
    }
    // A version of a record is an object of its own: that is how changes are found.
    const record = rows.records[row]!;
    records.push(hasLost ? Object.freeze({ ...record }) : record);
    keys.push(segment.keyOf(row));
    groups.push(group);
  }
  const rows: Rows = {
    records,
    columns: new Map(
      nested
        .filter(({ name }) => fieldOf(to.schema, name) !== undefined)
        .map(({ name, values }) => [name, values]),
    ),
    groups: to.groups === undefined ? undefined : groups,
  };
  const { indexes } = snapshot.segments[0];
  // Ascending keys, of which the last is no more than its row's number, are all their rows' numbers.
  const ownKeys = (keys.at(-1) ?? -1) === keys.length - 1 ? undefined : keys;
  const base = Segment.of(to.schema, rows, ownKeys, options, indexes.names);
  return new Snapshot([base], snapshot.nextKey);
}
