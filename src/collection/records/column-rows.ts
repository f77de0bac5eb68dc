// Rows that are columns: each field and column is an index, and records are made on demand.

import { heldValue, type WireValue } from "../../schema/field.ts";
import { wireColumn, type Schema, type AnyRecord } from "../../schema/schema.ts";
import type { Origins } from "../algorithms/interleave.ts";
import { finish } from "../algorithms/steps.ts";
import { FieldIndex } from "../index/field-index.ts";
import type { Postings } from "../index/postings.ts";
import type { TrigramIndex } from "../index/trigram-index.ts";
import { MixedRows } from "./mixed-rows.ts";
import { RecordCache } from "./record-cache.ts";
import type { ColumnName, Recoding, Rows } from "./rows.ts";

export class ColumnRows implements Rows {
  readonly isIndexed = true;
  readonly size: number;
  readonly records = undefined;
  readonly #schema: Schema;
  readonly #indexes: ReadonlyMap<ColumnName, FieldIndex>;
  /** The indexes of the stored fields, each at its field's position. */
  readonly #stored: readonly (FieldIndex | undefined)[];
  readonly #cache: RecordCache;
  /** Shared with the rows that these were made from, if no value was lost. */
  readonly #version: object;
  readonly #file: { readonly bytesRead: number } | undefined;
  readonly #trigrams: ReadonlyMap<ColumnName, TrigramIndex>;

  /**
   * @param indexes of all fields, of the spellings of those that ignore case, and of the columns that
   *   belong to no field
   * @param file counts the bytes read so far, if the columns are in a file
   * @param trigrams the existing indexes of substrings
   * @param others rows of the same records
   */
  constructor(
    schema: Schema,
    size: number,
    indexes: ReadonlyMap<ColumnName, FieldIndex>,
    file?: { readonly bytesRead: number },
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
      field.stored ? indexes.get(wireColumn(schema, name)) : undefined,
    );
  }

  get bytesRead(): number | undefined {
    return this.#file?.bytesRead;
  }

  /** The first row whose value of a field an earlier row has already; `undefined` if each has its own. */
  repeated(name: string): { row: number; value: WireValue; earlier: number } | undefined {
    const index = this.indexOf(name);
    if (index === undefined) return undefined;
    const { values, codes } = index;
    /** For each value the first row that has it, counted from 1. */
    const first = new Uint32Array(values.length);
    for (let row = 0; row < this.size; row++) {
      const code = codes[row]!;
      const earlier = first[code]!;
      if (earlier > 0) return { row, value: values.at(code) ?? null, earlier: earlier - 1 };
      first[code] = row + 1;
    }
    return undefined;
  }

  record(row: number): AnyRecord {
    return this.#cache.get(row) ?? this.#makeRecord(row);
  }

  slice(from: number, to: number): AnyRecord[] {
    return this.#cache.slice(from, Math.min(to, this.size), (row) => this.#makeRecord(row));
  }

  copyRecords(
    rows: ArrayLike<number>,
    from: number,
    to: number,
    page: AnyRecord[],
    at: number,
  ): void {
    const cache = this.#cache;
    const shift = at - from;
    for (let i = from; i < to; i++) {
      const row = rows[i]!;
      page[i + shift] = cache.get(row) ?? this.#makeRecord(row);
    }
  }

  #makeRecord(row: number): AnyRecord {
    const { places, form } = this.#schema;
    const values = this.#stored.map((index, i) =>
      index === undefined ? null : heldValue(form, places[i]!.field, valueAt(index, row)),
    );
    const record = Object.freeze(this.#schema.makeRecord(values));
    this.#cache.set(row, record);
    return record;
  }

  readerOf(name: ColumnName): (row: number) => WireValue {
    const index = this.#indexes.get(name);
    return index === undefined ? () => null : (row) => valueAt(index, row);
  }

  numberReaderOf(name: string): (row: number) => number {
    const index = this.#indexes.get(name);
    return index === undefined ? () => -Infinity : (row) => numberAt(index, row);
  }

  digestsOf(): undefined {
    return undefined;
  }

  /** Keeps none: the columns hold codes. */
  keepDigests(): void {
    // Nothing to do.
  }

  columnOf(): undefined {
    return undefined;
  }

  /** There is one row for each key. */
  versionOf(): object {
    return this.#version;
  }

  spliced(): undefined {
    return undefined;
  }

  recoded({ schema, columns, lost, by, keeps }: Recoding): ColumnRows {
    const { size } = this;
    const groups = this.indexOf(by);
    const groupOf = groups?.codes;
    const kept = Array.from({ length: groups?.values.length ?? 1 }, (_, code) =>
      keeps(groups?.values.at(code) ?? null),
    );
    const keptIn = (row: number) => kept[groupOf?.[row] ?? 0];
    // Whether no row loses a value.
    let isSame = lost.every((name) => hasNoValue(this.indexOf(name)));
    const indexes = new Map<ColumnName, FieldIndex>();
    for (const { name, type } of columns) {
      const index = this.indexOf(name);
      if (index?.type !== type || kept.every((each) => !each?.has(name))) {
        isSame &&= hasNoValue(index);
        indexes.set(name, FieldIndex.ofNulls(type, size));
        continue;
      }
      const isKept = (row: number) => keptIn(row)?.has(name) ?? true;
      if (kept.every((each) => each?.has(name) ?? true) || isWhole(index, isKept)) {
        indexes.set(name, index);
        continue;
      }
      isSame = false;
      const read = this.readerOf(name);
      const valueOf = (row: number) => (keptIn(row)?.has(name) === true ? read(row) : null);
      indexes.set(name, finish(FieldIndex.building(type, size, valueOf)));
    }
    for (const { name, field } of this.#schema.places) {
      const index = field.stored ? this.#indexes.get(name) : undefined;
      if (index !== undefined) indexes.set(name, index);
    }
    const trigrams = [...this.#trigrams].filter(
      ([name]) => indexes.get(name) === this.#indexes.get(name),
    );
    return new ColumnRows(schema, size, indexes, this.#file, new Map(trigrams), {
      cache: this.#cache,
      version: isSame ? this.#version : {},
    });
  }

  indexOf(field: ColumnName): FieldIndex | undefined {
    return this.#indexes.get(field);
  }

  trigramsOf(field: string): TrigramIndex | undefined {
    return this.#trigrams.get(field);
  }

  postingsOf(field: string): Postings | undefined {
    return this.trigramsOf(field)?.all;
  }

  /** The columns that belong to no field. */
  get hidden(): readonly symbol[] {
    const spellings = new Set(this.#schema.spellings.values());
    return [...this.#indexes.keys()].filter(
      (name) => typeof name === "symbol" && !spellings.has(name),
    ) as symbol[];
  }

  get schema(): Schema {
    return this.#schema;
  }

  mergedWith(others: Rows, origins: Origins): Rows {
    return MixedRows.of(this, (row) => row, undefined, others, origins);
  }
}

function valueAt(index: FieldIndex, row: number): WireValue {
  return index.values.at(index.codeAt(row)) ?? null;
}

function numberAt(index: FieldIndex, row: number): number {
  const code = index.codeAt(row);
  return code === 0 ? -Infinity : index.numberAt(code);
}

/** Whether a column has nothing but null, judging by its values. */
function hasNoValue(index: FieldIndex | undefined): boolean {
  return index === undefined || index.values.length === 1;
}

/** Whether each row that has a value keeps it. */
function isWhole({ codes }: FieldIndex, isKept: (row: number) => boolean): boolean {
  for (let row = 0; row < codes.length; row++) {
    if (codes[row] !== 0 && !isKept(row)) return false;
  }
  return true;
}
