// All values of each group, for aggregates that need more of them than a few numbers. Cost: 12 bytes a record, and
// sorting the values of a group on first use.

import type { GroupState } from "./aggregate.ts";

export class Gathered implements GroupState {
  #groups = new Int32Array(1 << 10);
  #values = new Float64Array(1 << 10);
  #length = 0;
  #reserved = 0;
  /** The values by group, and where those of each group begin, once all were added. */
  #byGroup: { readonly values: Float64Array; readonly starts: Uint32Array } | undefined;
  /** The groups whose values are sorted. */
  #sorted = new Uint8Array(0);

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

  addGroup(group: number, others: Gathered, other: number): void {
    const values = others.sorted(other);
    this.#makeRoom(values.length);
    this.#groups.fill(group, this.#length, this.#length + values.length);
    this.#values.set(values, this.#length);
    this.#length += values.length;
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

  /** The values of a group, ascending. */
  sorted(group: number): Float64Array {
    const { values, starts } = (this.#byGroup ??= this.#gather());
    const own = values.subarray(starts[group], starts[group + 1]);
    if (this.#sorted[group] === 0) own.sort();
    this.#sorted[group] = 1;
    return own;
  }

  #gather() {
    const groups = this.#groups.subarray(0, this.#length);
    const starts = new Uint32Array(this.#reserved + 2);
    for (const group of groups) starts[group + 2]!++;
    for (let group = 2; group < starts.length; group++) starts[group]! += starts[group - 1]!;
    const values = new Float64Array(this.#length);
    // Afterwards, each start has moved to the end of its group, where the next begins.
    for (let i = 0; i < groups.length; i++) values[starts[groups[i]! + 1]!++] = this.#values[i]!;
    this.#sorted = new Uint8Array(this.#reserved);
    return { values, starts };
  }
}
