// A column of numbers. As long as there are few different ones, a table finds each and gives it a code. If
// there are many, they are stored as they come, and ranked at the end.

import { sortNumbers } from "../../algorithms/radix-sort.ts";
import { finish } from "../../algorithms/steps.ts";
import { parseNumber, toWireFloat } from "../../../schema/numbers.ts";
import { NumberValues } from "./number-values.ts";
import {
  grown,
  recode,
  usedNumbers,
  type BuiltColumn,
  type ColumnBuilder,
} from "./column-builder.ts";

/** Up to this many values are few. */
const FEW = 4096;
/** Of the table for them: a power of 2. */
const SLOTS = 4 * FEW;
/** A search ends after this many steps, and then there are many: numbers can be crafted to collide. */
const MOST_STEPS = 32;

/** Numbers are ranked by a bitset of their range if it takes at most this many bits a row. */
const MOST_BITS = 64;

const MINUS = 0x2d;
const ZERO = 0x30;
const MAX_DIGITS = 16;
/** Of a number as JavaScript writes it, and more. */
const MOST_CHARACTERS = 32;

export class NumberColumn implements ColumnBuilder {
  readonly type: "int" | "float";
  /** For each row the number of its value, counted from 1, while there are few; 0 for null. */
  #codes: Uint32Array<ArrayBuffer> | undefined = new Uint32Array(0);
  /** The values by their numbers, from 0; if there are many, for each row its own, NaN for null. */
  #numbers = new Float64Array(FEW);
  #count = 0;
  /** The number of a value, or 0 if the slot is free. */
  #slots = new Uint16Array(SLOTS);
  #lastText = "";
  #lastNumber = NaN;

  constructor(type: "int" | "float") {
    this.type = type;
  }

  grow(rows: number): void {
    if (this.#codes === undefined) this.#numbers = grown(this.#numbers, Float64Array, rows);
    else this.#codes = grown(this.#codes, Uint32Array, rows);
  }

  setNull(row: number): void {
    if (this.#codes === undefined) this.#numbers[row] = NaN;
    else this.#codes[row] = 0;
  }

  setText(row: number, text: string): void {
    if (text !== this.#lastText) {
      this.#lastText = text;
      this.#lastNumber = parseNumber(text);
    }
    this.#set(row, this.#lastNumber);
  }

  setBytes(row: number, bytes: Uint8Array, from: number, to: number): boolean {
    return this.type === "int"
      ? this.#setInteger(row, bytes, from, to)
      : this.#setFloat(row, bytes, from, to);
  }

  #setFloat(row: number, bytes: Uint8Array, from: number, to: number): boolean {
    if (to - from > MOST_CHARACTERS) return false;
    const text = toWireFloat(String.fromCharCode(...bytes.subarray(from, to)));
    if (text === undefined) return false;
    this.#set(row, parseNumber(text));
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
    this.#set(row, isNegative ? -number : number);
    return true;
  }

  finish(rows: number): BuiltColumn {
    if (this.#codes === undefined) {
      const { codes, values } = ranked(this.#numbers.subarray(0, rows), this.type === "int");
      return { codes, values: new NumberValues(this.type, values) };
    }
    const codes = this.#codes.subarray(0, rows);
    const numbers = this.#numbers;
    const sorted = usedNumbers(codes, this.#count).sort((a, b) => numbers[a]! - numbers[b]!);
    recode(codes, sorted, this.#count);
    const values = new Float64Array(sorted.length + 1);
    for (let i = 0; i < sorted.length; i++) values[i + 1] = numbers[sorted[i]!]!;
    return { values: new NumberValues(this.type, values), codes };
  }

  #set(row: number, number: number): void {
    if (this.#codes === undefined) {
      this.#numbers[row] = number;
      return;
    }
    const slots = this.#slots;
    // The fraction of a number, too, must spread over the slots.
    const fraction = (number % 1) * 2 ** 31;
    const mixed = Math.imul(number, 0x9e3779b1) ^ Math.imul(number / 2 ** 32, 0x85ebca6b);
    let slot = (mixed ^ Math.imul(fraction, 0xc2b2ae35)) >>> 18;
    for (let steps = 0; steps < MOST_STEPS; steps++, slot = (slot + 1) & (SLOTS - 1)) {
      const known = slots[slot]!;
      if (known === 0 && this.#count < FEW) {
        this.#numbers[this.#count] = number;
        this.#codes[row] = slots[slot] = ++this.#count;
        return;
      }
      if (known > 0 && this.#numbers[known - 1] === number) {
        this.#codes[row] = known;
        return;
      }
      if (known === 0) break;
    }
    this.#keepNumbers(this.#codes);
    this.#numbers[row] = number;
  }

  /** Switches to many values. */
  #keepNumbers(codes: Uint32Array): void {
    const numbers = new Float64Array(codes.length);
    for (let row = 0; row < codes.length; row++) {
      numbers[row] = codes[row] === 0 ? NaN : this.#numbers[codes[row]! - 1]!;
    }
    this.#numbers = numbers;
    this.#codes = undefined;
    this.#slots = new Uint16Array(0);
  }
}

interface Ranked {
  readonly values: Float64Array;
  readonly codes: Uint32Array;
}

/** The distinct ones of some numbers, NaN for null, and for each of the numbers its rank. */
function ranked(numbers: Float64Array, areIntegers: boolean): Ranked {
  let least = Infinity;
  let most = -Infinity;
  for (let row = 0; row < numbers.length; row++) {
    const number = numbers[row]!;
    if (number < least) least = number;
    if (number > most) most = number;
  }
  const range = most - least + 1;
  return areIntegers && range > 0 && range <= Math.min(MOST_BITS * numbers.length, 2 ** 31)
    ? rankedByBits(numbers, least, range)
    : rankedBySorting(numbers, areIntegers);
}

function rankedByBits(numbers: Float64Array, least: number, range: number): Ranked {
  const bits = new Uint32Array(Math.ceil(range / 32));
  for (let row = 0; row < numbers.length; row++) {
    const at = numbers[row]! - least;
    if (at >= 0) bits[at >>> 5]! |= 1 << (at & 31);
  }
  const before = new Uint32Array(bits.length);
  let count = 0;
  for (let word = 0; word < bits.length; word++) {
    before[word] = count;
    count += ones(bits[word]!);
  }
  const codes = new Uint32Array(numbers.length);
  for (let row = 0; row < numbers.length; row++) {
    const at = numbers[row]! - least;
    if (!(at >= 0)) continue;
    const lower = bits[at >>> 5]! & ((1 << (at & 31)) - 1);
    codes[row] = before[at >>> 5]! + ones(lower) + 1;
  }
  const values = new Float64Array(count + 1);
  let code = 0;
  for (let word = 0; word < bits.length; word++) {
    for (let left = bits[word]!; left !== 0; left &= left - 1) {
      values[++code] = least + 32 * word + 31 - Math.clz32(left & -left);
    }
  }
  return { values, codes };
}

/** How many bits are set. Source: H. S. Warren, Hacker's Delight, 5-1. */
function ones(word: number): number {
  word -= (word >>> 1) & 0x55555555;
  word = (word & 0x33333333) + ((word >>> 2) & 0x33333333);
  return Math.imul((word + (word >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

function rankedBySorting(numbers: Float64Array, areIntegers: boolean): Ranked {
  const rows = new Uint32Array(numbers.length);
  let length = 0;
  for (let row = 0; row < numbers.length; row++)
    if (!Number.isNaN(numbers[row])) rows[length++] = row;
  const sorted = rows.subarray(0, length);
  const repeated = finish(sortNumbers(numbers, sorted, areIntegers));
  const codes = new Uint32Array(numbers.length);
  let count = 0;
  for (let i = 0; i < length; i++) {
    if (repeated[i] === 0) count++;
    codes[sorted[i]!] = count;
  }
  const values = new Float64Array(count + 1);
  for (let i = 0; i < length; i++) values[codes[sorted[i]!]!] = numbers[sorted[i]!]!;
  return { values, codes };
}
