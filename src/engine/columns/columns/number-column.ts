// A column of numbers, read from strings or from their bytes.

import { finish } from "../../algorithms/steps.ts";
import { NumberCoder } from "../../indexes/number-coder.ts";
import { NumberValues } from "../../indexes/number-values.ts";
import { parseNumber, toFloatText } from "../../../schema/numbers.ts";
import type { BuiltColumn, Cells, ColumnBuilder } from "./column-builder.ts";

const MINUS = 0x2d;
const ZERO = 0x30;
const MAX_DIGITS = 16;
/** More characters than JavaScript writes for any number. */
const MOST_CHARACTERS = 32;

export class NumberColumn implements ColumnBuilder {
  readonly type: "int" | "float";
  readonly #coder: NumberCoder;
  #lastText = "";
  #lastNumber = NaN;

  constructor(type: "int" | "float") {
    this.type = type;
    this.#coder = new NumberCoder(type === "int");
  }

  get bytes(): number {
    return this.#coder.bytes;
  }

  grow(rows: number): void {
    this.#coder.grow(rows);
  }

  setNull(row: number): void {
    this.#coder.setNull(row);
  }

  setText(row: number, text: string): void {
    if (text !== this.#lastText) {
      this.#lastText = text;
      this.#lastNumber = parseNumber(text);
    }
    this.#coder.set(row, this.#lastNumber);
  }

  setBytes(row: number, bytes: Uint8Array, from: number, to: number): boolean {
    return this.type === "int"
      ? this.#setInteger(row, bytes, from, to)
      : this.#setFloat(row, bytes, from, to);
  }

  setCells(row: number, cells: Cells, from: number, to: number): number {
    const { bytes, bounds, first, stride, isNothingNull } = cells;
    for (let i = from; i < to; i++) {
      const at = first + i * stride;
      const [start, end] = [bounds[at]!, bounds[at + 1]!];
      if (start < end) {
        if (!this.setBytes(row + i, bytes, start, end)) return i;
      } else if (isNothingNull) this.setNull(row + i);
      else return i;
    }
    return to;
  }

  #setFloat(row: number, bytes: Uint8Array, from: number, to: number): boolean {
    if (to - from > MOST_CHARACTERS) return false;
    const text = toFloatText(String.fromCharCode(...bytes.subarray(from, to)));
    if (text === undefined) return false;
    this.#coder.set(row, parseNumber(text));
    return true;
  }

  #setInteger(row: number, bytes: Uint8Array, from: number, to: number): boolean {
    const isNegative = bytes[from] === MINUS;
    const start = isNegative ? from + 1 : from;
    const digits = to - start;
    if (digits < 1 || digits > MAX_DIGITS) return false;
    if (bytes[start] === ZERO && (digits > 1 || isNegative)) return false;
    let number = 0;
    for (let i = start; i < to; i++) {
      const digit = bytes[i]! - ZERO;
      if (digit < 0 || digit > 9) return false;
      number = number * 10 + digit;
    }
    if (number > Number.MAX_SAFE_INTEGER) return false;
    this.#coder.set(row, isNegative ? -number : number);
    return true;
  }

  finish(rows: number): BuiltColumn {
    const { numbers, codes } = finish(this.#coder.finishing(rows));
    return { codes, values: new NumberValues(this.type, numbers) };
  }
}
