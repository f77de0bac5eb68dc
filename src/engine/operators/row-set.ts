// Reads the cached rows of a search.

import type { CriteriaGroup } from "../../criteria/tree.ts";
import type { RowSet } from "../cache/search.ts";
import { costs } from "./costs.ts";
import { firstField, type SourceOperator } from "./operator.ts";
import { type SourcePlan, withCost } from "./plan.ts";
import { BitsetSource } from "./source.ts";

/** The rows of a set, which some criteria select. */
export function rowsOfSet(
  size: number,
  groups: readonly CriteriaGroup[],
  { bits, count }: RowSet,
): SourcePlan {
  const step = { path: "row-set", groups, bits } as const;
  return withCost(step, count, costs.scanRow, size * costs.bitsetRow);
}

export const rowSetOperator: SourceOperator<"row-set"> = {
  words: "read a kept set of rows",
  field: firstField,
  mayEmitDeadRows: true,
  open: ({ bits }) => new BitsetSource([bits]),
};
