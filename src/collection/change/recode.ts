// The records of a snapshot in another codec, which has other columns beside them. Each record keeps
// its key, and stays the same object where it loses nothing. Rows that are columns stay columns: those
// that go on as they are are shared, and no record is made.

import type { WireValue } from "../../schema/field.ts";
import type { WireRecord } from "../../schema/schema.ts";
import { finish } from "../algorithms/steps.ts";
import { ColumnRows } from "../index/column-rows.ts";
import { FieldIndex } from "../index/field-index.ts";
import type { Codec, Column } from "../records/codec.ts";
import { ObjectRows, type ColumnName } from "../records/rows.ts";
import { Segment, type SegmentOptions } from "../snapshot/segment.ts";
import { Snapshot, type Location } from "../snapshot/snapshot.ts";
import type { Versioned } from "./change.ts";
import { locationsIn } from "./differences.ts";

/** What becomes of rows. */
export interface Recoding {
  /** The column whose value decides on a row. */
  readonly by: ColumnName;
  /** The columns that keep their values in rows with one value there; `undefined` where such rows go. */
  readonly keeps: (value: WireValue) => ReadonlySet<ColumnName> | undefined;
}

/**
 * Indexes are built again when queries need them. Cost: linear in the records; in the columns
 * alone where rows are these.
 */
export function recode(
  { snapshot, codec: from }: Versioned,
  to: Codec,
  options: SegmentOptions,
  recoding: Recoding,
): Snapshot {
  const [base, ...others] = snapshot.segments;
  const { names } = base.indexes;
  if (!(base.rows instanceof ColumnRows)) {
    const { rows, keys } = recodeRows(locationsIn(snapshot), from, to, recoding);
    return new Snapshot([Segment.of(to.schema, rows, keys, options, names)], snapshot.nextKey);
  }
  const { rows, gone } = recodeColumns(base.rows, from, to, recoding);
  const dead: number[] = [];
  for (let row = 0; row < base.size; row++) if (base.dead.has(row) || gone(row)) dead.push(row);
  const columns = Segment.of(to.schema, rows, base.keys, options, names);
  const changed = others.flatMap((segment) => {
    const { rows, keys } = recodeRows(segment.locations(), from, to, recoding);
    return keys.length === 0 ? [] : [Segment.of(to.schema, rows, keys, options, names)];
  });
  return new Snapshot([columns.without(Uint32Array.from(dead)), ...changed], snapshot.nextKey);
}

function recodeRows(
  locations: Iterable<Location>,
  from: Codec,
  to: Codec,
  { by, keeps }: Recoding,
): { readonly rows: ObjectRows; readonly keys: readonly number[] } {
  const columns = to.columns.map(({ name }) => ({ name, values: [] as WireValue[] }));
  const lost = from.columns.filter(({ name }) => to.columns.every((other) => other.name !== name));
  const records: WireRecord[] = [];
  const keys: number[] = [];
  for (const { segment, row } of locations) {
    const valueOf = (column: ColumnName) => segment.rows.readerOf(column)(row);
    const kept = keeps(valueOf(by));
    if (kept === undefined) continue;
    let isSame = lost.every(({ name }) => valueOf(name) === null);
    for (const { name, values } of columns) {
      const before = valueOf(name);
      const value = kept.has(name) ? before : null;
      if (value !== before) isSame = false;
      values.push(value);
    }
    // A version of a record is an object of its own: that is how changes are found.
    const record = segment.rows.record(row);
    records.push(isSame ? record : Object.freeze({ ...record }));
    keys.push(segment.keyOf(row));
  }
  const values = new Map(columns.map(({ name, values }) => [name, values]));
  return { rows: new ObjectRows(to.schema, records, values), keys };
}

function recodeColumns(
  rows: ColumnRows,
  from: Codec,
  to: Codec,
  { by, keeps }: Recoding,
): { readonly rows: ColumnRows; readonly gone: (row: number) => boolean } {
  const groups = rows.indexOf(by);
  const groupOf = groups?.codes;
  const kept = Array.from({ length: groups?.values.length ?? 1 }, (_, code) =>
    keeps(groups?.values.at(code) ?? null),
  );
  const keptIn = (row: number) => kept[groupOf?.[row] ?? 0];
  const lost = from.columns.filter(({ name }) => to.columns.every((other) => other.name !== name));
  let isSame = lost.every(({ name }) => hasNoValue(rows.indexOf(name)));
  const indexes = to.columns.map((column): [ColumnName, FieldIndex] => {
    const { name } = column;
    const type = typeOf(column, to);
    const index = rows.indexOf(name);
    if (index?.type !== type || kept.every((each) => !each?.has(name))) {
      isSame &&= hasNoValue(index);
      return [name, FieldIndex.ofCodes(type, [null], new Uint32Array(rows.size))];
    }
    if (kept.every((each) => each?.has(name) ?? true)) return [name, index];
    const { codes } = index;
    let isWhole = true;
    for (let row = 0; row < rows.size && isWhole; row++) {
      isWhole = codes[row] === 0 || (keptIn(row)?.has(name) ?? true);
    }
    if (isWhole) return [name, index];
    isSame = false;
    const read = rows.readerOf(name);
    const valueOf = (row: number) => (keptIn(row)?.has(name) === true ? read(row) : null);
    return [name, finish(FieldIndex.building(type, rows.size, valueOf))];
  });
  const recoded = rows.recoded(to.schema, new Map(indexes), isSame);
  return { rows: recoded, gone: (row) => keptIn(row) === undefined };
}

/** Whether a column has nothing but null, as far as its values tell. */
function hasNoValue(index: FieldIndex | undefined): boolean {
  return index === undefined || index.values.length === 1;
}

function typeOf({ name }: Column, { schema }: Codec) {
  return schema.places.find((place) => place.name === name)?.field.type ?? "string";
}
