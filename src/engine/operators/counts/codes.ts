// Counts the rows with some codes of an index: their runs tell how many there are. Dead rows are subtracted by their
// positions.

import { finish } from "../../algorithms/steps.ts";
import { fewRanges, forEachRange } from "../../indexes/code-set.ts";
import { DeadRows } from "../../versions/dead-rows.ts";
import type { Segment } from "../../versions/segment.ts";
import type { CodeLeaf, CodeTree } from "./code-tree.ts";
import { countWith, type CountOperator, type CountPlan } from "./count-plan.ts";
import { countingSome } from "./marks.ts";

export const countOfCodes = (leaf: CodeLeaf): CountPlan => countWith({ path: "codes", leaf }, 0);

export const codesOperator: CountOperator<"codes"> = {
  words: "count by index",
  count({ leaf }, { segment: { dead } }) {
    const { index, set, rows } = leaf;
    if (dead.count === 0) return rows;
    const ranges = index.hasOrder ? fewRanges(set) : undefined;
    if (ranges === undefined) return rows - deadIn(leaf, dead);
    let live = 0;
    forEachRange(ranges, (low, high) => {
      live += dead.liveIn(index, index.startOf(low), index.startOf(high));
    });
    return live;
  },
};

/** How many dead rows are in a tree. */
export const deadIn = (tree: CodeTree, dead: Segment["dead"]): number =>
  dead.count === 0 ? 0 : finish(countingSome(tree, dead.difference(DeadRows.EMPTY)));
