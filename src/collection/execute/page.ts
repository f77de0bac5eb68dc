// The records of a page: as an array, or each with what stands beside it in a column.

import type { WireValue } from "../../schema/field.ts";
import type { WireRecord } from "../../schema/schema.ts";
import { knownLength } from "../plan/plan.ts";
import { planQuery } from "../plan/planner.ts";
import type { ParsedQuery } from "../plan/query.ts";
import type { ColumnName } from "../records/rows.ts";
import type { Segment } from "../snapshot/segment.ts";
import type { Snapshot } from "../snapshot/snapshot.ts";
import { execute, type Sink } from "./execute.ts";
import { forEachRow } from "./merge-segments.ts";

/** @throws DeadlineError */
export function pageOf(snapshot: Snapshot, query: ParsedQuery): WireRecord[] {
  const [base, ...others] = snapshot.segments;
  if (others.length === 0) return pageOfSegment(base, query);
  const page: WireRecord[] = [];
  forEachRow(snapshot, query, (segment, rows, from, to) => {
    for (let i = from; i < to; i++) page.push(segment.rows.record(rows[i]!));
  });
  return page;
}

/** Visits the records of a page, each with its value in a column beside the records. */
export function forEachSelected(
  snapshot: Snapshot,
  query: ParsedQuery,
  column: ColumnName,
  visit: (record: WireRecord, value: WireValue) => void,
): void {
  forEachRow(snapshot, query, (segment, rows, from, to) => {
    const valueOf = segment.rows.readerOf(column);
    for (let i = from; i < to; i++) {
      const row = rows[i]!;
      visit(segment.rows.record(row), valueOf(row));
    }
  });
}

/** Nothing to merge: the array has its length from the start, where that is known. */
function pageOfSegment(segment: Segment, query: ParsedQuery): WireRecord[] {
  const { rows: all } = segment;
  const plan = planQuery(segment, query);
  const { source, filters, order, offset, limit } = plan;
  const isAsTheyStand =
    source.step.path === "scan" && filters.length === 0 && order.path === "source";
  if (isAsTheyStand && segment.dead.count === 0) {
    return all.slice(offset, offset + limit);
  }
  const page = new Array<WireRecord>(knownLength(plan));
  let length = 0;
  const add: Sink = (rows, from, to) => {
    all.copyRecords(rows, from, to, page, length);
    length += to - from;
  };
  execute(segment, plan, add, query.deadline);
  return page;
}
