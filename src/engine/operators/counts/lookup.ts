// Counts the rows of a leaf that are also in a tree, by looking up their codes.

import { finish } from "../../algorithms/steps.ts";
import { forEachRange } from "../../indexes/code-set.ts";
import { leavesOf, treeOf, type CodeLeaf, type CodeTree } from "./code-tree.ts";
import { deadIn } from "./codes.ts";
import { chargedCount } from "./compound.ts";
import { countWith, type CountOperator, type CountPlan } from "./count-plan.ts";
import { countingSome } from "./marks.ts";

/** How many rows are read in sequence in the time it takes to look up one in the order of an index. */
export const ROW_IN_ORDER = 4;

export const countOfLookup = (leaf: CodeLeaf, others: CodeTree, missing?: string): CountPlan =>
  countWith({ path: "lookup", leaf, others, missing }, costOf(leaf, others));

const costOf = ({ rows }: CodeLeaf, others: CodeTree): number =>
  rows * ROW_IN_ORDER * leavesOf(others).length;

export const lookupOperator: CountOperator<"lookup"> = {
  words: "count by looking up codes",
  count({ leaf, others, missing }, { segment, deadline }) {
    const { dead } = segment;
    const isLive = dead.count > leaf.rows ? (row: number) => !dead.has(row) : undefined;
    const counted = chargedCount(segment, missing, costOf(leaf, others), () => {
      let count = 0;
      forEachRange(leaf.set, (low, high) => {
        const rows = leaf.index.rowsOf(low, high);
        count += finish(countingSome(others, rows, isLive), deadline);
      });
      return count;
    });
    return isLive === undefined ? counted - deadIn(treeOf("all", [leaf, others]), dead) : counted;
  },
};
