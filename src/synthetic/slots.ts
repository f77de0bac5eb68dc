// Weighted items laid out over slots, so that a skewed choice is one array access. The place of a
// slot within its item's run distinguishes contacts with the same name (see people.ts).

import type { Random } from "./random.ts";

/** An item and its relative weight. */
export type Weighted<T> = readonly [item: T, weight: number];

/** Items laid out over slots. Each has a run of slots in proportion to its weight, at least one. */
export class Slots<T> {
  readonly #items: readonly T[];
  readonly #ends: readonly number[];
  readonly #itemOf: Uint16Array;

  /**
   * @param size the number of slots; at least as many as items
   * @param weighted the items, at most 65,536
   */
  constructor(size: number, weighted: readonly Weighted<T>[]) {
    const total = weighted.reduce((sum, [, weight]) => sum + weight, 0);
    const spare = size - weighted.length;
    let before = 0;
    this.#items = weighted.map(([item]) => item);
    this.#ends = weighted.map(([, weight], index) => {
      before += weight;
      // Rounding the running sum, not each share, makes the last run end with the last slot.
      return index + 1 + Math.round((spare * before) / total);
    });
    this.#itemOf = new Uint16Array(size);
    this.#ends.forEach((end, index) => this.#itemOf.fill(index, this.#start(index), end));
  }

  get size(): number {
    return this.#itemOf.length;
  }

  /** The item whose run contains the slot. */
  at(slot: number): T {
    const item = this.#items[this.#itemOf[slot] ?? -1];
    if (item === undefined) throw new RangeError(`no slot ${slot}`);
    return item;
  }

  /** How many slots of the item's run come before this one. */
  place(slot: number): number {
    return slot - this.#start(this.#itemOf[slot] ?? 0);
  }

  /** How many slots the item's run has. */
  run(slot: number): number {
    const index = this.#itemOf[slot] ?? 0;
    return (this.#ends[index] ?? 0) - this.#start(index);
  }

  /** An item at random, by weight. */
  pick(random: Random): T {
    return this.at(random.below(this.size));
  }

  #start(index: number): number {
    return this.#ends[index - 1] ?? 0;
  }
}

/** Items over slots, their weights by rank. @param flatness as in {@link byRank} */
export function ranked<T>(size: number, items: readonly T[], flatness: number): Slots<T> {
  return new Slots(size, byRank(items, flatness));
}

/**
 * Weights that fall with the rank, like the frequencies of names and words (Zipf–Mandelbrot law):
 * 1 / (rank + flatness), scaled to add up to `share`.
 */
export function byRank<T>(items: readonly T[], flatness: number, share = 1): Weighted<T>[] {
  const weights = items.map((_, index) => 1 / (index + 1 + flatness));
  const scale = share / weights.reduce((sum, weight) => sum + weight, 0);
  return items.map((item, index) => [item, (weights[index] ?? 0) * scale]);
}
