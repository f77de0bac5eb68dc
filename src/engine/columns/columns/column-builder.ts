// A column filled row by row, with values or with bytes, and encoded along the way: after the last row it has
// everything an index of its field needs.

import type { Storage, TextValue } from "../../../schema/field.ts";
import type { Values } from "../../indexes/values.ts";

/** UTF-8 values, one for each of some consecutive rows. */
export interface Cells {
  readonly bytes: Uint8Array;
  /** The start and the end of a value in the bytes: of the first one at `first`, of each other `stride` after it. */
  readonly bounds: Int32Array;
  readonly first: number;
  readonly stride: number;
  /** Whether an empty value means null. */
  readonly isNothingNull: boolean;
}

export interface ColumnBuilder {
  readonly type: Storage;
  /** How many bytes of memory it takes. */
  readonly bytes: number;
  /** Makes room for this many rows. */
  grow(rows: number): void;
  setNull(row: number): void;
  /** Sets a value that the field is known to accept. */
  setText(row: number, text: string): void;
  /**
   * Sets a value given as UTF-8 bytes. A row may be set again.
   *
   * @returns whether the field accepts it; if not, nothing is set
   */
  setBytes(row: number, bytes: Uint8Array, from: number, to: number): boolean;
  /**
   * Sets the values of consecutive rows. Each class has the loop of its own, so that its calls have one target.
   *
   * @param row that of the first value
   * @param from the first value to be set
   * @returns the first value that is not set: the field does not accept it, or it is empty and not null; `to` if all are
   */
  setCells(row: number, cells: Cells, from: number, to: number): number;
  /** The values, and for each row the position of its value. The builder can't be used afterwards. */
  finish(rows: number): BuiltColumn;
}

/** An encoded column. */
export interface BuiltColumn {
  readonly values: Values;
  readonly codes: Uint32Array;
}

export function setValue(column: ColumnBuilder, row: number, value: TextValue): void {
  if (value === null) column.setNull(row);
  else column.setText(row, value);
}
