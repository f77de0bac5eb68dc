// The sums of numbers and of their squares in each group, both exact: what is computed of these does not depend on the
// order of the records.

import {
  ExactSums,
  grown,
  LEAST,
  rounded,
  unitsOf,
  type NumberRange,
} from "../algorithms/exact-sum.ts";
import type { GroupState } from "./aggregate.ts";

export class Moments implements GroupState {
  #counts: Float64Array = new Float64Array(0);
  readonly #sums = new ExactSums();
  readonly #squares = new ExactSums();
  /** Squares of very large or very small numbers, in multiples of the square of the smallest number, by group. */
  readonly #extreme = new Map<number, bigint>();

  reserve(groups: number): void {
    this.#counts = grown(this.#counts, groups);
    this.#sums.reserve(groups);
    this.#squares.reserve(groups);
  }

  addEach(groups: Int32Array, numbers: Float64Array, length: number, range: NumberRange): void {
    this.#sums.addEach(groups, numbers, length, range);
    for (let i = 0; i < length; i++) {
      const number = numbers[i]!;
      if (number === -Infinity) continue;
      const group = groups[i]!;
      this.#counts[group]!++;
      if (!this.#squares.addSquare(group, number)) this.#keep(group, unitsOf(number) ** 2n);
    }
  }

  add(group: number, number: number, times: number): void {
    this.#counts[group]! += times;
    this.#sums.add(group, number, times);
    if (!this.#squares.addSquare(group, number, times)) {
      this.#keep(group, unitsOf(number) ** 2n * BigInt(times));
    }
  }

  addGroup(group: number, others: Moments, other: number): void {
    this.#counts[group]! += others.#counts[other]!;
    this.#sums.addSum(group, others.#sums, other);
    this.#squares.addSum(group, others.#squares, other);
    this.#keep(group, others.#extreme.get(other) ?? 0n);
  }

  #keep(group: number, units: bigint): void {
    if (units > 0n) this.#extreme.set(group, (this.#extreme.get(group) ?? 0n) + units);
  }

  /** The sample variance: exact until it is rounded once; `null` of fewer than two numbers. */
  variance(group: number): number | null {
    const count = this.#counts[group]!;
    if (count < 2) return null;
    const n = BigInt(count);
    const squares =
      (this.#squares.units(group) << BigInt(-LEAST)) + (this.#extreme.get(group) ?? 0n);
    return rounded(n * squares - this.#sums.units(group) ** 2n, n * (n - 1n), 2 * LEAST);
  }
}
