// Keeps live rows: those neither changed nor removed since a source was made.

import type { Segment } from "../versions/segment.ts";
import { costs } from "./costs.ts";
import { predicateFilter } from "./filter.ts";
import type { FilterOperator } from "./operator.ts";
import type { FilterPlan } from "./plan.ts";

/** Removes the dead rows of a source. */
export function keepLive({ dead, size }: Segment): FilterPlan {
  return {
    step: { path: "live", groups: [] },
    unbuiltIndexes: [],
    selectivity: 1 - dead.count / Math.max(1, size),
    setUp: 0,
    perRow: costs.codeTest,
    randomAccessCost: 0,
  };
}

export const liveFilter: FilterOperator<"live"> = {
  words: "keep what has not changed since",
  open: (_, { segment: { dead } }) => predicateFilter((row) => !dead.has(row)),
};
