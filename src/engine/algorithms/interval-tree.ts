// Finds the intervals that contain a value. They are sorted by their lower ends; the middle one of a range is the root
// of a tree of that range, which knows the highest upper end in it.
//
// Source: T. H. Cormen et al., "Introduction to Algorithms", chapter "Interval trees".

/** An interval with both ends. An end that is `undefined` is infinitely far away. */
interface Interval<Bound, Item> {
  readonly low: Bound | undefined;
  readonly high: Bound | undefined;
  readonly item: Item;
}

interface Tree<Bound, Item> {
  readonly intervals: readonly Interval<Bound, Item>[];
  /** By the position of a root, the interval with the highest upper end in its range. */
  readonly highest: readonly Interval<Bound, Item>[];
}

export class IntervalTree<Bound, Item> {
  readonly #compare: (a: Bound, b: Bound) => number;
  readonly #byItem = new Map<Item, Interval<Bound, Item>[]>();
  /** `undefined` after a change. */
  #tree: Tree<Bound, Item> | undefined;

  constructor(compare: (a: Bound, b: Bound) => number) {
    this.#compare = compare;
  }

  get size(): number {
    return this.#byItem.size;
  }

  /** Adds an interval of an item, which may have several. */
  add(low: Bound | undefined, high: Bound | undefined, item: Item): void {
    this.#tree = undefined;
    const own = this.#byItem.get(item);
    if (own === undefined) this.#byItem.set(item, [{ low, high, item }]);
    else own.push({ low, high, item });
  }

  /** Deletes all intervals of an item. */
  delete(item: Item): void {
    if (this.#byItem.delete(item)) this.#tree = undefined;
  }

  /**
   * Visits the item of each interval that contains a value. Cost: logarithmic in the intervals, and linear in those that
   * are found; the first call after a change also sorts them.
   */
  visit(value: Bound, visit: (item: Item) => void): void {
    const { intervals, highest } = (this.#tree ??= this.#build());
    const within = (from: number, to: number): void => {
      if (from === to) return;
      const middle = (from + to) >>> 1;
      if (this.#isBelow(highest[middle]!, value)) return;
      within(from, middle);
      const { low, item } = intervals[middle]!;
      if (low !== undefined && this.#compare(value, low) < 0) return;
      if (!this.#isBelow(intervals[middle]!, value)) visit(item);
      within(middle + 1, to);
    };
    within(0, intervals.length);
  }

  #isBelow({ high }: Interval<Bound, Item>, value: Bound): boolean {
    return high !== undefined && this.#compare(high, value) < 0;
  }

  #build(): Tree<Bound, Item> {
    const intervals = [...this.#byItem.values()].flat().sort((a, b) => {
      if (a.low === undefined || b.low === undefined) {
        return Number(a.low !== undefined) - Number(b.low !== undefined);
      }
      return this.#compare(a.low, b.low);
    });
    const highest = new Array<Interval<Bound, Item>>(intervals.length);
    const higher = (a: Interval<Bound, Item>, b: Interval<Bound, Item> | undefined) => {
      if (b === undefined || a.high === undefined) return a;
      return this.#isBelow(b, a.high) ? a : b;
    };
    const find = (from: number, to: number): Interval<Bound, Item> | undefined => {
      if (from === to) return undefined;
      const middle = (from + to) >>> 1;
      const own = higher(intervals[middle]!, find(from, middle));
      return (highest[middle] = higher(own, find(middle + 1, to)));
    };
    find(0, intervals.length);
    return { intervals, highest };
  }
}
