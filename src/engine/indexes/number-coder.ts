// Assigns codes to the numbers of rows by their order. While there are few distinct ones, a hash table numbers them. If
// there are many, or a search takes too many steps, because numbers were crafted to collide, they are stored as they come,
// and ranked at the end.

import { grown, recode, usedNumbers } from "../algorithms/codes.ts";
import { ones } from "../algorithms/bitset.ts";
import { sortNumbers } from "../algorithms/radix-sort.ts";
import { inSteps, type Steps } from "../algorithms/steps.ts";
import { tuning } from "../tuning.ts";

/** Integers are ranked by a bitset over their range if that takes at most this many bits per row. */
const MOST_BITS = 64;

/** The distinct numbers, ascending, after a placeholder for null; and for each number its code. */
export interface CodedNumbers {
  readonly numbers: Float64Array;
  readonly codes: Uint32Array;
}

export class NumberCoder {
  readonly #areIntegers: boolean;
  /** For each row, the number of its value, counted from 1, while there are few; 0 for null. */
  #codes: Uint32Array<ArrayBuffer> | undefined;
  /** The values by their numbers, from 0; if there are many, the value of each row, NaN for null. */
  #numbers: Float64Array<ArrayBuffer>;
  #count = 0;
  /** The number of the last value. */
  #last = 0;
  /** The number of a value, or 0 if the slot is free. */
  #slots: Uint16Array<ArrayBuffer>;
  readonly #seed = tuning.hashSeed();

  /**
   * @param areIntegers whether all are safe integers. Otherwise they are finite, and none is −0.
   * @param rows the number of rows, if known: few rows need no table
   */
  constructor(areIntegers: boolean, rows?: number) {
    this.#areIntegers = areIntegers;
    const { fewNumbers } = tuning;
    const needsTable = rows === undefined || rows > fewNumbers;
    this.#codes = needsTable ? new Uint32Array(rows ?? 0) : undefined;
    this.#numbers = new Float64Array(needsTable ? fewNumbers : rows);
    this.#slots = new Uint16Array(needsTable ? 4 * fewNumbers : 0);
  }

  /** How many bytes of memory it takes. */
  get bytes(): number {
    return (this.#codes?.byteLength ?? 0) + this.#numbers.byteLength + this.#slots.byteLength;
  }

  /** Makes room for this many rows. */
  grow(rows: number): void {
    if (this.#codes === undefined) this.#numbers = grown(this.#numbers, Float64Array, rows);
    else this.#codes = grown(this.#codes, Uint32Array, rows);
  }

  setNull(row: number): void {
    if (this.#codes === undefined) this.#numbers[row] = NaN;
    else this.#codes[row] = 0;
  }

  set(row: number, number: number): void {
    if (this.#codes === undefined) {
      this.#numbers[row] = number;
      return;
    }
    const last = this.#last;
    // Many fields have the same value in many consecutive rows.
    if (last > 0 && this.#numbers[last - 1] === number) {
      this.#codes[row] = last;
      return;
    }
    const slots = this.#slots;
    const mask = slots.length - 1;
    let slot = this.#hashOf(number) & mask;
    for (let steps = 0; steps < tuning.mostNumberSteps; steps++, slot = (slot + 1) & mask) {
      const known = slots[slot]!;
      if (known === 0 && 4 * this.#count < slots.length) {
        this.#numbers[this.#count] = number;
        this.#codes[row] = slots[slot] = this.#last = ++this.#count;
        return;
      }
      if (known > 0 && this.#numbers[known - 1] === number) {
        this.#codes[row] = this.#last = known;
        return;
      }
      if (known === 0) break;
    }
    this.#keepNumbers(this.#codes);
    this.#numbers[row] = number;
  }

  /** The high bits and the fraction must contribute to the hash, too. */
  #hashOf(number: number): number {
    const fraction = this.#areIntegers ? 0 : (number % 1) * 2 ** 31;
    let h = Math.imul(number ^ this.#seed, 0x9e3779b1);
    h = Math.imul(h ^ (h >>> 15) ^ (number / 2 ** 32), 0x85ebca6b);
    h = Math.imul(h ^ (h >>> 13) ^ fraction, 0xc2b2ae35);
    return h ^ (h >>> 16);
  }

  /** The codes of the rows, step by step. The coder can't be used afterwards. */
  *finishing(rows: number): Steps<CodedNumbers> {
    if (this.#codes === undefined) {
      return yield* ranked(this.#numbers.subarray(0, rows), this.#areIntegers);
    }
    const codes = this.#codes.subarray(0, rows);
    const numbers = this.#numbers;
    const sorted = usedNumbers(codes, this.#count).sort((a, b) => numbers[a]! - numbers[b]!);
    recode(codes, sorted, this.#count);
    const values = new Float64Array(sorted.length + 1);
    for (let i = 0; i < sorted.length; i++) values[i + 1] = numbers[sorted[i]!]!;
    return { numbers: values, codes };
  }

  /** Switches to storing every row's value. */
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

/** Codes numbers, with NaN for null, by their ranks. */
function* ranked(numbers: Float64Array, areIntegers: boolean): Steps<CodedNumbers> {
  let least = Infinity;
  let most = -Infinity;
  yield* inSteps(numbers.length, (from, to) => {
    for (let row = from; row < to; row++) {
      const number = numbers[row]!;
      if (number < least) least = number;
      if (number > most) most = number;
    }
  });
  const range = most - least + 1;
  return areIntegers && range > 0 && range <= Math.min(MOST_BITS * numbers.length, 2 ** 31)
    ? yield* rankedByBits(numbers, least, range)
    : yield* rankedBySorting(numbers, areIntegers);
}

function* rankedByBits(rows: Float64Array, least: number, range: number): Steps<CodedNumbers> {
  const bits = new Uint32Array(Math.ceil(range / 32));
  yield* inSteps(rows.length, (from, to) => {
    for (let row = from; row < to; row++) {
      const at = rows[row]! - least;
      if (at >= 0) bits[at >>> 5]! |= 1 << (at & 31);
    }
  });
  const before = new Uint32Array(bits.length);
  let count = 0;
  yield* inSteps(bits.length, (from, to) => {
    for (let word = from; word < to; word++) {
      before[word] = count;
      count += ones(bits[word]!);
    }
  });
  const codes = new Uint32Array(rows.length);
  yield* inSteps(rows.length, (from, to) => {
    for (let row = from; row < to; row++) {
      const at = rows[row]! - least;
      if (!(at >= 0)) continue;
      const lower = bits[at >>> 5]! & ((1 << (at & 31)) - 1);
      codes[row] = before[at >>> 5]! + ones(lower) + 1;
    }
  });
  const numbers = new Float64Array(count + 1);
  let code = 0;
  yield* inSteps(bits.length, (from, to) => {
    for (let word = from; word < to; word++) {
      for (let left = bits[word]!; left !== 0; left &= left - 1) {
        // Subtracts first: near 2^53, a sum beyond it would be rounded.
        numbers[++code] = least + (32 * word + 31 - Math.clz32(left & -left));
      }
    }
  });
  return { numbers, codes };
}

function* rankedBySorting(rows: Float64Array, areIntegers: boolean): Steps<CodedNumbers> {
  const all = new Uint32Array(rows.length);
  let length = 0;
  yield* inSteps(rows.length, (from, to) => {
    for (let row = from; row < to; row++) if (!Number.isNaN(rows[row])) all[length++] = row;
  });
  const sorted = all.subarray(0, length);
  const repeated = yield* sortNumbers(rows, sorted, areIntegers);
  const codes = new Uint32Array(rows.length);
  const numbers = new Float64Array(length + 1);
  let count = 0;
  yield* inSteps(length, (from, to) => {
    for (let i = from; i < to; i++) {
      const row = sorted[i]!;
      if (repeated[i] === 0) numbers[++count] = rows[row]!;
      codes[row] = count;
    }
  });
  return { numbers: numbers.slice(0, count + 1), codes };
}
