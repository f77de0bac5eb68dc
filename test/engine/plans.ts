// The answers that all plans of a query give, for tests that they agree.

import type { AnyRecord } from "../../src/schema/schema.ts";
import { pageOf } from "../../src/collection/execute/page.ts";
import { forEachInOrder } from "../../src/collection/execute/ties.ts";
import type { AccessPath, Plan } from "../../src/collection/plan/plan.ts";
import { plansOf } from "../../src/collection/plan/candidates.ts";
import { planOfPage, planQuery, type Choose } from "../../src/collection/plan/planner.ts";
import type { ParsedQuery } from "../../src/collection/plan/query.ts";
import type { Snapshot } from "../../src/collection/snapshot/snapshot.ts";

/** The plans of a query, and what is answered with them. */
export interface Answered {
  readonly plans: readonly Plan<AccessPath>[];
  readonly records: readonly AnyRecord[];
}

/** What the planner chooses. */
export function answerOfPlanner(snapshot: Snapshot, query: ParsedQuery): Answered {
  const kept = planOfPage(snapshot, query);
  const plans: Plan<AccessPath>[] = kept === undefined ? [] : [kept];
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
