// Reads, or keeps, the rows after a given row, by key, since keys ascend.

import { bisect } from "../algorithms/bisect.ts";
import type { Segment } from "../versions/segment.ts";
import { costs } from "./costs.ts";
import { predicateFilter } from "./filter.ts";
import { type FilterOperator, type SourceOperator } from "./operator.ts";
import { type FilterPlan, type SourcePlan, withCost } from "./plan.ts";
import { ScanSource } from "./scan.ts";

/** All live rows after a key, in insertion order. */
export function scanAfter(segment: Segment, key: number): SourcePlan {
  const from = firstRowAfter(segment, key);
  const rows = Math.min(segment.live, segment.size - from);
  return withCost({ path: "scan-after", groups: [], from }, rows, costs.scanRow);
}

export function keepAfter(segment: Segment, key: number): FilterPlan {
  const from = firstRowAfter(segment, key);
  return {
    step: { path: "after", groups: [], from },
    unbuiltIndexes: [],
    selectivity: (segment.size - from) / Math.max(1, segment.size),
    setUp: 0,
    perRow: costs.codeTest,
    randomAccessCost: 0,
  };
}

function firstRowAfter({ size, keys }: Segment, key: number): number {
  return Math.min(size, keys === undefined ? key + 1 : bisect(keys, key + 1));
}

export const scanAfterOperator: SourceOperator<"scan-after"> = {
  words: "scan the rows after a position",
  isEstimated: true,
  open: ({ from }, { segment: { rows, dead } }) => new ScanSource(rows, dead, from),
};

export const afterFilter: FilterOperator<"after"> = {
  words: "keep the rows after a position",
  open: ({ from }) => predicateFilter((row) => row >= from),
};
