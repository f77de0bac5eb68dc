// Rows with fields of the records to which they refer.

import type { TextValue } from "../../schema/field.ts";
import type { AnyRecord } from "../../schema/field-types.ts";
import type { ColumnName, Rows } from "../columns/rows.ts";
import type { Derived } from "../indexes/derived.ts";
import { numberOf } from "../indexes/field-index.ts";

/** Reads the values of a column by row number. */
export type Reader = (row: number) => TextValue;

export class JoinedRows implements Rows {
  readonly isIndexed: boolean;
  readonly size: number;
  readonly #rows: Rows;
  readonly #joined: ReadonlyMap<ColumnName, () => Reader>;

  /** @param joined makes the readers of columns that the rows do not have themselves */
  constructor(rows: Rows, joined: ReadonlyMap<ColumnName, () => Reader>) {
    this.isIndexed = rows.isIndexed;
    this.size = rows.size;
    this.#rows = rows;
    this.#joined = joined;
  }

  get records(): readonly AnyRecord[] | undefined {
    return this.#rows.records;
  }

  get derived(): Derived {
    return this.#rows.derived;
  }

  get bytesRead(): number | undefined {
    return this.#rows.bytesRead;
  }

  record(row: number): AnyRecord {
    return this.#rows.record(row);
  }

  slice(from: number, to: number): AnyRecord[] {
    return this.#rows.slice(from, to);
  }

  copyRecords(...[rows, from, to, page, at]: Parameters<Rows["copyRecords"]>): void {
    this.#rows.copyRecords(rows, from, to, page, at);
  }

  readerOf(name: ColumnName): Reader {
    return this.#joined.get(name)?.() ?? this.#rows.readerOf(name);
  }

  numberReaderOf(field: string): (row: number) => number {
    const read = this.#joined.get(field)?.();
    return read === undefined ? this.#rows.numberReaderOf(field) : (row) => numberOf(read(row));
  }

  indexOf(name: ColumnName): ReturnType<Rows["indexOf"]> {
    return this.#joined.has(name) ? undefined : this.#rows.indexOf(name);
  }

  trigramsOf(field: string): ReturnType<Rows["trigramsOf"]> {
    return this.#joined.has(field) ? undefined : this.#rows.trigramsOf(field);
  }

  postingsOf(field: string): ReturnType<Rows["postingsOf"]> {
    return this.#joined.has(field) ? undefined : this.#rows.postingsOf(field);
  }

  columnOf(name: ColumnName): readonly TextValue[] | undefined {
    return this.#joined.has(name) ? undefined : this.#rows.columnOf(name);
  }

  versionOf(row: number): object {
    return this.#rows.versionOf(row);
  }

  // Questions are asked of joined rows; changes are made to the rows themselves.

  mergedWith(): never {
    throw unchangeable();
  }

  spliced(): never {
    throw unchangeable();
  }

  recoded(): never {
    throw unchangeable();
  }
}

const unchangeable = () => new TypeError("joined rows do not change");
