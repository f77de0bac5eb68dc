// Every row that criteria select: those that a change is about. There is no page to find among them, so
// each segment answers alone, and nothing is merged.

import { onlyValue } from "../plan/planner.ts";
import { UNLIMITED, type ParsedQuery } from "../plan/query.ts";
import type { Location, Snapshot } from "../snapshot/snapshot.ts";
import { execute, type Sink } from "./execute.ts";
import { judge } from "./judge.ts";
import { byKey, fewRowsWith } from "./lookup.ts";
import { FoundRows, rowsOrPlan } from "./recent-rows.ts";

/**
 * The live rows that a query without sort and page selects, in the order of keys.
 *
 * @throws DeadlineError
 */
export function everyRow(snapshot: Snapshot, query: ParsedQuery): Location[] {
  const asked = onlyValue(query);
  if (asked !== undefined) {
    const few = fewRowsWith(snapshot, asked.field, asked.value, UNLIMITED, query.deadline);
    if (few !== undefined) return few;
  }
  const found: Location[] = [];
  let parts = 0;
  for (const segment of snapshot.segments) {
    const before = found.length;
    const add: Sink = (rows, from, to) => {
      for (let i = from; i < to; i++) found.push({ segment, row: rows[i]! });
    };
    if (segment.isSmall) {
      for (const row of judge(segment, query.criteria)) found.push({ segment, row });
    } else {
      const plan = rowsOrPlan(segment, query);
      if (plan instanceof FoundRows) add(plan.rows, plan.from, plan.to);
      else execute(segment, plan, add, query.deadline);
    }
    if (found.length > before) parts++;
  }
  // Those of each segment ascend: the engine's sort finds such runs and merges them.
  return parts > 1 ? found.sort(byKey) : found;
}
