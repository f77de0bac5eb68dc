// The different values of each group. Integers that are not far apart are marked, one bit each in every group; other
// numbers are gathered. Cost: two bits for each integer up to the largest in each group, or 12 bytes a record.

import { ones } from "../algorithms/bitset.ts";
import type { NumberRange } from "../algorithms/exact-sum.ts";
import { tuning } from "../tuning.ts";
import type { GroupState } from "./aggregate.ts";
import { Gathered } from "./gathered.ts";

export class DistinctValues implements GroupState {
  /** Bit `n + most` of the words of a group stands for the integer n. `undefined` once values are gathered. */
  #marks: Uint32Array | undefined = new Uint32Array(0);
  #most = -1;
  /** How many words a group has. */
  #words = 0;
  #reserved = 0;
  readonly #gathered = new Gathered();

  reserve(groups: number): void {
    this.#gathered.reserve(groups);
    this.#reserved = Math.max(groups, this.#reserved);
  }

  addEach(groups: Int32Array, values: Float64Array, length: number, range: NumberRange): void {
    const marks = range.unit === 1 ? this.#marksFor(range.most) : undefined;
    if (marks === undefined) {
      this.#gather().addEach(groups, values, length);
      return;
    }
    const [words, most] = [this.#words, this.#most];
    for (let i = 0; i < length; i++) {
      const bit = values[i]! + most;
      marks[groups[i]! * words + (bit >>> 5)]! |= 1 << (bit & 31);
    }
  }

  add(group: number, value: number): void {
    this.#gather().add(group, value, 1);
  }

  addGroup(group: number, others: DistinctValues, other: number): void {
    if (others.#marks?.length === 0) return;
    const marks = others.#marks && this.#marksFor(others.#most);
    if (marks !== undefined && this.#most === others.#most) {
      const [words, from] = [this.#words, others.#marks!];
      for (let i = 0; i < words; i++) marks[group * words + i]! |= from[other * words + i]!;
    } else this.#gather().addGroup(group, others.#gather(), other);
  }

  count(group: number): number {
    if (this.#marks === undefined) return this.#gathered.distinct(group);
    const words = this.#words;
    let count = 0;
    for (const word of this.#marks.subarray(group * words, (group + 1) * words))
      count += ones(word);
    return count;
  }

  /** The marks of all groups, if integers up to a magnitude are marked and there is room. */
  #marksFor(most: number): Uint32Array | undefined {
    if (this.#marks === undefined) return undefined;
    if (this.#most < 0 && most <= tuning.mostMarkedBytes) {
      // So that integers of a later segment, which may be somewhat larger, are marked too.
      this.#most = 2 ** Math.ceil(Math.log2(most + 1));
      this.#words = (2 * this.#most + 32) >>> 5;
    }
    const length = this.#reserved * this.#words;
    if (most > this.#most || length * 4 > tuning.mostMarkedBytes) return undefined;
    if (length > this.#marks.length) {
      const longer = new Uint32Array(length);
      longer.set(this.#marks);
      this.#marks = longer;
    }
    return this.#marks;
  }

  /** Gathers all values from now on, and those that were marked. */
  #gather(): Gathered {
    const marks = this.#marks;
    this.#marks = undefined;
    for (let at = 0; marks !== undefined && at < marks.length; at++) {
      const group = Math.floor(at / this.#words);
      const first = (at - group * this.#words) * 32 - this.#most;
      for (let rest = marks[at]!; rest !== 0; rest &= rest - 1) {
        const value = first + 31 - Math.clz32(rest & -rest);
        this.#gathered.addEach(Int32Array.of(group), Float64Array.of(value), 1);
      }
    }
    return this.#gathered;
  }
}
