// How rows are counted, for people to read: a frozen tree of steps.

import { withoutEffects } from "../algorithms/effects.ts";
import { leavesOf, type CodeTree } from "../operators/counts/code-tree.ts";
import type { CountPath, CountPlan, CountStep } from "../operators/counts/count-plan.ts";
import { situationOf } from "../optimizer/optimizer.ts";
import { planCount } from "../optimizer/plan-count.ts";
import type { ParsedQuery } from "../query.ts";
import type { Snapshot } from "../versions/snapshot.ts";
import { describePlan, type QueryPlan } from "./explain.ts";

/** How the records that criteria select are counted. Plain and frozen. */
export interface CountQueryPlan {
  readonly path: CountPath;
  /** The fields whose indexes are used. */
  readonly fields: readonly string[];
  readonly estimatedMilliseconds: number;
  /** The counts that it is made of. */
  readonly parts: readonly CountQueryPlan[];
  /** The plan whose rows are counted, if there is one. */
  readonly rows: QueryPlan | undefined;
  /** How the records are counted that were changed since the indexes were built: their numbers are added. */
  readonly changes: readonly CountQueryPlan[];
}

/** Describes how rows are counted, which has no effect. */
export const explainCount = ({ segments }: Snapshot, query: ParsedQuery): CountQueryPlan =>
  withoutEffects(() => {
    const [base, ...changes] = segments.map((segment) => planCount(situationOf(segment, query)));
    return describe(base!, query, changes);
  });

function describe(
  { step, cost }: CountPlan,
  query: ParsedQuery,
  changes: readonly CountPlan[] = [],
): CountQueryPlan {
  const all = (plans: readonly CountPlan[]) =>
    Object.freeze(plans.map((plan) => describe(plan, query)));
  return Object.freeze({
    path: step.path,
    fields: Object.freeze(fieldsOf(step)),
    estimatedMilliseconds: cost / 1e6,
    parts: all(partsOf(step)),
    rows: step.path === "rows" ? describePlan(step.plan, query, undefined, undefined) : undefined,
    changes: all(changes),
  });
}

function fieldsOf(step: CountStep): string[] {
  switch (step.path) {
    case "codes":
      return [step.leaf.field];
    case "short-text":
      return [step.criterion.field];
    case "compound":
      return step.leaves.map(({ field }) => field);
    case "lookup":
      return [step.leaf.field, ...fieldsIn(step.others)];
    case "columns":
      return fieldsIn(step.tree);
    default:
      return [];
  }
}

const fieldsIn = (tree: CodeTree): string[] => leavesOf(tree).map(({ field }) => field);

function partsOf(step: CountStep): readonly CountPlan[] {
  if (step.path === "either") return [...step.parts, step.both];
  return step.path === "complement" ? [step.part] : [];
}
