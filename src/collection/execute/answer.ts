// The answer of a segment: the result of its plan. Pages, counts, histograms and changes use it.

import { knownRows } from "../plan/paths.ts";
import { planQuery } from "../plan/planner.ts";
import type { ParsedQuery } from "../plan/query.ts";
import type { Segment } from "../snapshot/segment.ts";
import type { Location, Snapshot } from "../snapshot/snapshot.ts";
import { execute, rowsOf, type Sink } from "./execute.ts";

/**
 * Passes the rows of a segment that a query selects to a sink, in the query's order.
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

/** The remaining rows of a segment. */
interface Part {
  readonly segment: Segment;
  readonly rows: ArrayLike<number>;
  at: number;
}

/**
 * Every live row that a query without sort and page selects, in the order of keys: the rows of a change.
 * There is no page to find among them, so each segment answers for itself.
 *
 * @throws DeadlineError
 */
export function selectedRows({ segments }: Snapshot, query: ParsedQuery): Location[] {
  let parts: Part[] = segments.map((segment) => {
    const rows = rowsOf(segment, planQuery(segment, query), query.deadline);
    return { segment, rows, at: 0 };
  });
  const found: Location[] = [];
  while ((parts = parts.filter(({ rows, at }) => at < rows.length)).length > 0) {
    let first = parts[0]!;
    let next = Infinity;
    for (let i = 1; i < parts.length; i++) {
      const part = parts[i]!;
      if (keyAt(part) < keyAt(first)) {
        next = Math.min(next, keyAt(first));
        first = part;
      } else next = Math.min(next, keyAt(part));
    }
    take(found, first, next);
  }
  return found;
}

/** Adds the rows of a part up to a key. Updates have V8 compile it before a change of many rows needs it. */
function take(found: Location[], part: Part, lastKey: number): void {
  const { segment, rows } = part;
  let { at } = part;
  for (; at < rows.length && segment.keyOf(rows[at]!) <= lastKey; at++) {
    found.push({ segment, row: rows[at]! });
  }
  part.at = at;
}

const keyAt = ({ segment, rows, at }: Part) => segment.keyOf(rows[at]!);
