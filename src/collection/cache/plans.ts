// Plans of a prepared query that selects the same with every run.
//
// Held: by a prepared query, a plan for each segment, as long as the segment lives. Only the plan that
// nothing can beat is kept: others depend on the page and on what scans have cost so far.
//
// Stale: never, as rows, indexes and dead rows of a segment don't change.

export class KeptPlans<Plan> {
  readonly #plans = new WeakMap<object, Plan>();

  of(segment: object): Plan | undefined {
    return this.#plans.get(segment);
  }

  keep(segment: object, plan: Plan): Plan {
    this.#plans.set(segment, plan);
    return plan;
  }
}
