// Loads records of a form into columns: CSV and JSON from their bytes, anything else from checked records.

import type { Codec } from "../collection/records/codec.ts";
import type { ColumnRows } from "../collection/records/column-rows.ts";
import { setValue } from "../collection/records/columns/column-builder.ts";
import { RowsBuilder } from "../collection/records/columns/rows-builder.ts";
import { describe, InputError, member } from "../schema/errors.ts";
import type { Field, WireValue } from "../schema/field.ts";
import { converted } from "./convert.ts";
import { emptyOf } from "./csv.ts";
import type { CsvFormat, CsvRow } from "./csv-rows.ts";
import type { RecordCheck, RecordForm } from "./form.ts";
import { inputOf } from "./flat-value.ts";
import { JsonRows, setInput } from "./json-rows.ts";
import type { Refusing } from "./reading.ts";
import { lineWith, type Convert, type PlaceOf, type ReadColumn, type Sink } from "./sink.ts";

export class FormRows implements Sink {
  readonly json: JsonRows | undefined;
  readonly #refusing: Refusing;
  readonly #builder: RowsBuilder;
  /** Adds what it accepts. */
  readonly #adding: RecordCheck;
  readonly #codec: Codec;
  readonly #numbers = new RowNumbers();
  #placeOf: PlaceOf = String;

  constructor(form: RecordForm, refusing: Refusing) {
    const { schema, codec, columns } = form;
    this.#refusing = refusing;
    this.#codec = codec;
    this.#builder = new RowsBuilder(codec);
    this.#adding = form.into(this.#builder);
    // A record whose fields depend on each other is completed as a whole, and a field that ignores case has two
    // columns.
    if (schema.complete !== undefined || schema.spellings.size > 0) return;
    const members = columns.map((column, position) => ({ ...column, position }));
    const defaults = columns.map(({ field }) => field.default);
    this.json = new JsonRows(this.#builder, members, defaults, this.#took.bind(this));
  }

  readonly createFiller = (columns: readonly ReadColumn[], format: CsvFormat) => {
    const fill = this.json && fillerOf(this.#builder, this.#codec, columns, format);
    return (row: CsvRow) => {
      if (fill?.(row) !== true) return false;
      this.#builder.next();
      this.#took(row.line, lineWith);
      return true;
    };
  };

  #took(number: number, placeOf: PlaceOf): void {
    this.#placeOf = placeOf;
    this.#numbers.add(number);
  }

  take(value: unknown, number: number, placeOf: PlaceOf): void {
    const isTaken = this.#refusing.takes(value, () => placeOf(number), this.#adding);
    if (isTaken) this.#took(number, placeOf);
  }

  /** How many rows there are. */
  get size(): number {
    return this.#builder.rows;
  }

  /**
   * The rows.
   *
   * @param codec its fields are the first columns of the form; default: all columns are fields
   * @throws InputError if two have one value in a unique field
   */
  finish(codec = this.#codec): ColumnRows {
    const rows = this.#builder.finish(codec);
    const placeOf = (row: number) => this.#placeOf(this.#numbers.at(row));
    for (const { name } of codec.unique) {
      const repeated = rows.repeated(name);
      if (repeated === undefined) continue;
      const { row, value, earlier } = repeated;
      throw new InputError(
        member(placeOf(row), name),
        `${describe(value)} is already that of ${placeOf(earlier)}`,
      );
    }
    return rows;
  }
}

/** Where the value of a column is in a row. */
interface Cell {
  readonly index: number;
  readonly position: number;
  readonly field: Field;
  readonly convert: Convert | undefined;
  /** The column's value for an empty cell and for the text for null; `undefined` is refused. */
  readonly ifEmpty: WireValue | undefined;
  readonly ifNull: WireValue | undefined;
}

/**
 * Sets the columns of the row being filled from the cells of a row of CSV, without making a record. Returns
 * whether all accept their values.
 */
function fillerOf(
  builder: RowsBuilder,
  { names, fields }: Codec,
  columns: readonly ReadColumn[],
  format: CsvFormat,
): (row: CsvRow) => boolean {
  const hasNullText = format.nullText !== undefined && format.nullText !== "";
  const cells = columns.map(({ index, path, convert }): Cell => {
    const position = names.indexOf(path.join("."));
    const field = fields[position]!;
    const valueOf = (cell: "" | null) => {
      const value = emptyOf(cell, field, format);
      if (value === undefined) return field.default;
      return value === null && !field.nullable ? undefined : value;
    };
    return { index, position, field, convert, ifEmpty: valueOf(""), ifNull: valueOf(null) };
  });
  const others = fields.flatMap(({ default: value }, position) =>
    cells.some((cell) => cell.position === position) ? [] : [{ position, value }],
  );
  const isComplete = others.every(({ value }) => value !== undefined);
  const setText = (row: CsvRow, { index, position, field, convert }: Cell) => {
    const value = inputOf(field, converted(row.cell(index), convert));
    return setInput(builder.columns[position]!, builder.rows, field, value);
  };
  return (row) => {
    if (!isComplete) return false;
    const { rows, columns } = builder;
    for (let i = 0; i < cells.length; i++) {
      const cell = cells[i]!;
      const { index, field, convert } = cell;
      const column = columns[cell.position]!;
      const from = row.from(index);
      const to = row.to(index);
      if (from === to || (hasNullText && row.isNull(index))) {
        const value = row.isNull(index) ? cell.ifNull : cell.ifEmpty;
        if (value === undefined) return false;
        setValue(column, rows, value);
      } else if (convert !== undefined || field.type === "json" || row.isDoubled(index)) {
        if (!setText(row, cell)) return false;
      } else if (!column.setBytes(rows, row.bytes, from, to)) {
        // A float may be written in other ways than JavaScript's.
        if (field.type !== "float" || !setText(row, cell)) return false;
      }
    }
    for (const { position, value = null } of others) setValue(columns[position]!, rows, value);
    return true;
  };
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
