// Looks up the live rows of one value in an index.

import type { CriteriaGroup } from "../../criteria/tree.ts";
import type { TextValue } from "../../schema/field.ts";
import type { Deadline } from "../algorithms/deadline.ts";
import type { FieldIndex } from "../indexes/field-index.ts";
import { UNLIMITED } from "../query.ts";
import { tuning } from "../tuning.ts";
import type { DeadRows } from "../versions/dead-rows.ts";
import type { Segment } from "../versions/segment.ts";
import { costs } from "./costs.ts";
import { StretchSource } from "./index-scan.ts";
import { nothing } from "./nothing.ts";
import { firstField, listOfAll, type SourceOperator } from "./operator.ts";
import { type SourcePlan, withCost } from "./plan.ts";

/** The rows of a value. @throws DeadlineError */
export function rowsOfValue(
  segment: Segment,
  groups: readonly CriteriaGroup[],
  index: FieldIndex,
  value: TextValue,
  deadline: Deadline | undefined,
): SourcePlan {
  const code = index.codeOf(value, deadline);
  return code < 0 ? nothing(groups) : rowsOfCode(segment, groups, index, code);
}

/** The rows of the value at a code. */
export function rowsOfCode(
  { dead }: Segment,
  groups: readonly CriteriaGroup[],
  index: FieldIndex,
  code: number,
): SourcePlan {
  const from = index.startOf(code);
  const to = index.startOf(code + 1);
  if (from === to) return nothing(groups);
  const live = dead.liveIn(index, from, to);
  return withCost({ path: "index-lookup", index, groups, code, live }, live, costs.scanRow);
}

export const indexLookupOperator: SourceOperator<"index-lookup"> = {
  words: "index lookup",
  field: firstField,
  codes: ({ index, code }) => ({ index, set: [code, code + 1] }),
  list({ index, code, live }, { dead }, needed) {
    const from = index.startOf(code);
    const to = index.startOf(code + 1);
    if (index.isInPieces || to - from > tuning.largestBatch) return undefined;
    if (live === to - from) return { rows: index.order, from, to };
    // In a long run, the position of a page is found without reading the rows before it.
    if (to - from > tuning.fewRows && needed < UNLIMITED) return undefined;
    return listOfAll(liveRows(index.order, from, to, dead));
  },
  open: ({ index, code }, { segment: { dead } }) =>
    new StretchSource(index, index.startOf(code), index.startOf(code + 1), dead),
};

function liveRows(order: Uint32Array, from: number, to: number, dead: DeadRows): number[] {
  const rows: number[] = [];
  for (let at = from; at < to; at++) {
    const row = order[at]!;
    if (!dead.has(row)) rows.push(row);
  }
  return rows;
}
