// Top rows: the first rows of a segment in the order of a field without an index: of small segments,
// which get no index, and of rows that have digests of a field of numbers. The same page, or an earlier one,
// then needs no second sort and no index, even after a change elsewhere.
//
// Held: by what the versions of a segment share, up to 16 KB of row numbers for each field and direction,
// which no report of indexes counts.
//
// Stale: never, since the rows of a segment don't change. Only results of a snapshot without dead rows
// are kept; dead rows are left out when rows are returned.

import type { KeptRows } from "./results.ts";

/** The order of rows. */
export interface Sort {
  readonly field: string;
  readonly order: "ASC" | "DESC";
}

interface SortedRows extends KeptRows {
  readonly sort: Sort;
}

export class TopRows {
  #all: readonly SortedRows[] = [];

  get isEmpty(): boolean {
    return this.#all.length === 0;
  }

  get({ field, order }: Sort): KeptRows | undefined {
    const all = this.#all;
    for (let i = 0; i < all.length; i++) {
      const { sort } = all[i]!;
      if (sort.field === field && sort.order === order) return all[i];
    }
    return undefined;
  }

  /** Keeps rows, replacing earlier ones of this order. */
  keep(sort: Sort, rows: ArrayLike<number>, areAll: boolean): void {
    const isOther = (each: SortedRows) =>
      each.sort.field !== sort.field || each.sort.order !== sort.order;
    this.#all = [...this.#all.filter(isOther), { sort, rows, areAll }];
  }
}
