// Reads the values of some fields of changed records, as they are sorted by.

import type { Schema } from "../../schema/schema.ts";
import type { Version } from "../columns/record-change.ts";
import type { Rows } from "../columns/rows.ts";
import { Order, type Reader, type SortValue } from "../versions/sort-order.ts";

export class RowReaders {
  readonly #schema: Schema;
  readonly #orders: readonly Order[];
  /** Those of the rows that were read last: a change has one or two. */
  #latest: { readonly rows: Rows; readonly readers: readonly Reader[] } | undefined;
  #earlier: { readonly rows: Rows; readonly readers: readonly Reader[] } | undefined;

  constructor(schema: Schema, fields: readonly string[]) {
    this.#schema = schema;
    this.#orders = fields.map((field) => new Order({ sort: { field, order: "ASC" } }));
  }

  /** The values of the fields, in a new array. */
  read({ rows, row }: Version): SortValue[] {
    return this.of(rows).map((read) => read(row));
  }

  /** A reader of each field. */
  of(rows: Rows): readonly Reader[] {
    if (this.#latest?.rows === rows) return this.#latest.readers;
    const known = this.#earlier?.rows === rows ? this.#earlier : undefined;
    this.#earlier = this.#latest;
    this.#latest = known ?? {
      rows,
      readers: this.#orders.map((order) => order.readerIn(this.#schema, rows)),
    };
    return this.#latest.readers;
  }
}
