// How many rows criteria select.

import { knownRows } from "../plan/plan.ts";
import { planQuery } from "../plan/planner.ts";
import type { ParsedQuery } from "../plan/query.ts";
import type { Segment } from "../snapshot/segment.ts";
import { execute } from "./execute.ts";
import { judge } from "./judge.ts";

/** How many rows of some segments the criteria of a query select. */
export function countRows(segments: readonly Segment[], query: ParsedQuery): number {
  return segments.reduce((sum, segment) => sum + countIn(segment, query), 0);
}

function countIn(segment: Segment, query: ParsedQuery): number {
  if (segment.isSmall) return judge(segment, query.criteria).length;
  const plan = planQuery(segment, query);
  const known = knownRows(plan);
  if (known !== undefined) return known;
  let count = 0;
  execute(segment, plan, (_, from, to) => (count += to - from), query.deadline);
  return count;
}
