// The exact sum of the numbers in each group, and how many there are.

import { ExactSums, type NumberRange } from "../algorithms/exact-sum.ts";
import type { GroupState } from "./aggregate.ts";

export class Sums implements GroupState {
  readonly #sums = new ExactSums();

  reserve(groups: number): void {
    this.#sums.reserve(groups);
  }

  add(group: number, number: number, times = 1): void {
    this.#sums.add(group, number, times);
  }

  remove(group: number, number: number): true {
    this.#sums.add(group, number, -1);
    return true;
  }

  addEach(groups: Int32Array, numbers: Float64Array, length: number, range: NumberRange): void {
    this.#sums.addEach(groups, numbers, length, range);
  }

  addGroup(group: number, others: Sums, other: number): void {
    this.#sums.addSum(group, others.#sums, other);
  }

  /** How many numbers a group has. */
  count(group: number): number {
    return this.#sums.count(group);
  }

  sum(group: number): number {
    return this.#sums.dividedBy(group, 1);
  }

  mean(group: number): number | null {
    const count = this.count(group);
    return count === 0 ? null : this.#sums.dividedBy(group, count);
  }
}
