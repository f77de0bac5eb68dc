// The plans of a query that is run again and again: where it selects the same with every run, the plan
// that nothing can beat is made once for a segment, and only its page changes. Other plans depend on
// the page and on what scans have cost so far, and are made each time: they take long to run.

import type { Segment } from "../snapshot/segment.ts";
import { onPage, type Plan } from "./plan.ts";
import { obviousPlan, planQuery } from "./planner.ts";
import type { ParsedQuery } from "./query.ts";

export class KeptPlans {
  /** Rows and indexes of a segment never change, and neither do its dead rows. */
  readonly #plans = new WeakMap<Segment, Plan>();

  /**
   * The cheapest plan.
   *
   * @param query always of the same criteria and sort
   * @throws DeadlineError
   */
  readonly choose = (segment: Segment, query: ParsedQuery): Plan => {
    const kept = this.#plans.get(segment);
    if (kept !== undefined) return onPage(kept, query.offset, query.limit);
    const plan = obviousPlan(segment, query);
    if (plan === undefined) return planQuery(segment, query);
    this.#plans.set(segment, plan);
    return plan;
  };
}
