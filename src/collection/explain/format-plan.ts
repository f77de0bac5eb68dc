// A plan as text: an indented tree, in which what happens last stands first.

import type { FilterPath, OrderPath, SourcePath } from "../plan/plan.ts";
import {
  someOf,
  type AccessStep,
  type DeltaStep,
  type FilterStep,
  type QueryPlan,
} from "./explain.ts";

const ACCESS: Readonly<Record<SourcePath, string>> = {
  scan: "scan every row",
  "index-lookup": "index lookup",
  "bitmap-scan": "bitmap scan of several values",
  trigrams: "find candidates by trigrams",
  "index-scan": "index scan",
  union: "unite",
  nothing: "read nothing, no row can match",
  "digest-lookup": "lookup by digest",
  judge: "judge each row",
  "kept-rows": "hand out kept rows",
};

const FILTER: Readonly<Record<FilterPath, string>> = {
  codes: "keep by code",
  trigrams: "keep by trigrams",
  test: "keep by testing the value",
  predicate: "keep by the predicate",
  union: "keep what is in the union",
  live: "keep what has not changed since",
};

const SORT: Readonly<Record<OrderPath, string>> = {
  source: "in order as read",
  select: "select the page by index codes",
  sort: "sort the values, without an index",
};

/** A plan as an indented tree: what happens last stands first. */
export function formatPlan(plan: QueryPlan): string {
  const { offset, limit, estimatedMilliseconds, milliseconds, actualRows, bytesRead } = plan;
  const page = `page: ${limit === null ? "all rows" : rowCount(limit)} at offset ${number(offset)}`;
  const took =
    milliseconds === undefined
      ? ""
      : `, took ${time(milliseconds)} for ${rowCount(actualRows ?? 0)}`;
  const estimated = `, estimated ${time(estimatedMilliseconds)}`;
  const read = bytesRead ? `, read ${number(bytesRead)} bytes` : "";
  const delta = plan.delta === undefined ? [] : deltaLines(plan.delta);
  const depth = plan.delta === undefined ? 1 : 2;
  return [page + estimated + took + read, ...delta, ...linesOf(plan, depth)].join("\n");
}

function deltaLines(delta: DeltaStep): string[] {
  const { changedRows, deadRows, segments, plans, actualRows, milliseconds } = delta;
  const parts = `${number(segments)} ${segments === 1 ? "segment" : "segments"}`;
  const selected =
    actualRows === undefined
      ? ""
      : `: ${number(actualRows)} of them selected in ${time(milliseconds ?? 0)}`;
  const merge = `merge with what changed since: ${rowCount(changedRows)} in ${parts}${selected}; ${rowCount(deadRows)} of the indexes dead`;
  return [`  ${merge}`, ...plans.flatMap((plan) => linesOf(plan, 2))];
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
  if (milliseconds < 0.001) return `${(milliseconds * 1e6).toFixed(0)} ns`;
  return milliseconds < 1
    ? `${(milliseconds * 1000).toFixed(1)} µs`
    : `${milliseconds.toFixed(1)} ms`;
}
