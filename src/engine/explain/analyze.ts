// Runs a query like any other, and measures the steps: the time of each is part of the total.

import type { Filter } from "../operators/filter.ts";
import type { Source } from "../operators/source.ts";
import type { Watcher } from "../execution/execute.ts";
import type { List } from "../operators/operator.ts";
import type { Visit } from "../execution/merge-segments.ts";
import { forEachInOrder } from "../execution/ties.ts";
import type { Plan } from "../operators/plan.ts";
import { planQuery, type Choose } from "../optimizer/optimizer.ts";
import type { ParsedQuery } from "../query.ts";
import type { Segment } from "../versions/segment.ts";
import type { Snapshot } from "../versions/snapshot.ts";

/** How many rows a step had, and how long it took. */
export interface Measured {
  readonly rows: number;
  readonly milliseconds: number;
}

/** How a plan ran. */
export interface MeasuredPlan {
  readonly access: Measured;
  /** The filters of the plan, in order. */
  readonly filters: readonly Measured[];
  /** The parts of its unions and complements. */
  readonly parts: ReadonlyMap<Plan, MeasuredPlan>;
  readonly whole: Measured;
}

export interface Analysis extends MeasuredPlan {
  /** The plans that ran. */
  readonly plans: ReadonlyMap<Segment, Plan>;
  /** The rows changed since the base was made, and how many are on the page. */
  readonly changes: Measured;
  /** The ordering of ties by the other fields. */
  readonly ties: Measured;
  /** How many bytes were read from a file; `undefined` if the collection was not opened from one. */
  readonly bytesRead: number | undefined;
}

/** @throws DeadlineError */
export function analyzed(snapshot: Snapshot, query: ParsedQuery): Analysis {
  const [meter, changes, ties] = [new PlanMeter(), new Meter(), new Meter()];
  const plans = new Map<Segment, Plan>();
  const { rows: base } = snapshot.segments[0];
  const before = base.bytesRead;
  meter.whole.measure(() => {
    let rows = 0;
    const visit: Visit = (segment, page, from, to) => {
      // Records of a file are made when they are returned, so that time counts.
      if (segment.rows.records === undefined) {
        for (let i = from; i < to; i++) segment.rows.record(page[i]!);
      }
      rows += to - from;
    };
    const choose: Choose = (segment, part) => {
      const plan = planQuery(segment, part);
      plans.set(segment, plan);
      return plan;
    };
    forEachInOrder(snapshot, query, visit, choose, {
      watcher: meter,
      changes: (work) => changes.measure(work),
      ties: (work) => ties.measure(work),
    });
    return rows;
  });
  const bytesRead = base.bytesRead === undefined ? undefined : base.bytesRead - (before ?? 0);
  const { access, filters, parts, whole } = meter;
  return { plans, access, filters, parts, changes, ties, whole, bytesRead };
}

class Meter implements Measured {
  rows = 0;
  milliseconds = 0;

  /** @param step returns its number of rows */
  measure(step: () => number): number {
    const start = performance.now();
    const rows = step();
    this.milliseconds += performance.now() - start;
    this.rows += rows;
    return rows;
  }
}

class PlanMeter implements MeasuredPlan, Watcher {
  readonly access = new Meter();
  readonly filters: Meter[] = [];
  readonly parts = new Map<Plan, PlanMeter>();
  readonly whole = new Meter();

  source(source: Source): Source {
    return {
      next: (batch, capacity) => this.access.measure(() => source.next(batch, capacity)),
      skip: (count) => source.skip(count),
    };
  }

  list(find: () => List | undefined): List | undefined {
    let list: List | undefined;
    this.access.measure(() => {
      list = find();
      return list === undefined ? 0 : list.to - list.from;
    });
    return list;
  }

  filter(filter: Filter, position: number): Filter {
    const meter = (this.filters[position] ??= new Meter());
    return { keep: (batch, length) => meter.measure(() => filter.keep(batch, length)) };
  }

  part(part: Plan, run: (watcher: Watcher) => number): void {
    const meter = new PlanMeter();
    this.parts.set(part, meter);
    meter.whole.measure(() => run(meter));
  }
}
