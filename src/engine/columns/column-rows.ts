// Rows stored as columns: each field and hidden column is an index, and records are made on demand.

import { storedValue, type TextValue } from "../../schema/field.ts";
import { textFormColumn } from "../../schema/names.ts";
import type { AnyRecord } from "../../schema/field-types.ts";
import type { Schema } from "../../schema/schema.ts";
import { combining, type UniqueConstraint } from "../../schema/unique.ts";
import type { Origins } from "../algorithms/interleave.ts";
import { finish } from "../algorithms/steps.ts";
import { FieldIndex, numberIn } from "../indexes/field-index.ts";
import type { Postings } from "../indexes/postings.ts";
import type { TrigramIndex } from "../indexes/trigram-index.ts";
import { MixedRows } from "./mixed-rows.ts";
import { Derived } from "../indexes/derived.ts";
import { RecordCache } from "./record-cache.ts";
import { UniqueValues } from "./unique-values.ts";
import type { ColumnName, Recoding, Rows } from "./rows.ts";
import { buildingIndex, indexOfNulls } from "../indexes/memory-index.ts";

export class ColumnRows implements Rows {
  readonly isIndexed = true;
  readonly derived: Derived;
  readonly size: number;
  readonly records = undefined;
  readonly #schema: Schema;
  readonly #indexes: Map<ColumnName, FieldIndex>;
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
    others?: { readonly derived: Derived; readonly version: object },
  ) {
    this.derived = others?.derived ?? new Derived();
    this.#cache = this.derived.of(RecordCache);
    this.#cache.hold(size);
    this.#version = others?.version ?? {};
    this.size = size;
    this.#trigrams = trigrams;
    this.#file = file;
    this.#schema = schema;
    this.#indexes = new Map(indexes);
    this.#stored = schema.places.map(({ name, field }) =>
      field.stored ? indexes.get(textFormColumn(schema, name)) : undefined,
    );
  }

  get bytesRead(): number | undefined {
    return this.#file?.bytesRead;
  }

  /**
   * The first row whose value of a constraint an earlier row already has; `undefined` if there is none. Null equals
   * nothing (V13).
   */
  repeated({
    name,
    places,
  }: UniqueConstraint): { row: number; value: TextValue; earlier: number } | undefined {
    if (places.length > 1) return firstRepeated(this.size, this.readerOf(name));
    const index = this.indexOf(name);
    if (index === undefined) return undefined;
    const { values, codes } = index;
    /** For each value, the first row that has it, counted from 1. */
    const first = new Uint32Array(values.length);
    for (let row = 0; row < this.size; row++) {
      const code = codes[row]!;
      if (code === 0) continue;
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
      index === undefined ? null : storedValue(form, places[i]!.field, valueAt(index, row)),
    );
    const record = Object.freeze(this.#schema.makeRecord(values));
    this.#cache.set(row, record);
    return record;
  }

  readerOf(name: ColumnName): (row: number) => TextValue {
    const combination = this.#schema.combinations.get(name);
    if (combination !== undefined) return combining(combination, (field) => this.readerOf(field));
    const index = this.#indexes.get(name);
    return index === undefined ? () => null : (row) => valueAt(index, row);
  }

  numberReaderOf(name: string): (row: number) => number {
    const index = this.#indexes.get(name);
    return index === undefined ? () => -Infinity : (row) => numberIn(index, row);
  }

  columnOf(): undefined {
    return undefined;
  }

  /** Each key has one row. */
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
    // Whether every row keeps its values.
    let isSame = lost.every((name) => hasNoValue(this.indexOf(name)));
    const indexes = new Map<ColumnName, FieldIndex>();
    for (const { name, type } of columns) {
      const index = this.indexOf(name);
      if (index?.type !== type || kept.every((each) => !each?.has(name))) {
        isSame &&= hasNoValue(index);
        indexes.set(name, indexOfNulls(type, size));
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
      indexes.set(name, finish(buildingIndex(type, size, valueOf)));
    }
    for (const { name, field } of this.#schema.places) {
      const index = field.stored ? this.#indexes.get(name) : undefined;
      if (index !== undefined) indexes.set(name, index);
    }
    const trigrams = [...this.#trigrams].filter(
      ([name]) => indexes.get(name) === this.#indexes.get(name),
    );
    return new ColumnRows(schema, size, indexes, this.#file, new Map(trigrams), {
      derived: this.derived,
      version: isSame ? this.#version : {},
    });
  }

  /** The index of a unique combination is built at the first call. */
  indexOf(field: ColumnName): FieldIndex | undefined {
    const known = this.#indexes.get(field);
    if (known !== undefined || !this.#schema.combinations.has(field)) return known;
    const read = this.readerOf(field);
    const built = finish(buildingIndex("string", this.size, read, undefined, true));
    this.#indexes.set(field, built);
    return built;
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

/** The first row with a value that an earlier one has; null equals nothing (V13). */
function firstRepeated(size: number, read: (row: number) => TextValue) {
  const seen = new UniqueValues();
  for (let row = 0; row < size; row++) {
    const value = read(row);
    const earlier = seen.add(value);
    if (earlier >= 0) return { row, value, earlier };
  }
  return undefined;
}

function valueAt(index: FieldIndex, row: number): TextValue {
  return index.values.at(index.codeAt(row)) ?? null;
}

/** Whether all values of a column are null. */
function hasNoValue(index: FieldIndex | undefined): boolean {
  return index === undefined || index.values.length === 1;
}

/** Whether each row with a value keeps it. */
function isWhole({ codes }: FieldIndex, isKept: (row: number) => boolean): boolean {
  for (let row = 0; row < codes.length; row++) {
    if (codes[row] !== 0 && !isKept(row)) return false;
  }
  return true;
}
