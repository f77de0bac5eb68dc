// Results: the first rows of recent text searches, by text, field and operator, in insertion order. The
// same page, or an earlier one, is then answered without testing a value.
//
// Held: by what the versions of a segment share, up to 256 searches of texts of up to 256 characters, and
// 128 KB of row numbers, which no report of indexes counts. There are two maps: what is kept or requested
// goes to the newer one. When that is full it becomes the older one, and the older one is dropped. So at
// least the latest half is held, and eviction takes no time.
//
// Stale: never. The rows of a segment don't change. Snapshots share them, and dead rows are left out when
// rows are returned. Only results of a snapshot without dead rows are kept: they hold for all others.
//
// Source: D. Tarr, "hashlru", 2016.

import type { ParsedCriterion } from "../../criteria/parse.ts";
import type { SearchBounds } from "../index/values.ts";
import { tuning } from "../tuning.ts";

/** A search that may be kept: for a text within the values of a field. */
export type Search = ParsedCriterion & { readonly bounds: SearchBounds };

/** Rows found, from the first on. */
export interface KeptRows {
  /** Dead rows may be among them: the snapshots that share these rows have different dead rows. */
  readonly rows: ArrayLike<number>;
  /** Whether there are no more. */
  readonly areAll: boolean;
}

/** The rows found by a search. */
interface Result extends KeptRows {
  readonly search: Search;
}

/** Whether the rows of a single criterion may be kept. */
export function isSearch(criterion: ParsedCriterion): criterion is Search {
  const { bounds } = criterion;
  const isText = bounds.kind === "substring" || bounds.kind === "suffix";
  return isText && bounds.text.length <= tuning.longestText;
}

/** The searches for a text, which differ in field or operator. */
type ByText = Map<string, Result[]>;

export class Results {
  #newer: ByText = new Map();
  #older: ByText = new Map();
  /** How many results and how many rows are in the newer map. */
  #count = 0;
  #rows = 0;

  get(search: Search): KeptRows | undefined {
    const { text } = search.bounds;
    const newer = resultOf(search, this.#newer.get(text));
    if (newer !== undefined) return newer;
    const older = resultOf(search, this.#older.get(text));
    if (older !== undefined) this.#put(older);
    return older;
  }

  /**
   * Keeps the rows of a search, replacing earlier ones: at most half of the capacity.
   */
  keep(search: Search, rows: ArrayLike<number>, areAll: boolean): void {
    this.#put({ search, rows, areAll });
  }

  #put(result: Result): void {
    const { search, rows } = result;
    const { text } = search.bounds;
    const others = this.#newer.get(text);
    const place = others?.findIndex((each) => isSame(each.search, search)) ?? -1;
    const known = place < 0 ? undefined : others?.[place];
    const count = this.#count + (known === undefined ? 1 : 0);
    const held = this.#rows + rows.length - (known?.rows.length ?? 0);
    if (count > tuning.mostResults / 2 || held > tuning.mostResultRows / 2) {
      this.#older = this.#newer;
      this.#newer = new Map([[text, [result]]]);
      this.#count = 1;
      this.#rows = rows.length;
      return;
    }
    this.#count = count;
    this.#rows = held;
    if (others === undefined) this.#newer.set(text, [result]);
    else if (place < 0) others.push(result);
    else others[place] = result;
  }
}

/** A loop, not `find`: it is most of the time of a cached answer. */
function resultOf(search: Search, results: readonly Result[] = NONE): Result | undefined {
  for (let i = 0; i < results.length; i++) {
    if (isSame(results[i]!.search, search)) return results[i];
  }
  return undefined;
}

const NONE: readonly Result[] = [];

const isSame = (a: Search, b: Search) => a.field === b.field && a.operator === b.operator;
