// How many rows a query selects.

import type { ParsedQuery } from "../query.ts";
import type { Counting } from "../operators/counts/count-plan.ts";
import { runCount } from "../operators/counts/table.ts";
import type { Plan } from "../operators/plan.ts";
import { knownRows } from "../operators/table.ts";
import { situationOf } from "../optimizer/optimizer.ts";
import { planCount } from "../optimizer/plan-count.ts";
import type { Segment } from "../versions/segment.ts";
import { begin, decidedAnswer, execute, type SegmentAnswer } from "./execute.ts";

/** How many rows of some segments the criteria of a query select. @throws DeadlineError */
export function countRows(segments: readonly Segment[], query: ParsedQuery): number {
  return segments.reduce((sum, segment) => sum + countIn(segment, query), 0);
}

function countIn(segment: Segment, query: ParsedQuery): number {
  const { deadline } = query;
  const decided = begin(segment, query);
  const { step } = planCount(situationOf(segment, query));
  const answer = (plan: Plan) => ({
    segment,
    plan,
    deadline,
    watcher: undefined,
    decided: undefined,
  });
  const counting: Counting = {
    segment,
    deadline,
    count: (part) => runCount(part.step, counting),
    countRows: (plan) => countFound(answer(plan)),
  };
  if (decided === undefined || step.path !== "rows") return runCount(step, counting);
  // What late queries found out is about all criteria, not about a part.
  return countFound(decidedAnswer({ ...answer(step.plan), decided }, query));
}

function countFound(answer: SegmentAnswer): number {
  const known = knownRows(answer.plan, answer.segment);
  if (known !== undefined) return known;
  let count = 0;
  execute(answer, (_, from, to) => (count += to - from));
  return count;
}
