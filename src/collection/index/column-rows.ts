// Rows that are columns: each field and column is an index, and a record is made when somebody asks
// for it. What has changed since is objects, which stand between such rows after a merge.

import type { WireValue } from "../../schema/field.ts";
import type { Schema, WireRecord } from "../../schema/schema.ts";
import type { Origins } from "../algorithms/interleave.ts";
import { finish } from "../algorithms/steps.ts";
import { ObjectRows, type ColumnName, type Columns, type Rows } from "../records/rows.ts";
import { FieldIndex } from "./field-index.ts";
import { mergeIndexes } from "./merge.ts";
import { RecordCache } from "./record-cache.ts";
import type { TrigramIndex } from "./trigram-index.ts";

/** Rows that come with an index of each field. */
export interface IndexedRows extends Rows {
  /** Made at the first call, if it has to be. */
  indexOf(field: ColumnName): FieldIndex | undefined;
  /** The index of substrings, if they bring one. */
  trigramsOf(field: string): TrigramIndex | undefined;
}

export function areIndexed(rows: Rows): rows is IndexedRows {
  return "indexOf" in rows;
}

export class ColumnRows implements IndexedRows {
  readonly size: number;
  readonly records = undefined;
  readonly #schema: Schema;
  readonly #indexes: ReadonlyMap<ColumnName, FieldIndex>;
  /** Those of the fields that records carry, each at its field's position. */
  readonly #stored: readonly (FieldIndex | undefined)[];
  readonly #cache: RecordCache;
  /** What these rows have in common with those that they were made of, and that lost nothing. */
  readonly #version: object;
  readonly #file: { readonly bytesRead: number };
  readonly #trigrams: ReadonlyMap<ColumnName, TrigramIndex>;

  /**
   * @param indexes of all fields, and of the columns that are of no field
   * @param file knows how many bytes were read so far
   * @param trigrams the indexes of substrings that there are
   * @param others rows of the same records
   */
  constructor(
    schema: Schema,
    size: number,
    indexes: ReadonlyMap<ColumnName, FieldIndex>,
    file: { readonly bytesRead: number },
    trigrams: ReadonlyMap<ColumnName, TrigramIndex> = new Map(),
    others?: { readonly cache: RecordCache; readonly version: object },
  ) {
    this.#cache = others?.cache ?? new RecordCache(size);
    this.#version = others?.version ?? {};
    this.size = size;
    this.#trigrams = trigrams;
    this.#file = file;
    this.#schema = schema;
    this.#indexes = indexes;
    this.#stored = schema.places.map(({ name, field }) =>
      field.stored ? indexes.get(name) : undefined,
    );
  }

  get bytesRead(): number {
    return this.#file.bytesRead;
  }

  record(row: number): WireRecord {
    return this.#cache.get(row) ?? this.#makeRecord(row);
  }

  slice(from: number, to: number): WireRecord[] {
    return sliceOf(this, from, to);
  }

  copyRecords(
    rows: ArrayLike<number>,
    from: number,
    to: number,
    page: WireRecord[],
    at: number,
  ): void {
    const cache = this.#cache;
    const shift = at - from;
    for (let i = from; i < to; i++) {
      const row = rows[i]!;
      page[i + shift] = cache.get(row) ?? this.#makeRecord(row);
    }
  }

  #makeRecord(row: number): WireRecord {
    const values = this.#stored.map((index) => (index === undefined ? null : valueAt(index, row)));
    const record = Object.freeze(this.#schema.makeRecord(values));
    this.#cache.set(row, record);
    return record;
  }

  readerOf(name: ColumnName): (row: number) => WireValue {
    const index = this.#indexes.get(name);
    return index === undefined ? () => null : (row) => valueAt(index, row);
  }

  digestsOf(): undefined {
    return undefined;
  }

  /** Of one key there is one row. */
  versionOf(): object {
    return this.#version;
  }

  /**
   * The same records with other columns beside them.
   *
   * @param columns the fields that records do not carry, and the columns that are of no field
   * @param isSame whether no row loses a value by that
   */
  recoded(
    schema: Schema,
    columns: ReadonlyMap<ColumnName, FieldIndex>,
    isSame: boolean,
  ): ColumnRows {
    const stored = this.#schema.places.filter(({ field }) => field.stored);
    const indexes = new Map<ColumnName, FieldIndex>(columns);
    for (const { name } of stored) {
      const index = this.#indexes.get(name);
      if (index !== undefined) indexes.set(name, index);
    }
    const isKept = (name: ColumnName) => indexes.get(name) === this.#indexes.get(name);
    const trigrams = new Map([...this.#trigrams].filter(([name]) => isKept(name)));
    const version = isSame ? this.#version : {};
    const { size } = this;
    return new ColumnRows(schema, size, indexes, this.#file, trigrams, {
      cache: this.#cache,
      version,
    });
  }

  indexOf(field: ColumnName): FieldIndex | undefined {
    return this.#indexes.get(field);
  }

  trigramsOf(field: string): TrigramIndex | undefined {
    return this.#trigrams.get(field);
  }

  /** The columns that are of no field. */
  get hidden(): readonly symbol[] {
    return [...this.#indexes.keys()].filter((name) => typeof name === "symbol");
  }

  get schema(): Schema {
    return this.#schema;
  }

  mergedWith(others: Rows, origins: Origins): Rows {
    return MixedRows.of(this, (row) => row, undefined, others, origins);
  }
}

function sliceOf(rows: Rows, from: number, to: number): WireRecord[] {
  const end = Math.min(to, rows.size);
  const records = new Array<WireRecord>(Math.max(0, end - from));
  for (let row = from; row < end; row++) records[row - from] = rows.record(row);
  return records;
}

function valueAt(index: FieldIndex, row: number): WireValue {
  return index.values.at(index.codeAt(row)) ?? null;
}

/**
 * Rows of columns with objects between them. However often it is merged again, the columns stay as
 * they are, and no record is made of what did not change.
 */
export class MixedRows implements IndexedRows {
  readonly records = undefined;
  readonly #base: ColumnRows;
  readonly #objects: ObjectRows;
  /** For each row its number in the base, or the complement of its number among the objects. */
  readonly #origins: Int32Array;
  readonly #indexes = new Map<ColumnName, FieldIndex>();

  private constructor(base: ColumnRows, objects: ObjectRows, origins: Int32Array) {
    this.#base = base;
    this.#objects = objects;
    this.#origins = origins;
  }

  /**
   * @param inBase what a row of the first part is in the base, or the complement of its number among
   *   `objects`
   */
  static of(
    base: ColumnRows,
    inBase: (row: number) => number,
    objects: ObjectRows | undefined,
    others: Rows,
    origins: Origins,
  ): MixedRows {
    const { schema, hidden } = base;
    const names: ColumnName[] = [
      ...schema.places.filter(({ field }) => !field.stored).map(({ name }) => name),
      ...hidden,
    ];
    const records: WireRecord[] = [];
    const columns = names.map((name) => {
      const values: WireValue[] = [];
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

  /** The columns. */
  get base(): ColumnRows {
    return this.#base;
  }

  get bytesRead(): number {
    return this.#base.bytesRead;
  }

  record(row: number): WireRecord {
    const origin = this.#origins[row]!;
    return origin >= 0 ? this.#base.record(origin) : this.#objects.record(~origin);
  }

  slice(from: number, to: number): WireRecord[] {
    return sliceOf(this, from, to);
  }

  copyRecords(
    rows: ArrayLike<number>,
    from: number,
    to: number,
    page: WireRecord[],
    at: number,
  ): void {
    for (let i = from; i < to; i++) page[i + at - from] = this.record(rows[i]!);
  }

  readerOf(name: ColumnName): (row: number) => WireValue {
    const [inBase, inObjects] = [this.#base.readerOf(name), this.#objects.readerOf(name)];
    const origins = this.#origins;
    return (row) => {
      const origin = origins[row]!;
      return origin >= 0 ? inBase(origin) : inObjects(~origin);
    };
  }

  digestsOf(): undefined {
    return undefined;
  }

  versionOf(row: number): object {
    const origin = this.#origins[row]!;
    return origin >= 0 ? this.#base.versionOf() : this.#objects.versionOf(~origin);
  }

  /** The index of the columns, merged with one of the objects. Linear in the rows and values. */
  indexOf(field: ColumnName): FieldIndex | undefined {
    const known = this.#indexes.get(field);
    const inBase = this.#base.indexOf(field);
    if (known !== undefined || inBase === undefined) return known;
    const { size } = this.#objects;
    const read = this.#objects.readerOf(field);
    const inObjects = finish(FieldIndex.building(inBase.type, size, read));
    const index = mergeIndexes(inBase, inObjects, this.#origins);
    this.#indexes.set(field, index);
    return index;
  }

  /** None: those of the columns tell of their rows by other numbers. */
  trigramsOf(): undefined {
    return undefined;
  }

  /** For each row its number in the base, or the complement of its number among the objects. */
  get origins(): Int32Array {
    return this.#origins;
  }

  get objects(): ObjectRows {
    return this.#objects;
  }

  mergedWith(others: Rows, origins: Origins): MixedRows {
    const own = this.#origins;
    return MixedRows.of(this.#base, (row) => own[row]!, this.#objects, others, origins);
  }
}
