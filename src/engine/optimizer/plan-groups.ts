// Chooses how to group the rows of a query in a segment: of all ways, the cheapest. `groupBy`, `countBy`, `histogram` and
// `summary` ask here.

import { criteriaIn } from "../../criteria/tree.ts";
import { complement } from "../indexes/code-set.ts";
import type { FieldIndex } from "../indexes/field-index.ts";
import { groupsOfDifference } from "../operators/groups/difference.ts";
import type { GroupPlan, Selected } from "../operators/groups/group-plan.ts";
import {
  groupsOfAll,
  groupsOfLookup,
  groupsOfRows,
  type ReadPerRow,
} from "../operators/groups/rows.ts";
import { groupsOfRuns } from "../operators/groups/runs.ts";
import type { SelectedCodes } from "../operators/operator.ts";
import type { Plan } from "../operators/plan.ts";
import { codesOf, fieldOf } from "../operators/table.ts";
import type { Segment } from "../versions/segment.ts";

/** What is grouped by, and what is needed of it. */
export interface GroupsAsked extends ReadPerRow {
  /** How many groups are needed, the first ones in the order of the only key. */
  readonly most: number;
}

/** @param plan finds the rows */
export function planGroups(segment: Segment, plan: Plan, asked: GroupsAsked): GroupPlan {
  return groupPlansOf(segment, plan, asked).reduce((best, each) =>
    each.cost < best.cost ? each : best,
  );
}

/** All plans; at least one. */
export function groupPlansOf(segment: Segment, plan: Plan, asked: GroupsAsked): GroupPlan[] {
  const { keys, measured, most } = asked;
  const plans = [groupsOfRows(asked, plan)];
  const [key] = keys;
  const index = key?.index;
  const allRuns =
    key && index && keys.length === 1 ? groupsOfRuns(segment, key, everyCode(index)) : undefined;
  const selections = selectionsOf(plan);
  if (selections !== undefined) {
    const counts = selections.length === 0 && measured > 0 ? allRuns : undefined;
    plans.push(groupsOfAll(segment, asked, selections, plan.rows, counts));
  }
  const selected = index && onlySelection(selections, index);
  // Values of rows in the order of an index are all over memory.
  if (key === undefined || selected === undefined || measured > 0) return plans;
  if (allRuns === undefined) return [...plans, groupsOfLookup(segment, asked, selected)];
  if (selected.index === index) return [...plans, groupsOfRuns(segment, key, selected, most)];
  const set = complement(selected.set, selected.index.values.length);
  const others = groupsOfLookup(segment, asked, { ...selected, set });
  plans.push(groupsOfLookup(segment, asked, selected), groupsOfDifference(allRuns, others));
  return plans;
}

const everyCode = (index: FieldIndex): SelectedCodes => ({ index, set: [0, index.values.length] });

/** Codes that select exactly the live rows of a plan, if codes do: a row must have codes in each selection. */
function selectionsOf({ source: { step }, filters }: Plan): readonly Selected[] | undefined {
  const selections: Selected[] = [];
  if (step.path !== "scan") {
    const codes = codesOf(step, undefined);
    if (codes === undefined) return undefined;
    selections.push({ field: fieldOf(step), index: codes.index, set: codes.set });
  }
  for (const filter of filters) {
    if (filter.step.path === "live") continue;
    if (filter.step.path !== "codes") return undefined;
    const { groups, index, set } = filter.step;
    selections.push({ field: criteriaIn(groups)[0]?.field, index, set });
  }
  return selections;
}

/** The only one of some selections; without any, all codes. */
function onlySelection(
  selections: readonly Selected[] | undefined,
  any: FieldIndex,
): Selected | undefined {
  if (selections?.length === 0) return { field: undefined, ...everyCode(any) };
  return selections?.length === 1 ? selections[0] : undefined;
}
