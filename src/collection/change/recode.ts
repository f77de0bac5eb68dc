// The records of a snapshot in another codec, which has other columns beside them. Each record keeps
// its key, and stays the same object where it loses nothing.

import type { WireValue } from "../../schema/field.ts";
import type { WireRecord } from "../../schema/schema.ts";
import type { Codec } from "../records/codec.ts";
import { ObjectRows, type ColumnName } from "../records/rows.ts";
import { Segment, type SegmentOptions } from "../snapshot/segment.ts";
import { Snapshot } from "../snapshot/snapshot.ts";
import type { Versioned } from "./change.ts";
import { locationsIn } from "./differences.ts";

/** What a row has in the columns of the new codec, in their order; `undefined` where it is left out. */
export type Revalue = (
  valueOf: (column: ColumnName) => WireValue,
) => readonly WireValue[] | undefined;

/** Indexes are built again when they are first asked for. Cost: linear in the records. */
export function recode(
  { snapshot, codec: from }: Versioned,
  to: Codec,
  options: SegmentOptions,
  revalue: Revalue,
): Snapshot {
  const columns = to.columns.map(({ name }) => ({ name, values: [] as WireValue[] }));
  const lost = from.columns.filter(({ name }) => to.columns.every((other) => other.name !== name));
  const records: WireRecord[] = [];
  const keys: number[] = [];
  for (const { segment, row } of locationsIn(snapshot)) {
    const valueOf = (column: ColumnName) => segment.rows.readerOf(column)(row);
    const values = revalue(valueOf);
    if (values === undefined) continue;
    let isSame = lost.every(({ name }) => valueOf(name) === null);
    for (let i = 0; i < columns.length; i++) {
      const value = values[i] ?? null;
      if (value !== valueOf(columns[i]!.name)) isSame = false;
      columns[i]!.values.push(value);
    }
    // A version of a record is an object of its own: that is how changes are found.
    const record = segment.rows.record(row);
    records.push(isSame ? record : Object.freeze({ ...record }));
    keys.push(segment.keyOf(row));
  }
  const values = new Map(columns.map(({ name, values }) => [name, values]));
  const rows = new ObjectRows(to.schema, records, values);
  const { indexes } = snapshot.segments[0];
  const base = Segment.of(to.schema, rows, keys, options, indexes.names);
  return new Snapshot([base], snapshot.nextKey);
}
