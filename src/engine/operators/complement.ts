// Reads, or keeps, the rows that a plan does not select.

import type { CriteriaGroup } from "../../criteria/tree.ts";
import { addRange, createBitset, removeFrom, type Bitset } from "../algorithms/bitset.ts";
import type { Segment } from "../versions/segment.ts";
import { costs } from "./costs.ts";
import { bitsetFilter } from "./filter.ts";
import type { FilterOperator, Opening, SourceOperator } from "./operator.ts";
import { type FilterPlan, type Plan, type SourcePlan, withCost } from "./plan.ts";
import { BitsetSource } from "./source.ts";

/** All rows but those of a plan. */
export function complementOfPlan(
  { size }: Segment,
  groups: readonly CriteriaGroup[],
  part: Plan,
): SourcePlan {
  const step = { path: "complement", part, groups } as const;
  return withCost(step, size - Math.min(size, part.rows), costs.scanRow, setUpOf(size, part));
}

/** Removes the rows of a plan. */
export function removePlan(
  { size }: Segment,
  groups: readonly CriteriaGroup[],
  part: Plan,
): FilterPlan {
  return {
    step: { path: "complement", part, groups },
    unbuiltIndexes: [],
    selectivity: 1 - Math.min(1, part.rows / Math.max(1, size)),
    setUp: setUpOf(size, part),
    perRow: costs.codeTest,
    randomAccessCost: 0,
  };
}

/** The cost of running the plan, and of clearing and inverting a set. */
const setUpOf = (size: number, { cost, rows }: Plan): number =>
  cost + rows * costs.codeTest + 2 * size * costs.bitsetRow;

export const complementOperator: SourceOperator<"complement"> = {
  words: "take the complement",
  mayEmitDeadRows: true,
  isEstimated: true,
  open: ({ part }, opening) => new BitsetSource([allBut(part, opening)]),
};

export const complementFilter: FilterOperator<"complement"> = {
  words: "keep the complement",
  open: ({ part }, opening) => bitsetFilter(allBut(part, opening)),
};

/** Dead rows are in it. */
function allBut(part: Plan, opening: Opening): Bitset {
  const { size } = opening.segment;
  const bits = createBitset(size);
  addRange(bits, 0, size);
  removeFrom(bits, opening.unite([part]));
  return bits;
}
