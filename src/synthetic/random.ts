// Random numbers that are the same for the same seed in every JavaScript engine. They use only integer
// and basic floating-point arithmetic: `Math.log`, `Math.exp` and `Math.cos` may differ in the
// last bit between engines.

const TWO_TO_32 = 2 ** 32;
const WARM_UP_ROUNDS = 15; // as PractRand does after seeding with three words

/**
 * The generator sfc32 ("Small Fast Counting", 128 bits of state) by Chris Doty-Humphrey, from
 * PractRand, http://pracrand.sourceforge.net, public domain. Not for secrets.
 */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  /**
   * @param seed any safe integer; no two give the same state
   * @param stream a 32-bit integer; the streams of one seed are independent of each other
   */
  constructor(seed: number, stream = 0) {
    this.#a = stream | 0;
    this.#b = seed | 0;
    this.#c = Math.floor(seed / TWO_TO_32) | 0;
    for (let round = 0; round < WARM_UP_ROUNDS; round++) this.next();
  }

  /** An integer from 0 to 2^32 − 1. */
  next(): number {
    // Signed 32-bit integers, because the engine need not box them.
    const sum = (this.#a + this.#b + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0;
    return sum >>> 0;
  }

  /** A number from 0 up to, but not including, 1. */
  fraction(): number {
    return this.next() / TWO_TO_32;
  }

  /** An integer from 0 to `end − 1`; `end` is at most 2^32. */
  below(end: number): number {
    return Math.floor(this.fraction() * end);
  }

  /** An integer from `first` to `last`, both included. */
  between(first: number, last: number): number {
    return first + this.below(last - first + 1);
  }

  /** `true` with this probability. */
  chance(probability: number): boolean {
    return this.next() < probability * TWO_TO_32;
  }

  /** How many times in a row a chance comes true, at most `most`: a geometric distribution. */
  streak(probability: number, most: number): number {
    let length = 0;
    while (length < most && this.chance(probability)) length++;
    return length;
  }

  /**
   * A positive integer up to 2^31 − 1 with a roughly normally distributed logarithm: most are near the
   * median, a few very much larger.
   *
   * @param median in log2: 10 means 1024
   * @param deviation the standard deviation, in log2
   */
  logNormal(median: number, deviation: number): number {
    // The sum of four uniform numbers is nearly normal (Irwin–Hall), with variance 4 / 12.
    const sum = this.fraction() + this.fraction() + this.fraction() + this.fraction();
    const exponent = Math.min(30.99, Math.max(0, median + deviation * (sum - 2) * Math.sqrt(3)));
    // Between two powers of two, a straight line is close enough to the true curve.
    const whole = Math.floor(exponent);
    return Math.floor(2 ** whole * (1 + exponent - whole));
  }
}
