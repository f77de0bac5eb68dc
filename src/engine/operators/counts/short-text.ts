// Counts the rows that contain a string of one or two characters: the index of trigrams has counted the values that
// do. The values of dead rows are tested.

import { isNegated, oppositeOf, type ParsedCriterion } from "../../../criteria/tree.ts";
import { DeadRows } from "../../versions/dead-rows.ts";
import { costs } from "../costs.ts";
import { testsOfRows } from "../tests-of-rows.ts";
import { countWith, type CountOperator, type CountPlan } from "./count-plan.ts";

/** @param containing how many rows contain the string, dead ones included */
export const countOfShortText = (
  criterion: ParsedCriterion,
  containing: number,
  dead: DeadRows,
): CountPlan =>
  countWith({ path: "short-text", criterion, containing }, dead.count * costs.valueTest);

export const shortTextOperator: CountOperator<"short-text"> = {
  words: "count by short strings",
  count({ criterion, containing }, { segment: { schema, rows, dead, live } }) {
    const contains = isNegated(criterion) ? oppositeOf(criterion) : criterion;
    const accepts = testsOfRows(schema, rows)(contains);
    const left = containing - dead.difference(DeadRows.EMPTY).filter(accepts).length;
    return isNegated(criterion) ? live - left : left;
  },
};
