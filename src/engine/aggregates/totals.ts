// The sum, extremes and mean of numbers, for any number of groups.

import type { NumberRange } from "../algorithms/exact-sum.ts";
import type { GroupState } from "./aggregate.ts";
import { Ranges } from "./ranges.ts";
import { Sums } from "./sums.ts";

/** The sum, the extremes and the mean of the numbers of a field in some records. */
export interface Totals {
  /**
   * The exact sum, rounded once to the nearest number; in an int field it is exact up to 2^53. Infinite if it
   * overflows, and 0 if there are no numbers.
   */
  readonly sum: number;
  /** The lowest number; `null` if there are none. */
  readonly minimum: number | null;
  /** The highest number; `null` if there are none. */
  readonly maximum: number | null;
  /** The exact sum divided by the count of numbers, rounded once to the nearest; `null` if there are none. */
  readonly mean: number | null;
}

/** A member of {@link Totals}. */
export type Statistic = keyof Totals;

export const statistics = ["sum", "minimum", "maximum", "mean"] as const satisfies Statistic[];

/** Sums numbers by group, and finds their extremes. Groups are numbered from 0. */
export class Totaling implements GroupState {
  readonly #sums = new Sums();
  readonly #ranges = new Ranges();

  /** Makes room for this many groups. */
  reserve(groups: number): void {
    this.#sums.reserve(groups);
    this.#ranges.reserve(groups);
  }

  add(group: number, number: number, times = 1): void {
    this.#sums.add(group, number, times);
    this.#ranges.add(group, number);
  }

  remove(group: number, number: number): boolean {
    this.#sums.remove(group, number);
    return this.#ranges.remove(group, number);
  }

  addEach(groups: Int32Array, numbers: Float64Array, length: number, range: NumberRange): void {
    this.#sums.addEach(groups, numbers, length, range);
    this.#ranges.addEach(groups, numbers, length);
  }

  addGroup(group: number, others: Totaling, other: number): void {
    this.#sums.addGroup(group, others.#sums, other);
    this.#ranges.addGroup(group, others.#ranges, other);
  }

  sum(group: number): number {
    return this.#sums.sum(group);
  }

  minimum(group: number): number | null {
    return this.#sums.count(group) === 0 ? null : this.#ranges.minimum(group);
  }

  maximum(group: number): number | null {
    return this.#sums.count(group) === 0 ? null : this.#ranges.maximum(group);
  }

  mean(group: number): number | null {
    return this.#sums.mean(group);
  }

  of(group: number): Totals {
    return {
      sum: this.sum(group),
      minimum: this.minimum(group),
      maximum: this.maximum(group),
      mean: this.mean(group),
    };
  }
}
