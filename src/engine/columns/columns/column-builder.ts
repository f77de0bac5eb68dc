// A column filled row by row, with values or with bytes, and encoded along the way: after the last row it has
// everything an index of its field needs.

import type { Storage, TextValue } from "../../../schema/field.ts";
import type { Values } from "../../indexes/values.ts";

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
