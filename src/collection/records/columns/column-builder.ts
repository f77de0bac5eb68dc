// A column that is filled row by row, with values or with their bytes, and encoded on the way: after
// the last row it has everything that an index of its field needs.

import type { Storage, WireValue } from "../../../schema/field.ts";
import type { Values } from "../../index/index-parts.ts";

export interface ColumnBuilder {
  readonly type: Storage;
  /** Makes room for this many rows. */
  grow(rows: number): void;
  setNull(row: number): void;
  /** A value that the field is known to accept. */
  setText(row: number, text: string): void;
  /**
   * A value as bytes of UTF-8. A row may be set again.
   *
   * @returns whether the field accepts it; if not, nothing is set
   */
  setBytes(row: number, bytes: Uint8Array, from: number, to: number): boolean;
  /**
   * The values of the rows, and for each row the position of its own. The builder can't be used
   * afterwards.
   */
  finish(rows: number): BuiltColumn;
}

/** An encoded column. */
export interface BuiltColumn {
  readonly values: Values;
  readonly codes: Uint32Array;
}

export function setValue(column: ColumnBuilder, row: number, value: WireValue): void {
  if (value === null) column.setNull(row);
  else column.setText(row, value);
}

/** For each number of a value in use, counted from 1, its code; 0 for the others. */
export function usedNumbers(codes: Uint32Array, values: number): Uint32Array {
  const isUsed = new Uint8Array(values + 1);
  for (let row = 0; row < codes.length; row++) isUsed[codes[row]!] = 1;
  let count = 0;
  const used = new Uint32Array(values);
  for (let number = 1; number <= values; number++)
    if (isUsed[number] === 1) used[count++] = number - 1;
  return used.subarray(0, count);
}

/** Replaces the numbers of values by their codes. @param sorted the numbers in the order of their values */
export function recode(codes: Uint32Array, sorted: Uint32Array, values: number): void {
  const codeOf = new Uint32Array(values + 1);
  for (let i = 0; i < sorted.length; i++) codeOf[sorted[i]! + 1] = i + 1;
  for (let row = 0; row < codes.length; row++) codes[row] = codeOf[codes[row]!]!;
}

/** The elements of a typed array in a larger one. */
export function grown<Elements extends Uint8Array | Uint32Array | Int32Array | Float64Array>(
  elements: Elements,
  make: new (length: number) => Elements,
  length: number,
): Elements {
  const more = new make(length);
  more.set(elements);
  return more;
}
