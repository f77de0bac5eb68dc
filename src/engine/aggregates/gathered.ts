// All values of each group, for aggregates that need more of them than a few numbers. Cost: 12 bytes a record, and
// selecting from the values of a group, or sorting them; a value that is added many times at once counts as one record.

import { selectingRange } from "../algorithms/quickselect.ts";
import { finish } from "../algorithms/steps.ts";
import type { GroupState } from "./aggregate.ts";

/** Up to this many values are sorted to find one of them. */
const FEW = 64;

export class Gathered implements GroupState {
  #groups = new Int32Array(1 << 10);
  #values = new Float64Array(1 << 10);
  #length = 0;
  #reserved = 0;
  /** The values by group, and where those of each group begin, once all were added. */
  #byGroup: { readonly values: Float64Array; readonly starts: Uint32Array } | undefined;
  /** By group and value, how many more times than it is among the values it was added. */
  readonly #more = new Map<number, Map<number, number>>();
  /** The groups whose values are sorted. */
  #isSorted = new Uint8Array(0);

  reserve(groups: number): void {
    this.#reserved = Math.max(groups, this.#reserved);
  }

  addEach(groups: Int32Array, values: Float64Array, length: number): void {
    this.#makeRoom(length);
    const [allGroups, allValues] = [this.#groups, this.#values];
    let end = this.#length;
    for (let i = 0; i < length; i++) {
      const value = values[i]!;
      if (value === -Infinity) continue;
      allGroups[end] = groups[i]!;
      allValues[end++] = value;
    }
    this.#length = end;
  }

  add(group: number, value: number, times: number): void {
    this.#makeRoom(1);
    this.#groups[this.#length] = group;
    this.#values[this.#length++] = value;
    this.#addMore(group, value, times - 1);
  }

  #addMore(group: number, value: number, times: number): void {
    if (times === 0) return;
    const more = this.#more.get(group) ?? new Map<number, number>();
    this.#more.set(group, more.set(value, (more.get(value) ?? 0) + times));
  }

  addGroup(group: number, others: Gathered, other: number): void {
    for (const [value, times] of others.#more.get(other) ?? []) this.#addMore(group, value, times);
    const { values, starts } = others.#gathered;
    const start = starts[other]!;
    const count = starts[other + 1]! - start;
    this.#makeRoom(count);
    for (let i = 0; i < count; i++) {
      this.#groups[this.#length + i] = group;
      this.#values[this.#length + i] = values[start + i]!;
    }
    this.#length += count;
  }

  #makeRoom(more: number): void {
    this.#byGroup = undefined;
    if (this.#length + more <= this.#groups.length) return;
    const capacity = 2 * (this.#length + more);
    const groups = new Int32Array(capacity);
    const values = new Float64Array(capacity);
    groups.set(this.#groups.subarray(0, this.#length));
    values.set(this.#values.subarray(0, this.#length));
    [this.#groups, this.#values] = [groups, values];
  }

  /** How many values a group has. */
  count(group: number): number {
    const { starts } = this.#gathered;
    let count = starts[group + 1]! - starts[group]!;
    if (this.#more.size === 0) return count;
    for (const times of this.#more.get(group)?.values() ?? []) count += times;
    return count;
  }

  /** How many different values a group has. */
  distinct(group: number): number {
    const values = this.#sorted(group);
    let count = 0;
    for (let i = 0; i < values.length; i++) if (i === 0 || values[i] !== values[i - 1]) count++;
    return count;
  }

  /** A value of a group that has more than `rank` values: that many are before it in ascending order. */
  at(group: number, rank: number): number {
    const more = this.#more.size === 0 ? undefined : this.#more.get(group);
    if (more === undefined) return this.#selected(group, rank);
    const values = this.#sorted(group);
    let before = 0;
    let i = 0;
    for (; i < values.length - 1; i++) {
      const isLast = values[i + 1] !== values[i];
      before += 1 + (isLast ? (more.get(values[i]!) ?? 0) : 0);
      if (before > rank) break;
    }
    return values[i]!;
  }

  #selected(group: number, rank: number): number {
    const { values, starts } = this.#gathered;
    const start = starts[group]!;
    const length = starts[group + 1]! - start;
    if (length > 1 && this.#isSorted[group] === 0) {
      if (length <= FEW) this.#sorted(group);
      else finish(selectingRange(values.subarray(start, start + length), rank, rank + 1));
    }
    return values[start + rank]!;
  }

  /** The values that were added to a group, ascending, each once for every time it was added. */
  #sorted(group: number): Float64Array {
    const { values, starts } = this.#gathered;
    const own = values.subarray(starts[group], starts[group + 1]);
    if (this.#isSorted[group] === 0) own.sort();
    this.#isSorted[group] = 1;
    return own;
  }

  get #gathered() {
    return (this.#byGroup ??= this.#gather());
  }

  #gather() {
    this.#isSorted = new Uint8Array(this.#reserved);
    const length = this.#length;
    const [groups, unordered] = [this.#groups, this.#values];
    if (this.#reserved === 1) {
      return { values: unordered.subarray(0, length), starts: Uint32Array.of(0, length) };
    }
    const starts = new Uint32Array(this.#reserved + 2);
    for (let i = 0; i < length; i++) starts[groups[i]! + 2]!++;
    for (let group = 2; group < starts.length; group++) starts[group]! += starts[group - 1]!;
    const values = new Float64Array(length);
    // Afterwards, each start has moved to the end of its group, where the next begins.
    for (let i = 0; i < length; i++) values[starts[groups[i]! + 1]!++] = unordered[i]!;
    return { values, starts };
  }
}
