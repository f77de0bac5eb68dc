// Sums of squares that are exact until they are rounded once, like the sums of exact-sum.ts, to which they are added.
//
// A square is held as two numbers: the nearest one and the rounding error. If the numbers are multiples of one unit, each
// of both is split at the same bits into parts, so that so many parts can be added directly without rounding.
//
// Source: J. Demmel, H. D. Nguyen, "Fast Reproducible Floating-Point Summation", 2013.

import {
  errorOf,
  ExactSums,
  exponentOf,
  grown,
  HUGE,
  LEAST,
  TINY,
  unitsOf,
  type NumberRange,
} from "./exact-sum.ts";

/** How many parts a square has. */
const PARTS = 4;

/** How many sums it takes. */
const SUMS = PARTS + 1;

/** Where squares are split. */
interface Split {
  /** Adding and subtracting each rounds to a multiple of the bit at which its part ends; the last part is the rest. */
  readonly rounders: readonly [number, number, number];
  /** How many squares may be pending. */
  readonly room: number;
}

/** With less room, settling costs more than it saves. */
const LEAST_ROOM = 2 ** 12;

/** Any number of sums of squares, by their places, counted from 0. All start at 0. */
export class ExactSquares {
  /**
   * A sum for each part of a square: those of one part have so few bits that the two numbers of a sum hold all of them.
   * Added up, they would seldom fit. Whole squares have another sum.
   */
  readonly #sums = new ExactSums();
  /** The parts of the pending squares, by place. */
  #parts: Float64Array = new Float64Array(0);
  #pending = 0;
  #range: NumberRange | undefined;
  #split: Split | undefined;
  /** Squares whose rounding error may be no number, in multiples of the square of the smallest number, by place. */
  readonly #extreme = new Map<number, bigint>();

  /** Makes room for this many sums. */
  reserve(length: number): void {
    this.#sums.reserve(length * SUMS);
    this.#parts = grown(this.#parts, length * PARTS);
  }

  /** Adds the square of a number at each of the places; −Infinity stands for null. */
  addEach(places: Int32Array, numbers: Float64Array, length: number, range: NumberRange): void {
    const direct =
      range.unit === 1 ? this.#sums.directSums(length * range.most * range.most) : undefined;
    if (direct !== undefined) {
      for (let i = 0; i < length; i++) {
        const number = numbers[i]!;
        direct[places[i]! * SUMS + PARTS]! += number === -Infinity ? 0 : number * number;
      }
      return;
    }
    const split = this.#splitFor(range, length);
    for (let i = 0; i < length; i++) {
      if (numbers[i] === -Infinity) continue;
      if (split === undefined) this.add(places[i]!, numbers[i]!);
      else addParts(this.#parts, places[i]! * PARTS, numbers[i]!, split);
    }
  }

  /** @param more how many squares are to be added */
  #splitFor(range: NumberRange, more: number): Split | undefined {
    if (this.#range?.most !== range.most || this.#range.unit !== range.unit) {
      this.#settle();
      this.#range = range;
      this.#split = splitOf(range);
    }
    if (this.#split !== undefined && this.#pending + more > this.#split.room) this.#settle();
    this.#pending += more;
    return this.#split;
  }

  /** Adds the parts to the sums. */
  #settle(): void {
    if (this.#pending === 0) return;
    this.#pending = 0;
    const parts = this.#parts;
    for (let at = 0; at < parts.length; at++) {
      if (parts[at] === 0) continue;
      this.#sums.add(Math.floor(at / PARTS) * SUMS + (at % PARTS), parts[at]!);
      parts[at] = 0;
    }
  }

  /** Adds the square of a number `times` times. */
  add(place: number, number: number, times = 1): void {
    const square = number * number;
    if (number === 0) return;
    if (square > HUGE || square < TINY) this.#keep(place, unitsOf(number) ** 2n * BigInt(times));
    else {
      this.#sums.add(place * SUMS + PARTS, square, times);
      this.#sums.add(place * SUMS + PARTS, errorOf(square, number, number), times);
    }
  }

  #keep(place: number, units: bigint): void {
    this.#extreme.set(place, (this.#extreme.get(place) ?? 0n) + units);
  }

  /** Adds one sum of another object. */
  addSum(place: number, others: ExactSquares, other: number): void {
    others.#settle();
    for (let part = 0; part < SUMS; part++) {
      this.#sums.addSum(place * SUMS + part, others.#sums, other * SUMS + part);
    }
    const extreme = others.#extreme.get(other);
    if (extreme !== undefined) this.#keep(place, extreme);
  }

  /** A sum in multiples of the square of the smallest positive number. */
  units(place: number): bigint {
    this.#settle();
    let sum = 0n;
    for (let part = 0; part < SUMS; part++) sum += this.#sums.units(place * SUMS + part);
    return (sum << BigInt(-LEAST)) + (this.#extreme.get(place) ?? 0n);
  }
}

/** Where to split the squares of some numbers; `undefined` if they have too many bits. */
function splitOf({ most, unit }: NumberRange): Split | undefined {
  if (!(most > 0 && unit > 0) || most * most > HUGE || unit * unit < TINY) return undefined;
  const end = 2 * (exponentOf(most) + 1);
  const bits = Math.ceil((end - 2 * exponentOf(unit)) / PARTS);
  // So many parts of `bits` bits are a number of 53 bits.
  const room = 2 ** (53 - bits);
  if (room < LEAST_ROOM) return undefined;
  const rounder = (part: number) => 1.5 * 2 ** (end - part * bits + 52);
  return { rounders: [rounder(1), rounder(2), rounder(3)], room };
}

function addParts(parts: Float64Array, at: number, number: number, { rounders }: Split): void {
  const [first, second, third] = rounders;
  const square = number * number;
  // Too small for the first part.
  const error = errorOf(square, number, number);
  const high = square + first - first;
  const rest = square - high;
  const middle = rest + second - second;
  const last = rest - middle;
  const low = last + third - third;
  const middleError = error + second - second;
  const lastError = error - middleError;
  const lowError = lastError + third - third;
  parts[at]! += high;
  parts[at + 1]! += middle + middleError;
  parts[at + 2]! += low + lowError;
  parts[at + 3]! += last - low + (lastError - lowError);
}
