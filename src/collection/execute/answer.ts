// The answer of a segment: what its plan selects, in the form that the asker needs. Pages, counts, histograms,
// summaries, changes and live queries get their rows here.

import { knownRows } from "../plan/paths.ts";
import { planQuery, type Choose } from "../plan/planner.ts";
import type { ParsedQuery } from "../plan/query.ts";
import type { Segment } from "../snapshot/segment.ts";
import type { RowsBySegment } from "../snapshot/edit.ts";
import type { Location, Snapshot } from "../snapshot/snapshot.ts";
import { execute, rowsOf, type SegmentAnswer, type Watcher } from "./execute.ts";

/**
 * Plans the answer of a segment to a query. Nothing is run yet.
 *
 * @param choose chooses the plan. Default: the cheapest
 * @throws DeadlineError
 */
export function answerSegment(
  segment: Segment,
  query: ParsedQuery,
  choose: Choose = planQuery,
  watcher?: Watcher,
): SegmentAnswer {
  return { segment, plan: choose(segment, query), deadline: query.deadline, watcher };
}

/** How many rows of some segments the criteria of a query select. */
export function countRows(segments: readonly Segment[], query: ParsedQuery): number {
  return segments.reduce((sum, segment) => sum + countOf(answerSegment(segment, query)), 0);
}

function countOf(answer: SegmentAnswer): number {
  const { segment, plan } = answer;
  // The plan may know without being run.
  const known = knownRows(plan, segment);
  if (known !== undefined) return known;
  let count = 0;
  execute(answer, (_, from, to) => (count += to - from));
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
 *
 * @throws DeadlineError
 */
export function selectedRows(snapshot: Snapshot, query: ParsedQuery): Location[] {
  let parts = selectedParts(snapshot, query);
  const found: Location[] = [];
  while ((parts = parts.filter(hasMore)).length > 0) {
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

/** The same rows by segment. @throws DeadlineError */
export function selectedBySegment(snapshot: Snapshot, query: ParsedQuery): RowsBySegment {
  const parts = selectedParts(snapshot, query).filter(hasMore);
  return new Map(parts.map(({ segment, rows }) => [segment, rows]));
}

/** There is no page to find among the rows, so each segment answers for itself. */
function selectedParts({ segments }: Snapshot, query: ParsedQuery): Part[] {
  const parts: Part[] = [];
  // Neither a closure nor an iterator, for the reason that the planner's `liveRows` has.
  for (let i = 0; i < segments.length; i++) {
    const segment = segments[i]!;
    parts.push({ segment, rows: rowsOf(answerSegment(segment, query)), at: 0 });
  }
  return parts;
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

const hasMore = ({ rows, at }: Part) => at < rows.length;

const keyAt = ({ segment, rows, at }: Part) => segment.keyOf(rows[at]!);
