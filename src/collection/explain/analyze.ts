// Answers a query as any other, and measures the steps: what each takes is a part of what the whole
// takes.

import type { Filter } from "../pipeline/filter.ts";
import type { Source } from "../pipeline/source.ts";
import type { Watcher } from "../execute/execute.ts";
import { forEachRow, type Visit } from "../execute/merge-segments.ts";
import type { Plan } from "../plan/plan.ts";
import { planQuery } from "../plan/planner.ts";
import type { ParsedQuery } from "../plan/query.ts";
import type { Snapshot } from "../snapshot/snapshot.ts";

/** How many rows a step had, and how long it took. */
export interface Measured {
  readonly rows: number;
  readonly milliseconds: number;
}

export interface Analysis {
  /** The plan of the base that was run; `undefined` where the page is empty and none was. */
  readonly plan: Plan | undefined;
  readonly access: Measured;
  /** Those of the plan, in their order. */
  readonly filters: readonly Measured[];
  /** What the rows that have changed since had for the page. */
  readonly changes: Measured;
  readonly whole: Measured;
  /** How many bytes were read from a file; `undefined` where the collection was not opened from one. */
  readonly bytesRead: number | undefined;
}

/** @throws DeadlineError */
export function analyzed(snapshot: Snapshot, query: ParsedQuery): Analysis {
  const [access, changes, whole] = [new Meter(), new Meter(), new Meter()];
  const filters: Meter[] = [];
  let plan: Plan | undefined;
  const watcher: Watcher = {
    source: (source) => watchSource(source, access),
    filter: (filter, position) => watchFilter(filter, (filters[position] ??= new Meter())),
  };
  const { rows: base } = snapshot.segments[0];
  const before = base.bytesRead;
  whole.measure(() => {
    let rows = 0;
    const visit: Visit = (segment, page, from, to) => {
      // Records of a file are made when they are returned: that is a part of what it takes.
      if (segment.rows.records === undefined) {
        for (let i = from; i < to; i++) segment.rows.record(page[i]!);
      }
      rows += to - from;
    };
    forEachRow(snapshot, query, visit, {
      watcher,
      changes: (work) => changes.measure(work),
      // The base is asked last: its plan stays.
      choose: (segment, part) => (plan = planQuery(segment, part)),
    });
    return rows;
  });
  const bytesRead = base.bytesRead === undefined ? undefined : base.bytesRead - (before ?? 0);
  return { plan, access, filters, changes, whole, bytesRead };
}

class Meter implements Measured {
  rows = 0;
  milliseconds = 0;

  /** @param step returns how many rows it had */
  measure(step: () => number): number {
    const start = performance.now();
    const rows = step();
    this.milliseconds += performance.now() - start;
    this.rows += rows;
    return rows;
  }
}

function watchSource(source: Source, meter: Meter): Source {
  return {
    next: (batch, capacity) => meter.measure(() => source.next(batch, capacity)),
    skip: (count) => source.skip(count),
  };
}

function watchFilter(filter: Filter, meter: Meter): Filter {
  return { keep: (batch, length) => meter.measure(() => filter.keep(batch, length)) };
}
