// Rows stored as objects.

import { comparisonText, type TextValue } from "../../schema/field.ts";
import { fieldOf, textFormColumn } from "../../schema/names.ts";
import type { AnyRecord } from "../../schema/field-types.ts";
import type { Schema } from "../../schema/schema.ts";
import { combining } from "../../schema/unique.ts";
import { pick, type Origins } from "../algorithms/interleave.ts";
import { spliced, type Splice } from "../algorithms/splice.ts";
import { Derived } from "../indexes/derived.ts";
import { numberOf } from "../indexes/field-index.ts";
import type { ColumnName, Columns, Recoding, Rows } from "./rows.ts";

/** Records in insertion order, with columns for the data they do not contain. */
export class ObjectRows implements Rows {
  readonly isIndexed = false;
  readonly derived = new Derived();
  readonly records: readonly AnyRecord[];
  readonly size: number;
  readonly bytesRead = undefined;
  readonly #schema: Schema;
  readonly #columns: Columns;

  /** @param columns the values of fields that are neither stored nor computed, and of hidden columns */
  constructor(schema: Schema, records: readonly AnyRecord[], columns: Columns) {
    this.#schema = schema;
    this.records = records;
    this.size = records.length;
    this.#columns = columns;
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

  readerOf(name: ColumnName): (row: number) => TextValue {
    const combination = this.#schema.combinations.get(name);
    if (combination !== undefined) return combining(combination, (field) => this.readerOf(field));
    const textForm = textFormColumn(this.#schema, name);
    const column = this.#columns.get(textForm);
    if (column !== undefined) {
      const field = textForm === name ? undefined : fieldOf(this.#schema, String(name));
      if (field === undefined) return (row) => column[row] ?? null;
      return (row) => comparisonText(field, column[row] ?? null);
    }
    const { records } = this;
    const read = this.#schema.readerOf(name);
    return (row) => read(records[row]!);
  }

  numberReaderOf(name: string): (row: number) => number {
    const { records } = this;
    // Without the detour through strings, histograms, summaries, sorting and indexing of numbers take half the time.
    if (this.#schema.form === "values" && !this.#columns.has(name)) {
      const computed = this.#schema.computed.get(name);
      if (computed !== undefined) {
        return (row) => {
          const value = computed.read(records[row]!);
          return typeof value === "number" ? value : -Infinity;
        };
      }
      return (row) => {
        const value = records[row]![name];
        return typeof value === "number" ? value : -Infinity;
      };
    }
    const read = this.readerOf(name);
    return (row) => numberOf(read(row));
  }

  versionOf(row: number): object {
    return this.records[row]!;
  }

  columnOf(name: ColumnName): readonly TextValue[] | undefined {
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
      const values: TextValue[] = [];
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
      // Each version of a record has its own object; changes are found by comparing them.
      return isSame ? record : Object.freeze({ ...record });
    });
    const values = new Map(beside.map(({ name, values }) => [name, values]));
    return new ObjectRows(schema, records, values);
  }

  spliced(splice: Splice, others: Rows): ObjectRows | undefined {
    if (others.records === undefined) return undefined;
    const columns = new Map<ColumnName, readonly TextValue[]>();
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
    return new ObjectRows(this.#schema, pick(origins, this.records, all), new Map(columns));
  }
}

/** The values of a column, by row number. */
function columnOf(rows: Rows, name: ColumnName): readonly TextValue[] {
  const column = rows.columnOf(name);
  if (column !== undefined) return column;
  const read = rows.readerOf(name);
  return Array.from({ length: rows.size }, (_, row) => read(row));
}
