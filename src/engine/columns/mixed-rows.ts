// Columns interleaved with objects: the rows changed since the columns were opened, after a merge.

import type { TextValue } from "../../schema/field.ts";
import { textFormColumn } from "../../schema/names.ts";
import type { AnyRecord } from "../../schema/field-types.ts";
import type { Schema } from "../../schema/schema.ts";
import type { Origins } from "../algorithms/interleave.ts";
import { finish } from "../algorithms/steps.ts";
import { Derived } from "../indexes/derived.ts";
import { FieldIndex } from "../indexes/field-index.ts";
import { MergedPostings, mergingIndexes } from "../indexes/merge.ts";
import type { Postings } from "../indexes/postings.ts";
import { TrigramIndex } from "../indexes/trigram-index.ts";
import { ObjectRows } from "./object-rows.ts";
import { sliceOf, type ColumnName, type Columns, type Recoding, type Rows } from "./rows.ts";
import { buildingIndex } from "../indexes/memory-index.ts";

/** Rows stored as columns. */
interface Columnar extends Rows {
  readonly schema: Schema;
  /** The columns that belong to no field. */
  readonly hidden: readonly symbol[];
  recoded(recoding: Recoding): Columnar;
}

/**
 * Columns interleaved with objects. However often they are merged, the columns stay as they are, and no record is made
 * of an unchanged row.
 */
export class MixedRows implements Rows {
  readonly isIndexed = true;
  readonly derived = new Derived();
  readonly records = undefined;
  readonly #base: Columnar;
  readonly #objects: ObjectRows;
  /** For each row its number in the base, or the complement of its number among the objects. */
  readonly #origins: Int32Array;
  readonly #indexes = new Map<ColumnName, FieldIndex>();

  private constructor(base: Columnar, objects: ObjectRows, origins: Int32Array) {
    this.#base = base;
    this.#objects = objects;
    this.#origins = origins;
  }

  /**
   * @param inBase the number of a row of the first part in the base, or the complement of its number
   *   among `objects`
   */
  static of(
    base: Columnar,
    inBase: (row: number) => number,
    objects: ObjectRows | undefined,
    others: Rows,
    origins: Origins,
  ): MixedRows {
    const { schema, hidden } = base;
    const names: ColumnName[] = [
      ...schema.places
        .filter(({ field }) => !field.stored)
        .map(({ name }) => textFormColumn(schema, name)),
      ...hidden,
    ];
    const records: AnyRecord[] = [];
    const columns = names.map((name) => {
      const values: TextValue[] = [];
      return { name, values, own: objects?.readerOf(name), other: others.readerOf(name) };
    });
    const rows = new Int32Array(origins.length);
    for (let row = 0; row < rows.length; row++) {
      const origin = origins[row]!;
      const place = origin >= 0 ? inBase(origin) : -1;
      if (place >= 0) {
        rows[row] = place;
        continue;
      }
      const isOwn = origin >= 0 && objects !== undefined;
      for (const { values, own, other } of columns) {
        values.push(isOwn ? (own?.(~place) ?? null) : other(~origin));
      }
      rows[row] = ~(records.push(isOwn ? objects.record(~place) : others.record(~origin)) - 1);
    }
    const all: Columns = new Map(columns.map(({ name, values }) => [name, values]));
    return new MixedRows(base, new ObjectRows(schema, records, all), rows);
  }

  get size(): number {
    return this.#origins.length;
  }

  get bytesRead(): number | undefined {
    return this.#base.bytesRead;
  }

  record(row: number): AnyRecord {
    const origin = this.#origins[row]!;
    return origin >= 0 ? this.#base.record(origin) : this.#objects.record(~origin);
  }

  slice(from: number, to: number): AnyRecord[] {
    return sliceOf(this, from, to);
  }

  copyRecords(
    rows: ArrayLike<number>,
    from: number,
    to: number,
    page: AnyRecord[],
    at: number,
  ): void {
    for (let i = from; i < to; i++) page[i + at - from] = this.record(rows[i]!);
  }

  readerOf(name: ColumnName): (row: number) => TextValue {
    const [inBase, inObjects] = [this.#base.readerOf(name), this.#objects.readerOf(name)];
    const origins = this.#origins;
    return (row) => {
      const origin = origins[row]!;
      return origin >= 0 ? inBase(origin) : inObjects(~origin);
    };
  }

  numberReaderOf(name: string): (row: number) => number {
    const inBase = this.#base.numberReaderOf(name);
    const inObjects = this.#objects.numberReaderOf(name);
    const origins = this.#origins;
    return (row) => {
      const origin = origins[row]!;
      return origin >= 0 ? inBase(origin) : inObjects(~origin);
    };
  }

  columnOf(): undefined {
    return undefined;
  }

  spliced(): undefined {
    return undefined;
  }

  recoded(recoding: Recoding): MixedRows {
    const [base, objects] = [this.#base.recoded(recoding), this.#objects.recoded(recoding)];
    return new MixedRows(base, objects, this.#origins);
  }

  versionOf(row: number): object {
    const origin = this.#origins[row]!;
    return origin >= 0 ? this.#base.versionOf(origin) : this.#objects.versionOf(~origin);
  }

  /** The index of the columns, merged with one of the objects. Linear in the rows and values. */
  indexOf(field: ColumnName): FieldIndex | undefined {
    const known = this.#indexes.get(field);
    const inBase = this.#base.indexOf(field);
    if (known !== undefined || inBase === undefined) return known;
    const objects = this.#objects;
    const inObjects = finish(buildingIndex(inBase.type, objects.size, objects.readerOf(field)));
    const index = finish(mergingIndexes(inBase, inObjects, this.#origins));
    this.#indexes.set(field, index);
    return index;
  }

  /** None, since the postings of the columns use other row numbers. */
  trigramsOf(): undefined {
    return undefined;
  }

  postingsOf(field: string): Postings | undefined {
    const inBase = this.#base.postingsOf(field);
    if (inBase === undefined) return undefined;
    const objects = this.#objects;
    const inObjects = finish(TrigramIndex.building(objects.size, objects.readerOf(field)));
    return new MergedPostings(inBase, inObjects.all, this.#origins);
  }

  mergedWith(others: Rows, origins: Origins): MixedRows {
    const own = this.#origins;
    return MixedRows.of(this.#base, (row) => own[row]!, this.#objects, others, origins);
  }
}
