// The exact sum of the numbers in each group, and how many there are.

import { ExactSums, grown, type NumberRange } from "../algorithms/exact-sum.ts";
import type { GroupState } from "./aggregate.ts";

export class Sums implements GroupState {
  #counts: Float64Array = new Float64Array(0);
  readonly #sums = new ExactSums();

  reserve(groups: number): void {
    this.#counts = grown(this.#counts, groups);
    this.#sums.reserve(groups);
  }

  add(group: number, number: number, times = 1): void {
    this.#counts[group]! += times;
    this.#sums.add(group, number, times);
  }

  addEach(groups: Int32Array, numbers: Float64Array, length: number, range: NumberRange): void {
    const counts = this.#counts;
    for (let i = 0; i < length; i++) counts[groups[i]!]! += numbers[i] === -Infinity ? 0 : 1;
    this.#sums.addEach(groups, numbers, length, range);
  }

  addGroup(group: number, others: Sums, other: number): void {
    this.#counts[group]! += others.#counts[other]!;
    this.#sums.addSum(group, others.#sums, other);
  }

  /** How many numbers a group has. */
  count(group: number): number {
    return this.#counts[group]!;
  }

  sum(group: number): number {
    return this.#sums.dividedBy(group, 1);
  }

  mean(group: number): number | null {
    const count = this.#counts[group]!;
    return count === 0 ? null : this.#sums.dividedBy(group, count);
  }
}
