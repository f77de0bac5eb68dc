// Checks each of a few rows with the predicate of all criteria.

import { predicateOf } from "../../criteria/compile.ts";
import type { ParsedCriteria } from "../../criteria/tree.ts";
import type { Segment } from "../versions/segment.ts";
import { costs } from "./costs.ts";
import { listOfAll, type SourceOperator } from "./operator.ts";
import { type SourcePlan, withCost } from "./plan.ts";
import { testsOfRows } from "./test-values.ts";

/** The rows, of a few, that the predicate accepts. */
export function checked({ live }: Segment, { groups }: ParsedCriteria): SourcePlan {
  return withCost({ path: "predicate", groups }, live, costs.valueTest);
}

export const predicateOperator: SourceOperator<"predicate"> = {
  words: "check each row with the predicate",
  isEstimated: true,
  list: (step, segment, needed) => listOfAll(checkEach(segment, step, needed)),
};

/** The live rows that the predicate accepts, up to the first `needed` of them, in insertion order. */
function checkEach(
  { schema, size, dead, rows: all }: Segment,
  criteria: ParsedCriteria,
  needed: number,
): number[] {
  const rows: number[] = [];
  const accepts = predicateOf(criteria, testsOfRows(schema, all));
  for (let row = 0; row < size && rows.length < needed; row++) {
    if (accepts(row) && !dead.has(row)) rows.push(row);
  }
  return rows;
}
