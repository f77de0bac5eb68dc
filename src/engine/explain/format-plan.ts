// A plan as text: an indented tree, the last step first.

import { countOperators } from "../operators/counts/table.ts";
import { groupOperators } from "../operators/groups/table.ts";
import { sourceOperators, filterOperators, orders } from "../operators/table.ts";
import {
  someOf,
  type AccessStep,
  type DeltaStep,
  type FilterStep,
  type QueryPlan,
  type SortStep,
  type TiesStep,
} from "./explain.ts";
import type { CountQueryPlan } from "./explain-count.ts";
import type { GroupByPlan, GroupByStep } from "./explain-group-by.ts";

/** A plan of a query, a count or groups as an indented tree, the last step first. */
export function formatPlan(plan: QueryPlan | CountQueryPlan | GroupByPlan): string {
  if (!("changes" in plan)) return formatPage(plan);
  return "keys" in plan
    ? formatMade(plan, `groups${listingText(plan)}`, groupLines)
    : formatMade(plan, "count", countLines);
}

/** A plan of what is added up over segments. */
function formatMade<Step extends { readonly estimatedMilliseconds: number }>(
  plan: Step & { readonly changes: readonly Step[] },
  what: string,
  linesOfStep: (step: Step, depth: number) => string[],
): string {
  const more = plan.changes.flatMap((each) => [
    "  add what was changed since",
    ...linesOfStep(each, 2),
  ]);
  const first = `${what}: estimated ${time(plan.estimatedMilliseconds)}`;
  return [first, ...linesOfStep(plan, 1), ...more].join("\n");
}

function listingText({ sort, offset, limit }: GroupByPlan): string {
  const order = sort.map(([name, each]) => `${name} ${each}`).join(", ");
  const by = order === "" ? "" : ` by ${order}`;
  const after = offset === 0 ? "" : ` after ${number(offset)}`;
  return limit === null ? by + after : `${by}, the first ${number(limit)}${after}`;
}

function groupLines(step: GroupByStep, depth: number): string[] {
  const { path, field, keys, measured, estimatedRows, parts, rows } = step;
  const ofIndex = field ?? keys.find((key) => key.path === "runs")?.field;
  const of = ofIndex === undefined ? "" : ` of ${ofIndex}`;
  const how = keys.flatMap((key) =>
    key.path === "runs" ? [] : [`the ${key.path} of ${key.field}`],
  );
  const by = how.length === 0 ? "" : ` by ${how.join(", ")}`;
  const read = measured.length === 0 ? "" : `; measure ${someOf(measured).join(", ")}`;
  const ofRows = estimatedRows === 0 || rows ? "" : ` — ${rowCount(estimatedRows)}`;
  return [
    "  ".repeat(depth) + groupOperators[path].words + of + by + read + ofRows,
    ...parts.flatMap((part) => groupLines(part, depth + 1)),
    ...(rows === undefined ? [] : linesOf(rows, depth + 1)),
  ];
}

function countLines({ path, fields, parts, rows }: CountQueryPlan, depth: number): string[] {
  const of = fields.length === 0 ? "" : ` of ${someOf(fields).join(", ")}`;
  return [
    "  ".repeat(depth) + countOperators[path].words + of,
    ...parts.flatMap((part) => countLines(part, depth + 1)),
    ...(rows === undefined ? [] : linesOf(rows, depth + 1)),
  ];
}

function formatPage(plan: QueryPlan): string {
  const { offset, limit, estimatedMilliseconds, milliseconds, actualRows, bytesRead } = plan;
  const page = `page: ${limit === null ? "all rows" : rowCount(limit)} at offset ${number(offset)}`;
  const took =
    milliseconds === undefined
      ? ""
      : `, took ${time(milliseconds)} for ${rowCount(actualRows ?? 0)}`;
  const estimated = `, estimated ${time(estimatedMilliseconds)}`;
  const read = bytesRead ? `, read ${number(bytesRead)} bytes` : "";
  const ties = plan.ties === undefined ? [] : tiesLines(plan.ties);
  let depth = ties.length + 1;
  const delta = plan.delta === undefined ? [] : deltaLines(plan.delta, depth);
  if (plan.delta !== undefined) depth++;
  return [page + estimated + took + read, ...ties, ...delta, ...linesOf(plan, depth)].join("\n");
}

function tiesLines({ sorts, actualRows, milliseconds }: TiesStep): string[] {
  const measured =
    actualRows === undefined ? "" : ` — ${rowCount(actualRows)} in ${time(milliseconds ?? 0)}`;
  return sorts
    .map((sort) => `order ties by ${sortText(sort)}`)
    .reverse()
    .map((line, i) => "  ".repeat(i + 1) + line + (i === 0 ? measured : ""));
}

const sortText = ({ path, field, order }: SortStep) => `${field} ${order}: ${orders[path].words}`;

function deltaLines(delta: DeltaStep, depth: number): string[] {
  const { changedRows, deadRows, segments, plans, actualRows, milliseconds } = delta;
  const parts = `${number(segments)} ${segments === 1 ? "segment" : "segments"}`;
  const selected =
    actualRows === undefined
      ? ""
      : `: ${number(actualRows)} of them selected in ${time(milliseconds ?? 0)}`;
  const merge = `merge with what changed since: ${rowCount(changedRows)} in ${parts}${selected}; ${rowCount(deadRows)} of the indexes dead`;
  const indent = "  ".repeat(depth);
  return [indent + merge, ...plans.flatMap((plan) => linesOf(plan, depth + 1))];
}

function linesOf({ access, filters, sort }: QueryPlan, depth: number): string[] {
  const steps: string[] = [];
  if (sort !== undefined) steps.push(`sort by ${sortText(sort)}`);
  for (const filter of filters.toReversed()) {
    const missing =
      filter.missingIndexes.length === 0 ? "" : `; no index ${filter.missingIndexes.join(", ")}`;
    steps.push(
      `${filterOperators[filter.path].words}${listed(filter)} — ${progress(filter)}${missing}`,
    );
  }
  const field = access.field === undefined ? "" : ` of ${access.field}`;
  steps.push(
    `${sourceOperators[access.path].words}${field}${listed(access)} — ${progress(access)}`,
  );
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
