// What a person can read of a plan: a frozen tree of steps, the last one first, and its text.

import type { ParsedCriterion } from "../criteria/parse.ts";
import { quote } from "../schema/errors.ts";
import { run, type Watcher } from "./execute.ts";
import type { FilterPath, OrderPath, Plan, PlanContext, SourcePath } from "./plan.ts";
import type { SortOrder } from "./query.ts";

/** Where the rows of a plan come from. */
export interface AccessStep {
  readonly path: SourcePath;
  /** The field whose index is used. */
  readonly field: string | undefined;
  /** The criteria that the access path answers or narrows. */
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

/** How a query is answered. Plain and frozen. */
export interface QueryPlan {
  readonly access: AccessStep;
  /** In the order in which they are applied. */
  readonly filters: readonly FilterStep[];
  readonly sort: SortStep | undefined;
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

/** Describes a plan; with `analyze` also runs it and says what happened. */
export function explain(context: PlanContext, plan: Plan, analyze: boolean): QueryPlan {
  if (!analyze) return describePlan(plan, undefined, []);
  const access: Measured = { rows: 0, milliseconds: 0 };
  const filters: Measured[] = plan.filters.map(() => ({ rows: 0, milliseconds: 0 }));
  const start = performance.now();
  let rows = 0;
  run(context, plan, (_, from, to) => (rows += to - from), watch(access, filters));
  const whole: Measured = { rows, milliseconds: performance.now() - start };
  return describePlan(plan, { access, whole }, filters);
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

function describePlan(
  plan: Plan,
  measured: { readonly access: Measured; readonly whole: Measured } | undefined,
  measuredFilters: readonly Measured[],
): QueryPlan {
  const { source, filters, sort, limit } = plan;
  let passing = source.rows;
  return Object.freeze({
    access: Object.freeze({
      path: source.path,
      field: source.field,
      criteria: texts(source.criteria),
      estimatedRows: Math.round(source.rows),
      actualRows: measured?.access.rows,
      milliseconds: measured?.access.milliseconds,
      parts: Object.freeze(source.parts.map((part) => describePlan(part, undefined, []))),
    }),
    filters: Object.freeze(
      filters.map((filter, position) => {
        passing = Math.min(passing * filter.selectivity, passing);
        return Object.freeze({
          path: filter.path,
          criteria: texts(filter.criteria),
          estimatedRows: Math.round(passing),
          actualRows: measuredFilters[position]?.rows,
          milliseconds: measuredFilters[position]?.milliseconds,
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
    offset: plan.offset,
    limit: limit === Infinity ? null : limit,
    estimatedRows: Math.round(plan.rows),
    estimatedMilliseconds: plan.cost / 1e6,
    actualRows: measured?.whole.rows,
    milliseconds: measured?.whole.milliseconds,
  });
}

function texts(criteria: readonly ParsedCriterion[]): readonly string[] {
  return Object.freeze(criteria.map(criterionText));
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
  return [page + estimated + took, ...linesOf(plan, 1)].join("\n");
}

function linesOf({ access, filters, sort }: QueryPlan, depth: number): string[] {
  const steps: string[] = [];
  if (sort !== undefined) steps.push(`sort by ${sort.field} ${sort.order}: ${SORT[sort.path]}`);
  for (const filter of filters.toReversed()) {
    const missing =
      filter.missingIndexes.length === 0 ? "" : `; no index ${filter.missingIndexes.join(", ")}`;
    steps.push(
      `${FILTER[filter.path]}: ${filter.criteria.join(" | ")} — ${progress(filter)}${missing}`,
    );
  }
  const field = access.field === undefined ? "" : ` of ${access.field}`;
  const criteria = access.criteria.length === 0 ? "" : `: ${access.criteria.join(" | ")}`;
  steps.push(`${ACCESS[access.path]}${field}${criteria} — ${progress(access)}`);
  const lines = steps.map((step, level) => "  ".repeat(depth + level) + step);
  for (const part of access.parts) lines.push(...linesOf(part, depth + steps.length));
  return lines;
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
