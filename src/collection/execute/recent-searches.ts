// The searches that were asked for last, each with the rows that it found. They are held in two maps:
// what is kept or asked for goes to the newer one. When that is full, it becomes the older one, and
// what was in the older one is forgotten. So each step takes the same time however many there are, and
// at least the last half of what there is room for is held.
//
// Source: D. Tarr, "hashlru", 2016.

/** The first rows that a search found. */
export interface Search {
  readonly rows: Uint32Array;
  /** Whether there are no more. */
  readonly areAll: boolean;
}

/** How many searches there are at most, and how many rows they have together. */
export const MOST_SEARCHES = 256;
export const MOST_ROWS = 32_768;

export class RecentSearches {
  #newer = new Map<string, Search>();
  #older = new Map<string, Search>();
  /** How many rows the searches of the newer map have, or more. */
  #rows = 0;

  get(key: string): Search | undefined {
    const search = this.#newer.get(key);
    if (search !== undefined) return search;
    const older = this.#older.get(key);
    if (older !== undefined) this.keep(key, older);
    return older;
  }

  /** @param search has at most half of the rows that there is room for */
  keep(key: string, search: Search): void {
    const { length } = search.rows;
    if (this.#newer.size === MOST_SEARCHES / 2 || this.#rows + length > MOST_ROWS / 2) {
      this.#older = this.#newer;
      this.#newer = new Map();
      this.#rows = 0;
    }
    this.#newer.set(key, search);
    this.#rows += length;
  }
}
