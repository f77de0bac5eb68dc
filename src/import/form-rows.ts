// Loads records of a form into columns: CSV and JSON from their bytes, anything else from checked records.

import type { Codec } from "../engine/columns/codec.ts";
import type { ColumnRows } from "../engine/columns/column-rows.ts";
import { setValue, type ColumnBuilder } from "../engine/columns/columns/column-builder.ts";
import { RowsBuilder } from "../engine/columns/columns/rows-builder.ts";
import { constantDefault, type Field, type TextValue } from "../schema/field.ts";
import { kinds } from "../schema/kinds.ts";
import { duplicate } from "../schema/unique.ts";
import { converted } from "./convert.ts";
import { emptyOf } from "./csv.ts";
import type { CsvBlock } from "./csv-block.ts";
import type { CsvFormat } from "./csv-format.ts";
import type { RecordForm } from "./form.ts";
import { inputOf, isNested } from "./flat-value.ts";
import { jsonInputOf } from "./json-value.ts";
import { JsonRows, setInput, type PlaceOf } from "./json-rows.ts";
import type { Refusing } from "./reading.ts";
import { RowPlaces } from "./row-places.ts";
import { lineWith, type Convert, type Fill, type ReadColumn, type Sink } from "./sink.ts";

/** Takes the rows that memory should not hold. */
export interface Overflow {
  /** How many bytes of columns are too many. */
  readonly bytes: number;
  /** Whether all rows are taken, however few they are. */
  readonly isForAll: boolean;
  /** @param rows as {@link formRows} returns them */
  take(rows: ColumnRows): void;
}

/** After so many rows their size is measured first. */
const FIRST_MEASURED = 1 << 12;

/**
 * A sink for records of a form, and its rows.
 *
 * @param own the codec of the rows; its fields are the first columns of the form. Default: all columns are fields
 * @param overflow without it, memory holds all rows
 */
export function formRows(
  form: RecordForm,
  refusing: Refusing,
  own: Codec = form.codec,
  overflow?: Overflow,
) {
  const { schema, codec, columns } = form;
  const builder = new RowsBuilder(codec);
  const places = new RowPlaces();
  const placeOf = (row: number) => places.of(row);
  const isUnique = own.unique.length > 0;
  /** Whether a record that repeats unique values is refused, instead of ending the import. */
  const isEachUnique = isUnique && refusing.isSkipping;
  const adding = form.into(
    builder,
    isEachUnique ? { constraints: own.unique, placeOf } : undefined,
  );
  /** How many rows were moved out. */
  let before = 0;
  /** Whether columns are filled from blocks of rows. */
  let isFilled = false;
  /** After how many rows their size is measured. */
  let measured = overflow === undefined ? Infinity : Math.min(FIRST_MEASURED, overflow.bytes);

  function took(number: number, place: PlaceOf): void {
    if (isUnique) places.add(before + builder.rows - 1, number, place);
    if (builder.rows >= measured) measure();
  }

  function measure(): void {
    const { bytes, rows } = builder;
    if (overflow === undefined) return;
    // Columns double. Measured again once half of what is left may be full.
    if (bytes < overflow.bytes)
      measured = rows + Math.max(1, (rows * (overflow.bytes / bytes - 1)) >>> 1);
    else moveOut();
  }

  function moveOut(): void {
    before += builder.rows;
    overflow?.take(builder.finish(own));
    builder.restart(isFilled);
  }

  // A record whose fields depend on each other is derived as a whole, and so is one that is compared with others, or is
  // numbered after others. A field that ignores case has two columns.
  const isPlain =
    schema.deriveFields === undefined &&
    schema.computed.size === 0 &&
    schema.spellings.size === 0 &&
    codec.counted.length === 0 &&
    !isEachUnique;
  const members = columns.map((column, position) => ({ ...column, position }));
  const defaults = columns.map(({ field }) => constantDefault(field));
  const inputOf = schema.form === "contract" ? undefined : jsonInputOf;
  const json = isPlain ? new JsonRows(builder, members, defaults, took, inputOf) : undefined;

  return {
    json,
    createFiller(read, format) {
      const fill = isPlain ? fillerOf(builder, codec, read, format) : undefined;
      if (fill === undefined) return undefined;
      isFilled = true;
      return (block, from, to) => {
        let row = from;
        for (let end = from, last = from; row < to && end === last;) {
          last = Math.min(to, row + measured - builder.rows);
          end = fill(block, row, last);
          for (; row < end; row++) {
            builder.next();
            took(block.line(row), lineWith);
          }
        }
        return row;
      };
    },
    take(value, number, place) {
      if (refusing.takes(value, () => place(number), adding)) took(number, place);
    },

    /** How many rows there are. */
    size: () => before + builder.rows,

    /** Where a row was in the source. */
    placeOf,

    /** Whether some rows were moved out; then the others are moved out, too. */
    areOut(): boolean {
      if ((before > 0 || overflow?.isForAll === true) && builder.rows > 0) moveOut();
      return before > 0;
    },

    /**
     * The rows, if none were moved out.
     *
     * @throws InputError if two have the same value of a unique field or combination
     */
    finish(): ColumnRows {
      const rows = builder.finish(own);
      for (const constraint of own.unique) {
        const repeated = rows.repeated(constraint);
        if (repeated === undefined) continue;
        const { row, value, earlier } = repeated;
        throw duplicate(constraint, placeOf(row), value, placeOf(earlier));
      }
      return rows;
    },
  } satisfies Sink & Readonly<Record<string, unknown>>;
}

/** Where the value of a column is in a row. */
interface Cell {
  readonly index: number;
  readonly position: number;
  readonly field: Field;
  readonly convert: Convert | undefined;
  /** Whether the column takes the bytes of a value as they are. */
  readonly isPlain: boolean;
  /**
   * The column's value for an empty cell, for nothing if it means null, and for another text for null; `undefined` is
   * an error.
   */
  readonly ifEmpty: TextValue | undefined;
  readonly ifNothing: TextValue | undefined;
  readonly ifNull: TextValue | undefined;
}

/**
 * Sets the columns of rows, from the one being filled on, without making records. It goes column by column, because
 * the processor predicts a cell from the ones before it.
 *
 * @returns `undefined` if a column without a default is missing
 */
function fillerOf(
  builder: RowsBuilder,
  { names, fields }: Codec,
  columns: readonly ReadColumn[],
  format: CsvFormat,
): Fill | undefined {
  const hasNullText = format.nullTexts.some((text) => text !== "");
  const cells = columns.map(({ index, path, convert }): Cell => {
    const position = names.indexOf(path.join("."));
    const field = fields[position]!;
    const valueOf = (isNull: boolean, isEmpty: boolean) => {
      const value = emptyOf(isNull, isEmpty, field);
      if (value === undefined) return constantDefault(field);
      return value === null && !field.nullable ? undefined : value;
    };
    const ifEmpty = valueOf(false, true);
    const ifNothing = valueOf(true, true);
    const isPlain = convert === undefined && !isNested(field.type);
    const own = { index, position, field, convert, isPlain };
    return { ...own, ifEmpty, ifNothing, ifNull: valueOf(true, false) };
  });
  const others = fields.flatMap((field, position) =>
    cells.some((cell) => cell.position === position)
      ? []
      : [{ position, value: constantDefault(field) }],
  );
  if (others.some(({ value }) => value === undefined)) return undefined;
  return (block, from, to) => {
    builder.makeRoom(to - from);
    let count = to - from;
    for (const cell of cells)
      if (!isShared(block, from, count, cell)) count = setCells(block, from, count, cell);
    for (const { position, value = null } of others) {
      const column = builder.columns[position]!;
      for (let row = 0; row < count; row++) setValue(column, builder.rows + row, value);
    }
    return from + count;
  };

  /** Whether a column still has the values of the one whose builder it shares. */
  function isShared(block: CsvBlock, from: number, count: number, cell: Cell): boolean {
    const leader = builder.leaderOf(cell.position);
    if (leader === undefined) return false;
    const other = cells.find(({ position, isPlain }) => position === leader && isPlain);
    if (
      other !== undefined &&
      cell.isPlain &&
      block.areSame(from, count, cell.index, other.index)
    ) {
      return true;
    }
    builder.separate(cell.position);
    return false;
  }

  /** Sets the values of some rows of a column. Returns how many, up to the first that the field does not accept. */
  function setCells(block: CsvBlock, from: number, count: number, cell: Cell): number {
    const { index, isPlain, ifNothing } = cell;
    const column = builder.columns[cell.position]!;
    const plain = isPlain ? block.column(from, index, ifNothing === null) : undefined;
    for (let row = 0; row < count; row++) {
      if (plain !== undefined) row = column.setCells(builder.rows, plain, row, count);
      if (row === count) break;
      const value = block.start(from + row) + index;
      if (!setCell(column, builder.rows + row, block, value, cell)) return row;
    }
    return count;
  }

  /** Sets a value, however it is written. Returns whether the field accepts it. */
  function setCell(
    column: ColumnBuilder,
    row: number,
    block: CsvBlock,
    value: number,
    { field, convert, isPlain, ifEmpty, ifNothing, ifNull }: Cell,
  ): boolean {
    const isEmpty = block.isEmpty(value);
    const isNull = (isEmpty || hasNullText) && block.isNull(value);
    if (isEmpty || isNull) {
      const special = !isNull ? ifEmpty : isEmpty ? ifNothing : ifNull;
      if (special === undefined) return false;
      setValue(column, row, special);
      return true;
    }
    if (isPlain && !block.isEscaped(value)) {
      if (column.setBytes(row, block.bytes, block.from(value), block.to(value))) return true;
      // Floats, for example, may be written differently than in JavaScript.
      if (!kinds[field.type].hasSpellings) return false;
    }
    return setInput(column, row, field, inputOf(field, converted(block.cell(value), convert)));
  }
}
