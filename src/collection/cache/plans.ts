// Plans of a prepared query that selects the same in every run.
//
// Held: by a prepared query, a plan for each segment, as long as the segment exists. Only an unbeatable
// plan is kept: others depend on the page and on what scans have cost so far.
//
// Stale: never, since rows, indexes and dead rows of a segment don't change.

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
