// The steps of a plan in words, in the order in which they run.

import type { QueryPlan } from "../../index.ts";
import { count } from "./words.ts";

/** How many records the plan is asked for: what a page of the table takes. */
export const PLANNED_PAGE = 50;

const SOURCES: Readonly<Record<QueryPlan["access"]["path"], string>> = {
  scan: "every record, in insertion order",
  "scan-after": "the records after a cursor, in insertion order",
  nothing: "0 records: no value matches",
  "index-lookup": "one value of the index",
  "bitmap-scan": "some values of the index",
  trigrams: "records that have all the trigrams",
  "index-scan": "the index, in its order",
  "compound-scan": "the compound index, by the ranks of its rows",
  union: "the union of these",
  complement: "all records but these",
  predicate: "a few records, each tested by all criteria",
  "row-set": "the records of the previous query",
};

const FILTERS: Readonly<Record<QueryPlan["filters"][number]["path"], string>> = {
  codes: "filter by the codes of an index",
  trigrams: "filter by trigrams",
  test: "test the value of each record",
  any: "keep the records that any of several criteria accepts",
  union: "keep the union of these",
  complement: "keep all but these",
  after: "keep the records after a cursor",
  live: "skip changed records",
};

const ORDERS: Readonly<Record<NonNullable<QueryPlan["sort"]>["path"], string>> = {
  source: "in order as read",
  select: "the page selected by the codes of an index",
  sort: "sorted by value",
};

export interface Step {
  readonly what: string;
  readonly criteria: readonly string[];
  readonly estimated: number | undefined;
  readonly rows: number | undefined;
  /** In milliseconds. */
  readonly took: number | undefined;
  /** How far the estimate was off, if it was far off. */
  readonly wrong: string | undefined;
  /** Whether a full page ended it long before the estimate. */
  readonly isStopped: boolean;
  /** What else there is to say. */
  readonly note: string;
  /** The plans whose rows it has together. */
  readonly parts: readonly QueryPlan[];
}

/** An estimate that is this many times too high or too low is wrong. */
const WRONG = 10;

export function stepsOf(plan: QueryPlan): Step[] {
  const { access, filters, sort, ties, limit, actualRows } = plan;
  // A full page ends the reading: that fewer rows were read than estimated is then no mistake.
  const isCut = limit !== null && actualRows === limit;
  const steps = [
    stepOf(sourceText(access), access, isCut, "", access.parts),
    ...filters.map((filter) => {
      const { missingIndexes } = filter;
      const note = missingIndexes.length > 0 ? `${missingIndexes.join(", ")} would save this` : "";
      return stepOf(FILTERS[filter.path], filter, isCut, note);
    }),
  ];
  if (sort !== undefined) {
    steps.push(stepOf(`${sort.field} ${sort.order}: ${ORDERS[sort.path]}`, {}, isCut));
  }
  if (ties !== undefined) {
    const by = ties.sorts.map(({ field, order }) => `${field} ${order}`).join(", ");
    steps.push(stepOf(`ties by ${by}`, ties, isCut));
  }
  // A part of a union hands out all that it has.
  if (limit === null) return steps;
  const took = [access, ...filters, ties].reduce((sum, step) => sum + (step?.milliseconds ?? 0), 0);
  const rest = plan.milliseconds === undefined ? undefined : plan.milliseconds - took;
  const what = `planning, and a page of ${count(limit)}`;
  const note = isCut ? "The page is full: reading stops." : "";
  return [...steps, stepOf(what, { actualRows, milliseconds: rest }, isCut, note)];
}

interface Measured {
  readonly criteria?: readonly string[];
  readonly estimatedRows?: number;
  readonly actualRows?: number | undefined;
  readonly milliseconds?: number | undefined;
}

function stepOf(
  what: string,
  { criteria = [], estimatedRows, actualRows, milliseconds }: Measured,
  isCut: boolean,
  note = "",
  parts: readonly QueryPlan[] = [],
): Step {
  const estimated = estimatedRows === undefined ? undefined : Math.round(estimatedRows);
  const rows = actualRows;
  const times =
    estimated === undefined || rows === undefined ? 1 : Math.max(1, estimated) / Math.max(1, rows);
  const isStopped = isCut && times >= WRONG;
  return {
    ...{ what, criteria, estimated, rows, took: milliseconds, isStopped, note, parts },
    wrong: isStopped ? undefined : mistake(times),
  };
}

function mistake(times: number): string | undefined {
  if (times >= WRONG) return `${count(Math.round(times))} times too many`;
  return times <= 1 / WRONG ? `${count(Math.round(1 / times))} times too few` : undefined;
}

function sourceText({ path, field }: QueryPlan["access"]): string {
  return field === undefined || path === "nothing" ? SOURCES[path] : `${SOURCES[path]} of ${field}`;
}
