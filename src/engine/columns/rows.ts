// The rows of a segment: the interface that all ways to store them share. A row is identified by its number, counted
// from 0. No other code depends on how rows are stored.

import type { FieldType, TextValue } from "../../schema/field.ts";
import type { AnyRecord } from "../../schema/field-types.ts";
import type { Schema } from "../../schema/schema.ts";
import type { Origins } from "../algorithms/interleave.ts";
import type { Splice } from "../algorithms/splice.ts";
import type { Indexable } from "../indexes/column.ts";
import type { FieldIndex } from "../indexes/field-index.ts";

/** A column of a field has its name; a hidden column has a symbol. */
export type ColumnName = string | symbol;

export interface Rows extends Indexable {
  /** The frozen records, as queries return them, if they exist as objects. */
  readonly records: readonly AnyRecord[] | undefined;
  /** How many bytes have been read from the file of the rows; `undefined` if they are not in a file. */
  readonly bytesRead: number | undefined;
  /** The frozen record of a row: the same object while anything refers to it. */
  record(row: number): AnyRecord;
  /** The records of a range of rows, clamped to the existing ones. */
  slice(from: number, to: number): AnyRecord[];
  /** Copies the records of a range of rows into a page. */
  copyRecords(
    rows: ArrayLike<number>,
    from: number,
    to: number,
    page: AnyRecord[],
    at: number,
  ): void;
  /** Reads the values of a field or hidden column by row number. */
  readerOf(name: ColumnName): (row: number) => TextValue;
  /** The index of a field or column that the rows already have. Built at the first call if necessary. */
  indexOf(name: ColumnName): FieldIndex | undefined;
  /** The values of a column, if they are stored as an array. */
  columnOf(name: ColumnName): readonly TextValue[] | undefined;
  /** Equal for two rows of one key if they are the same version of a record. */
  versionOf(row: number): object;
  /** These rows merged with others in the order of `origins`. These are the first part. */
  mergedWith(others: Rows, origins: Origins): Rows;
  /** These rows without some of them and with others inserted, if a single copy can do both. */
  spliced(splice: Splice, others: Rows): Rows | undefined;
  /** The same rows with other columns. Linear in the records; for rows stored as columns, in the columns only. */
  recoded(recoding: Recoding): Rows;
}

export type Columns = ReadonlyMap<ColumnName, readonly TextValue[]>;

/** The new columns, and which of their values are kept. */
export interface Recoding {
  readonly schema: Schema;
  readonly columns: readonly { readonly name: ColumnName; readonly type: FieldType }[];
  /** The removed columns. */
  readonly lost: readonly ColumnName[];
  /** The column whose value decides what a row keeps. */
  readonly by: ColumnName;
  /** The columns that keep their values in rows with a given value there; `undefined` if such rows are removed. */
  readonly keeps: (value: TextValue) => ReadonlySet<ColumnName> | undefined;
}

/** The records of a range of rows, made one by one. */
export function sliceOf(rows: Rows, from: number, to: number): AnyRecord[] {
  const end = Math.min(to, rows.size);
  const records = new Array<AnyRecord>(Math.max(0, end - from));
  for (let row = from; row < end; row++) records[row - from] = rows.record(row);
  return records;
}
