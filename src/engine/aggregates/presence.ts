// How many values each group has.

import { grown } from "../algorithms/exact-sum.ts";
import type { GroupState } from "./aggregate.ts";

export class Presence implements GroupState {
  #counts: Float64Array = new Float64Array(0);

  reserve(groups: number): void {
    this.#counts = grown(this.#counts, groups);
  }

  addEach(groups: Int32Array, _values: Float64Array, length: number): void {
    const counts = this.#counts;
    for (let i = 0; i < length; i++) counts[groups[i]!]!++;
  }

  add(group: number, _value: number, times: number): void {
    this.#counts[group]! += times;
  }

  remove(group: number): true {
    this.#counts[group]!--;
    return true;
  }

  addGroup(group: number, others: Presence, other: number): void {
    this.#counts[group]! += others.#counts[other]!;
  }

  count(group: number): number {
    return this.#counts[group]!;
  }
}
