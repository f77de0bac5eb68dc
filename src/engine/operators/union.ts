// Unites the rows of several plans, or keeps the rows in their union.

import type { CriteriaGroup } from "../../criteria/tree.ts";
import type { Segment } from "../versions/segment.ts";
import { costs } from "./costs.ts";
import { bitsetFilter } from "./filter.ts";
import { type FilterOperator, type SourceOperator } from "./operator.ts";
import { type Plan, type SourcePlan, withCost } from "./plan.ts";
import { BitsetSource } from "./source.ts";

/** The rows of several plans. @param setUp the cost of running them */
export function union(
  { size }: Segment,
  groups: readonly CriteriaGroup[],
  parts: readonly Plan[],
  setUp: number,
): SourcePlan {
  const rows = parts.reduce((sum, { source }) => sum + source.rows, 0);
  return withCost({ path: "union", parts, groups }, Math.min(size, rows), costs.scanRow, setUp);
}

export const unionOperator: SourceOperator<"union"> = {
  words: "unite",
  isEstimated: true,
  open: ({ parts }, opening) => new BitsetSource([opening.unite(parts)]),
};

export const unionFilter: FilterOperator<"union"> = {
  words: "keep what is in the union",
  open: ({ parts }, opening) => bitsetFilter(opening.unite(parts)),
};
