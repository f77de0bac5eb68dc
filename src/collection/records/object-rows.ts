// Rows whose records are objects.

import { comparisonText, type WireValue } from "../../schema/field.ts";
import { fieldOf, wireColumn, type Schema, type AnyRecord } from "../../schema/schema.ts";
import { isAppended, pick, type Origins } from "../algorithms/interleave.ts";
import { spliced, type Splice } from "../algorithms/splice.ts";
import { numberOf } from "../index/field-index.ts";
import { digestReaderOf } from "./digests.ts";
import type { ColumnName, Columns, Recoding, Rows } from "./rows.ts";

/** Records in insertion order and, beside them, columns of what they do not carry. */
export class ObjectRows implements Rows {
  readonly isIndexed = false;
  readonly records: readonly AnyRecord[];
  readonly bytesRead = undefined;
  readonly #schema: Schema;
  readonly #columns: Columns;
  readonly #digests = new Map<string, Float64Array>();

  /** @param columns the values of fields that are not stored, and of columns that belong to no field */
  constructor(schema: Schema, records: readonly AnyRecord[], columns: Columns) {
    this.#schema = schema;
    this.records = records;
    this.#columns = columns;
  }

  get size(): number {
    return this.records.length;
  }

  record(row: number): AnyRecord {
    return this.records[row]!;
  }

  slice(from: number, to: number): AnyRecord[] {
    return this.records.slice(from, to);
  }

  copyRecords(
    rows: ArrayLike<number>,
    from: number,
    to: number,
    page: AnyRecord[],
    at: number,
  ): void {
    const { records } = this;
    const shift = at - from;
    for (let i = from; i < to; i++) page[i + shift] = records[rows[i]!]!;
  }

  readerOf(name: ColumnName): (row: number) => WireValue {
    const wire = wireColumn(this.#schema, name);
    const column = this.#columns.get(wire);
    if (column !== undefined) {
      if (wire === name) return (row) => column[row] ?? null;
      return (row) => comparisonText({ ignoreCase: true }, column[row] ?? null);
    }
    const { records } = this;
    const read = this.#schema.readerOf(name);
    return (row) => read(records[row]!);
  }

  numberReaderOf(name: string): (row: number) => number {
    const { records } = this;
    if (this.#schema.form === "values" && !this.#columns.has(name)) {
      return (row) => {
        const value = records[row]![name];
        return typeof value === "number" ? value : -Infinity;
      };
    }
    const read = this.readerOf(name);
    return (row) => numberOf(read(row));
  }

  digestsOf(name: string): Float64Array | undefined {
    return this.#digests.get(name);
  }

  keepDigests(name: string): void {
    if (this.#digests.has(name)) return;
    const read = this.#digestReaderOf(this, name);
    this.#digests.set(name, digestsBy(read, this.size));
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

  indexOf(): undefined {
    return undefined;
  }

  trigramsOf(): undefined {
    return undefined;
  }

  postingsOf(): undefined {
    return undefined;
  }

  recoded({ schema, columns, lost, by, keeps }: Recoding): ObjectRows {
    const decides = this.readerOf(by);
    const losing = lost.map((name) => this.readerOf(name));
    const beside = columns.map(({ name }) => {
      const values: WireValue[] = [];
      return { name, values, read: this.readerOf(name) };
    });
    const records = this.records.map((record, row) => {
      const kept = keeps(decides(row));
      // A removed record need not become a new object.
      let isSame = kept === undefined || losing.every((read) => read(row) === null);
      for (const { name, values, read } of beside) {
        const before = read(row);
        const value = kept?.has(name) === true ? before : null;
        if (kept !== undefined && value !== before) isSame = false;
        values.push(value);
      }
      // Each version of a record is an object of its own, which is how changes are found.
      return isSame ? record : Object.freeze({ ...record });
    });
    const values = new Map(beside.map(({ name, values }) => [name, values]));
    return new ObjectRows(schema, records, values);
  }

  spliced(splice: Splice, others: Rows): ObjectRows | undefined {
    if (others.records === undefined) return undefined;
    const columns = new Map<ColumnName, readonly WireValue[]>();
    this.#columns.forEach((values, name) => {
      columns.set(name, spliced(splice, values, columnOf(others, name)));
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

/** A loop: by an iterator it takes half as long again. */
function digestsBy(read: (row: number) => number, size: number): Float64Array {
  const digests = new Float64Array(size);
  for (let row = 0; row < size; row++) digests[row] = read(row);
  return digests;
}

/** A loop of its own: V8 compiles it once, not again with everything around it. */
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
  const column = rows.columnOf(name);
  if (column !== undefined) return column;
  const read = rows.readerOf(name);
  return Array.from({ length: rows.size }, (_, row) => read(row));
}
