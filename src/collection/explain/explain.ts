// What a person can read of a plan: a frozen tree of steps, the last one first, and its text.

import type { ParsedCriterion } from "../../criteria/parse.ts";
import { quote } from "../../schema/errors.ts";
import { run, type Watcher } from "../execute/execute.ts";
import { countRows, forEachRow } from "../execute/merge-segments.ts";
import type { FilterPath, Group, OrderPath, Plan, SourcePath } from "../plan/plan.ts";
import type { Segment } from "../snapshot/segment.ts";
import { planQuery } from "../plan/planner.ts";
import { UNLIMITED, type ParsedQuery, type SortOrder } from "../plan/query.ts";
import type { Snapshot } from "../snapshot/snapshot.ts";

/** Where the rows of a plan come from. */
export interface AccessStep {
  readonly path: SourcePath;
  /** The field whose index is used. */
  readonly field: string | undefined;
  /**
   * The criteria that the access path answers or narrows, a text for each group: of one group all
   * must hold.
   */
  readonly criteria: readonly string[];
  readonly estimatedRows: number;
  /** With `analyze`: how many rows were read. */
  readonly actualRows: number | undefined;
  readonly milliseconds: number | undefined;
  /** The plans whose union it is. */
  readonly parts: readonly QueryPlan[];
}

/** What removes rows. */
export interface FilterStep {
  readonly path: FilterPath;
  readonly criteria: readonly string[];
  /** How many rows are estimated to pass. */
  readonly estimatedRows: number;
  /** With `analyze`: how many rows passed. */
  readonly actualRows: number | undefined;
  readonly milliseconds: number | undefined;
  /** The indexes that would save this work, such as `sort(open_type)`. */
  readonly missingIndexes: readonly string[];
}

/** How the rows come into the order asked for. */
export interface SortStep {
  readonly path: OrderPath;
  readonly field: string;
  readonly order: SortOrder;
}

/** What changed since the indexes were built: it is searched apart, and merged in. */
export interface DeltaStep {
  /** How many records were changed or added. */
  readonly changedRows: number;
  /** How many rows of the indexes are passed over: their records were changed or removed. */
  readonly deadRows: number;
  /** In how many parts the changed records are; the predicate judges those of few rows. */
  readonly segments: number;
  /** With `analyze`: how many of the changed records the criteria select. */
  readonly actualRows: number | undefined;
  readonly milliseconds: number | undefined;
}

/** How a query is answered. Plain and frozen. */
export interface QueryPlan {
  readonly access: AccessStep;
  /** In the order in which they are applied. */
  readonly filters: readonly FilterStep[];
  readonly sort: SortStep | undefined;
  /** `undefined` where nothing has changed. */
  readonly delta: DeltaStep | undefined;
  readonly offset: number;
  /** `null` where there is none. */
  readonly limit: number | null;
  /** How many rows are estimated to match, before paging. */
  readonly estimatedRows: number;
  readonly estimatedMilliseconds: number;
  /** With `analyze`: how many rows the page has, and the time of the whole. */
  readonly actualRows: number | undefined;
  readonly milliseconds: number | undefined;
}

interface Measured {
  rows: number;
  milliseconds: number;
}

interface Measurements {
  readonly access: Measured;
  readonly filters: readonly Measured[];
  readonly delta: Measured;
  readonly whole: Measured;
}

/** Describes how a query is answered; with `analyze` also answers it and says what happened. */
export function explain(snapshot: Snapshot, query: ParsedQuery, analyze: boolean): QueryPlan {
  const [base, ...others] = snapshot.segments;
  const plan = planQuery(base, query);
  const measured = analyze ? measureAll(snapshot, query, plan) : undefined;
  return describePlan(plan, describeDelta(base, others, measured?.delta), measured);
}

function measureAll(snapshot: Snapshot, query: ParsedQuery, plan: Plan): Measurements {
  const nothing = (): Measured => ({ rows: 0, milliseconds: 0 });
  const [access, delta, whole] = [nothing(), nothing(), nothing()];
  const filters = plan.filters.map(nothing);
  const [base, ...others] = snapshot.segments;
  measure(whole, () => {
    let rows = 0;
    const add = (from: number, to: number) => (rows += to - from);
    if (others.length > 0)
      forEachRow(snapshot, query, (_segment, _rows, from, to) => add(from, to));
    else {
      const watcher = watch(access, filters);
      run(base, plan, (_rows, from, to) => add(from, to), query.deadline, watcher);
    }
    return rows;
  });
  if (others.length > 0) {
    run(base, plan, () => undefined, query.deadline, watch(access, filters));
    measure(delta, () => countRows(others, query));
  }
  return { access, filters, delta, whole };
}

function watch(access: Measured, filters: readonly Measured[]): Watcher {
  return {
    source: (source) => ({
      next: (batch, capacity) => measure(access, () => source.next(batch, capacity)),
      skip: (count) => source.skip(count),
    }),
    filter: (filter, position) => ({
      keep: (batch, length) =>
        measure(filters[position] ?? access, () => filter.keep(batch, length)),
    }),
  };
}

function measure(measured: Measured, step: () => number): number {
  const start = performance.now();
  const rows = step();
  measured.milliseconds += performance.now() - start;
  measured.rows += rows;
  return rows;
}

function describeDelta(
  { dead }: Segment,
  others: readonly Segment[],
  measured: Measured | undefined,
): DeltaStep | undefined {
  if (dead.count === 0 && others.length === 0) return undefined;
  return Object.freeze({
    changedRows: others.reduce((sum, { live }) => sum + live, 0),
    deadRows: dead.count,
    segments: others.length,
    actualRows: measured?.rows,
    milliseconds: measured?.milliseconds,
  });
}

function describePlan(
  plan: Plan,
  delta: DeltaStep | undefined,
  measured: Measurements | undefined,
): QueryPlan {
  const { source, filters, sort, limit } = plan;
  let passing = source.rows;
  return Object.freeze({
    access: Object.freeze({
      path: source.path,
      field: source.field,
      criteria: texts(source.groups),
      estimatedRows: Math.round(source.rows),
      actualRows: measured?.access.rows,
      milliseconds: measured?.access.milliseconds,
      parts: Object.freeze(source.parts.map((part) => describePlan(part, undefined, undefined))),
    }),
    filters: Object.freeze(
      filters.map((filter, position) => {
        passing = Math.min(passing * filter.selectivity, passing);
        return Object.freeze({
          path: filter.path,
          criteria: texts(filter.groups),
          estimatedRows: Math.round(passing),
          actualRows: measured?.filters[position]?.rows,
          milliseconds: measured?.filters[position]?.milliseconds,
          missingIndexes: Object.freeze(
            filter.missing.map(({ kind, field }) => `${kind}(${field})`),
          ),
        });
      }),
    ),
    sort:
      sort === undefined
        ? undefined
        : Object.freeze({ path: plan.order, field: sort.field, order: sort.order }),
    delta,
    offset: plan.offset,
    limit: limit === UNLIMITED ? null : limit,
    estimatedRows: Math.round(plan.rows),
    estimatedMilliseconds: plan.cost / 1e6,
    actualRows: measured?.whole.rows,
    milliseconds: measured?.whole.milliseconds,
  });
}

function texts(groups: readonly Group[]): readonly string[] {
  return Object.freeze(groups.map((group) => someOf(group.map(criterionText)).join(" and ")));
}

function criterionText({ field, operator, value }: ParsedCriterion): string {
  const values = Array.isArray(value) ? value : [value];
  const shown = values
    .slice(0, 3)
    .map((each: unknown) => (typeof each === "string" ? quote(each) : String(each)));
  if (values.length > shown.length) shown.push(`… ${values.length - shown.length} more`);
  return `${field} ${operator} ${shown.join(", ")}`;
}

const ACCESS: Readonly<Record<SourcePath, string>> = {
  scan: "scan every row",
  run: "read the run of one value",
  runs: "gather the runs of several values",
  trigrams: "find candidates by trigrams",
  walk: "walk the index",
  union: "unite",
  nothing: "read nothing, no row can match",
};

const FILTER: Readonly<Record<FilterPath, string>> = {
  codes: "keep by code",
  trigrams: "keep by trigrams",
  test: "keep by testing the value",
  predicate: "keep by the predicate",
  union: "keep what is in the union",
  alive: "keep what has not changed since",
};

const SORT: Readonly<Record<OrderPath, string>> = {
  source: "in order as read",
  select: "select the page by index codes",
  sort: "sort the values, without an index",
};

/** A plan as an indented tree: what happens last stands first. */
export function formatPlan(plan: QueryPlan): string {
  const { offset, limit, estimatedMilliseconds, milliseconds, actualRows } = plan;
  const page = `page: ${limit === null ? "all rows" : rowCount(limit)} at offset ${number(offset)}`;
  const took =
    milliseconds === undefined
      ? ""
      : `, took ${time(milliseconds)} for ${rowCount(actualRows ?? 0)}`;
  const estimated = `, estimated ${time(estimatedMilliseconds)}`;
  const delta = plan.delta === undefined ? [] : [`  ${deltaLine(plan.delta)}`];
  return [page + estimated + took, ...delta, ...linesOf(plan, 1 + delta.length)].join("\n");
}

function deltaLine({ changedRows, deadRows, segments, actualRows, milliseconds }: DeltaStep) {
  const parts = `${number(segments)} ${segments === 1 ? "segment" : "segments"}`;
  const selected =
    actualRows === undefined
      ? ""
      : `: ${number(actualRows)} of them selected in ${time(milliseconds ?? 0)}`;
  return `merge with what changed since: ${rowCount(changedRows)} in ${parts}${selected}; ${rowCount(deadRows)} of the indexes dead`;
}

function linesOf({ access, filters, sort }: QueryPlan, depth: number): string[] {
  const steps: string[] = [];
  if (sort !== undefined) steps.push(`sort by ${sort.field} ${sort.order}: ${SORT[sort.path]}`);
  for (const filter of filters.toReversed()) {
    const missing =
      filter.missingIndexes.length === 0 ? "" : `; no index ${filter.missingIndexes.join(", ")}`;
    steps.push(`${FILTER[filter.path]}${listed(filter)} — ${progress(filter)}${missing}`);
  }
  const field = access.field === undefined ? "" : ` of ${access.field}`;
  steps.push(`${ACCESS[access.path]}${field}${listed(access)} — ${progress(access)}`);
  const lines = steps.map((step, level) => "  ".repeat(depth + level) + step);
  for (const part of access.parts) lines.push(...linesOf(part, depth + steps.length));
  return lines;
}

/** So many criteria of a group, and groups of a step, are written out. */
const MOST_LISTED = 8;

function someOf(texts: readonly string[]): string[] {
  const shown = texts.slice(0, MOST_LISTED);
  if (texts.length > shown.length) shown.push(`… ${number(texts.length - shown.length)} more`);
  return shown;
}

function listed({ criteria }: AccessStep | FilterStep): string {
  return criteria.length === 0 ? "" : `: ${someOf(criteria).join(" | ")}`;
}

function progress(step: AccessStep | FilterStep): string {
  const estimated = `about ${rowCount(step.estimatedRows)}`;
  return step.actualRows === undefined
    ? estimated
    : `${estimated}, actually ${number(step.actualRows)} in ${time(step.milliseconds ?? 0)}`;
}

function rowCount(value: number): string {
  return `${number(value)} ${value === 1 ? "row" : "rows"}`;
}

function number(value: number): string {
  return value.toLocaleString("en-US");
}

function time(milliseconds: number): string {
  return milliseconds < 1
    ? `${(milliseconds * 1000).toFixed(1)} µs`
    : `${milliseconds.toFixed(1)} ms`;
}
