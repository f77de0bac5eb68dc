// The first page of a snapshot in the order of a field, made from that of the snapshot before: without the records that
// a change removed or replaced, and with those that it added. No segment is asked.
//
// Source: K. Yi et al., "Efficient Maintenance of Materialized Top-k Views", ICDE 2003: a view of more rows than are
// asked for outlasts removals.

import type { KeptPage } from "../cache/pages.ts";
import type { Sort } from "../cache/top-rows.ts";
import { tuning } from "../tuning.ts";
import type { Snapshot } from "./snapshot.ts";
import { Order, type Entry } from "./sort-order.ts";

/**
 * The page of the first `limit` records, if it follows from the one kept before a change: if that removed no more of
 * the page than the records kept after it, and added few records, or any number to a page in the order of numbers.
 */
export function updatedPage(snapshot: Snapshot, sort: Sort, limit: number): KeptPage | undefined {
  const { change } = snapshot;
  const before = change?.pages.find(sort, 0, limit)?.page;
  if (change === undefined || before === undefined) return undefined;
  const { removed } = change;
  const added = change.added(sort.field);
  if (added === undefined) return undefined;
  const keys = before.keys.slice();
  const records = before.records.slice();
  for (let i = 0; i < removed.length; i++) {
    const at = keys.indexOf(removed[i]!);
    if (at < 0) continue;
    keys.splice(at, 1);
    records.splice(at, 1);
  }
  const order = new Order({ sort });
  const entries = added.map((key) => entryOf(snapshot, order, key));
  if (entries.length > 1) entries.sort((a, b) => order.compare(a, b));
  let at = 0;
  for (let i = 0; i < entries.length; i++, at++) {
    const { key } = entries[i]!;
    at = placeOf(snapshot, order, keys, entries[i]!, at);
    // Records that are not known come after the last one, and perhaps before this one.
    if (at === keys.length && !before.isLast) break;
    keys.splice(at, 0, key);
    const { segment, row } = snapshot.find(key)!;
    records.splice(at, 0, segment.rows.record(row));
  }
  if (keys.length < limit && !before.isLast) return undefined;
  const most = limit + tuning.spareOnPage;
  const isLast = before.isLast && keys.length <= most;
  keys.length = records.length = Math.min(keys.length, most);
  return { records, keys, isLast };
}

/** Where an entry belongs among keys that are in the order, from a place on, which is tried first. */
function placeOf(
  snapshot: Snapshot,
  order: Order,
  keys: readonly number[],
  entry: Entry,
  from: number,
): number {
  let low = from;
  let high = keys.length;
  for (let middle = low; low < high; middle = (low + high) >>> 1) {
    if (order.compare(entryOf(snapshot, order, keys[middle]!), entry) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** @param key of a live row */
function entryOf(snapshot: Snapshot, order: Order, key: number): Entry {
  const { segment, row } = snapshot.find(key)!;
  return { value: order.readerOf(segment)(row), key };
}
