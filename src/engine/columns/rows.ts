// The rows of a segment: what each kind of them can do. A row is identified by its number, counted from
// 0. Nobody asks for the kind of rows.

import type { FieldType, TextValue } from "../../schema/field.ts";
import type { AnyRecord } from "../../schema/field-types.ts";
import type { Schema } from "../../schema/schema.ts";
import type { Origins } from "../algorithms/interleave.ts";
import type { Splice } from "../algorithms/splice.ts";
import type { Indexable } from "../indexes/column.ts";
import type { FieldIndex } from "../indexes/field-index.ts";

/** A column has the name of its field; a column that belongs to no field has a symbol. */
export type ColumnName = string | symbol;

export interface Rows extends Indexable {
  /** The frozen records, as queries return them, if they are objects already. */
  readonly records: readonly AnyRecord[] | undefined;
  /**
   * How many bytes were read so far from the file of the rows; `undefined` if they are not in a file.
   */
  readonly bytesRead: number | undefined;
  /** The frozen record of a row: the same object as long as anything refers to it. */
  record(row: number): AnyRecord;
  /** The records of the rows from one up to another, both clamped to the existing rows. */
  slice(from: number, to: number): AnyRecord[];
  /** Copies the records of a stretch of row numbers to a place in a page. */
  copyRecords(
    rows: ArrayLike<number>,
    from: number,
    to: number,
    page: AnyRecord[],
    at: number,
  ): void;
  /** Reads the values of a field, or of a column beside the records, by row number. */
  readerOf(name: ColumnName): (row: number) => TextValue;
  /** The index of a field or column that the rows bring. Built at the first call if necessary. */
  indexOf(name: ColumnName): FieldIndex | undefined;
  /** The values of a column, if they are an array. */
  columnOf(name: ColumnName): readonly TextValue[] | undefined;
  /** Equal for two rows of one key if they are the same version of a record. */
  versionOf(row: number): object;
  /** These rows, the first part, merged with others in the order of `origins`. */
  mergedWith(others: Rows, origins: Origins): Rows;
  /** These rows without some of them and with others inserted, if one copy can do both. */
  spliced(splice: Splice, others: Rows): Rows | undefined;
  /**
   * The same rows with other columns beside the records. Linear in the records; for columns, in the
   * columns alone.
   */
  recoded(recoding: Recoding): Rows;
}

export type Columns = ReadonlyMap<ColumnName, readonly TextValue[]>;

/** The new columns beside the records, and which of their values stay. */
export interface Recoding {
  readonly schema: Schema;
  readonly columns: readonly { readonly name: ColumnName; readonly type: FieldType }[];
  /** The removed columns. */
  readonly lost: readonly ColumnName[];
  /** The column whose value decides about a row. */
  readonly by: ColumnName;
  /**
   * The columns that keep their values in rows with one value there; `undefined` if such rows are
   * removed.
   */
  readonly keeps: (value: TextValue) => ReadonlySet<ColumnName> | undefined;
}

/** Their records from one row up to another, made one by one. */
export function sliceOf(rows: Rows, from: number, to: number): AnyRecord[] {
  const end = Math.min(to, rows.size);
  const records = new Array<AnyRecord>(Math.max(0, end - from));
  for (let row = from; row < end; row++) records[row - from] = rows.record(row);
  return records;
}
