// The sum, extremes and mean of numbers, for any number of groups.

import { ExactSums, grown } from "../algorithms/exact-sum.ts";
import type { GroupState } from "./aggregate.ts";

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

/** Sums numbers by group. Groups are numbered from 0. */
export class Totaling implements GroupState {
  /** How many numbers each group has. */
  #counts: Float64Array = new Float64Array(0);
  #minima: Float64Array = new Float64Array(0);
  #maxima: Float64Array = new Float64Array(0);
  readonly #sums = new ExactSums();

  /** Makes room for this many groups. */
  reserve(groups: number): void {
    this.#counts = grown(this.#counts, groups);
    this.#minima = grown(this.#minima, groups, Infinity);
    this.#maxima = grown(this.#maxima, groups, -Infinity);
    this.#sums.reserve(groups);
  }

  add(group: number, number: number, times = 1): void {
    this.#counts[group]! += times;
    if (number < this.#minima[group]!) this.#minima[group] = number;
    if (number > this.#maxima[group]!) this.#maxima[group] = number;
    this.#sums.add(group, number, times);
  }

  /**
   * Adds a number to each of `length` groups; −Infinity stands for null.
   *
   * @param most the largest magnitude of the numbers, if all are integers; otherwise `Infinity`
   */
  addEach(groups: Int32Array, numbers: Float64Array, length: number, most: number): void {
    const [counts, minima, maxima] = [this.#counts, this.#minima, this.#maxima];
    const sums = this.#sums.directSums(length * most);
    for (let i = 0; i < length; i++) {
      const number = numbers[i]!;
      if (number === -Infinity) continue;
      const group = groups[i]!;
      counts[group]!++;
      if (number < minima[group]!) minima[group] = number;
      if (number > maxima[group]!) maxima[group] = number;
      if (sums !== undefined) sums[group]! += number;
    }
    if (sums === undefined) this.#sums.addEach(groups, numbers, length);
  }

  /** Adds the numbers of a group of another object. */
  addGroup(group: number, others: Totaling, other: number): void {
    this.#counts[group]! += others.#counts[other]!;
    this.#minima[group] = Math.min(this.#minima[group]!, others.#minima[other]!);
    this.#maxima[group] = Math.max(this.#maxima[group]!, others.#maxima[other]!);
    this.#sums.addSum(group, others.#sums, other);
  }

  sum(group: number): number {
    return this.#sums.dividedBy(group, 1);
  }

  minimum(group: number): number | null {
    return this.#counts[group] === 0 ? null : this.#minima[group]!;
  }

  maximum(group: number): number | null {
    return this.#counts[group] === 0 ? null : this.#maxima[group]!;
  }

  mean(group: number): number | null {
    const count = this.#counts[group]!;
    return count === 0 ? null : this.#sums.dividedBy(group, count);
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
