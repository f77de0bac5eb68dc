// Sums that are exact until they are rounded once, so they do not depend on the order of the numbers, which differs
// between plans.
//
// A sum is held as two numbers: the nearest one and the rounding error. That is exact as long as both together have
// enough bits, which is the case for amounts of money and times. Whatever does not fit moves to a bigint. While all
// numbers are integers too small to be rounded, they are simply added.
//
// Source: T. J. Dekker, "A Floating-Point Technique for Extending the Available Precision", 1971.

/** What is known of numbers before they are added up. */
export interface NumberRange {
  /** The largest magnitude. */
  readonly most: number;
  /** A power of two of which all are multiples: 1 for integers. */
  readonly unit: number;
}

/** The range of any finite numbers. */
export const ANY_NUMBERS: NumberRange = { most: Infinity, unit: 0 };

/** @param least the smallest magnitude of a number other than 0; `Infinity` if there is none */
export function rangeOfFloats(least: number, most: number): NumberRange {
  if (least === Infinity) return { most: 0, unit: 1 };
  return { most, unit: Math.max(2 ** LEAST, 2 ** (exponentOf(least) - Number(FRACTION_BITS))) };
}

/** Any number of sums, by their places, counted from 0. All start at 0. */
export class ExactSums {
  #high: Float64Array = new Float64Array(1);
  #low: Float64Array = new Float64Array(1);
  /**
   * For each place {@link PARTS} numbers, next to each other in memory: the upper and the lower parts of numbers that are
   * added directly, since their sums are not rounded yet, see {@link addEach}; the count; and the count when there were
   * no such parts. What was added one by one since then is in both counts.
   */
  #parts: Float64Array = new Float64Array(PARTS);
  /** At least as many numbers as the upper and lower parts are of at any place. */
  #pending = 0;
  /** Where they are split depends on it. */
  #pendingRange: NumberRange = ANY_NUMBERS;
  /** What did not fit into both, as multiples of the smallest positive number, by place. */
  readonly #rest = new Map<number, bigint>();
  /**
   * The magnitude that may still be added before a sum of integers could be rounded. Zero once anything else was added:
   * until then each sum is an integer, and `#low` is empty.
   */
  #room = MOST_EXACT;

  /** Makes room for this many sums. */
  reserve(length: number): void {
    this.#parts = grown(this.#parts, length * PARTS);
    this.#high = grown(this.#high, length);
    this.#low = grown(this.#low, length);
  }

  /** Adds a finite number `times` times: an integer of magnitude up to 2^53; a negative one subtracts it. */
  add(place: number, number: number, times = 1): void {
    this.#count(place, times);
    const sums = this.directSums(Number.isInteger(number) ? Math.abs(number * times) : Infinity);
    if (sums !== undefined) {
      sums[place]! += number * times;
      return;
    }
    if (times === 1) {
      this.#add(place, number);
      return;
    }
    if (number === 0) return;
    const size = Math.abs(number);
    if (size > HUGE || size < TINY) this.#keep(place, unitsOf(number) * BigInt(times));
    else {
      const product = number * times;
      this.#add(place, product);
      this.#add(place, errorOf(product, number, times));
    }
  }

  /**
   * The sums, if integers can be added to them directly.
   *
   * @param magnitude the total magnitude of those integers; `Infinity` if some may not be integers
   * @returns `undefined` if a sum might be rounded; use the other methods then
   */
  directSums(magnitude: number): Float64Array | undefined {
    this.#room -= magnitude;
    return this.#room < 0 ? undefined : this.#high;
  }

  /**
   * Adds a number at each of the places, of which there are up to 2,048.
   *
   * If all numbers are multiples of one unit, each is split at a bit into an upper and a lower part, so that so many of
   * either can be added without rounding. That takes a third of the time of adding them one by one.
   *
   * Source: J. Demmel, H. D. Nguyen, "Fast Reproducible Floating-Point Summation", 2013.
   */
  addEach(places: Int32Array, numbers: Float64Array, length: number, range: NumberRange): void {
    const { most, unit } = range;
    const parts = this.#parts;
    if (unit === 1) {
      const sums = this.directSums(length * most);
      if (sums !== undefined) {
        for (let i = 0; i < length; i++) {
          const place = places[i]!;
          sums[place]! += numbers[i]!;
          parts[place * PARTS + COUNT]!++;
        }
        return;
      }
    }
    const { room, rounder } = splitFor(range);
    this.#room = 0;
    if (2 ** room < LEAST_PENDING + SETTLED * this.#high.length || most >= HUGE || unit <= TINY) {
      for (let i = 0; i < length; i++) {
        const place = places[i]!;
        this.#add(place, numbers[i]!);
        parts[place * PARTS + COUNT]!++;
      }
      return;
    }
    const before = this.#pendingRange;
    if (before.most !== most || before.unit !== unit) this.#settle();
    if (this.#pending + length > 2 ** room) {
      this.#pending = this.#mostPending();
      // Looking at all places again and again would take long.
      if (this.#pending > 2 ** (room - 1)) this.#settle();
    }
    this.#pendingRange = range;
    this.#pending += length;
    let i = 0;
    for (; i + 3 < length; i += 4) {
      addParts(parts, places[i]!, numbers[i]!, rounder);
      addParts(parts, places[i + 1]!, numbers[i + 1]!, rounder);
      addParts(parts, places[i + 2]!, numbers[i + 2]!, rounder);
      addParts(parts, places[i + 3]!, numbers[i + 3]!, rounder);
    }
    for (; i < length; i++) addParts(parts, places[i]!, numbers[i]!, rounder);
  }

  #count(place: number, times: number): void {
    this.#parts[place * PARTS + COUNT]! += times;
    this.#parts[place * PARTS + SETTLED_COUNT]! += times;
  }

  /** How many numbers were added since the parts were settled, at the place with the most. */
  #mostPending(): number {
    const parts = this.#parts;
    let most = 0;
    for (let at = 0; at < parts.length; at += PARTS) {
      most = Math.max(most, parts[at + COUNT]! - parts[at + SETTLED_COUNT]!);
    }
    return most;
  }

  /** Adds the parts to the sums. */
  #settle(): void {
    if (this.#pending === 0) return;
    this.#pending = 0;
    const parts = this.#parts;
    for (let place = 0; place < this.#high.length; place++) {
      const at = place * PARTS;
      if (parts[at + COUNT] === parts[at + SETTLED_COUNT]) continue;
      parts[at + SETTLED_COUNT] = parts[at + COUNT]!;
      this.#add(place, parts[at + UPPER]!);
      this.#add(place, parts[at + LOWER]!);
      parts[at + UPPER] = parts[at + LOWER] = 0;
    }
  }

  /** Adds one sum of another object. */
  addSum(place: number, others: ExactSums, other: number): void {
    others.#settle();
    this.#count(place, others.count(other));
    const high = others.#high[other]!;
    const low = others.#low[other]!;
    const rest = others.#rest.get(other);
    const isInteger = low === 0 && rest === undefined && Number.isInteger(high);
    const sums = this.directSums(isInteger ? Math.abs(high) : Infinity);
    if (sums !== undefined) {
      sums[place]! += high;
      return;
    }
    this.#add(place, high);
    this.#add(place, low);
    if (rest !== undefined) this.#keep(place, rest);
  }

  #add(place: number, number: number): void {
    const high = this.#high[place]!;
    const low = this.#low[place]!;
    // The sum of two numbers, and its rounding error, which is a number too.
    const sum = high + number;
    const added = sum - high;
    const error = high - (sum - added) + (number - added);
    const rest = low + error;
    const addedRest = rest - low;
    const lost = low - (rest - addedRest) + (error - addedRest);
    const nearest = sum + rest;
    const addedLast = nearest - sum;
    // NaN if a sum overflowed.
    if (lost === 0 && nearest - nearest === 0) {
      this.#high[place] = nearest;
      this.#low[place] = sum - (nearest - addedLast) + (rest - addedLast);
    } else {
      this.#keep(place, unitsOf(high) + unitsOf(low) + unitsOf(number));
      this.#high[place] = 0;
      this.#low[place] = 0;
    }
  }

  /** How many numbers were added at a place. */
  count(place: number): number {
    return this.#parts[place * PARTS + COUNT]!;
  }

  /** A sum in multiples of the smallest positive number. */
  units(place: number): bigint {
    this.#settle();
    const rest = this.#rest.get(place) ?? 0n;
    return rest + unitsOf(this.#high[place]!) + unitsOf(this.#low[place]!);
  }

  #keep(place: number, units: bigint): void {
    this.#rest.set(place, (this.#rest.get(place) ?? 0n) + units);
  }

  /** A sum divided by a positive integer, rounded once to the nearest number. */
  dividedBy(place: number, divisor: number): number {
    this.#settle();
    const high = this.#high[place]!;
    const low = this.#low[place]!;
    const isRest = this.#rest.size > 0 && this.#rest.has(place);
    // No sum is −0.
    if (!isRest && (low === 0 || divisor === 1)) return high / divisor + 0;
    const near = isRest ? undefined : quotientOf(high, low, divisor);
    if (near !== undefined) return near;
    const sum = this.units(place);
    const quotient = rounded(sum < 0n ? -sum : sum, BigInt(divisor), LEAST);
    return (sum < 0n ? -quotient : quotient) + 0;
  }
}

/** The numbers of a place among the parts of all. */
const [UPPER, LOWER, COUNT, SETTLED_COUNT] = [0, 1, 2, 3];
const PARTS = 4;

/** Adds a number at a place, split by adding and subtracting the rounder. */
function addParts(parts: Float64Array, place: number, number: number, rounder: number): void {
  // Numbers rather than their names, which bundlers make variables of.
  const at = place * 4;
  const high = number + rounder - rounder;
  parts[at]! += high;
  parts[at + 1]! += number - high;
  parts[at + 2]! += 1;
}

interface Split {
  readonly range: NumberRange;
  /** The exponent of how many numbers may be pending. */
  readonly room: number;
  /** Adding and subtracting it rounds to a multiple of the bit at which numbers are split. */
  readonly rounder: number;
}

/** The latest one: many thousands of rows have the same range. */
let latest: Split | undefined;

/** Where to split the numbers of a range. */
function splitFor(range: NumberRange): Split {
  if (latest?.range === range) return latest;
  const { most, unit } = range;
  const bits = unit > 0 ? exponentOf(most) + 1 - exponentOf(unit) : Infinity;
  // With m pending numbers of b bits, upper and lower parts need b + 2 log m bits, of which the sign gives one.
  const room = Math.min(MOST_PENDING, Math.floor((2 * BITS + 1 - bits) / 2));
  const rounder = 1.5 * 2 ** (exponentOf(most) + 1 + room - 1);
  return (latest = { range, room, rounder });
}

/** A longer copy of an array, or the array itself if it is long enough. */
export function grown(array: Float64Array, length: number, filling = 0): Float64Array {
  if (array.length >= length) return array;
  const longer = new Float64Array(length);
  longer.set(array);
  if (filling !== 0) longer.fill(filling, array.length);
  return longer;
}

/** How many bits of an integer a number holds. */
const BITS = 53;

/** All integers up to here are numbers. */
const MOST_EXACT = 2 ** BITS;

/** If fewer numbers may be pending, in all and for each sum, looking at all sums costs more than it saves. */
const LEAST_PENDING = 1 << 12;
const SETTLED = 1;

/** The exponent of how many numbers may be pending. */
const MOST_PENDING = 24;

/** Within these bounds, the rounding error of a number times a count neither overflows nor underflows. */
export const HUGE = 2 ** 950;
export const TINY = 2 ** -850;

/** Splits a number into two parts of half the bits each. */
export const HALF = 2 ** 27 + 1;

/** The rounding error of a product. */
export function errorOf(product: number, a: number, b: number): number {
  const aHigh = a * HALF - (a * HALF - a);
  const bHigh = b * HALF - (b * HALF - b);
  const aLow = a - aHigh;
  const bLow = b - bHigh;
  return aLow * bLow - (product - aHigh * bHigh - aLow * bHigh - aHigh * bLow);
}

/** A quotient plus its correction is the same with any error that the correction may have. */
const ERROR = 2 ** -50;

/**
 * `(high + low) / divisor`, rounded once to the nearest number; `undefined` where it is so close to the middle between
 * two that the last bits decide, which is rare.
 *
 * Source: A. Ziv, "Fast Evaluation of Elementary Mathematical Functions with Correctly Rounded Last Bit", 1991.
 */
function quotientOf(high: number, low: number, divisor: number): number | undefined {
  const size = Math.abs(high);
  if (size > HUGE || size < TINY) return undefined;
  const quotient = high / divisor;
  const product = quotient * divisor;
  const correction = (high - product - errorOf(product, quotient, divisor) + low) / divisor;
  const error = correction * ERROR;
  const nearest = quotient + (correction - error);
  return nearest === quotient + (correction + error) ? nearest : undefined;
}

/** The exponent of the smallest positive number. */
export const LEAST = -1074;
const FRACTION_BITS = 52n;

const number = new Float64Array(1);
const bits = new BigUint64Array(number.buffer);

/** The exponent of the highest bit of a positive number; of subnormal ones, −1023. */
export function exponentOf(given: number): number {
  number[0] = given;
  return Number((bits[0]! >> FRACTION_BITS) & 2047n) - 1023;
}

/** A finite number in multiples of the smallest positive number. */
export function unitsOf(given: number): bigint {
  number[0] = given;
  const exponent = (bits[0]! >> FRACTION_BITS) & 2047n;
  const fraction = BigInt.asUintN(Number(FRACTION_BITS), bits[0]!);
  const units = exponent === 0n ? fraction : (fraction + 2n ** FRACTION_BITS) << (exponent - 1n);
  return given < 0 ? -units : units;
}

/** More bits than a number or a divisor has. */
const MORE = 128;

/** `numerator / denominator · 2^least`, rounded once to the nearest number; neither is negative. */
export function rounded(numerator: bigint, denominator: bigint, least: number): number {
  const shifted = numerator << BigInt(MORE);
  const quotient = withRest(shifted / denominator, shifted % denominator);
  // At least 60 bits remain, more than a number has, so the last one can tell whether any were dropped.
  const dropped = Math.max(0, 4 * quotient.toString(16).length - 64);
  const kept = quotient >> BigInt(dropped);
  const power = least - MORE + dropped;
  // In two steps, because the power itself may underflow.
  const half = Math.trunc(power / 2);
  const lastBits = Number(withRest(kept, quotient - (kept << BigInt(dropped))));
  return lastBits * 2 ** half * 2 ** (power - half);
}

/** Sets the last bit if anything was dropped, so that a number halfway between two is rounded correctly. */
const withRest = (integer: bigint, rest: bigint) => (rest === 0n ? integer : integer | 1n);
