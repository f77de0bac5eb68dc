// The rows that the last searches for a text found, in insertion order from the first one on. Who asks
// for such a page again, or for one before it, gets it without a value being tested a second time. They
// are kept by the rows of a segment, which never change: snapshots share them, and dead rows are left
// out when they are handed out. At most 8 searches are kept, of 4,096 rows each: 128 KB a segment, which
// no report of indexes counts.

import type { ParsedCriterion } from "../../criteria/parse.ts";
import type { Indexes } from "../index/indexes.ts";
import type { Plan } from "../plan/plan.ts";
import type { ParsedQuery } from "../plan/query.ts";
import type { Segment } from "../snapshot/segment.ts";
import { execute, RowList } from "./execute.ts";

const MOST_SEARCHES = 8;
const MOST_ROWS = 4096;
const LONGEST_TEXT = 256;

interface Search {
  readonly criterion: ParsedCriterion;
  /** The first rows that match. */
  readonly rows: Uint32Array;
  /** Whether there are no more. */
  readonly areAll: boolean;
}

/** By what the snapshots of the same rows share; the latest first. */
const searches = new WeakMap<Indexes, Search[]>();

/** The rows of a page; `undefined` where too few are known. */
export function recentRows(segment: Segment, query: ParsedQuery): Uint32Array | undefined {
  const criterion = onlyCriterion(query);
  if (criterion === undefined || segment.isSmall) return undefined;
  const search = searches.get(segment.indexes)?.find((each) => isSame(each.criterion, criterion));
  if (search === undefined) return undefined;
  const { dead } = segment;
  const { rows, areAll } = search;
  const live = dead.count === 0 ? rows : rows.filter((row) => !dead.has(row));
  const end = query.offset + query.limit;
  return areAll || end <= live.length ? live.subarray(query.offset, end) : undefined;
}

/**
 * Runs a plan to the rows of its page, and keeps those that it found, where values had to be tested
 * for that.
 *
 * @returns `undefined` where they are not worth keeping, and the plan was not run
 * @throws DeadlineError
 */
export function keepingRows(
  segment: Segment,
  query: ParsedQuery,
  plan: Plan,
): Uint32Array | undefined {
  const { deadline } = query;
  const { offset, limit, filters } = plan;
  const criterion = onlyCriterion(query);
  const end = offset + limit;
  if (criterion === undefined || end > MOST_ROWS || filters.length === 0) return undefined;
  // Rows that are dead here are not in other snapshots. Without indexes, nothing is kept at all.
  if (segment.isSmall || segment.dead.count > 0 || segment.options.indexes === "none") {
    return undefined;
  }
  const list = new RowList();
  execute(segment, { ...plan, offset: 0, limit: end }, list.add, deadline);
  const rows = list.rows().slice();
  const others = searches.get(segment.indexes) ?? [];
  searches.set(segment.indexes, [
    { criterion, rows, areAll: rows.length < end },
    ...others.filter((each) => !isSame(each.criterion, criterion)).slice(0, MOST_SEARCHES - 1),
  ]);
  return rows.subarray(offset);
}

/** The one criterion of a query without a sort, where it looks for a text within values. */
function onlyCriterion({ criteria: { groups }, sort }: ParsedQuery): ParsedCriterion | undefined {
  const group = groups[0];
  if (sort !== undefined || groups.length > 1 || group?.length !== 1) return undefined;
  const [criterion] = group;
  const isSearch = criterion?.bounds.kind === "substring";
  return isSearch && criterion.bounds.text.length <= LONGEST_TEXT ? criterion : undefined;
}

function isSame(a: ParsedCriterion, b: ParsedCriterion): boolean {
  return a.value === b.value && a.operator === b.operator && a.field === b.field;
}
