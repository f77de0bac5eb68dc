// The page after a position in an order (P10). The rows after it are queried in parts, each of which starts at its
// first row, so a page costs the same at any depth. The first part is the rows with the same sort values and a higher
// key. The others follow for each sort field, last to first: the rows that tie in the earlier fields and come after the
// position in this one.

import { comingAfter, equalTo, withAll } from "../../criteria/derived.ts";
import type { ParsedCriterion } from "../../criteria/tree.ts";
import { fieldOf } from "../../schema/names.ts";
import type { AnyRecord } from "../../schema/field-types.ts";
import { cursorOf, type Position } from "../cursor.ts";
import { sortsOf, UNLIMITED, type Page, type ParsedQuery, type Sort } from "../query.ts";
import type { Snapshot } from "../versions/snapshot.ts";
import type { Visit } from "./merge-segments.ts";
import { forEachInOrder } from "./ties.ts";

/**
 * The page of a query after a position, or from the first record on.
 *
 * @param query without an offset
 * @throws DeadlineError
 */
export function pageAfter(
  snapshot: Snapshot,
  query: ParsedQuery,
  position: Position | undefined,
): Page<AnyRecord> {
  const { limit } = query;
  const sorts = sortsOf(query.sort);
  const records: AnyRecord[] = [];
  const last: Position[] = [];
  let found = 0;
  // One more row tells whether another page follows.
  const asked = { ...query, limit: Math.min(UNLIMITED, limit + 1) };
  const visit: Visit = (segment, rows, from, to) => {
    for (let i = from; i < to; i++) {
      if (++found > limit) return;
      const row = rows[i]!;
      records.push(segment.rows.record(row));
      if (found < limit) continue;
      const values = sorts.map(({ field }) => segment.readerOf(field)(row));
      last.push({ values, key: segment.keyOf(row) });
    }
  };
  forEachFrom(snapshot, asked, position, visit);
  const [end] = last;
  return {
    records,
    next:
      found > limit && end !== undefined ? cursorOf(snapshot.segments[0].schema, query, end) : null,
  };
}

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
  const compared = sorts.map(({ field }, i) => {
    return { name: field, field: fieldOf(schema, field)!, value: values[i] ?? null };
  });
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
