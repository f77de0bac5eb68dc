// Every operator, by the path that steps name. Adding one means adding a file, its step in plan.ts, and a line here.

import type { Deadline } from "../algorithms/deadline.ts";
import type { FieldIndex } from "../indexes/field-index.ts";
import { UNLIMITED } from "../query.ts";
import type { Segment } from "../versions/segment.ts";
import { afterFilter, scanAfterOperator } from "./after.ts";
import { anyFilter } from "./any.ts";
import { bitmapScanOperator } from "./bitmap-scan.ts";
import { complementFilter, complementOperator } from "./complement.ts";
import { costs } from "./costs.ts";
import type { Filter } from "./filter.ts";
import { indexLookupOperator } from "./index-lookup.ts";
import { indexScanOperator } from "./index-scan.ts";
import { codesFilter } from "./keep-codes.ts";
import { liveFilter } from "./keep-live.ts";
import { nothingOperator } from "./nothing.ts";
import type { FilterOperator, List, Opening, SelectedCodes, SourceOperator } from "./operator.ts";
import type { FilterPath, FilterStep, OrderPath, Plan, SourcePath, SourceStep } from "./plan.ts";
import { predicateOperator } from "./predicate.ts";
import { rowSetOperator } from "./row-set.ts";
import { scanOperator } from "./scan.ts";
import { compoundScanOperator } from "./compound-scan.ts";
import { ListSource, type Source } from "./source.ts";
import { testFilterOperator } from "./test-values.ts";
import { trigramFilter, trigramsOperator } from "./trigrams.ts";
import { unionFilter, unionOperator } from "./union.ts";

export const sourceOperators: { readonly [Path in SourcePath]: SourceOperator<Path> } = {
  scan: scanOperator,
  "scan-after": scanAfterOperator,
  nothing: nothingOperator,
  "index-lookup": indexLookupOperator,
  "bitmap-scan": bitmapScanOperator,
  trigrams: trigramsOperator,
  "index-scan": indexScanOperator,
  "compound-scan": compoundScanOperator,
  union: unionOperator,
  complement: complementOperator,
  predicate: predicateOperator,
  "row-set": rowSetOperator,
};

export const filterOperators: { readonly [Path in FilterPath]: FilterOperator<Path> } = {
  codes: codesFilter,
  trigrams: trigramFilter,
  test: testFilterOperator,
  any: anyFilter,
  union: unionFilter,
  complement: complementFilter,
  after: afterFilter,
  live: liveFilter,
};

/** How `explain` describes an order, and its cost per row. */
export const orders: Readonly<
  Record<OrderPath, { readonly words: string; readonly perRow: number }>
> = {
  source: { words: "in order as read", perRow: 0 },
  select: { words: "select the page by index codes", perRow: costs.selectRow },
  sort: { words: "sort the values, without an index", perRow: costs.sortRow },
};

/** The rows of a source as a list; `undefined` if they come in batches. @throws DeadlineError */
export function listOf<Path extends SourcePath>(
  step: SourceStep<Path>,
  segment: Segment,
  needed: number,
  deadline: Deadline | undefined,
): List | undefined {
  return sourceOperators[step.path].list?.(step, segment, needed, deadline);
}

/** @throws DeadlineError */
export function openSource<Path extends SourcePath>(
  step: SourceStep<Path>,
  opening: Opening,
): Source {
  const row = sourceOperators[step.path];
  if (row.open !== undefined) return row.open(step, opening);
  return new ListSource(row.list(step, opening.segment, UNLIMITED, opening.deadline).rows);
}

/** @throws DeadlineError */
export function openFilter<Path extends FilterPath>(
  step: FilterStep<Path>,
  opening: Opening,
  scatteredRows: number,
): Filter {
  return filterOperators[step.path].open(step, opening, scatteredRows, openFilter);
}

/** The field whose index a source reads. */
export function fieldOf<Path extends SourcePath>(step: SourceStep<Path>): string | undefined {
  return sourceOperators[step.path].field?.(step);
}

/** The codes whose live rows are exactly the live rows of a source, if it can give them. */
export function codesOf<Path extends SourcePath>(
  step: SourceStep<Path>,
  anyIndex: FieldIndex | undefined,
): SelectedCodes | undefined {
  return sourceOperators[step.path].codes?.(step, anyIndex);
}

/** How many rows a plan selects in a segment, if that is known before it runs. */
export function knownRows({ source, filters }: Plan, { dead }: Segment): number | undefined {
  const { path } = source.step;
  if (filters.length === 0) {
    const { isEstimated = false } = sourceOperators[path];
    return isEstimated ? undefined : source.rows;
  }
  // The codes include dead rows.
  const { step } = filters[0]!;
  const isByCodes = path === "scan" && filters.length === 1 && step.path === "codes";
  return isByCodes && dead.count === 0 ? step.rows : undefined;
}

/** The length of a plan's page, if it is known before the plan runs; otherwise 0. */
export function knownLength(plan: Plan, segment: Segment): number {
  const { offset, limit } = plan;
  const rows = knownRows(plan, segment) ?? 0;
  return Math.min(limit, Math.max(0, rows - offset));
}
