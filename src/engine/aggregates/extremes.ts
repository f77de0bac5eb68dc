// The first and the last value of each group, in the order of values that are no numbers.

import type { CompareValues, GroupState } from "./aggregate.ts";

const NONE = -1;

export class Extremes implements GroupState {
  readonly #compare: CompareValues;
  #lowest = new Int32Array(0);
  #highest = new Int32Array(0);

  constructor(compare: CompareValues) {
    this.#compare = compare;
  }

  reserve(groups: number): void {
    const { length } = this.#lowest;
    if (length >= groups) return;
    const longer = (array: Int32Array) => {
      const copy = new Int32Array(groups).fill(NONE, length);
      copy.set(array);
      return copy;
    };
    this.#lowest = longer(this.#lowest);
    this.#highest = longer(this.#highest);
  }

  /** @returns `false` if it is an extreme, which other records may have or not */
  remove(group: number, value: number): boolean {
    return value !== this.#lowest[group] && value !== this.#highest[group];
  }

  addEach(groups: Int32Array, values: Float64Array, length: number): void {
    for (let i = 0; i < length; i++) this.add(groups[i]!, values[i]!);
  }

  addGroup(group: number, others: Extremes, other: number): void {
    if (others.#lowest[other] === NONE) return;
    this.add(group, others.#lowest[other]!);
    this.add(group, others.#highest[other]!);
  }

  add(group: number, value: number): void {
    const [lowest, highest] = [this.#lowest[group]!, this.#highest[group]!];
    if (value === lowest || value === highest) return;
    if (lowest === NONE || this.#compare(value, lowest) < 0) this.#lowest[group] = value;
    if (highest === NONE || this.#compare(value, highest) > 0) this.#highest[group] = value;
  }

  lowest(group: number): number | null {
    const value = this.#lowest[group]!;
    return value === NONE ? null : value;
  }

  highest(group: number): number | null {
    const value = this.#highest[group]!;
    return value === NONE ? null : value;
  }
}
