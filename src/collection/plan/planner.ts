// The planner: from parsed criteria, a sort and a page to the plans worth considering, each with its
// estimated cost, and to the cheapest of them.

import type { ParsedCriteria } from "../../criteria/parse.ts";
import { isNumeric, type WireValue } from "../../schema/field.ts";
import { accessesOf, uniteAccesses, type Access, type CodeAccess } from "./access.ts";
import type { KeptPlans } from "../cache/plans.ts";
import { isSearch, type KeptRows, type Search } from "../cache/results.ts";
import { fewRanges, onlyRange } from "../index/code-set.ts";
import type { SomeCodes } from "../index/selections.ts";
import { costs } from "../pipeline/costs.ts";
import {
  keeping,
  onPage,
  type FilterPlan,
  type IndexOrder,
  type OrderStep,
  type Page,
  type Plan,
} from "./plan.ts";
import { fieldOf } from "../../schema/schema.ts";
import { onlyValueOf } from "../pipeline/filter.ts";
import type { Segment } from "../snapshot/segment.ts";
import { UNLIMITED, type ParsedQuery, type Sort } from "./query.ts";
import { finish, readOff } from "./estimate.ts";
import { sourcePaths } from "./paths.ts";
import {
  AS_READ,
  checked,
  indexScan,
  isByCodes,
  keptRows,
  nothing,
  resortedRows,
  rowsOfDigest,
  rowsOfValue,
  scan,
  union,
  type InOrder,
} from "./source-plan.ts";
import { tuning } from "../tuning.ts";

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

/** {@link planQuery} for a query whose criteria and sort never change. */
export function planningOnce(kept: KeptPlans<Plan>): Choose {
  return (segment, query) => {
    const known = kept.of(segment);
    if (known !== undefined) return onPage(known, query.offset, query.limit);
    const plan = obviousPlan(segment, query, orderOfAll(segment, query));
    return plan === undefined ? planQuery(segment, query) : kept.keep(segment, plan);
  };
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
    const search = onlySearch(query);
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
  if (dead.count > 0 || offset + limit > tuning.lastKept) return plan;
  const search = onlySearch(query);
  if (search !== undefined) {
    if (filters.length === 0 || options.indexes === "none") return plan;
    return keeping(plan, { as: "result", search });
  }
  const isKept =
    source.step.path === "digest-sort" ||
    (order.path === "sort" && segment.isNeverIndexed && selectsEveryRow(query.criteria));
  return isKept ? keeping(plan, { as: "top-rows", sort: query.sort! }) : plan;
}

/** Whether criteria select every row. */
function selectsEveryRow({ groups }: ParsedCriteria): boolean {
  return groups.length === 1 && groups[0]!.length === 0;
}

/** The search of a query that only looks for a text within values. */
function onlySearch({ criteria: { groups }, sort }: ParsedQuery): Search | undefined {
  const group = groups[0]!;
  const criterion = group[0];
  if (sort !== undefined || groups.length > 1 || group.length !== 1) return undefined;
  return criterion !== undefined && isSearch(criterion) ? criterion : undefined;
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

/**
 * The plans that can answer the query; at least one.
 *
 * @param order how all rows get into the order of the query, if it selects all
 */
export function plansOf(
  segment: Segment,
  query: ParsedQuery,
  order: OrderStep | undefined = orderOfAll(segment, query),
): Plan[] {
  const { criteria } = query;
  const { groups } = criteria;
  if (order !== undefined) return plansOfGroup(segment, [], query, order);
  if (segment.isNeverIndexed) {
    return [finish(segment, checked(segment, criteria), NONE, query, orderOf(segment, query))];
  }
  return groups.length === 1
    ? plansOfGroup(segment, accessesOf(segment, groups[0]!, query), query)
    : plansOfUnion(segment, query.criteria, query);
}

function cheapest(plans: readonly Plan[]): Plan {
  let best = plans[0]!;
  for (const plan of plans) if (plan.cost < best.cost) best = plan;
  return best;
}

// One group: all its criteria must hold.

/** How each path proposes itself, in the order of the table: of plans that cost the same, the first is taken. */
const proposals = Object.values(sourcePaths).flatMap(({ propose }) => propose ?? []);

function plansOfGroup(
  segment: Segment,
  accesses: readonly Access[],
  page: Page,
  known?: OrderStep,
): Plan[] {
  const impossible = accesses.find(({ codes }) => codes?.rows === 0);
  if (impossible !== undefined) {
    return [finish(segment, nothing(impossible.groups), NONE, page, AS_READ)];
  }

  const asked = known ?? orderOf(segment, page);
  const inOrder = asked.path === "select" ? inOrderOf(segment, accesses, asked, page) : undefined;
  const order = inOrder?.order ?? asked;
  const group = { segment, accesses, order, inOrder };
  return proposals.flatMap((propose) =>
    propose(group).map(({ source, filters, order }) =>
      finish(segment, source, filters, page, order),
    ),
  );
}

/** @throws DeadlineError */
function inOrderOf(
  { indexes }: Segment,
  accesses: readonly Access[],
  order: IndexOrder,
  { deadline }: Page,
): InOrder {
  const { index } = order;
  const restricting = accesses.find(
    ({ codes }) => codes?.index === index && onlyRange(codes.set) !== undefined,
  );
  const sets: SomeCodes[] = [];
  for (const access of accesses) {
    if (access === restricting) continue;
    const set = access.codes && fewRanges(access.codes.set);
    if (set === undefined) return { order, restricting, selected: undefined };
    sets.push({ index: access.codes!.index, set });
  }
  if (sets.length === 0) return { order, restricting, selected: undefined };
  const selected = indexes.selection(index, sets, deadline);
  const missing = selected === undefined ? { index, selected: sets } : undefined;
  return { order: { ...order, missing }, restricting, selected };
}

/** {@link orderOf}, if criteria select every row; otherwise `undefined`. */
function orderOfAll(segment: Segment, query: ParsedQuery): OrderStep | undefined {
  return selectsEveryRow(query.criteria) ? orderOf(segment, query) : undefined;
}

/** How rows read in insertion order get into the order of a page. */
function orderOf(segment: Segment, { sort, offset, limit, deadline }: Page): OrderStep {
  if (sort === undefined) return AS_READ;
  const { field } = sort;
  const descending = sort.order === "DESC";
  const index = segment.ordered(field, deadline);
  if (index !== undefined) return { path: "select", field, descending, index, missing: undefined };
  const areDigests =
    offset + limit <= tuning.lastKept &&
    isNumeric(fieldOf(segment.schema, field)!.type) &&
    segment.rows.digestsOf(field) !== undefined;
  return { path: areDigests ? "digests" : "sort", field, descending };
}

// Several groups: one of them must hold.

/** Groups that are each answered by the codes of the same index become one group, of the codes of any. */
function uniteGroups(segment: Segment, groups: readonly Access[][]): Access[][] {
  const united: CodeAccess[][] = [];
  const others: Access[][] = [];
  for (const group of groups) {
    const access = group[0]!;
    if (group.length > 1 || !isByCodes(access)) others.push(group);
    else {
      const same = united.find((accesses) => accesses[0]!.codes.index === access.codes.index);
      if (same === undefined) united.push([access]);
      else same.push(access);
    }
  }
  return [...united.map((same) => [uniteAccesses(segment, same)]), ...others];
}

function plansOfUnion(segment: Segment, criteria: ParsedCriteria, page: Page): Plan[] {
  const { deadline } = page;
  const everything: Page = { sort: undefined, offset: 0, limit: UNLIMITED, deadline };
  const groups = uniteGroups(
    segment,
    criteria.groups.map((group) => accessesOf(segment, group, everything)),
  );
  if (groups.length === 1) return plansOfGroup(segment, groups[0]!, page);
  const parts = groups.map((accesses) => cheapest(plansOfGroup(segment, accesses, everything)));
  const share = 1 - parts.reduce((none, { rows }) => none * (1 - rows / (segment.size || 1)), 1);

  const missing = parts.flatMap(({ filters }) => filters.flatMap((filter) => filter.missing));
  const predicate: FilterPlan = {
    step: { path: "predicate", groups: criteria.groups },
    missing,
    selectivity: share,
    setUp: 0,
    perRow: criteria.groups.length * costs.valueTest,
    scattered: criteria.groups.length * costs.scatteredTest,
  };
  const setUp = parts.reduce(
    (sum, { cost, rows }) => sum + cost + rows * costs.codeTest,
    segment.size * costs.bitsetRow,
  );
  const order = orderOf(segment, page);
  const source = union(segment, criteria.groups, parts, setUp);
  const plans = [
    finish(segment, scan(segment), [predicate], page, order),
    finish(segment, source, NONE, page, order),
  ];
  if (order.path === "select") {
    const ordered = indexScan(segment, order);
    const inUnion: FilterPlan = {
      step: { path: "union", parts, groups: criteria.groups },
      missing: [],
      selectivity: share,
      setUp,
      perRow: costs.codeTest,
      scattered: 0,
    };
    plans.push(
      finish(segment, ordered, [predicate], page, AS_READ),
      finish(segment, ordered, [inUnion], page, AS_READ),
    );
  }
  return plans;
}
