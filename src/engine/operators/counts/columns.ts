// Counts the rows in a tree by reading the codes of all rows in sequence.

import { finish } from "../../algorithms/steps.ts";
import type { Segment } from "../../versions/segment.ts";
import type { CodeTree } from "./code-tree.ts";
import { deadIn } from "./codes.ts";
import { countWith, type CountOperator, type CountPlan } from "./count-plan.ts";
import { countingAll } from "./marks.ts";

export const countOfColumns = ({ size }: Segment, tree: CodeTree, leaves: number): CountPlan =>
  countWith({ path: "columns", tree }, size * leaves);

export const columnsOperator: CountOperator<"columns"> = {
  words: "count by reading all codes",
  count: ({ tree }, { segment: { dead, size }, deadline }) =>
    finish(countingAll(tree, size), deadline) - deadIn(tree, dead),
};
