// How rows are grouped, for people to read: a frozen tree of steps.

import { withoutEffects } from "../algorithms/effects.ts";
import type { ParsedGroupBy } from "../execution/parsed-group-by.ts";
import type {
  GroupPath,
  GroupPlan,
  GroupStep,
  SegmentKey,
} from "../operators/groups/group-plan.ts";
import { planQuery } from "../optimizer/optimizer.ts";
import { planGroups } from "../optimizer/plan-groups.ts";
import { UNLIMITED, type ParsedQuery, type SortOrder } from "../query.ts";
import type { Snapshot } from "../versions/snapshot.ts";
import { describePlan, type QueryPlan } from "./explain.ts";

/** How records are grouped in one step. */
export interface GroupByStep {
  readonly path: GroupPath;
  /** The field whose index selects the records. */
  readonly field: string | undefined;
  readonly keys: readonly GroupKeyStep[];
  /** The fields whose values are read to measure them. */
  readonly measured: readonly string[];
  /** How many records are read, one by one. */
  readonly estimatedRows: number;
  readonly estimatedMilliseconds: number;
  /** The steps that it is made of: one that counts the groups, or two whose counts are subtracted. */
  readonly parts: readonly GroupByStep[];
  /** The plan whose rows are grouped, if there is one. */
  readonly rows: QueryPlan | undefined;
}

/** How the groups of a key are found. */
export interface GroupKeyStep {
  readonly field: string;
  /** `"runs"`: the index knows how many records have each value. `"codes"`: of each record, the index has the group. */
  readonly path: "runs" | "codes" | "values";
}

/** How the records that criteria select are grouped. Plain and frozen. */
export interface GroupByPlan extends GroupByStep {
  /** How the groups are ordered, unless it is by their keys. */
  readonly sort: readonly (readonly [name: string, order: SortOrder])[];
  readonly offset: number;
  /** `null` if there is no limit. */
  readonly limit: number | null;
  /** How the records are grouped that were changed since the indexes were built: into the same groups. */
  readonly changes: readonly GroupByStep[];
}

/** Describes how rows are grouped, which has no effect. */
export const explainGroupBy = (
  { segments }: Snapshot,
  query: ParsedQuery,
  { keys, measures, names, sort, offset, limit }: ParsedGroupBy,
): GroupByPlan =>
  withoutEffects(() => {
    const fields = measures.flatMap((each) => (each.kind === "records" ? [] : [each.field]));
    const measured = Object.freeze([...new Set(fields)]);
    const plans = segments.map((segment) => {
      const ofSegment = keys.map(({ field }) => ({
        field,
        index: segment.ordered(field, query.deadline),
      }));
      const asked = { keys: ofSegment, measured: measured.length, most: Infinity };
      return planGroups(segment, planQuery(segment, query), asked);
    });
    const [base, ...changes] = plans.map((plan) => describe(plan, query, measured));
    return Object.freeze({
      ...base!,
      sort: Object.freeze(
        sort.map(({ column, order }) => Object.freeze([names[column]!, order] as const)),
      ),
      offset,
      limit: limit === UNLIMITED ? null : limit,
      changes: Object.freeze(changes),
    });
  });

function describe(
  { step, cost }: GroupPlan,
  query: ParsedQuery,
  measured: readonly string[],
): GroupByStep {
  const parts = partsOf(step).map((part) => describe(part, query, []));
  return Object.freeze({
    path: step.path,
    field: step.path === "lookup" ? step.selected.field : undefined,
    keys: Object.freeze(keysOf(step)),
    measured,
    estimatedRows: rowsOf(step),
    estimatedMilliseconds: cost / 1e6,
    parts: Object.freeze(parts),
    rows: step.path === "rows" ? describePlan(step.plan, query, undefined, undefined) : undefined,
  });
}

function keysOf(step: GroupStep): readonly GroupKeyStep[] {
  if (step.path === "difference") return [];
  if (step.path === "runs") return [Object.freeze({ field: step.key.field, path: step.path })];
  return step.keys.map(({ field, index }: SegmentKey) =>
    Object.freeze({ field, path: index === undefined ? "values" : "codes" }),
  );
}

function rowsOf(step: GroupStep): number {
  if (step.path === "rows") return step.plan.rows;
  return step.path === "all" || step.path === "lookup" ? step.rows : 0;
}

function partsOf(step: GroupStep): readonly GroupPlan[] {
  if (step.path === "difference") return [step.whole, step.without];
  return step.path === "all" && step.counts !== undefined ? [step.counts] : [];
}
