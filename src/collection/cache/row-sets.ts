// Row sets: all rows of recent text searches, a bit for each row. What a count has found, the sums and charts of
// the same criteria read instead of testing every value again; and a search for a longer text, as with each letter
// that somebody types, tests only the rows of the shorter one.
//
// Held: those of searches that had to test more rows than a set has words. By what the versions of a segment share, the
// latest four, which take half a byte a row together and which no report of indexes counts.
//
// Stale: never. The rows of a segment don't change. Only sets of a snapshot without dead rows are kept: they hold
// for all others, which leave their dead rows out.

import type { Bitset } from "../algorithms/bitset.ts";
import { impliesText } from "../index/values.ts";
import { tuning } from "../tuning.ts";
import type { Search } from "./results.ts";

export interface RowSet {
  readonly search: Search;
  readonly bits: Bitset;
  readonly count: number;
}

export class RowSets {
  /** The latest first. */
  #sets: readonly RowSet[] = [];

  get isEmpty(): boolean {
    return this.#sets.length === 0;
  }

  /** The smallest set that has every row of a search. */
  around({ field, bounds }: Search): RowSet | undefined {
    let best: RowSet | undefined;
    for (const set of this.#sets) {
      const isAround = set.search.field === field && impliesText(bounds, set.search.bounds);
      if (isAround && set.count < (best?.count ?? Infinity)) best = set;
    }
    return best;
  }

  keep(set: RowSet): void {
    const others = this.#sets.filter(({ search }) => !areSame(search, set.search));
    this.#sets = [set, ...others].slice(0, tuning.mostRowSets);
  }
}

/** Whether two searches have the same rows. */
export function areSame(a: Search, b: Search): boolean {
  return a.field === b.field && a.operator === b.operator && a.bounds.text === b.bounds.text;
}
