// Puts the cells of a CSV row into columns, without making a record.

import { setValue } from "../collection/records/columns/column-builder.ts";
import type { RowsBuilder } from "../collection/records/columns/rows-builder.ts";
import { toWire, type Field, type WireValue } from "../schema/field.ts";
import type { CsvFormat, CsvRow } from "./csv-rows.ts";
import { emptyOf } from "./csv.ts";
import { inputOf } from "./flat-value.ts";

/** Where the value of a column is in a row. */
interface Cell {
  readonly index: number;
  readonly position: number;
  readonly field: Field;
  /** The column's value for an empty cell and for the text for null; `undefined` is refused. */
  readonly ifEmpty: WireValue | undefined;
  readonly ifNull: WireValue | undefined;
}

export class RowCells {
  readonly #builder: RowsBuilder;
  readonly #cells: readonly Cell[];
  /** The columns that have no values in the rows. */
  readonly #others: readonly { readonly position: number; readonly value: WireValue }[];
  /** Whether a required column has no values. */
  readonly #lacks: boolean;
  readonly #hasNullText: boolean;

  /** @param positions the number of a value in a row, and of its column */
  constructor(
    builder: RowsBuilder,
    fields: readonly Field[],
    positions: readonly { readonly index: number; readonly position: number }[],
    format: CsvFormat,
  ) {
    this.#builder = builder;
    this.#hasNullText = format.nullText !== undefined && format.nullText !== "";
    this.#cells = positions.map(({ index, position }): Cell => {
      const field = fields[position]!;
      const valueOf = (cell: "" | null) => {
        const value = emptyOf(cell, field, format);
        if (value === undefined) return field.default;
        return value === null && !field.nullable ? undefined : value;
      };
      return { index, position, field, ifEmpty: valueOf(""), ifNull: valueOf(null) };
    });
    const others = fields.flatMap((field, position) =>
      positions.some((cell) => cell.position === position)
        ? []
        : [{ position, value: field.default }],
    );
    this.#lacks = others.some(({ value }) => value === undefined);
    this.#others = others.map(({ position, value = null }) => ({ position, value }));
  }

  /** Sets each column for the row being filled. @returns whether all accept their values */
  set(row: CsvRow): boolean {
    if (this.#lacks) return false;
    const { rows, columns } = this.#builder;
    const cells = this.#cells;
    for (let i = 0; i < cells.length; i++) {
      const { index, position, field, ifEmpty, ifNull } = cells[i]!;
      const from = row.from(index);
      const to = row.to(index);
      const column = columns[position]!;
      if (from === to || (this.#hasNullText && row.isNull(index))) {
        const value = row.isNull(index) ? ifNull : ifEmpty;
        if (value === undefined) return false;
        setValue(column, rows, value);
      } else if (field.type === "json" || row.isDoubled(index)) {
        if (!this.#setText(row, index, position, field)) return false;
      } else if (!column.setBytes(rows, row.bytes, from, to)) {
        // A float may be written in other ways than JavaScript's.
        if (field.type !== "float" || !this.#setText(row, index, position, field)) return false;
      }
    }
    for (const { position, value } of this.#others) setValue(columns[position]!, rows, value);
    return true;
  }

  #setText(row: CsvRow, index: number, position: number, field: Field): boolean {
    const wire = toWire(field, inputOf(field, row.cell(index)));
    if (wire === undefined) return false;
    setValue(this.#builder.columns[position]!, this.#builder.rows, wire);
    return true;
  }
}
