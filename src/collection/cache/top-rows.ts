// Top rows: the first rows of a segment in the order of a field, where no index has them: of few rows, which
// get no index, and of rows that have digests of an int field. Whoever asks for the same page again, or for
// one before it, after a change elsewhere too, pays for no second sort and waits for no index.
//
// Held: by what the versions of a segment share, up to 16 KB of row numbers for each field and direction,
// which no report of indexes counts.
//
// Stale: never, as the rows of a segment don't change. Only what a snapshot without dead rows found is
// kept; dead rows are left out when rows are handed out.

import type { KeptRows } from "./results.ts";

/** What rows are sorted by. */
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

  /** Keeps rows in the place of those of this order before. */
  keep(sort: Sort, rows: ArrayLike<number>, areAll: boolean): KeptRows {
    const kept = { sort, rows, areAll };
    const isOther = (each: SortedRows) =>
      each.sort.field !== sort.field || each.sort.order !== sort.order;
    this.#all = [...this.#all.filter(isOther), kept];
    return kept;
  }
}
