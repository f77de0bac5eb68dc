// Counts the rows of a leaf that are also in a tree, by looking up their codes.

import { finish } from "../../algorithms/steps.ts";
import { forEachRange } from "../../indexes/code-set.ts";
import type { CodeLeaf, CodeTree } from "./code-tree.ts";
import { countWith, type CodePair, type CountOperator, type CountPlan } from "./count-plan.ts";
import { countingSome } from "./marks.ts";
import { chargePair } from "./pairs.ts";

/** How many rows are read in sequence in the time it takes to look up one in the order of an index. */
export const ROW_IN_ORDER = 4;

export const countOfLookup = (
  leaf: CodeLeaf,
  others: CodeTree,
  leaves: number,
  missing: CodePair | undefined,
): CountPlan =>
  countWith({ path: "lookup", leaf, others, missing }, leaf.rows * ROW_IN_ORDER * leaves);

export const lookupOperator: CountOperator<"lookup"> = {
  words: "count by looking up codes",
  count({ leaf, others, missing }, { segment, deadline }) {
    const { dead } = segment;
    const { order, starts } = leaf.index;
    const isLive = dead.count === 0 ? undefined : (row: number) => !dead.has(row);
    let count = 0;
    forEachRange(leaf.set, (low, high) => {
      const rows = order.subarray(starts[low], starts[high]);
      count += finish(countingSome(others, rows, isLive), deadline);
    });
    if (missing !== undefined) chargePair(segment, missing, leaf.rows);
    return count;
  },
};
