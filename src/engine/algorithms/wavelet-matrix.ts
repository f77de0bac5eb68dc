// Counts the numbers of an array that are in a range of positions and in a range of numbers, in as many steps as the
// largest number has bits.
//
// A level for each bit, the highest first, has that bit of every number. Between two levels, the numbers with a 0 move to
// the front and those with a 1 to the back, both in the order in which they were. A range of positions thus becomes two,
// whose ends are ranks of the level.
//
// Source: F. Claude, G. Navarro, A. Ordóñez, "The Wavelet Matrix: An Efficient Wavelet Tree for Large Alphabets", 2015.

import { createBitset } from "./bitset.ts";
import { RankBitmap } from "./rank-bitmap.ts";
import { inSteps, type Steps } from "./steps.ts";

type Numbers = Uint8Array | Uint16Array | Uint32Array;

interface Level {
  readonly ones: RankBitmap;
  /** How many numbers have a 0: those with a 1 follow them at the next level. */
  readonly zeros: number;
}

export class WaveletMatrix {
  readonly #levels: readonly Level[];

  private constructor(levels: readonly Level[]) {
    this.#levels = levels;
  }

  /** @param end higher than all numbers */
  static *building(numbers: Numbers, end: number): Steps<WaveletMatrix> {
    const { length } = numbers;
    const levels: Level[] = [];
    let current: Numbers = numbers;
    let next: Numbers = numbers.slice();
    let spare: Numbers | undefined;
    for (let bit = levelsFor(end) - 1; bit >= 0; bit--) {
      const bits = createBitset(length);
      yield* inSteps(length, (from, to) => {
        for (let first = from; first < to; first += 32) {
          const last = Math.min(to, first + 32);
          let word = 0;
          for (let i = first; i < last; i++) word |= ((current[i]! >>> bit) & 1) << (i & 31);
          bits[first >>> 5] = word;
        }
      });
      const ones = new RankBitmap(bits);
      const zeros = length - ones.rank(length);
      levels.push({ ones, zeros });
      if (bit === 0) break;
      let [low, high] = [0, zeros];
      yield* inSteps(length, (from, to) => {
        for (let i = from; i < to; i++) {
          // Without a branch, which would be mispredicted for every second number.
          const number = current[i]!;
          const one = (number >>> bit) & 1;
          next[low + ((high - low) & -one)] = number;
          low += 1 - one;
          high += one;
        }
      });
      // The given numbers are not written to.
      spare ??= bit > 1 ? numbers.slice() : undefined;
      [current, next] = [next, current === numbers ? (spare ?? next) : current];
    }
    return new WaveletMatrix(levels);
  }

  get levels(): number {
    return this.#levels.length;
  }

  get bytes(): number {
    return this.#levels.reduce((sum, { ones }) => sum + ones.bytes, 0);
  }

  /** How many of the numbers from one position up to another are at least `low` and below `high`. */
  count(low: number, high: number, from: number, to: number): number {
    if (low >= high || from >= to) return 0;
    const levels = this.#levels;
    const last = high - 1;
    // The bits that all numbers between have are followed once.
    const shared = levels.length - levelsFor(((low ^ last) >>> 0) + 1);
    for (let level = 0; level < shared && from < to; level++) {
      const { ones, zeros } = levels[level]!;
      const before = ones.rank(from);
      const after = ones.rank(to);
      const isOne = ((low >>> (levels.length - 1 - level)) & 1) === 1;
      from = isOne ? zeros + before : from - before;
      to = isOne ? zeros + after : to - after;
    }
    if (shared === levels.length || from >= to) return to - from;
    return this.#below(last, shared, from, to, true) - this.#below(low, shared, from, to, false);
  }

  /** How many of the numbers at some positions of a level are below a bound, or equal to it if these count. */
  #below(bound: number, level: number, from: number, to: number, countsEqual: boolean): number {
    const levels = this.#levels;
    let count = 0;
    for (; level < levels.length && from < to; level++) {
      const { ones, zeros } = levels[level]!;
      const before = ones.rank(from);
      const after = ones.rank(to);
      if (((bound >>> (levels.length - 1 - level)) & 1) === 0) {
        from -= before;
        to -= after;
      } else {
        count += to - after - (from - before);
        from = zeros + before;
        to = zeros + after;
      }
    }
    return countsEqual ? count + to - from : count;
  }
}

/** How many bits the numbers below an end have. */
export const levelsFor = (end: number): number => 32 - Math.clz32(Math.max(0, end - 1));
