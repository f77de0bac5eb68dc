// A plan for people to read: a frozen tree of steps. With `analyze`, the plan is run once, and each step has its
// measurements.

import { withoutEffects } from "../algorithms/effects.ts";
import { isNested, type CriteriaGroup, type CriteriaPart } from "../../criteria/tree.ts";
import { flag, optional, type OptionReaders } from "../../schema/options.ts";
import { quote } from "../../schema/errors.ts";
import {
  type FilterPath,
  type OrderPath,
  type FilterStep as FilterPlan,
  type Plan,
  type SourcePath,
  type SourceStep,
} from "../operators/plan.ts";
import { fieldOf } from "../operators/table.ts";
import { planQuery } from "../optimizer/optimizer.ts";
import { UNLIMITED, type ParsedQuery, type Sort, type SortOrder } from "../query.ts";
import type { Segment } from "../versions/segment.ts";
import type { Snapshot } from "../versions/snapshot.ts";
import { analyzed, type Analysis, type Measured, type MeasuredPlan } from "./analyze.ts";

/** Where the rows of a plan come from. */
export interface AccessStep {
  readonly path: SourcePath;
  /** The field whose index is used. */
  readonly field: string | undefined;
  /** The criteria that the access path answers or narrows, one string per group; all criteria of a group must hold. */
  readonly criteria: readonly string[];
  readonly estimatedRows: number;
  /** With `analyze`: how many rows were read. */
  readonly actualRows: number | undefined;
  readonly milliseconds: number | undefined;
  /** The plans whose rows are united, or the one whose rows are left out. */
  readonly parts: readonly QueryPlan[];
}

/** A step that removes rows. */
export interface FilterStep {
  readonly path: FilterPath;
  readonly criteria: readonly string[];
  /** How many rows are expected to pass. */
  readonly estimatedRows: number;
  /** With `analyze`: how many rows passed. */
  readonly actualRows: number | undefined;
  readonly milliseconds: number | undefined;
  /** The indexes that would save this work, such as `ordered(open_type)`. */
  readonly missingIndexes: readonly string[];
}

/** How the rows get into the requested order. */
export interface SortStep {
  readonly path: OrderPath;
  readonly field: string;
  readonly order: SortOrder;
}

/** How rows with equal values in the first sort field are ordered by the others. */
export interface TiesStep {
  /** The other sort fields. The path of each tells whether there is an index to order by. */
  readonly sorts: readonly SortStep[];
  /** With `analyze`: how many rows of the page were tied. */
  readonly actualRows: number | undefined;
  readonly milliseconds: number | undefined;
}

/** The changes since the indexes were built. They are searched separately and merged in. */
export interface DeltaStep {
  /** How many records were changed or added. */
  readonly changedRows: number;
  /** How many index entries are skipped because their records were changed or removed. */
  readonly deadRows: number;
  /** How many segments hold the changed records. */
  readonly segments: number;
  /** How each of these segments is queried. */
  readonly plans: readonly QueryPlan[];
  /** With `analyze`: how many of the changed records the criteria select. */
  readonly actualRows: number | undefined;
  readonly milliseconds: number | undefined;
}

/** How a query is run. Plain and frozen. */
export interface QueryPlan {
  readonly access: AccessStep;
  /** In the order in which they are applied. */
  readonly filters: readonly FilterStep[];
  /** The sort by the first sort field. */
  readonly sort: SortStep | undefined;
  /** `undefined` if there is at most one sort field. Not included in estimates. */
  readonly ties: TiesStep | undefined;
  /** `undefined` if nothing has changed. */
  readonly delta: DeltaStep | undefined;
  readonly offset: number;
  /** `null` if there is no limit. */
  readonly limit: number | null;
  /** How many rows are expected to match, before paging. */
  readonly estimatedRows: number;
  readonly estimatedMilliseconds: number;
  /** With `analyze`: how many rows the page has, and the time of the whole query. */
  readonly actualRows: number | undefined;
  readonly milliseconds: number | undefined;
  /** With `analyze`, if the collection was opened from a file: how many bytes of the file were read. */
  readonly bytesRead: number | undefined;
}

/** The options of `explain`. */
export interface ExplainOptions {
  /** Whether to run the query, and report the rows and the time of each step. Default: `false`. */
  readonly analyze?: boolean | undefined;
}

export const explainOptions = {
  analyze: optional(flag, false),
} satisfies OptionReaders<ExplainOptions>;

/** Describes how a query is run, which has no effect; with `analyze`, also runs it and adds measurements. */
export function explain(snapshot: Snapshot, query: ParsedQuery, analyze: boolean): QueryPlan {
  const analysis = analyze ? analyzed(snapshot, query) : undefined;
  return withoutEffects(() => described(snapshot, query, analysis));
}

function described(
  snapshot: Snapshot,
  query: ParsedQuery,
  analysis: Analysis | undefined,
): QueryPlan {
  const [base, ...others] = snapshot.segments;
  const first = { ...query, offset: 0, limit: query.offset + query.limit };
  const planOf = (segment: Segment, page: ParsedQuery) =>
    analysis?.plans.get(segment) ?? planQuery(segment, page);
  const plans = others.map((each) =>
    describePlan(planOf(each, first), first, undefined, undefined),
  );
  const plan = planOf(base, query);
  const delta = describeDelta(base, others, plans, analysis?.changes);
  const ties = describeTies(base, query, analysis?.ties);
  return describePlan(plan, query, delta, analysis, ties, analysis?.bytesRead);
}

function describeTies(
  base: Segment,
  { sort, deadline }: ParsedQuery,
  measured: Measured | undefined,
): TiesStep | undefined {
  if (sort?.ties === undefined) return undefined;
  const sorts: SortStep[] = [];
  for (let tie: Sort | undefined = sort.ties; tie !== undefined; tie = tie.ties) {
    const { field, order } = tie;
    const path = base.ordered(field, deadline) === undefined ? "sort" : "select";
    sorts.push(Object.freeze({ path, field, order }));
  }
  return Object.freeze({
    sorts: Object.freeze(sorts),
    actualRows: measured?.rows,
    milliseconds: measured?.milliseconds,
  });
}

function describeDelta(
  { dead }: Segment,
  others: readonly Segment[],
  plans: readonly QueryPlan[],
  measured: Measured | undefined,
): DeltaStep | undefined {
  if (dead.count === 0 && others.length === 0) return undefined;
  return Object.freeze({
    changedRows: others.reduce((sum, { live }) => sum + live, 0),
    deadRows: dead.count,
    segments: others.length,
    plans: Object.freeze(plans),
    actualRows: measured?.rows,
    milliseconds: measured?.milliseconds,
  });
}

export function describePlan(
  plan: Plan,
  { sort, offset, limit }: Pick<ParsedQuery, "sort" | "offset" | "limit">,
  delta: DeltaStep | undefined,
  measured: MeasuredPlan | undefined,
  ties?: TiesStep,
  bytesRead?: number,
): QueryPlan {
  const { source, filters } = plan;
  const { step } = source;
  let passing = source.rows;
  return Object.freeze({
    access: Object.freeze({
      path: step.path,
      field: fieldOf(step),
      criteria: texts(step.groups),
      estimatedRows: Math.round(source.rows),
      actualRows: measured?.access.rows,
      milliseconds: timeOf(step, measured?.access, measured),
      parts: Object.freeze(
        partsOf(step).map((part) =>
          describePlan(part, { ...part, sort: undefined }, undefined, measured?.parts.get(part)),
        ),
      ),
    }),
    filters: Object.freeze(
      filters.map((filter, position) => {
        passing = Math.min(passing * filter.selectivity, passing);
        return Object.freeze({
          path: filter.step.path,
          criteria: texts(filter.step.groups),
          estimatedRows: Math.round(passing),
          actualRows: measured?.filters[position]?.rows,
          milliseconds: timeOf(filter.step, measured?.filters[position], measured),
          missingIndexes: Object.freeze([
            ...new Set(filter.unbuiltIndexes.map(({ kind, field }) => `${kind}(${field})`)),
          ]),
        });
      }),
    ),
    sort:
      sort === undefined
        ? undefined
        : Object.freeze({ path: plan.order.path, field: sort.field, order: sort.order }),
    ties,
    delta,
    offset,
    limit: limit === UNLIMITED ? null : limit,
    estimatedRows: Math.round(plan.rows),
    estimatedMilliseconds: plan.cost / 1e6,
    actualRows: measured?.whole.rows,
    milliseconds: measured?.whole.milliseconds,
    bytesRead,
  });
}

function partsOf(step: SourceStep | FilterPlan): readonly Plan[] {
  if (step.path === "union") return step.parts;
  return step.path === "complement" ? [step.part] : [];
}

/** The measurements of a step, including its parts, which run before it. */
function timeOf(
  step: SourceStep | FilterPlan,
  own: Measured | undefined,
  measured: MeasuredPlan | undefined,
): number | undefined {
  return (
    own &&
    partsOf(step).reduce(
      (sum, part) => sum + (measured?.parts.get(part)?.whole.milliseconds ?? 0),
      own.milliseconds,
    )
  );
}

function texts(groups: readonly CriteriaGroup[]): readonly string[] {
  return Object.freeze(groups.map((group) => someOf(group.map(partText)).join(" and ")));
}

function partText(part: CriteriaPart): string {
  if (isNested(part)) return `(${someOf(texts(part.groups)).join(" or ")})`;
  const { field, operator, value, negated } = part;
  const values = Array.isArray(value) ? value : [value];
  const shown = values
    .slice(0, 3)
    .map((each: unknown) => (typeof each === "string" ? quote(each) : String(each)));
  if (values.length > shown.length) shown.push(`… ${values.length - shown.length} more`);
  return `${negated ? "not " : ""}${field} ${operator} ${shown.join(", ")}`;
}

/** How many criteria of a group, and groups of a step, are spelled out. */
const MOST_LISTED = 8;

/** The first few strings, and how many more there are. */
export function someOf(texts: readonly string[]): string[] {
  const shown = texts.slice(0, MOST_LISTED);
  if (texts.length > shown.length)
    shown.push(`… ${(texts.length - shown.length).toLocaleString("en-US")} more`);
  return shown;
}
