// The sums of numbers and of their squares in each group, both exact: what is computed of these does not depend on the
// order of the records.

import { ExactSquares } from "../algorithms/exact-squares.ts";
import { ExactSums, LEAST, rounded, type NumberRange } from "../algorithms/exact-sum.ts";
import type { GroupState } from "./aggregate.ts";

export class Moments implements GroupState {
  readonly #sums = new ExactSums();
  readonly #squares = new ExactSquares();

  reserve(groups: number): void {
    this.#sums.reserve(groups);
    this.#squares.reserve(groups);
  }

  addEach(groups: Int32Array, numbers: Float64Array, length: number, range: NumberRange): void {
    this.#sums.addEach(groups, numbers, length, range);
    this.#squares.addEach(groups, numbers, length, range);
  }

  add(group: number, number: number, times: number): void {
    this.#sums.add(group, number, times);
    this.#squares.add(group, number, times);
  }

  remove(group: number, number: number): true {
    this.add(group, number, -1);
    return true;
  }

  addGroup(group: number, others: Moments, other: number): void {
    this.#sums.addSum(group, others.#sums, other);
    this.#squares.addSum(group, others.#squares, other);
  }

  /** The sample variance: exact until it is rounded once; `null` of fewer than two numbers. */
  variance(group: number): number | null {
    const count = this.#sums.count(group);
    if (count < 2) return null;
    const n = BigInt(count);
    const sum = this.#sums.units(group);
    return rounded(n * this.#squares.units(group) - sum * sum, n * (n - 1n), 2 * LEAST);
  }
}
