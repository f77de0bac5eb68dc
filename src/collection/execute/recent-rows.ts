// The rows that the last searches for a text found, in insertion order from the first one on. Who asks
// a third time for such a page, or for one before it, gets it without a value being tested again. The
// first time only the text is noted: one that is never asked for again costs no gathering of rows.
// They are kept by the rows of a segment, which never change: snapshots share them, and dead rows are
// left out when they are handed out. A segment keeps up to 256 texts of up to 256 characters, and
// 128 KB of row numbers: no report of indexes counts them.

import type { Indexes } from "../index/indexes.ts";
import { onPage, type Plan } from "../plan/plan.ts";
import { planQuery } from "../plan/planner.ts";
import type { ParsedQuery } from "../plan/query.ts";
import type { DeadRows } from "../snapshot/dead-rows.ts";
import type { Segment } from "../snapshot/segment.ts";
import { execute } from "./execute.ts";
import { RecentSearches, Search } from "./recent-searches.ts";

/** A page that ends behind this row is not kept. */
const LAST_ROW = 4096;
const LONGEST_TEXT = 256;

/** By what the snapshots of the same rows share. */
const searchesOf = new WeakMap<Indexes, RecentSearches>();

/** The rows of a page: those of `rows` from position `from` up to `to`. */
export class FoundRows {
  /** Not used, but kept: `Loader.kept` says why. */
  static readonly kept = new FoundRows(new Uint32Array(), 0, 0);

  readonly rows: Uint32Array;
  readonly from: number;
  readonly to: number;

  constructor(rows: Uint32Array, from: number, to: number) {
    this.rows = rows;
    this.from = Math.min(from, to);
    this.to = to;
  }
}

/**
 * The rows of a page, where they are kept, or are found to be kept; otherwise the plan by which to find
 * them.
 *
 * @throws DeadlineError
 */
export function rowsOrPlan(segment: Segment, query: ParsedQuery): FoundRows | Plan {
  const search = segment.isSmall ? undefined : searchOf(query);
  return search === undefined ? planQuery(segment, query) : rowsOf(search, segment, query);
}

function rowsOf(search: Search, segment: Segment, query: ParsedQuery): FoundRows | Plan {
  query.deadline?.check();
  const { indexes, dead } = segment;
  let searches = searchesOf.get(indexes);
  const recent = searches?.get(search);
  const kept = recent === undefined ? undefined : pageOf(recent, dead, query);
  if (kept !== undefined) return kept;
  const plan = planQuery(segment, query);
  const { filters, offset, limit } = plan;
  const end = offset + limit;
  if (end > LAST_ROW || filters.length === 0) return plan;
  // Rows that are dead here may live in other snapshots: what is found without them holds for those no
  // more. Without indexes, nothing is kept at all.
  if (dead.count > 0 || segment.options.indexes === "none") return plan;
  if (searches === undefined) {
    searches = new RecentSearches();
    searchesOf.set(indexes, searches);
  }
  if (recent === undefined) {
    searches.keep(search);
    return plan;
  }
  const { text, field, operator } = search;
  const rows = firstRows(segment, onPage(plan, 0, end), query);
  searches.keep(new Search(text, field, operator, rows, rows.length < end));
  return new FoundRows(rows, offset, rows.length);
}

/** Where rows are gathered until it is known how many there are. */
const gathered = new Uint32Array(LAST_ROW);

/** @param plan its page begins at the first row */
function firstRows(segment: Segment, plan: Plan, { deadline }: ParsedQuery): Uint32Array {
  let length = 0;
  execute(
    segment,
    plan,
    (rows, from, to) => {
      const shift = length - from;
      for (let i = from; i < to; i++) gathered[i + shift] = rows[i]!;
      length += to - from;
    },
    deadline,
  );
  return gathered.slice(0, length);
}

/** The page of a search of which the first rows are known; `undefined` where these are too few. */
function pageOf(
  { rows, areAll }: Search,
  dead: DeadRows,
  { offset, limit }: ParsedQuery,
): FoundRows | undefined {
  if (rows === undefined) return undefined;
  const live = dead.count === 0 ? rows : rows.filter((row) => !dead.has(row));
  const end = offset + limit;
  if (!areAll && end > live.length) return undefined;
  return new FoundRows(live, offset, Math.min(end, live.length));
}

/** The search that a query is, where it only looks for a text within values; otherwise `undefined`. */
function searchOf({ criteria: { groups }, sort }: ParsedQuery): Search | undefined {
  const group = groups[0];
  if (sort !== undefined || groups.length > 1 || group?.length !== 1) return undefined;
  const [criterion] = group;
  if (criterion?.bounds.kind !== "substring") return undefined;
  const { operator, field, bounds } = criterion;
  const { text } = bounds;
  return text.length > LONGEST_TEXT ? undefined : new Search(text, field, operator);
}
