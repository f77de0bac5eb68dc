// Loads records of a schema into columns: CSV and JSON from their bytes, anything else from checked records.

import { collectionOf, type Collection } from "../collection/collection.ts";
import { Codec } from "../collection/records/codec.ts";
import type { ColumnRows } from "../collection/records/column-rows.ts";
import { RowsBuilder } from "../collection/records/columns/rows-builder.ts";
import type { CollectionSettings } from "../collection/settings.ts";
import { describe, InputError, member } from "../schema/errors.ts";
import type { Schema } from "../schema/schema.ts";
import type { ReadColumn } from "./sink.ts";
import type { CsvFormat } from "./csv-rows.ts";
import { lineWith, type RowFiller } from "./sink.ts";
import { RecordForm, type AnyRecord } from "./form.ts";
import { JsonRows, membersOf } from "./json-rows.ts";
import type { Refusing } from "./reading.ts";
import type { JsonSink, Sink } from "./sink.ts";
import { RowCells } from "./row-cells.ts";

export class CollectionRows<S extends Schema> implements Sink {
  readonly json: JsonSink | undefined;
  readonly #schema: S;
  readonly #form: RecordForm;
  readonly #refusing: Refusing;
  readonly #builder: RowsBuilder;
  readonly #codec: Codec<S>;
  readonly #numbers = new RowNumbers();
  #placeOf: (number: number) => string = String;

  constructor(schema: S, refusing: Refusing) {
    const { places, complete } = schema;
    this.#schema = schema;
    this.#form = new RecordForm(schema);
    this.#refusing = refusing;
    this.#codec = new Codec(schema, { complete });
    this.#builder = new RowsBuilder(this.#codec);
    const members = new Map(
      places.map(({ name, position, field }) => [name, { position, field }] as const),
    );
    const defaults = places.map(({ field }) => field.default);
    // A record whose fields depend on each other is completed as a whole, and a field that ignores case has two
    // columns.
    const isPlain = complete === undefined && schema.spellings.size === 0;
    const rows = isPlain && new JsonRows(this.#builder, membersOf(members), defaults);
    this.json = rows
      ? { rows, took: this.#took.bind(this), take: this.take.bind(this) }
      : undefined;
  }

  readonly createFiller = (columns: readonly ReadColumn[], format: CsvFormat): RowFiller => {
    const positions = columns.map(({ index, path: [name] }) => ({
      index,
      position: this.#codec.names.indexOf(name),
    }));
    const cells =
      this.json === undefined
        ? undefined
        : new RowCells(this.#builder, this.#codec.fields, positions, format);
    return {
      fill: (row) => {
        if (cells?.set(row) !== true) return false;
        this.#builder.next();
        this.#took(row.line, lineWith);
        return true;
      },
      take: (value, line) => this.take(value, line, lineWith),
    };
  };

  #took(number: number, placeOf: (number: number) => string): void {
    this.#placeOf = placeOf;
    this.#numbers.add(number);
  }

  take(value: unknown, number: number, placeOf: (number: number) => string): void {
    if (!this.#refusing.takes(value, () => placeOf(number))) return;
    // Whatever else the form knows stands after the fields.
    this.#builder.add(this.#form.valuesOf(value as AnyRecord));
    this.#took(number, placeOf);
  }

  /** The collection of the records. @throws InputError if two have one value in a unique field */
  finish(settings: CollectionSettings): Collection<S> {
    const rows = this.#builder.finish();
    this.#requireUnique(rows);
    return collectionOf(this.#codec, settings, rows);
  }

  #requireUnique(rows: ColumnRows): void {
    for (const { name, field } of this.#schema.places) {
      const index = field.unique ? rows.indexOf(name) : undefined;
      if (index === undefined) continue;
      /** For each value the first row that has it, counted from 1. */
      const first = new Uint32Array(index.values.length);
      for (let row = 0; row < rows.size; row++) {
        const code = index.codeAt(row);
        const earlier = first[code]!;
        if (earlier === 0) first[code] = row + 1;
        else {
          const placeOf = (row: number) => this.#placeOf(this.#numbers.at(row));
          throw new InputError(
            member(placeOf(row), name),
            `${describe(index.values.at(code))} is already that of ${placeOf(earlier - 1)}`,
          );
        }
      }
    }
  }
}

/** The number that the source gives each row: kept for stretches of consecutive ones. */
class RowNumbers {
  readonly #rows: number[] = [];
  readonly #numbers: number[] = [];
  #size = 0;
  #next = NaN;

  add(number: number): void {
    if (number !== this.#next) {
      this.#rows.push(this.#size);
      this.#numbers.push(number);
    }
    this.#next = number + 1;
    this.#size++;
  }

  at(row: number): number {
    const stretch = this.#rows.findLastIndex((start) => start <= row);
    return (this.#numbers[stretch] ?? 0) + row - (this.#rows[stretch] ?? 0);
  }
}
