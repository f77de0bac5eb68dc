// The planner: chooses the plan of a query for a segment. A plan that nothing can beat is taken at once; otherwise the
// cheapest of those that can answer.

import type { WireValue } from "../../schema/field.ts";
import type { AnyRecord } from "../../schema/schema.ts";
import type { KeptRows, Search } from "../cache/results.ts";
import { onlyValueOf } from "../pipeline/filter.ts";
import type { Segment } from "../snapshot/segment.ts";
import type { Snapshot } from "../snapshot/snapshot.ts";
import { updatedPage } from "../snapshot/updated-page.ts";
import { tuning } from "../tuning.ts";
import { cheapest, orderOfAll, plansOf, selectsEveryRow } from "./candidates.ts";
import {
  keeping,
  type AccessPath,
  type FilterPlan,
  type OrderStep,
  type Page,
  type Plan,
  type SourcePlan,
} from "./plan.ts";
import { UNLIMITED, type ParsedQuery, type Sort } from "./query.ts";
import {
  AS_READ,
  checked,
  indexScan,
  keptPage,
  keptRows,
  onlySearch,
  resortedRows,
  rowsOfDigest,
  rowsOfValue,
  scan,
} from "./source-plan.ts";

/** Chooses the plan of a segment. */
export type Choose = (segment: Segment, query: ParsedQuery) => Plan;

/**
 * The cheapest plan.
 *
 * @throws DeadlineError
 */
export function planQuery(segment: Segment, query: ParsedQuery): Plan {
  const order = orderOfAll(segment, query);
  return (
    obviousPlan(segment, query, order) ??
    planOfKept(segment, query) ??
    keepingRows(segment, query, cheapest(plansOf(segment, query, order)))
  );
}

/** The plan of a page that the snapshot keeps: no segment is asked. */
export function planOfPage(snapshot: Snapshot, query: ParsedQuery): Plan<"kept-page"> | undefined {
  const records = isPageOfAll(query) ? keptPageOf(snapshot, query) : undefined;
  return records && readOff(keptPage(snapshot, query.sort!.field, records), query);
}

/**
 * The records of {@link planOfPage}. Its second form: `pageOf` copies them without making the plan, since 50 records
 * take 180 ns with it and 140 without.
 */
export function keptPageOf(
  snapshot: Snapshot,
  { sort, offset, limit }: PageOfAll,
): AnyRecord[] | undefined {
  const { pages } = snapshot;
  let kept = pages.find(sort, offset, limit)?.page;
  if (kept === undefined && offset === 0) {
    kept = updatedPage(snapshot, sort, limit);
    if (kept !== undefined) pages.set(sort, offset, limit, kept);
  }
  return kept?.records.slice(0, limit);
}

/** A query for a page of all records in the order of one field. */
export type PageOfAll = ParsedQuery & { readonly sort: Sort };

export function isPageOfAll(query: ParsedQuery): query is PageOfAll {
  const { sort, criteria } = query;
  return sort !== undefined && sort.ties === undefined && selectsEveryRow(criteria);
}

/**
 * The unbeatable plan, if there is one: reading a page from an index or from the rows, or checking
 * few rows, takes less time than comparing alternatives.
 *
 * @param order how all rows get into the order of the query, if it selects all
 */
function obviousPlan(
  segment: Segment,
  query: ParsedQuery,
  order: OrderStep | undefined,
): Plan | undefined {
  const { criteria, sort, deadline } = query;
  const { groups } = criteria;
  if (order !== undefined) {
    if (order.path === "source") return readOff(scan(segment), query);
    return order.path === "select" ? readOff(indexScan(segment, order), query) : undefined;
  }
  if (segment.isNeverIndexed) {
    return sort === undefined ? readOff(checked(segment, criteria), query) : undefined;
  }
  const asked = onlyValue(query);
  if (asked === undefined) return undefined;
  const { field, value } = asked;
  const index = segment.indexes.ordered(field, deadline);
  if (index !== undefined) {
    return readOff(rowsOfValue(segment, groups, index, value, deadline), query);
  }
  if (segment.rows.digestsOf(field) === undefined) return undefined;
  return readOff(rowsOfDigest(segment, groups, field, value), query);
}

/** The plan that returns a page found before. */
function planOfKept(segment: Segment, query: ParsedQuery): Plan | undefined {
  const { criteria, sort, offset, limit } = query;
  let kept: KeptRows | undefined;
  if (sort !== undefined) {
    if (!selectsEveryRow(criteria)) return undefined;
    kept = segment.topRows.get(sort);
    if (kept === undefined) return planOfResorted(segment, query, sort);
  } else if (!segment.isNeverIndexed) {
    const search = searchOf(query);
    kept = search && segment.results.get(search);
  }
  if (kept === undefined) return undefined;
  const live = liveRows(segment, kept);
  if (!kept.areAll && offset + limit > live.length) return undefined;
  return readOff(keptRows(sort === undefined ? criteria.groups : [], live), query);
}

/** The plan that returns all rows in an order in which they were before a change. */
function planOfResorted(segment: Segment, page: Page, sort: Sort): Plan | undefined {
  const { before, dead } = segment;
  const kept = before?.topRows.get(sort);
  if (before === undefined || kept === undefined || dead.count > 0) return undefined;
  const plan = readOff(resortedRows(segment, sort, kept, before.splice), page);
  return keeping(plan, { as: "top-rows", sort });
}

/**
 * A function of its own: with the closure in it, each call of `planOfKept` would make a context, which V8 optimizes
 * away. When it first meets a segment of another kind, it makes the context after all, and before that sweeps
 * the whole heap, if the last garbage collection has not.
 */
function liveRows({ dead }: Segment, { rows }: KeptRows): ArrayLike<number> {
  return dead.count === 0 ? rows : Array.from(rows).filter((row) => !dead.has(row));
}

/**
 * The plan with what to keep its rows as, if they are kept: only without dead rows, which live elsewhere.
 */
function keepingRows(segment: Segment, query: ParsedQuery, plan: Plan): Plan {
  const { dead, options } = segment;
  const { offset, limit, order, filters, source } = plan;
  if (dead.count > 0) return plan;
  const isFirst = offset + limit <= tuning.lastKept;
  const search = searchOf(query);
  if (search !== undefined) {
    if (options.indexes === "none") return plan;
    const isTested = filters.length > 0;
    if (isFirst) {
      // Finding a page in a set takes longer than copying it.
      const isWorthIt = isTested || source.step.path === "row-set";
      return isWorthIt ? keeping(plan, { as: "result", search }) : plan;
    }
    // To test no more rows than a set has words takes no longer than to make the set.
    const isWorthIt = isTested && source.rows > segment.size >>> 5;
    return isWorthIt && offset === 0 && limit === UNLIMITED
      ? keeping(plan, { as: "row-set", search })
      : plan;
  }
  if (!isFirst) return plan;
  const isKept =
    source.step.path === "digest-sort" ||
    (order.path === "sort" && segment.isNeverIndexed && selectsEveryRow(query.criteria));
  return isKept ? keeping(plan, { as: "top-rows", sort: query.sort! }) : plan;
}

/** The search of a query that only looks for a text within values. */
function searchOf({ criteria, sort }: ParsedQuery): Search | undefined {
  return sort === undefined ? onlySearch(criteria) : undefined;
}

/** The criterion of a query for one value of a field, in no order. */
export function onlyValue({
  criteria: { groups },
  sort,
}: ParsedQuery): { readonly field: string; readonly value: WireValue } | undefined {
  const group = groups[0]!;
  const criterion = group[0];
  if (sort !== undefined || criterion === undefined) return undefined;
  if (groups.length > 1 || group.length > 1) return undefined;
  const value = onlyValueOf(criterion);
  return value === undefined ? undefined : { field: criterion.field, value };
}

const NONE: readonly FilterPlan[] = [];

/** The plan that reads a page directly from a source. */
function readOff<Path extends AccessPath>(
  source: SourcePlan<Path>,
  { offset, limit }: Page,
): Plan<Path> {
  const { rows, setUp, perRow, step } = source;
  const visited = Math.min(rows, limit);
  const cost = Math.round(setUp + visited * perRow);
  const scatteredRows = step.path === "index-scan" ? visited : 0;
  const keeps = undefined;
  return { source, filters: NONE, order: AS_READ, scatteredRows, keeps, offset, limit, rows, cost };
}
