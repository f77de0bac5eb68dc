// The answer of a segment: its plan, run. Pages, counts, histograms and changes ask for it here.

import { knownRows } from "../plan/plan.ts";
import { planQuery } from "../plan/planner.ts";
import type { ParsedQuery } from "../plan/query.ts";
import type { Segment } from "../snapshot/segment.ts";
import type { Location, Snapshot } from "../snapshot/snapshot.ts";
import { execute, type Sink } from "./execute.ts";

/**
 * Hands the rows of a segment that a query asks for to a sink, in the query's order.
 *
 * @throws DeadlineError
 */
export function answerSegment(segment: Segment, query: ParsedQuery, sink: Sink): void {
  execute(segment, planQuery(segment, query), sink, query.deadline);
}

/** How many rows of some segments the criteria of a query select. */
export function countRows(segments: readonly Segment[], query: ParsedQuery): number {
  return segments.reduce((sum, segment) => sum + countIn(segment, query), 0);
}

function countIn(segment: Segment, query: ParsedQuery): number {
  const plan = planQuery(segment, query);
  const known = knownRows(plan);
  if (known !== undefined) return known;
  let count = 0;
  execute(segment, plan, (_, from, to) => (count += to - from), query.deadline);
  return count;
}

/**
 * Every live row that a query without sort and page selects, in the order of keys: those that a change is
 * about. There is no page to find among them, so that each segment answers for itself.
 *
 * @throws DeadlineError
 */
export function everyRow({ segments }: Snapshot, query: ParsedQuery): Location[] {
  const parts = segments.map((segment) => {
    const found: Location[] = [];
    answerSegment(segment, query, (rows, from, to) => {
      for (let i = from; i < to; i++) found.push({ segment, row: rows[i]! });
    });
    return found;
  });
  return parts.reduceRight((later, part) => mergeByKey(part, later));
}

/** The order of insertion. */
const byKey = (a: Location, b: Location) => a.segment.keyOf(a.row) - b.segment.keyOf(b.row);

/** Two lists as one, all in the order of keys. Each is so already: a merge takes one comparison a row, a sort more. */
function mergeByKey(a: Location[], b: Location[]): Location[] {
  const last = a.at(-1);
  const first = b[0];
  if (last === undefined || first === undefined || byKey(last, first) < 0) return a.concat(b);
  const merged: Location[] = [];
  let next = 0;
  for (let i = 0; i < a.length; i++) {
    const location = a[i]!;
    while (next < b.length && byKey(b[next]!, location) < 0) merged.push(b[next++]!);
    merged.push(location);
  }
  return merged.concat(b.slice(next));
}
