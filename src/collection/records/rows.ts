// The rows of a segment. A row is named by its number, counted from 0. Rows come in kinds: here are
// those whose records are objects; `index/column-rows.ts` has those that are columns.

import type { WireValue } from "../../schema/field.ts";
import { fieldOf, type Schema, type WireRecord } from "../../schema/schema.ts";
import { isAppended, pick, type Origins } from "../algorithms/interleave.ts";
import { spliced, type Splice } from "../algorithms/splice.ts";
import { digestReaderOf } from "./digests.ts";

/** A column is called as its field; one that is of no field has a symbol. */
export type ColumnName = string | symbol;

export interface Rows {
  readonly size: number;
  /** The frozen records, as queries return them, where they are objects already. */
  readonly records: readonly WireRecord[] | undefined;
  /** How many bytes were read so far from the file that the rows are in; `undefined` where they are in none. */
  readonly bytesRead: number | undefined;
  /** The frozen record of a row: the same object as long as somebody holds it. */
  record(row: number): WireRecord;
  /** The records of the rows from one up to another, both clamped to what there is. */
  slice(from: number, to: number): WireRecord[];
  /** Copies the records of a stretch of row numbers to a place in a page. */
  copyRecords(
    rows: ArrayLike<number>,
    from: number,
    to: number,
    page: WireRecord[],
    at: number,
  ): void;
  /** Reads the values of a field, or of a column beside the records, by row number. */
  readerOf(name: ColumnName): (row: number) => WireValue;
  /** The digests of a field by row number, where they are kept beside the rows. */
  digestsOf(name: string): Float64Array | undefined;
  /** Keeps the digests of a field from now on, eight bytes a row. Columns need none: they hold codes. */
  keepDigests?(name: string): void;
  /** The values of a column, where they are an array. */
  columnOf?(name: ColumnName): readonly WireValue[] | undefined;
  /** What two rows of one key have in common if they are the same version of a record. */
  versionOf(row: number): object;
  /** These rows and others, as `origins` says: the first part are these. */
  mergedWith(others: Rows, origins: Origins): Rows;
}

export type Columns = ReadonlyMap<ColumnName, readonly WireValue[]>;

/** Records in insertion order and, beside them, columns of what they do not carry. */
export class ObjectRows implements Rows {
  readonly records: readonly WireRecord[];
  readonly bytesRead = undefined;
  readonly #schema: Schema;
  readonly #columns: Columns;
  readonly #digests = new Map<string, Float64Array>();

  /** @param columns the values of fields that are not stored, and of columns that are of no field */
  constructor(schema: Schema, records: readonly WireRecord[], columns: Columns) {
    this.#schema = schema;
    this.records = records;
    this.#columns = columns;
  }

  get size(): number {
    return this.records.length;
  }

  record(row: number): WireRecord {
    return this.records[row]!;
  }

  slice(from: number, to: number): WireRecord[] {
    return this.records.slice(from, to);
  }

  copyRecords(
    rows: ArrayLike<number>,
    from: number,
    to: number,
    page: WireRecord[],
    at: number,
  ): void {
    const { records } = this;
    const shift = at - from;
    for (let i = from; i < to; i++) page[i + shift] = records[rows[i]!]!;
  }

  readerOf(name: ColumnName): (row: number) => WireValue {
    const column = this.#columns.get(name);
    if (column !== undefined) return (row) => column[row] ?? null;
    if (typeof name === "symbol") return () => null;
    const { records } = this;
    const read = this.#schema.readerOf(name);
    return (row) => read(records[row]!);
  }

  digestsOf(name: string): Float64Array | undefined {
    return this.#digests.get(name);
  }

  keepDigests(name: string): void {
    if (this.#digests.has(name)) return;
    const read = this.#digestReaderOf(this, name);
    this.#digests.set(name, Float64Array.from(this.records.keys(), read));
  }

  #digestReaderOf(rows: Rows, name: string): (row: number) => number {
    return digestReaderOf(rows, fieldOf(this.#schema, name)!.type, name);
  }

  versionOf(row: number): object {
    return this.records[row]!;
  }

  columnOf(name: ColumnName): readonly WireValue[] | undefined {
    return this.#columns.get(name);
  }

  /** These rows without some of them, and with others put in. */
  spliced(splice: Splice, others: ObjectRows): ObjectRows {
    const columns = new Map<ColumnName, readonly WireValue[]>();
    this.#columns.forEach((values, name) => {
      columns.set(name, spliced(splice, values, others.#columns.get(name) ?? []));
    });
    return new ObjectRows(this.#schema, spliced(splice, this.records, others.records), columns);
  }

  mergedWith(others: Rows, origins: Origins): ObjectRows {
    const all =
      others.records ?? Array.from({ length: others.size }, (_, row) => others.record(row));
    const columns = Array.from(
      this.#columns,
      ([name, values]) => [name, pick(origins, values, columnOf(others, name))] as const,
    );
    const merged = new ObjectRows(this.#schema, pick(origins, this.records, all), new Map(columns));
    for (const [name, own] of this.#digests) {
      const read = this.#digestReaderOf(others, name);
      merged.#digests.set(name, mergeDigests(origins, own, others.size, read));
    }
    return merged;
  }
}

/** A loop of its own: V8 compiles it once, not again with all that is around it. */
function mergeDigests(
  origins: Origins,
  own: Float64Array,
  others: number,
  read: (row: number) => number,
): Float64Array {
  const digests = new Float64Array(origins.length);
  const isBehind = isAppended(origins, own.length, others);
  if (isBehind) digests.set(own);
  for (let row = isBehind ? own.length : 0; row < digests.length; row++) {
    const origin = origins[row]!;
    digests[row] = origin >= 0 ? own[origin]! : read(~origin);
  }
  return digests;
}

/** The values of a column, by row number. */
function columnOf(rows: Rows, name: ColumnName): readonly WireValue[] {
  const column = rows.columnOf?.(name);
  if (column !== undefined) return column;
  const read = rows.readerOf(name);
  return Array.from({ length: rows.size }, (_, row) => read(row));
}
