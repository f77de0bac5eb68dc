// The plans that can answer a query for a segment, each with its estimated cost. Estimates compare plans; they are not
// measurements.

import type { ParsedCriteria } from "../../criteria/parse.ts";
import { isNumeric } from "../../schema/field.ts";
import { fieldOf } from "../../schema/schema.ts";
import { fewRanges, onlyRange } from "../index/code-set.ts";
import type { SomeCodes } from "../index/selections.ts";
import { costs } from "../pipeline/costs.ts";
import type { Segment } from "../snapshot/segment.ts";
import { tuning } from "../tuning.ts";
import { accessesOf, uniteAccesses, type Access, type CodeAccess } from "./access.ts";
import { orderPaths, sourcePaths } from "./paths.ts";
import type { FilterPlan, IndexOrder, OrderStep, Page, Plan, SourcePlan } from "./plan.ts";
import { UNLIMITED, type ParsedQuery } from "./query.ts";
import {
  AS_READ,
  checked,
  indexScan,
  isByCodes,
  nothing,
  scan,
  union,
  type InOrder,
} from "./source-plan.ts";

const NONE: readonly FilterPlan[] = [];

/** Whether criteria select every row. */
export function selectsEveryRow({ groups }: ParsedCriteria): boolean {
  return groups.length === 1 && groups[0]!.length === 0;
}

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

export function cheapest(plans: readonly Plan[]): Plan {
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
  const plans: Plan[] = [];
  for (const propose of proposals) {
    for (const each of propose(group)) {
      plans.push(finish(segment, each.source, each.filters, page, each.order));
    }
  }
  return plans;
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
export function orderOfAll(segment: Segment, query: ParsedQuery): OrderStep | undefined {
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

/**
 * Completes a plan and estimates its cost. Estimates are whole numbers: with fractions in some plans, V8
 * would store plans in two shapes, and recompile all code that had met only one of them.
 */
function finish(
  segment: Segment,
  source: SourcePlan,
  unordered: readonly FilterPlan[],
  { offset, limit }: Page,
  order: OrderStep,
): Plan {
  const filters = inOrderOfRank(
    sourcePaths[source.step.path].handsOutDead === true && segment.dead.count > 0
      ? [...unordered, keepLive(segment)]
      : unordered,
  );
  const selectivity = filters.reduce((product, filter) => product * filter.selectivity, 1);
  const rows = source.rows * selectivity;
  const isIndexScan = source.step.path === "index-scan";
  let visited = source.rows;
  if (order.path === "source") {
    const need = filters.length === 0 ? limit : (offset + limit) / Math.max(selectivity, 1e-9);
    visited = Math.min(visited, need);
  }
  let cost = source.setUp + visited * source.perRow;
  let reaching = visited;
  for (const filter of filters) {
    const isScattered = isIndexScan || reaching * 8 < segment.size;
    cost += filter.setUp + reaching * (filter.perRow + (isScattered ? filter.scattered : 0));
    reaching *= filter.selectivity;
  }
  cost += rows * orderPaths[order.path].perRow;
  const scatteredRows = isIndexScan ? Math.ceil(visited) : 0;
  return {
    source,
    filters,
    order,
    scatteredRows,
    keeps: undefined,
    offset,
    limit,
    rows: Math.ceil(rows),
    cost: Math.round(cost),
  };
}

/** The filter that removes the dead rows of a source. */
function keepLive({ dead, size }: Segment): FilterPlan {
  return {
    step: { path: "live", groups: [] },
    missing: [],
    selectivity: 1 - dead.count / Math.max(1, size),
    setUp: 0,
    perRow: costs.codeTest,
    scattered: 0,
  };
}

/** Orders filters: those that remove many rows at little cost come first. */
function inOrderOfRank(filters: readonly FilterPlan[]): readonly FilterPlan[] {
  const isInOrder = filters.every((filter, i) => i === 0 || rank(filters[i - 1]!) <= rank(filter));
  return isInOrder ? filters : [...filters].sort((a, b) => rank(a) - rank(b));
}

function rank({ perRow, selectivity }: FilterPlan): number {
  return perRow / Math.max(1 - selectivity, 1e-9);
}
