// Groups the selected rows of a version: those of each segment by a plan of its own, all into the same groups.

import type { GroupPlan, GroupRun, GroupTarget } from "../operators/groups/group-plan.ts";
import type { MeasuredField } from "../operators/groups/measured-field.ts";
import type { Grouping } from "../operators/groups/read-groups.ts";
import { runGroups } from "../operators/groups/table.ts";
import type { Tally } from "../operators/groups/tally.ts";
import { planGroups } from "../optimizer/plan-groups.ts";
import type { ParsedQuery } from "../query.ts";
import type { Segment } from "../versions/segment.ts";
import { answerSegment, execute } from "./execute.ts";
import { makeshiftIndex } from "./makeshift-index.ts";

/** What rows are grouped by, and what is found of each group. */
export interface Grouped extends GroupTarget {
  /** The fields of the keys. */
  readonly fields: readonly string[];
  /** How many groups are needed, the first ones in the order of the only key. Default: all. */
  readonly most?: number;
}

/** By one field, whose groups are those of the tally. */
export const byField = (
  field: string,
  grouping: Grouping,
  tally: Tally,
  measured: readonly MeasuredField[] = [],
): Grouped => ({
  fields: [field],
  groupings: [grouping],
  groupsOf: ([numbers]) => numbers!,
  tally,
  measured,
});

/** Chooses how to group the rows of a segment. */
export type ChooseGroups = typeof planGroups;

/**
 * Adds the selected rows of some segments to their groups.
 *
 * @param choose default: the cheapest way
 * @throws DeadlineError
 */
export function addGroups(
  segments: readonly Segment[],
  query: ParsedQuery,
  grouped: Grouped,
  choose: ChooseGroups = planGroups,
): void {
  const { deadline } = query;
  const { fields, measured, most = Infinity } = grouped;
  for (const segment of segments) {
    const keys = fields.map((field) => ({
      field,
      index: segment.ordered(field, deadline) ?? makeshiftIndex(segment, field, deadline),
    }));
    const answer = answerSegment(segment, query);
    const run: GroupRun = {
      ...grouped,
      segment,
      deadline,
      add: ({ step }: GroupPlan, times) => runGroups(step, run, times),
      execute: (plan, sink) => execute({ ...answer, plan }, sink),
    };
    run.add(choose(segment, answer.plan, { keys, measured: measured.length, most }), 1);
  }
}
