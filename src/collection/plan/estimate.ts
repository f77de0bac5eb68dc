// A plan of a source, filters and an order, with its estimated rows and cost. Estimates compare plans; they are not
// measurements.

import { costs } from "../pipeline/costs.ts";
import type { Segment } from "../snapshot/segment.ts";
import { orderPaths, sourcePaths } from "./paths.ts";
import type { FilterPlan, OrderStep, Page, Plan, SourcePlan } from "./plan.ts";
import { AS_READ } from "./source-plan.ts";

const NONE: readonly FilterPlan[] = [];

/** The plan that reads a page directly from a source. */
export function readOff(source: SourcePlan, { offset, limit }: Page): Plan {
  const { rows, setUp, perRow, step } = source;
  const visited = Math.min(rows, limit);
  const cost = Math.round(setUp + visited * perRow);
  const scatteredRows = step.path === "index-scan" ? visited : 0;
  const keeps = undefined;
  return { source, filters: NONE, order: AS_READ, scatteredRows, keeps, offset, limit, rows, cost };
}

/**
 * Completes a plan and estimates its cost. Estimates are whole numbers: with fractions in some plans, V8
 * would store plans in two shapes, and recompile all code that had met only one of them.
 */
export function finish(
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
    selectivity: 1 - dead.count / size,
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
