// The lowest and the highest number of each group.

import { grown } from "../algorithms/exact-sum.ts";
import type { GroupState } from "./aggregate.ts";

export class Ranges implements GroupState {
  #minima: Float64Array = new Float64Array(0);
  #maxima: Float64Array = new Float64Array(0);

  reserve(groups: number): void {
    this.#minima = grown(this.#minima, groups, Infinity);
    this.#maxima = grown(this.#maxima, groups, -Infinity);
  }

  add(group: number, number: number): void {
    if (number < this.#minima[group]!) this.#minima[group] = number;
    if (number > this.#maxima[group]!) this.#maxima[group] = number;
  }

  /** @returns `false` if it is an extreme, which other records may have or not */
  remove(group: number, number: number): boolean {
    return number !== this.#minima[group] && number !== this.#maxima[group];
  }

  addEach(groups: Int32Array, numbers: Float64Array, length: number): void {
    const [minima, maxima] = [this.#minima, this.#maxima];
    for (let i = 0; i < length; i++) {
      const number = numbers[i]!;
      const group = groups[i]!;
      if (number > maxima[group]!) maxima[group] = number;
      if (number < minima[group]!) minima[group] = number;
    }
  }

  addGroup(group: number, others: Ranges, other: number): void {
    this.#minima[group] = Math.min(this.#minima[group]!, others.#minima[other]!);
    this.#maxima[group] = Math.max(this.#maxima[group]!, others.#maxima[other]!);
  }

  minimum(group: number): number | null {
    const found = this.#minima[group]!;
    return found === Infinity ? null : found;
  }

  maximum(group: number): number | null {
    const found = this.#maxima[group]!;
    return found === -Infinity ? null : found;
  }
}
