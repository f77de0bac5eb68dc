// The estimated cost of a plan. Estimates compare plans; they are not measurements.

import { keepLive } from "../operators/keep-live.ts";
import {
  PRESORTED,
  type FilterPlan,
  type OrderStep,
  type Paging,
  type Plan,
  type SourcePlan,
} from "../operators/plan.ts";
import { orders, sourceOperators } from "../operators/table.ts";
import type { Segment } from "../versions/segment.ts";

/**
 * Completes a plan and estimates its cost. Estimates are integers: if some plans had fractions, V8 would store plans in
 * two shapes, and recompile all code that had seen only one of them.
 */
export function planWithCost(
  segment: Segment,
  source: SourcePlan,
  unordered: readonly FilterPlan[],
  { offset, limit }: Paging,
  order: OrderStep,
): Plan {
  const filters = inOrderOfRank(
    sourceOperators[source.step.path].mayEmitDeadRows === true && segment.dead.count > 0
      ? [...unordered, keepLive(segment)]
      : unordered,
  );
  const selectivity = filters.reduce((product, filter) => product * filter.selectivity, 1);
  const rows = source.rows * selectivity;
  const isIndexScan = source.step.path === "index-scan";
  let visited = source.rows;
  if (order.path === "source") {
    visited = Math.min(visited, neededRows(source.rows, filters, selectivity, { offset, limit }));
  }
  let cost = source.setUp + visited * source.perRow;
  let reaching = visited;
  for (const filter of filters) {
    const isScattered = isIndexScan || reaching * 8 < segment.size;
    cost += filter.setUp + reaching * (filter.perRow + (isScattered ? filter.randomAccessCost : 0));
    reaching *= filter.selectivity;
  }
  cost += rows * orders[order.path].perRow;
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

/** How many rows a plan that reads in order needs until its page is full. */
function neededRows(
  rows: number,
  filters: readonly FilterPlan[],
  selectivity: number,
  { offset, limit }: Pick<Paging, "offset" | "limit">,
): number {
  if (filters.length === 0) return limit;
  // The rows before a position are consecutive, not scattered.
  const after = filters.find(({ step }) => step.path === "after")?.selectivity ?? 1;
  return rows * (1 - after) + ((offset + limit) * after) / Math.max(selectivity, 1e-9);
}

/** Sorts filters: those that remove many rows at little cost come first. */
function inOrderOfRank(filters: readonly FilterPlan[]): readonly FilterPlan[] {
  const isInOrder = filters.every((filter, i) => i === 0 || rank(filters[i - 1]!) <= rank(filter));
  return isInOrder ? filters : [...filters].sort((a, b) => rank(a) - rank(b));
}

function rank({ perRow, selectivity }: FilterPlan): number {
  return perRow / Math.max(1 - selectivity, 1e-9);
}

const NO_FILTERS: readonly FilterPlan[] = [];

/** The plan that reads a page directly from a source. */
export function directPlan(source: SourcePlan, { offset, limit }: Paging): Plan {
  const { rows, setUp, perRow, step } = source;
  const visited = Math.min(rows, limit);
  const cost = Math.round(setUp + visited * perRow);
  const scatteredRows = step.path === "index-scan" ? visited : 0;
  const keeps = undefined;
  return {
    source,
    filters: NO_FILTERS,
    order: PRESORTED,
    scatteredRows,
    keeps,
    offset,
    limit,
    rows,
    cost,
  };
}
