// The sum of numbers, exact until it is rounded once: so it does not depend on their order, which differs
// between plans.
//
// A number is an integer of 53 bits times a power of two. The integers of each power are added in parts of
// at most 18 bits, which stay exact for 2^35 numbers. Compare: R. M. Neal, "Fast Exact Summation Using
// Small and Large Superaccumulators", 2015.

/** The bits of a part; the last has 17. */
const BITS = 18;
const PARTS = 3;
/** The exponent of the integers of the smallest numbers, whose biased exponents are 0 and 1. */
const LEAST = -1074;

/** For each biased exponent its parts, the lowest first. */
export class ExactSum {
  readonly #parts = new Float64Array(PARTS * 2048);
  readonly #number = new Float64Array(1);
  readonly #words = new Uint32Array(this.#number.buffer);
  #lowest = 2047;
  #highest = 0;

  /** Adds a finite number, so many times. Their counts are at most 2^35 in all. */
  add(number: number, times: number): void {
    this.#number[0] = number;
    const low = this.#words[LITTLE_ENDIAN]!;
    const high = this.#words[1 - LITTLE_ENDIAN]!;
    const biased = (high >>> 20) & 2047;
    const exponent = biased === 0 ? 1 : biased;
    const top = (high & 0xfffff) + (biased === 0 ? 0 : 0x100000);
    const signed = number < 0 ? -times : times;
    const at = PARTS * exponent;
    this.#parts[at]! += (low & 0x3ffff) * signed;
    this.#parts[at + 1]! += ((low >>> BITS) + ((top & 0xf) << 14)) * signed;
    this.#parts[at + 2]! += (top >>> 4) * signed;
    if (exponent < this.#lowest) this.#lowest = exponent;
    if (exponent > this.#highest) this.#highest = exponent;
  }

  /** The sum divided by a positive integer, rounded once to the nearest number. */
  dividedBy(divisor: number): number {
    let sum = 0n;
    for (let exponent = this.#lowest; exponent <= this.#highest; exponent++) {
      const shift = BigInt(exponent - this.#lowest);
      for (let part = 0; part < PARTS; part++) {
        const added = BigInt(this.#parts[PARTS * exponent + part]!);
        if (added !== 0n) sum += added << (shift + BigInt(part * BITS));
      }
    }
    const quotient = rounded(sum < 0n ? -sum : sum, BigInt(divisor), this.#lowest - 1 + LEAST);
    return sum < 0n ? -quotient : quotient;
  }
}

/** The position of the low word of a number. */
const LITTLE_ENDIAN = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1 ? 0 : 1;

/** More bits than a number or a divisor has. */
const MORE = 128;

/** `numerator / denominator × 2^exponent`, none of them negative. */
function rounded(numerator: bigint, denominator: bigint, exponent: number): number {
  const shifted = numerator << BigInt(MORE);
  const quotient = withRest(shifted / denominator, shifted % denominator);
  // At least 60 bits stay: more than a number has, so that the last says whether there are others.
  const dropped = Math.max(0, 4 * quotient.toString(16).length - 64);
  const kept = quotient >> BigInt(dropped);
  const power = exponent - MORE + dropped;
  // In two steps: the whole power may be too small for a number.
  const half = Math.trunc(power / 2);
  const bits = Number(withRest(kept, quotient - (kept << BigInt(dropped))));
  return bits * 2 ** half * 2 ** (power - half);
}

/** What is cut off sets the last bit: a number halfway between two is then rounded to the right one. */
const withRest = (integer: bigint, rest: bigint) => (rest === 0n ? integer : integer | 1n);
