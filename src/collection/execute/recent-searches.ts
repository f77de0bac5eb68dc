// The searches for a text that were asked for last, each with the rows that it found. They are held in
// two maps by their texts: what is kept or asked for goes to the newer one. When that is full, it
// becomes the older one, and what was in the older one is forgotten. So the latest are held, half of what
// there is room for at least, and forgetting takes no time.
//
// Source: D. Tarr, "hashlru", 2016.

import type { OperatorName } from "../../criteria/operators.ts";

/** A search for a text in the values of a field. */
export class Search {
  readonly text: string;
  readonly field: string;
  readonly operator: OperatorName;
  /** The first rows that match; `undefined` where they are not known yet. */
  readonly rows: Uint32Array | undefined;
  /** Whether there are no more. */
  readonly areAll: boolean;

  constructor(
    text: string,
    field: string,
    operator: OperatorName,
    rows?: Uint32Array,
    areAll = false,
  ) {
    this.text = text;
    this.field = field;
    this.operator = operator;
    this.rows = rows;
    this.areAll = areAll;
  }

  /** Whether a search for the same text is the same. */
  isSame({ field, operator }: Search): boolean {
    return this.field === field && this.operator === operator;
  }
}

/** How many searches there are at most, and how many rows they have together. */
export const MOST_SEARCHES = 256;
export const MOST_ROWS = 32_768;

/** The searches for a text, which differ in field or operator. */
type ByText = Map<string, Search[]>;

export class RecentSearches {
  #newer: ByText = new Map();
  #older: ByText = new Map();
  /** How many searches and how many rows are in the newer map. */
  #count = 0;
  #rows = 0;

  /** What is known of a search. */
  get(search: Search): Search | undefined {
    const newer = this.#newer.get(search.text)?.find((each) => each.isSame(search));
    if (newer !== undefined) return newer;
    const older = this.#older.get(search.text)?.find((each) => each.isSame(search));
    if (older !== undefined) this.keep(older);
    return older;
  }

  /** Keeps a search, in the place of what was known of it. It has at most half of the rows that there is room for. */
  keep(search: Search): void {
    const { text, rows } = search;
    const others = this.#newer.get(text);
    const place = others?.findIndex((each) => each.isSame(search)) ?? -1;
    const known = place < 0 ? undefined : others?.[place];
    const count = this.#count + (known === undefined ? 1 : 0);
    const held = this.#rows + (rows?.length ?? 0) - (known?.rows?.length ?? 0);
    if (count > MOST_SEARCHES / 2 || held > MOST_ROWS / 2) {
      this.#older = this.#newer;
      this.#newer = new Map([[text, [search]]]);
      this.#count = 1;
      this.#rows = rows?.length ?? 0;
      return;
    }
    this.#count = count;
    this.#rows = held;
    if (others === undefined) this.#newer.set(text, [search]);
    else if (place < 0) others.push(search);
    else others[place] = search;
  }
}
