// All values of each group, for aggregates that need more of them than a few numbers. Cost: 12 bytes a record, and
// selecting from the values of a group, or sorting them; a value that is added many times at once counts as one record.
// If groups are large, the value at a rank is selected without ordering all values by group: those of each group are
// counted in cells of equal width, and only the values in the cell of that rank are looked at again.

import { selectingRange } from "../algorithms/quickselect.ts";
import { finish } from "../algorithms/steps.ts";
import { tuning } from "../tuning.ts";
import type { GroupState } from "./aggregate.ts";

/** Some values with their groups. */
interface Chunk {
  readonly groups: Int32Array;
  readonly values: Float64Array;
  length: number;
}

const FIRST_CHUNK = 1 << 10;
const LARGEST_CHUNK = 1 << 16;

/** In how many cells the values of a group are counted. */
const CELLS = 1 << 10;

/** Up to this many values are sorted to find one of them. */
const FEW = 64;

/**
 * The largest chunks of earlier queries: making new ones takes as long as filling them, and garbage collection counts
 * them. It may free these.
 */
let spare: WeakRef<Chunk[]> | undefined;

export class Gathered implements GroupState {
  readonly #chunks: Chunk[] = [];
  #length = 0;
  #reserved = 0;
  /** By share, the value of each group there. */
  readonly #byShare = new Map<number, Float64Array>();
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
    const chunk = this.#roomFor(length);
    const { groups: allGroups, values: allValues } = chunk;
    allGroups.set(groups.subarray(0, length), chunk.length);
    allValues.set(values.subarray(0, length), chunk.length);
    this.#length += length;
    chunk.length += length;
  }

  add(group: number, value: number, times: number): void {
    this.#push(group, value);
    this.#addMore(group, value, times - 1);
  }

  #push(group: number, value: number): void {
    const chunk = this.#roomFor(1);
    chunk.groups[chunk.length] = group;
    chunk.values[chunk.length++] = value;
    this.#length++;
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
    const chunk = this.#roomFor(count);
    chunk.groups.fill(group, chunk.length, chunk.length + count);
    chunk.values.set(values.subarray(start, start + count), chunk.length);
    chunk.length += count;
    this.#length += count;
  }

  /** The last chunk, with room for more values. What was found of the values so far is forgotten. */
  #roomFor(more: number): Chunk {
    this.#byGroup = undefined;
    if (this.#byShare.size > 0) this.#byShare.clear();
    const last = this.#chunks.at(-1);
    if (last !== undefined && last.length + more <= last.values.length) return last;
    const usual = Math.max(FIRST_CHUNK, Math.min(LARGEST_CHUNK, this.#length));
    const capacity = Math.max(usual, more);
    const chunk = (capacity === LARGEST_CHUNK ? spare?.deref()?.pop() : undefined) ?? {
      groups: new Int32Array(capacity),
      values: new Float64Array(capacity),
      length: 0,
    };
    this.#chunks.push(chunk);
    return chunk;
  }

  release(): void {
    const chunks = this.#chunks.filter(({ values }) => values.length === LARGEST_CHUNK);
    for (const chunk of chunks) chunk.length = 0;
    this.#chunks.length = 0;
    const others = spare?.deref();
    if (others === undefined) spare = new WeakRef(chunks);
    else others.push(...chunks);
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

  /**
   * The value of a group at a share of its values; `null` if it has none.
   *
   * @param rankOf how many values are not above that at a share, of so many
   */
  atShare(
    group: number,
    share: number,
    rankOf: (share: number, count: number) => number,
  ): number | null {
    const areLarge = this.#length >= tuning.largeGroup * this.#reserved;
    if (areLarge && this.#more.size === 0) {
      let found = this.#byShare.get(share);
      if (found === undefined) {
        this.#byShare.set(share, (found = this.#selectAll((count) => rankOf(share, count) - 1)));
      }
      const value = found[group]!;
      return value === -Infinity ? null : value;
    }
    const count = this.count(group);
    return count === 0 ? null : this.at(group, rankOf(share, count) - 1);
  }

  /** The value of each group at a rank, which depends on how many values it has; −Infinity for none. */
  #selectAll(rankIn: (count: number) => number): Float64Array {
    const [low, scale] = this.#cells();
    const counts = new Int32Array(this.#reserved * CELLS);
    for (const chunk of this.#chunks) countCells(chunk, low, scale, counts);
    /** By group, the cell with the value at its rank, how many values are before it, and that rank. */
    const searched = new Int32Array(this.#reserved).fill(-1);
    const before = new Float64Array(this.#reserved);
    const ranks = new Float64Array(this.#reserved);
    for (let group = 0; group < this.#reserved; group++) {
      const own = counts.subarray(group * CELLS, (group + 1) * CELLS);
      const count = own.reduce((sum, each) => sum + each, 0);
      if (count === 0) continue;
      ranks[group] = rankIn(count);
      let cell = 0;
      while (before[group]! + own[cell]! <= ranks[group]!) before[group]! += own[cell++]!;
      searched[group] = cell;
    }
    const within = new Gathered();
    within.reserve(this.#reserved);
    for (const { groups, values, length } of this.#chunks) {
      for (let i = 0; i < length; i++) {
        const group = groups[i]!;
        const value = values[i]!;
        if ((((value - low) * scale) | 0) === searched[group]) within.#push(group, value);
      }
    }
    return before.map((passed, group) =>
      searched[group] === -1 ? -Infinity : within.at(group, ranks[group]! - passed),
    );
  }

  /** Where the first cell begins, and how many there are in a unit; none in all if values are too far apart. */
  #cells(): readonly [low: number, scale: number] {
    let low = Infinity;
    let high = -Infinity;
    for (const { values, length } of this.#chunks) {
      for (let i = 0; i < length; i++) {
        const value = values[i]!;
        if (value < low) low = value;
        if (value > high) high = value;
      }
    }
    const scale = (CELLS - 1) / (high - low);
    return scale > 0 && scale < Infinity ? [low, scale] : [0, 0];
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
    const starts = new Uint32Array(this.#reserved + 2);
    for (const { groups, length } of this.#chunks) {
      for (let i = 0; i < length; i++) starts[groups[i]! + 2]!++;
    }
    for (let group = 2; group < starts.length; group++) starts[group]! += starts[group - 1]!;
    const all = new Float64Array(this.#length);
    // Afterwards, each start has moved to the end of its group, where the next begins.
    for (const { groups, values, length } of this.#chunks) {
      for (let i = 0; i < length; i++) all[starts[groups[i]! + 1]!++] = values[i]!;
    }
    return { values: all, starts };
  }
}

/** Counts the values of each group in cells. A lower value is never in a higher cell, however its place is rounded. */
function countCells(
  { groups, values, length }: Chunk,
  low: number,
  scale: number,
  counts: Int32Array,
): void {
  for (let i = 0; i < length; i++) {
    counts[groups[i]! * CELLS + (((values[i]! - low) * scale) | 0)]!++;
  }
}
