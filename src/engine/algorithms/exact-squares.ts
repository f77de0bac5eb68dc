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
  HALF,
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

/** The pending parts of a place, and after them how many squares these are of. */
const PENDING = PARTS + 1;

/** Where squares are split. */
interface Split {
  /** Adding and subtracting each rounds to a multiple of the bit at which its part ends; the last part is the rest. */
  readonly first: number;
  readonly second: number;
  readonly third: number;
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
  /** The parts of the pending squares, and how many of these there are, by place. */
  #parts: Float64Array = new Float64Array(0);
  /** At least as many as are pending at any place. */
  #pending = 0;
  #range: NumberRange | undefined;
  #split: Split | undefined;
  /** Squares whose rounding error may be no number, in multiples of the square of the smallest number, by place. */
  readonly #extreme = new Map<number, bigint>();

  /** Makes room for this many sums. */
  reserve(length: number): void {
    this.#sums.reserve(length * SUMS);
    this.#parts = grown(this.#parts, length * PENDING);
  }

  /** Adds the square of a number at each of the places. */
  addEach(places: Int32Array, numbers: Float64Array, length: number, range: NumberRange): void {
    const direct =
      range.unit === 1 ? this.#sums.directSums(length * range.most * range.most) : undefined;
    if (direct !== undefined) {
      for (let i = 0; i < length; i++) {
        const number = numbers[i]!;
        direct[places[i]! * SUMS + PARTS]! += number * number;
      }
      return;
    }
    const split = this.#splitFor(range, length);
    if (split === undefined) for (let i = 0; i < length; i++) this.add(places[i]!, numbers[i]!);
    else addEachPart(this.#parts, places, numbers, length, split);
  }

  /** @param more how many squares are to be added */
  #splitFor(range: NumberRange, more: number): Split | undefined {
    if (this.#range?.most !== range.most || this.#range.unit !== range.unit) {
      this.#settle();
      this.#range = range;
      this.#split = splitOf(range);
    }
    if (this.#split !== undefined && this.#pending + more > this.#split.room) {
      this.#pending = this.#mostPending();
      // Looking at all places again and again would take long.
      if (this.#pending + more > this.#split.room / 2) this.#settle();
    }
    this.#pending += more;
    return this.#split;
  }

  #mostPending(): number {
    const parts = this.#parts;
    let most = 0;
    for (let at = PARTS; at < parts.length; at += PENDING) most = Math.max(most, parts[at]!);
    return most;
  }

  /** Adds the parts to the sums. */
  #settle(): void {
    if (this.#pending === 0) return;
    this.#pending = 0;
    const parts = this.#parts;
    for (let place = 0; place * PENDING < parts.length; place++) {
      const at = place * PENDING;
      if (parts[at + PARTS] === 0) continue;
      parts[at + PARTS] = 0;
      for (let part = 0; part < PARTS; part++) {
        this.#sums.add(place * SUMS + part, parts[at + part]!);
        parts[at + part] = 0;
      }
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
  return { first: rounder(1), second: rounder(2), third: rounder(3), room };
}

function addEachPart(
  parts: Float64Array,
  places: Int32Array,
  numbers: Float64Array,
  length: number,
  { first, second, third }: Split,
): void {
  // Bundlers make variables of the others.
  const pending = PENDING;
  const half = HALF;
  for (let i = 0; i < length; i++) {
    const number = numbers[i]!;
    const at = places[i]! * pending;
    const square = number * number;
    // The rounding error, as `errorOf` finds it. Too small for the first part.
    const product = number * half;
    const upper = product - (product - number);
    const lower = number - upper;
    const error = lower * lower - (square - upper * upper - 2 * upper * lower);
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
    parts[at + 4]! += 1;
  }
}
