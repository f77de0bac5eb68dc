// The order of a query's rows across segments: by value, then by key. Each segment answers in this
// order, and the answers are merged by it.

import { holdHiddenClassOf } from "../algorithms/hidden-class.ts";
import { compareCodePoints } from "../../schema/order.ts";
import { fieldOf } from "../../schema/schema.ts";
import { moved, type Splice } from "../algorithms/splice.ts";
import { digestReaderOf } from "../records/digests.ts";
import type { Sort } from "../cache/top-rows.ts";
import type { Segment } from "./segment.ts";

/** The answer of a segment: rows in the order of the query, and a reader of their sort value. */
export interface Answer {
  readonly segment: Segment;
  readonly rows: ArrayLike<number>;
  readonly read: Reader;
}

/** A value to sort by: an integer is a number, and the null of an int field −Infinity. */
export type SortValue = string | number | null;

export type Reader = (row: number) => SortValue;

/** What determines a row's place in the order. */
export interface Entry {
  readonly value: SortValue;
  readonly key: number;
}

export function entryAt({ segment, rows, read }: Answer, at: number): Entry {
  const row = rows[at]!;
  return { value: read(row), key: segment.keyOf(row) };
}

const readNothing: Reader = () => null;

/** The order of a query: by value, then by key; by key alone if it does not sort. */
export class Order {
  readonly #field: string | undefined;
  readonly #descending: boolean;

  constructor({ sort }: { readonly sort: Sort | undefined }) {
    this.#field = sort?.field;
    this.#descending = sort?.order === "DESC";
  }

  /** Reads the sort value of a row: an integer as a number. */
  readerOf(segment: Segment): Reader {
    if (this.#field === undefined) return readNothing;
    const { type } = fieldOf(segment.schema, this.#field)!;
    if (type === "string") return segment.readerOf(this.#field);
    return digestReaderOf(segment.rows, type, this.#field);
  }

  compare(a: Entry, b: Entry): number {
    return this.#compare(a.value, a.key, b.value, b.key);
  }

  /**
   * The rows of a segment, given in insertion order, in this order. For few rows: each is inserted among
   * those before it, without a call for each comparison, which the engine's own sort makes.
   */
  sorted(segment: Segment, rows: ArrayLike<number>): number[] {
    const read = this.readerOf(segment);
    const values: SortValue[] = [];
    const found: number[] = [];
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i]!;
      const value = read(row);
      let low = 0;
      let high = i;
      // Invariant: everything left of `low` comes before the row, and everything from `high` on after it.
      while (low < high) {
        const middle = (low + high) >>> 1;
        if (this.#compare(values[middle]!, middle, value, i) < 0) low = middle + 1;
        else high = middle;
      }
      for (let at = i; at > low; at--) {
        values[at] = values[at - 1]!;
        found[at] = found[at - 1]!;
      }
      values[low] = value;
      found[low] = row;
    }
    return found;
  }

  /** The rows of a segment in this order, from those in it before some were removed and others added. */
  resorted(segment: Segment, before: ArrayLike<number>, splice: Splice): number[] {
    const read = this.readerOf(segment);
    const rows = moved(splice, before);
    const answer = { segment, rows, read };
    for (let i = 0; i < splice.at.length; i++) {
      const row = splice.at[i]! + i;
      const entry = { value: read(row), key: segment.keyOf(row) };
      rows.splice(this.before(answer, 0, rows.length, entry), 0, row);
    }
    return rows;
  }

  /**
   * The first position from `from` up to `to` whose row does not come before an entry; `to` if there is
   * none.
   */
  before({ segment, rows, read }: Answer, from: number, to: number, entry: Entry): number {
    const isBefore = (at: number) => {
      const row = rows[at]!;
      return this.#compare(read(row), segment.keyOf(row), entry.value, entry.key) < 0;
    };
    let low = from;
    let step = 1;
    // Rows left of `low` come before the entry. The next one after it is usually near.
    while (low + step <= to && isBefore(low + step - 1)) {
      low += step;
      step *= 2;
    }
    let high = Math.min(to, low + step - 1);
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isBefore(middle)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #compare(a: SortValue, aKey: number, b: SortValue, bKey: number): number {
    if (a === b) return aKey - bKey;
    if (typeof a === "number" && typeof b === "number") return this.#descending ? b - a : a - b;
    return this.#descending ? compareTexts(b, a) : compareTexts(a, b);
  }
}

/** Compares two different values of a string field: null first (rules P3, P4). */
function compareTexts(a: SortValue, b: SortValue): number {
  if (a === null) return -1;
  return b === null ? 1 : compareCodePoints(String(a), String(b));
}

holdHiddenClassOf(new Order({ sort: undefined }));
