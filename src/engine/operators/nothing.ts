// Reads nothing: no row can match.

import type { CriteriaGroup } from "../../criteria/tree.ts";
import { firstField, listOfAll, type List, type SourceOperator } from "./operator.ts";
import { type SourcePlan, withCost } from "./plan.ts";

const NO_ROWS: List = listOfAll([]);

/** No row. */
export function nothing(groups: readonly CriteriaGroup[]): SourcePlan {
  return withCost({ path: "nothing", groups }, 0, 0);
}

export const nothingOperator: SourceOperator<"nothing"> = {
  words: "read nothing, no row can match",
  field: firstField,
  list: () => NO_ROWS,
};
