// The answers that all plans of a query give, for tests that they agree.

import type { AnyRecord } from "../../src/schema/schema.ts";
import { forEachInOrder } from "../../src/collection/execute/ties.ts";
import type { Plan } from "../../src/collection/plan/plan.ts";
import { plansOf, type Choose } from "../../src/collection/plan/planner.ts";
import type { ParsedQuery } from "../../src/collection/plan/query.ts";
import type { Snapshot } from "../../src/collection/snapshot/snapshot.ts";

/** Each plan of the base, and what is answered with it; the other segments take the plan of the same number. */
export function answersOfEveryPlan(
  snapshot: Snapshot,
  query: ParsedQuery,
): { readonly plan: Plan; readonly records: readonly AnyRecord[] }[] {
  return plansOf(snapshot.segments[0], query).map((plan, choice) => {
    const records: AnyRecord[] = [];
    const choose: Choose = (segment, part) => {
      const plans = plansOf(segment, part);
      return plans[Math.min(choice, plans.length - 1)] ?? plan;
    };
    forEachInOrder(
      snapshot,
      query,
      (segment, rows, from, to) => {
        for (let i = from; i < to; i++) records.push(segment.rows.record(rows[i] ?? -1));
      },
      choose,
    );
    return { plan, records };
  });
}
