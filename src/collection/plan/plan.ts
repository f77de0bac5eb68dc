// What a plan is: the source of its rows, what removes some of them, and how the rest are ordered. A
// plan is data, which the executor runs and `explain` describes. All plans of a query give the
// predicate's answer; they differ in cost.

import type { ParsedCriteria, ParsedCriterion } from "../../criteria/parse.ts";
import type { WireValue } from "../../schema/field.ts";
import type { RankedBits } from "../algorithms/ranked-bits.ts";
import type { Search } from "../cache/results.ts";
import type { Sort } from "../cache/top-rows.ts";
import type { Splice } from "../algorithms/splice.ts";
import type { CodeSet } from "../index/code-set.ts";
import type { FieldIndex } from "../index/field-index.ts";
import type { IndexName } from "../index/indexes.ts";
import type { Posting } from "../index/postings.ts";
import type { Selected } from "../index/selections.ts";
import type { ParsedQuery } from "./query.ts";

/** Criteria that must all hold. */
export type Group = readonly ParsedCriterion[];

/** How a source finds its rows. */
export type SourceStep =
  /** All live rows, in insertion order. */
  | { readonly path: "scan" }
  /** None: criteria match no value of their field. */
  | { readonly path: "nothing"; readonly groups: readonly Group[] }
  /** The live rows of one value: those of its code. */
  | (OnIndex & { readonly path: "index-lookup"; readonly code: number })
  /** The rows of several values, dead ones included, in insertion order. */
  | (OnIndex & { readonly path: "bitmap-scan"; readonly set: CodeSet; readonly rows: number })
  /** The rows with all trigrams of some texts, dead ones included. */
  | {
      readonly path: "trigrams";
      readonly postings: readonly Posting[];
      readonly groups: readonly Group[];
    }
  /** The live rows of the codes from `low` up to `high`, in the order of their values. */
  | (OnIndex & {
      readonly path: "index-scan";
      readonly field: string;
      readonly low: number;
      readonly high: number;
      readonly descending: boolean;
    })
  /** Of the same rows those at selected positions. */
  | (OnIndex & {
      readonly path: "selected-scan";
      readonly field: string;
      readonly low: number;
      readonly high: number;
      readonly descending: boolean;
      readonly selected: RankedBits;
    })
  /** The rows of several plans, in insertion order. */
  | UnionStep
  /** The live rows of one value, found by comparing digests. */
  | {
      readonly path: "digest-lookup";
      readonly field: string;
      readonly value: WireValue;
      readonly groups: readonly Group[];
    }
  /** All rows, in the order of a field of numbers that has digests. No row is dead. */
  | { readonly path: "digest-sort"; readonly field: string; readonly descending: boolean }
  /** The live rows that the predicate accepts: it judges each of a few rows. */
  | { readonly path: "judge"; readonly criteria: ParsedCriteria }
  /** Live rows found before, in the requested order; perhaps not all. */
  | {
      readonly path: "kept-rows";
      readonly rows: ArrayLike<number>;
      readonly groups: readonly Group[];
    }
  /** All rows in an order: those kept before a change, with what it removed and added. */
  | {
      readonly path: "resorted-rows";
      readonly sort: Sort;
      readonly rows: ArrayLike<number>;
      readonly splice: Splice;
    };

/** What an ordered index answers. */
interface OnIndex {
  readonly index: FieldIndex;
  /** The criteria that it answers: at least one of the groups must hold completely. */
  readonly groups: readonly Group[];
}

export interface UnionStep {
  readonly path: "union";
  readonly parts: readonly Plan[];
  readonly groups: readonly Group[];
}

export type SourcePath = SourceStep["path"];

export interface SourcePlan {
  readonly step: SourceStep;
  /** The most rows it can have; the exact number, unless it is a union or may produce dead rows. */
  readonly rows: number;
  /** Nanoseconds before its first row, and for each row. */
  readonly setUp: number;
  readonly perRow: number;
}

/** How a filter judges a row. */
export type FilterStep =
  /** By the code of its value. */
  | (OnIndex & { readonly path: "codes"; readonly set: CodeSet; readonly rows: number })
  /** By having all trigrams of some texts. */
  | {
      readonly path: "trigrams";
      readonly postings: readonly Posting[];
      readonly groups: readonly Group[];
    }
  /** By testing its value. */
  | {
      readonly path: "test";
      readonly criterion: ParsedCriterion;
      /** The index that would have saved its work. */
      readonly missing: IndexName | undefined;
    }
  /** By the predicate of all criteria. */
  | {
      readonly path: "predicate";
      readonly criteria: ParsedCriteria;
      /** The indexes that would have saved its work. */
      readonly missing: readonly IndexName[];
    }
  /** By being in the union of other plans. */
  | UnionStep
  /** By being live: neither changed nor removed. */
  | { readonly path: "live" };

export type FilterPath = FilterStep["path"];

export interface FilterPlan {
  readonly step: FilterStep;
  /** The share of rows that pass. */
  readonly selectivity: number;
  readonly setUp: number;
  /** Nanoseconds a row, if rows are consecutive. */
  readonly perRow: number;
  /** The extra nanoseconds for rows from all over the collection. */
  readonly scattered: number;
}

/** How the rows get into the requested order. */
export type OrderStep =
  /** They are read in this order. */
  | { readonly path: "source"; readonly missing: MissingSelection | undefined }
  /** A page of them is selected by the codes of an index. */
  | IndexOrder
  /** A page of them is selected by the digests of a field of numbers, or their values are sorted. */
  | ValueOrder;

export interface IndexOrder {
  readonly path: "select";
  readonly field: string;
  readonly descending: boolean;
  readonly index: FieldIndex;
  readonly missing: MissingSelection | undefined;
}

/** The selection that would have saved reading the rows before a page. */
export interface MissingSelection {
  /** The index in whose order it is. */
  readonly index: FieldIndex;
  readonly selected: Selected;
}

export interface ValueOrder {
  readonly path: "digests" | "sort";
  readonly field: string;
  readonly descending: boolean;
}

/** What rows are kept as: the result of a search, or the first in an order. */
export type Keeping =
  | { readonly as: "result"; readonly search: Search }
  | { readonly as: "top-rows"; readonly sort: Sort };

export type OrderPath = OrderStep["path"];

export interface Plan {
  readonly source: SourcePlan;
  readonly filters: readonly FilterPlan[];
  readonly order: OrderStep;
  /** How many rows from all over the collection its filters have to judge. */
  readonly scatteredRows: number;
  /** What its first rows are kept as for the next time. */
  readonly keeps: Keeping | undefined;
  readonly offset: number;
  readonly limit: number;
  /** The estimated number of matches before paging: a whole number, like the cost. */
  readonly rows: number;
  /** Estimated nanoseconds. */
  readonly cost: number;
}

/** The part of a query other than criteria. */
export type Page = Omit<ParsedQuery, "criteria">;

/** The criteria of a step: at least one of the groups must hold completely. */
export function groupsOf(step: SourceStep | FilterStep): readonly Group[] {
  switch (step.path) {
    case "scan":
    case "live":
    case "digest-sort":
    case "resorted-rows":
      return [];
    case "test":
      return [[step.criterion]];
    case "judge":
    case "predicate":
      return step.criteria.groups;
    default:
      return step.groups;
  }
}

/** The indexes that would have saved the work of a filter. */
export function missingIndexes(step: FilterStep): readonly IndexName[] {
  if (step.path === "predicate") return step.missing;
  return step.path === "test" && step.missing !== undefined ? [step.missing] : [];
}

/** What a source's path alone says about its rows, and how explain words it. */
export const sourcePaths: Readonly<Record<SourcePath, SourceRow>> = {
  scan: { words: "scan every row" },
  nothing: { words: "read nothing, no row can match" },
  "index-lookup": { words: "index lookup" },
  "bitmap-scan": { words: "bitmap scan of several values", handsOutDead: true },
  trigrams: { words: "find candidates by trigrams", handsOutDead: true },
  "index-scan": { words: "index scan" },
  // Dead rows are not counted before it runs.
  "selected-scan": { words: "index scan by rank", isEstimated: true },
  union: { words: "unite", isEstimated: true },
  "digest-lookup": { words: "lookup by digest", isEstimated: true },
  "digest-sort": { words: "sort by digest" },
  judge: { words: "judge each row", isEstimated: true },
  "kept-rows": { words: "hand out kept rows" },
  "resorted-rows": { words: "put what changed among kept rows" },
};

interface SourceRow {
  readonly words: string;
  /** Whether it may produce dead rows. */
  readonly handsOutDead?: true;
  /** Whether it may have fewer rows than it says, even if none is filtered. */
  readonly isEstimated?: true;
}

export const filterPaths: Readonly<Record<FilterPath, { readonly words: string }>> = {
  codes: { words: "keep by code" },
  trigrams: { words: "keep by trigrams" },
  test: { words: "keep by testing the value" },
  predicate: { words: "keep by the predicate" },
  union: { words: "keep what is in the union" },
  live: { words: "keep what has not changed since" },
};

export const orderPaths: Readonly<Record<OrderPath, { readonly words: string }>> = {
  source: { words: "in order as read" },
  select: { words: "select the page by index codes" },
  digests: { words: "select the page by digests" },
  sort: { words: "sort the values, without an index" },
};

/** Whether the page of a plan is consecutive in its source. */
export function isReadOff({ source, filters, order }: Plan, path: SourcePath): boolean {
  return source.step.path === path && filters.length === 0 && order.path === "source";
}

/** The number of rows of a plan's source, if it alone answers the criteria. */
export function knownRows({ source, filters }: Plan): number | undefined {
  const { isEstimated = false } = sourcePaths[source.step.path];
  return filters.length === 0 && !isEstimated ? source.rows : undefined;
}

/** The length of a plan's page, if it is known before the run; otherwise 0. */
export function knownLength(plan: Plan): number {
  const { offset, limit } = plan;
  const rows = knownRows(plan) ?? 0;
  return Math.min(limit, Math.max(0, rows - offset));
}

/** The plan, with what to keep its rows as, if they are kept. */
export function keeping(plan: Plan, keeps: Keeping | undefined): Plan {
  const { source, filters, order, scatteredRows, offset, limit, rows, cost } = plan;
  return { source, filters, order, scatteredRows, keeps, offset, limit, rows, cost };
}

/** The plan for another page. Its cost is that of the page for which it was made. */
export function onPage(plan: Plan, offset: number, limit: number): Plan {
  if (plan.offset === offset && plan.limit === limit) return plan;
  const { source, filters, order, scatteredRows, keeps, rows, cost } = plan;
  return { source, filters, order, scatteredRows, keeps, offset, limit, rows, cost };
}
