// The rows of a segment: records in insertion order and, beside them, a column for each field that
// records do not carry, and for what else is known of them. A row is named by its number, counted
// from 0.

import type { WireValue } from "../../schema/field.ts";
import type { Schema, WireRecord } from "../../schema/schema.ts";

/** A column is called as its field; one that is of no field has a symbol. */
export type ColumnName = string | symbol;

export interface Rows {
  /** The frozen records, as queries return them. */
  readonly records: readonly WireRecord[];
  /** The values of fields that are not stored, and of columns that are of no field. */
  readonly columns: ReadonlyMap<ColumnName, readonly WireValue[]>;
}

/** The value of a column by row number; `null` where there is no such column. */
export function columnOf({ columns }: Rows, name: ColumnName): (row: number) => WireValue {
  const column = columns.get(name);
  return column === undefined ? () => null : (row) => column[row] ?? null;
}

/** Reads a field's value by row number. */
export function readerOf(
  schema: Schema,
  rows: Rows,
): (field: string) => (row: number) => WireValue {
  const { records, columns } = rows;
  return (field) => {
    if (columns.has(field)) return columnOf(rows, field);
    const read = schema.readerOf(field);
    return (row) => read(records[row]!);
  };
}
