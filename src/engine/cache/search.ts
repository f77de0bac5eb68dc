// The cached results of a text search: the matching values, and the rows. A count finds them; the page, sums and charts
// of the same search reuse them, and a search for a longer string looks among those values only.

import type { ParsedCriterion } from "../../criteria/tree.ts";
import type { Bitset } from "../algorithms/bitset.ts";
import type { CodeSet } from "../indexes/code-set.ts";
import type { SearchBounds } from "../indexes/values.ts";
import { tuning } from "../tuning.ts";
import type { Kept } from "./cache.ts";

/** A search whose results may be cached. */
export type Search = ParsedCriterion & { readonly bounds: SearchBounds };

/** Whether the results of a single criterion may be cached. */
export function isSearch(criterion: ParsedCriterion): criterion is Search {
  const { bounds } = criterion;
  const isText = bounds.kind === "substring" || bounds.kind === "suffix";
  return isText && bounds.text.length <= tuning.longestText;
}

/** A search as a string: the cache key. */
export const textOf = ({ bounds }: Search) => `${bounds.kind} ${bounds.text}`;

/** All rows of a search, one bit for each row of a segment, dead or live. */
export class RowSet implements Kept {
  readonly bits: Bitset;
  readonly count: number;

  constructor(bits: Bitset, count: number) {
    this.bits = bits;
    this.count = count;
  }

  get bytes(): number {
    return this.bits.byteLength;
  }
}

/** The codes of an index that match a search, and how many rows have them. */
export class FoundCodes implements Kept {
  readonly bounds: SearchBounds;
  readonly set: CodeSet;
  readonly rows: number;

  constructor({ bounds }: Search, set: CodeSet, rows: number) {
    this.bounds = bounds;
    this.set = set;
    this.rows = rows;
  }

  get bytes(): number {
    const { set } = this;
    return "byteLength" in set ? set.byteLength : 8 * set.length;
  }

  /** Whether every value that another search matches is among these. */
  has({ bounds }: Search): boolean {
    const { kind, text } = this.bounds;
    return kind === "substring"
      ? bounds.text.includes(text)
      : bounds.kind === "suffix" && bounds.text.endsWith(text);
  }
}
