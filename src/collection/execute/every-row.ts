// Every row that criteria select: those that a change is about. There is no page to find among them:
// each segment answers for itself, and what they find is put together in insertion order.

import { onlyValue } from "../plan/planner.ts";
import type { ParsedQuery } from "../plan/query.ts";
import type { Segment } from "../snapshot/segment.ts";
import type { Location, Snapshot } from "../snapshot/snapshot.ts";
import { execute } from "./execute.ts";
import { judge } from "./judge.ts";
import { byKey, rowsWith } from "./lookup.ts";
import { FoundRows, rowsOrPlan } from "./recent-rows.ts";

/**
 * The live rows that a query without sort and page selects, in the order of keys.
 *
 * @throws DeadlineError
 */
export function everyRow(snapshot: Snapshot, query: ParsedQuery): Location[] {
  const parts = snapshot.segments.map((segment) => rowsOf(segment, query));
  return parts.reduceRight((later, part) => mergeByKey(part, later));
}

/** The rows of a segment, ascending. */
function rowsOf(segment: Segment, query: ParsedQuery): Location[] {
  const asked = onlyValue(query);
  const having = asked && rowsWith(segment, asked.field, asked.value, query.deadline);
  if (having !== undefined) return having;
  const found: Location[] = [];
  const add = (rows: ArrayLike<number>, from: number, to: number) => {
    for (let i = from; i < to; i++) found.push({ segment, row: rows[i]! });
  };
  if (segment.isSmall) {
    const rows = judge(segment, query.criteria);
    add(rows, 0, rows.length);
    return found;
  }
  const plan = rowsOrPlan(segment, query);
  if (plan instanceof FoundRows) add(plan.rows, plan.from, plan.to);
  else execute(segment, plan, add, query.deadline);
  return found;
}

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
