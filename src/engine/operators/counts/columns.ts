// Counts the rows in a tree by reading the codes of all rows in sequence.

import { finish } from "../../algorithms/steps.ts";
import type { Segment } from "../../versions/segment.ts";
import { leavesOf, type CodeTree } from "./code-tree.ts";
import { deadIn } from "./codes.ts";
import { chargedCount } from "./compound.ts";
import { countWith, type CountOperator, type CountPlan } from "./count-plan.ts";
import { countingAll } from "./marks.ts";

export const countOfColumns = (segment: Segment, tree: CodeTree, missing?: string): CountPlan =>
  countWith({ path: "columns", tree, missing }, costOf(segment, tree));

const costOf = ({ size }: Segment, tree: CodeTree): number => size * leavesOf(tree).length;

export const columnsOperator: CountOperator<"columns"> = {
  words: "count by reading all codes",
  count({ tree, missing }, { segment, deadline }) {
    const { dead, size } = segment;
    const all = () => finish(countingAll(tree, size), deadline);
    return chargedCount(segment, missing, costOf(segment, tree), all) - deadIn(tree, dead);
  },
};
