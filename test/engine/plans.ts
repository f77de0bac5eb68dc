// The results of all plans of a query, for tests that they agree.

import type { AnyRecord } from "../../src/schema/field-types.ts";
import { pageOf } from "../../src/engine/execution/page.ts";
import { forEachInOrder } from "../../src/engine/execution/ties.ts";
import type { Plan } from "../../src/engine/operators/plan.ts";
import { plansOf } from "../../src/engine/optimizer/optimizer.ts";
import { planQuery, type Choose } from "../../src/engine/optimizer/optimizer.ts";
import type { ParsedQuery } from "../../src/engine/query.ts";
import type { Snapshot } from "../../src/engine/versions/snapshot.ts";

/** The plans of a query, and what is answered with them. */
export interface Answered {
  readonly plans: readonly Plan[];
  readonly records: readonly AnyRecord[];
}

/** What the planner chooses. */
export function answerOfPlanner(snapshot: Snapshot, query: ParsedQuery): Answered {
  const plans: Plan[] = [];
  const choose: Choose = (segment, part) => {
    const plan = planQuery(segment, part);
    plans.push(plan);
    return plan;
  };
  return { plans, records: pageOf(snapshot, query, choose) };
}

/**
 * The plans of each number, one for each segment, and what is answered with them. A segment that has fewer takes
 * its last.
 */
export function answersOfEveryPlan(snapshot: Snapshot, query: ParsedQuery): Answered[] {
  const most = Math.max(...snapshot.segments.map((segment) => plansOf(segment, query).length));
  return Array.from({ length: most }, (_, choice) => {
    const records: AnyRecord[] = [];
    const plans: Plan[] = [];
    const choose: Choose = (segment, part) => {
      const all = plansOf(segment, part);
      const plan = all[Math.min(choice, all.length - 1)] ?? planQuery(segment, part);
      plans.push(plan);
      return plan;
    };
    forEachInOrder(
      snapshot,
      query,
      (segment, rows, from, to) => {
        for (let i = from; i < to; i++) records.push(segment.rows.record(rows[i] ?? -1));
      },
      choose,
    );
    return { plans, records };
  });
}
