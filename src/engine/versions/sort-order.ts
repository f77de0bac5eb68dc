// The order of a query's rows across segments: by value, then by key. Each segment returns its rows in this order, and
// they are merged by it.

import { compareCodePoints } from "../../schema/order.ts";
import { isNumeric } from "../../schema/field.ts";
import { fieldOf } from "../../schema/names.ts";
import type { Schema } from "../../schema/schema.ts";
import type { Rows } from "../columns/rows.ts";
import type { Segment } from "./segment.ts";

/** The order of rows. */
export interface Sort {
  readonly field: string;
  readonly order: "ASC" | "DESC";
}

/** The result of a segment: rows in the order of the query, and a reader of their sort value. */
export interface Answer {
  readonly segment: Segment;
  readonly rows: ArrayLike<number>;
  readonly read: Reader;
}

/** A value to sort by: in a field of numbers a number, with −Infinity for the null of an int field. */
export type SortValue = string | number | null;

export type Reader = (row: number) => SortValue;

/** The sort value and key of a row, which determine its place in the order. */
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

  /** Reads the sort value of a row; for a field of numbers, as a number. */
  readerOf({ schema, rows }: Segment): Reader {
    return this.readerIn(schema, rows);
  }

  /** Likewise for rows that may belong to no segment. */
  readerIn(schema: Schema, rows: Rows): Reader {
    if (this.#field === undefined) return readNothing;
    const { type } = fieldOf(schema, this.#field)!;
    return isNumeric(type) ? rows.numberReaderOf(this.#field) : rows.readerOf(this.#field);
  }

  compare(a: Entry, b: Entry): number {
    return this.#compare(a.value, a.key, b.value, b.key);
  }

  /** Compares two sort values; 0 if they are equal. */
  compareValues(a: SortValue, b: SortValue): number {
    return this.#compare(a, 0, b, 0);
  }

  /** Sorts a few rows of a segment that are given in insertion order. */
  sorted(segment: Segment, rows: ArrayLike<number>): number[] {
    const read = this.readerOf(segment);
    const entries = Array.from(rows, (row) => ({ row, value: read(row) }));
    entries.sort((a, b) => this.#compare(a.value, 0, b.value, 0));
    return entries.map(({ row }) => row);
  }

  /** The first position in `[from, to)` whose row does not come before an entry; `to` if there is none. */
  before({ segment, rows, read }: Answer, from: number, to: number, entry: Entry): number {
    const isBefore = (at: number) => {
      const row = rows[at]!;
      return this.#compare(read(row), segment.keyOf(row), entry.value, entry.key) < 0;
    };
    let low = from;
    let step = 1;
    // Rows left of `low` come before the entry. The next row after it is usually near.
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

/** Compares two different values that are not numbers: null first (rules P3, P4). */
function compareTexts(a: SortValue, b: SortValue): number {
  if (a === null) return -1;
  return b === null ? 1 : compareCodePoints(String(a), String(b));
}
