// Rows are found by reading all of them, and those with a unique value by a map of these values: what a light collection
// does instead of building indexes and choosing plans.

import { selectEveryRecord } from "../../criteria/tree.ts";
import type { TextValue } from "../../schema/field.ts";
import type { AnyRecord } from "../../schema/field-types.ts";
import type { Rows } from "../columns/rows.ts";
import { checkEach } from "../operators/check-each.ts";
import { sortsOf, UNLIMITED, type ParsedQuery, type Sort } from "../query.ts";
import type { Finder } from "../versions/segment.ts";
import type { Segment } from "../versions/segment.ts";
import type { Location, Snapshot } from "../versions/snapshot.ts";
import { Order, type Reader, type SortValue } from "../versions/sort-order.ts";
import { selectedRows } from "./selected-rows.ts";

/** Up to how many records a sorted page is kept in order while rows are read; a larger one is cut off all rows. */
const SMALL_PAGE = 256;

/** The row of each value. */
type RowByValue = Map<TextValue, number>;

/** By rows, which never change, and the name of a unique field or combination. */
const made = new WeakMap<Rows, Map<string, RowByValue>>();

function rowWith({ rows, dead }: Segment, name: string, value: TextValue): number {
  const byName = made.get(rows) ?? new Map<string, RowByValue>();
  const byValue = byName.get(name) ?? rowsByValue(rows, name);
  made.set(rows, byName.set(name, byValue));
  const row = byValue.get(value) ?? -1;
  return row >= 0 && dead.has(row) ? -1 : row;
}

function rowsByValue(rows: Rows, name: string): RowByValue {
  const byValue: RowByValue = new Map();
  const read = rows.readerOf(name);
  for (let row = 0; row < rows.size; row++) byValue.set(read(row), row);
  return byValue;
}

export const scanning: Finder = {
  indexes: undefined,
  rows: (segment, { criteria, sort, offset, limit }) =>
    checkEach(segment, criteria, sort === undefined ? offset + limit : UNLIMITED),
  row: rowWith,
  lookedUp: rowWith,
};

/** How many rows the criteria of a query select. Cost: linear in the rows. */
export function countScanned(snapshot: Snapshot, query: ParsedQuery): number {
  if (selectEveryRecord(query.criteria)) return snapshot.size;
  return selectedRows(snapshot, query).length;
}

/** The records of a page. Cost: linear in the rows, and in those selected times the logarithm of the page's end. */
export function scannedPage(snapshot: Snapshot, query: ParsedQuery): AnyRecord[] {
  const { sort, offset, limit } = query;
  const found = selectedRows(snapshot, query);
  const ordered = sort === undefined ? found : firstInOrder(found, sort, offset + limit);
  return ordered.slice(offset, offset + limit).map(({ segment, row }) => segment.rows.record(row));
}

interface Entry {
  readonly location: Location;
  readonly values: readonly SortValue[];
}

/** The first of some rows, which are in insertion order, in the order of a sort. */
function firstInOrder(found: readonly Location[], sort: Sort, count: number): Location[] {
  const orders = sortsOf(sort).map((each) => new Order({ sort: each }));
  const readers = new Map<Segment, readonly Reader[]>();
  const entries = found.map((location): Entry => {
    const { segment, row } = location;
    let own = readers.get(segment);
    if (own === undefined) {
      own = orders.map((order) => order.readerOf(segment));
      readers.set(segment, own);
    }
    return { location, values: own.map((read) => read(row)) };
  });
  const compare = (a: Entry, b: Entry): number => {
    for (const [i, order] of orders.entries()) {
      const compared = order.compareValues(a.values[i]!, b.values[i]!);
      if (compared !== 0) return compared;
    }
    return 0;
  };
  const first = count > SMALL_PAGE ? entries.sort(compare) : least(entries, count, compare);
  return first.map(({ location }) => location);
}

/** The least of some entries, in order; of equal ones, the earlier come first. */
function least(
  entries: readonly Entry[],
  count: number,
  compare: (a: Entry, b: Entry) => number,
): Entry[] {
  const first: Entry[] = [];
  for (const entry of entries) {
    const last = first.at(-1);
    if (first.length === count && (last === undefined || compare(last, entry) <= 0)) continue;
    let low = 0;
    for (let high = first.length; low < high;) {
      const middle = (low + high) >>> 1;
      if (compare(first[middle]!, entry) <= 0) low = middle + 1;
      else high = middle;
    }
    first.splice(low, 0, entry);
    if (first.length > count) first.pop();
  }
  return first;
}
