// The page after or before a position in an order (P10). The rows after it are queried in parts, each of which starts at
// its first row, so a page costs the same at any depth. The first part is the rows with the same sort values and a higher
// key. The others follow for each sort field, last to first: the rows that tie in the earlier fields and come after the
// position in this one. The rows before a position are counted in the same parts, and end an ordinary page.

import { comingAfter, equalTo, withAll, type Compared } from "../../criteria/derived.ts";
import type { ParsedCriterion } from "../../criteria/tree.ts";
import { fieldOf } from "../../schema/names.ts";
import type { AnyRecord } from "../../schema/field-types.ts";
import type { Schema } from "../../schema/schema.ts";
import { pageWith, type PageAt, type Position } from "../cursor.ts";
import { projected } from "../projection.ts";
import { sortsOf, UNLIMITED, type Page, type ParsedQuery, type Sort } from "../query.ts";
import type { Location, Snapshot } from "../versions/snapshot.ts";
import { countRows } from "./count.ts";
import type { Visit } from "./merge-segments.ts";
import { forEachInOrder } from "./ties.ts";

/**
 * The page of a query after or before a position, or at an end of its order.
 *
 * @param query without an offset
 * @throws DeadlineError
 */
export function pageAt(snapshot: Snapshot, query: ParsedQuery, at: PageAt): Page<AnyRecord> {
  const { limit } = query;
  const sorts = sortsOf(query.sort);
  const records: AnyRecord[] = [];
  const locations: Location[] = [];
  let found = 0;
  const visit: Visit = (segment, rows, from, to) => {
    for (let i = from; i < to; i++) {
      if (++found > limit) return;
      const row = rows[i]!;
      records.push(segment.rows.record(row));
      locations.push({ segment, row });
    }
  };
  let hasMore: boolean;
  if (at.isBackwards) {
    const before = countBefore(snapshot, query, at.position);
    hasMore = before > limit;
    const offset = Math.max(0, before - limit);
    forEachInOrder(snapshot, { ...query, offset, limit: before - offset }, visit);
  } else {
    // One more row tells whether another page follows.
    const asked = { ...query, limit: Math.min(UNLIMITED, limit + 1) };
    forEachFrom(snapshot, asked, at.position, visit);
    hasMore = found > limit;
  }
  const { schema } = snapshot.segments[0];
  return pageWith(schema, query, at, projected(query, records), hasMore, (index) => {
    const { segment, row } = locations[index]!;
    const values = sorts.map(({ field }) => segment.readerOf(field)(row));
    return { values, key: segment.keyOf(row) };
  });
}

/** How many rows of a query come before a position; without one, how many there are. @throws DeadlineError */
function countBefore(
  snapshot: Snapshot,
  query: ParsedQuery,
  position: Position | undefined,
): number {
  const { segments } = snapshot;
  const count = (criteria: readonly ParsedCriterion[]) =>
    countRows(segments, { ...unsorted, criteria: withAll(query.criteria, criteria) });
  const unsorted: ParsedQuery = { ...query, sort: undefined, limit: UNLIMITED };
  if (position === undefined) return count([]);
  const sorts = sortsOf(query.sort);
  const compared = comparedAt(segments[0].schema, sorts, position.values);
  let before = 0;
  sorts.forEach(({ order }, i) => {
    const ties = compared.slice(0, i).map(equalTo);
    for (const each of comingAfter(compared[i]!, order === "ASC" ? "DESC" : "ASC")) {
      before += count([...ties, each]);
    }
  });
  const ties = compared.map(equalTo);
  const fromHere = {
    ...unsorted,
    criteria: withAll(query.criteria, ties),
    afterKey: position.key - 1,
  };
  let others = 0;
  forEachInOrder(snapshot, fromHere, (_, __, from, to) => (others += to - from));
  return before + count(ties) - others;
}

/** The values of sort fields at a position. */
const comparedAt = (schema: Schema, sorts: readonly Sort[], values: Position["values"]) =>
  sorts.map(({ field }, i): Compared => {
    return { name: field, field: fieldOf(schema, field)!, value: values[i] ?? null };
  });

/** Visits the rows of a query after a position, if there is one, in the query's order. @throws DeadlineError */
export function forEachFrom(
  snapshot: Snapshot,
  query: ParsedQuery,
  position: Position | undefined,
  visit: Visit,
): void {
  if (position === undefined) forEachInOrder(snapshot, query, visit);
  else forEachAfter(snapshot, query, position, visit);
}

/**
 * Visits the rows of a query that come after a position, up to the limit, in the query's order.
 *
 * @param query without an offset
 * @throws DeadlineError; part of the page may already have been visited
 */
function forEachAfter(
  snapshot: Snapshot,
  query: ParsedQuery,
  { values, key }: Position,
  visit: Visit,
): void {
  const { schema } = snapshot.segments[0];
  const sorts = sortsOf(query.sort);
  const compared = comparedAt(schema, sorts, values);
  let { limit } = query;
  const ask = (criteria: readonly ParsedCriterion[], sort: Sort | undefined, afterKey: number) => {
    if (limit === 0) return;
    const part = { ...query, criteria: withAll(query.criteria, criteria), sort, limit, afterKey };
    forEachInOrder(snapshot, part, (segment, rows, from, to) => {
      if (limit < UNLIMITED) limit -= to - from;
      visit(segment, rows, from, to);
    });
  };
  ask(compared.map(equalTo), undefined, key);
  for (let i = sorts.length - 1; i >= 0; i--) {
    const sort = sorts[i]!;
    for (const after of comingAfter(compared[i]!, sort.order)) {
      ask([...compared.slice(0, i).map(equalTo), after], sort, -1);
    }
  }
}
