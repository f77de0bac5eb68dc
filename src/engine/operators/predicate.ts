// Checks each of a few rows with the predicate of all criteria.

import type { ParsedCriteria } from "../../criteria/tree.ts";
import type { Segment } from "../versions/segment.ts";
import { checkEach } from "./check-each.ts";
import { costs } from "./costs.ts";
import { listOfAll, type SourceOperator } from "./operator.ts";
import { type SourcePlan, withCost } from "./plan.ts";

/** The rows, of a few, that the predicate accepts. */
export function checked({ live }: Segment, { groups }: ParsedCriteria): SourcePlan {
  return withCost({ path: "predicate", groups }, live, costs.valueTest);
}

export const predicateOperator: SourceOperator<"predicate"> = {
  words: "check each row with the predicate",
  isEstimated: true,
  list: (step, segment, needed) => listOfAll(checkEach(segment, step, needed)),
};
