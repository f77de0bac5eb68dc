// Reads the cached rows of a search.

import type { RowSet, Search } from "../cache/search.ts";
import { costs } from "./costs.ts";
import { firstField, type SourceOperator } from "./operator.ts";
import { type SourcePlan, withCost } from "./plan.ts";
import { BitsetSource } from "./source.ts";

/** The rows of a set. */
export function rowsOfSet(size: number, search: Search, { bits, count }: RowSet): SourcePlan {
  const step = { path: "row-set", groups: [[search]], bits } as const;
  return withCost(step, count, costs.scanRow, size * costs.bitsetRow);
}

export const rowSetOperator: SourceOperator<"row-set"> = {
  words: "read a kept set of rows",
  field: firstField,
  mayEmitDeadRows: true,
  open: ({ bits }) => new BitsetSource([bits]),
};
