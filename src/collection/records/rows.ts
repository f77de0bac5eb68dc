// The rows of a segment: records in insertion order and, beside them, a column for each field that
// records do not carry. A row is named by its number, counted from 0.

import type { WireValue } from "../../schema/field.ts";
import type { Schema, WireRecord } from "../../schema/schema.ts";

export interface Rows {
  /** The frozen records, as queries return them. */
  readonly records: readonly WireRecord[];
  /** The values of each field that is not stored, by field name. */
  readonly columns: ReadonlyMap<string, readonly WireValue[]>;
  /** The number of each record's group; undefined where the collection has no groups. */
  readonly groups: readonly number[] | undefined;
}

/** Reads a field's value by row number. */
export function readerOf(
  schema: Schema,
  { records, columns }: Rows,
): (field: string) => (row: number) => WireValue {
  return (field) => {
    const column = columns.get(field);
    if (column !== undefined) return (row) => column[row] ?? null;
    const read = schema.readerOf(field);
    return (row) => read(records[row]!);
  };
}
