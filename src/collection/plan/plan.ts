// What a plan is: the source of its rows, what removes some of them, and how the rest are ordered. A
// plan is data, which the executor runs and `explain` describes. All plans of a query give the
// predicate's answer; they differ in cost.

import type { ParsedCriterion } from "../../criteria/parse.ts";
import type { WireValue } from "../../schema/field.ts";
import type { AnyRecord } from "../../schema/schema.ts";
import type { Bitset } from "../algorithms/bitset.ts";
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

/** What every step knows. */
interface Step {
  /** The criteria that it answers: at least one of the groups must hold completely. */
  readonly groups: readonly Group[];
}

/** What is known to a step that reads an ordered index. */
interface OnIndex extends Step {
  readonly index: FieldIndex;
}

/** A stretch of an index, to be read in the order of values. */
interface Stretch extends OnIndex {
  readonly field: string;
  /** The codes from `low` up to `high`. */
  readonly low: number;
  readonly high: number;
  readonly descending: boolean;
}

interface Union extends Step {
  readonly parts: readonly Plan[];
}

/** What is known to a source of each path within a segment. `paths.ts` says what is done with it. */
export interface SourceSteps {
  /** All live rows, in insertion order. */
  readonly scan: Step;
  /** None: criteria match no value of their field. */
  readonly nothing: Step;
  /** The live rows of one value; `live` is their number. */
  readonly "index-lookup": OnIndex & { readonly code: number; readonly live: number };
  /** The rows of several values, dead ones included, in insertion order. */
  readonly "bitmap-scan": OnIndex & { readonly set: CodeSet; readonly rows: number };
  /** The rows with all trigrams of some texts, dead ones included. */
  readonly trigrams: Step & { readonly postings: readonly Posting[] };
  /** The live rows of a stretch of an index, in the order of their values. */
  readonly "index-scan": Stretch;
  /** The rows of such a stretch at selected positions. */
  readonly "selected-scan": Stretch & { readonly selected: RankedBits };
  /** The rows of several plans, in insertion order. */
  readonly union: Union;
  /** The live rows of one value, found by comparing digests. */
  readonly "digest-lookup": Step & { readonly field: string; readonly value: WireValue };
  /** All rows, in the order of a field of numbers that has digests. No row is dead. */
  readonly "digest-sort": Step & { readonly field: string; readonly descending: boolean };
  /** The live rows that the predicate accepts: it checks each of a few rows. */
  readonly predicate: Step;
  /** Live rows found before, in the requested order; perhaps not all. */
  readonly "kept-rows": Step & { readonly rows: ArrayLike<number> };
  /** The rows of a search that was answered whole before, dead ones included. */
  readonly "row-set": Step & { readonly bits: Bitset };
  /** All rows in an order: those kept before a change, with what it removed and added. */
  readonly "resorted-rows": Step & {
    readonly sort: Sort;
    readonly rows: ArrayLike<number>;
    readonly splice: Splice;
  };
}

/** What is known to a source that has the page of a whole snapshot: no segment is asked. */
export interface PageSteps {
  /** The page of all records in the order of a field, kept since it was asked for before. */
  readonly "kept-page": Step & { readonly field: string; readonly records: readonly AnyRecord[] };
}

interface AccessSteps extends SourceSteps, PageSteps {}

export type SourcePath = keyof SourceSteps;

export type PagePath = keyof PageSteps;

/** A path of either kind. */
export type AccessPath = { [P in keyof AccessSteps]: P }[keyof AccessSteps];

/** How a source finds its rows. */
export type SourceStep<Path extends AccessPath = SourcePath> = {
  [P in Path]: { readonly path: P } & AccessSteps[P];
}[Path];

export interface SourcePlan<Path extends AccessPath = SourcePath> {
  readonly step: SourceStep<Path>;
  /** The most rows it can have; the exact number, unless it is a union or may produce dead rows. */
  readonly rows: number;
  /** Nanoseconds before its first row, and for each row. */
  readonly setUp: number;
  readonly perRow: number;
}

/** What is known to a filter of each path. */
export interface FilterSteps {
  /** Keeps rows by the code of their value. */
  readonly codes: OnIndex & { readonly set: CodeSet; readonly rows: number };
  /** Those that have all trigrams of some texts. */
  readonly trigrams: Step & { readonly postings: readonly Posting[] };
  /** Those whose value passes a test. */
  readonly test: Step & {
    readonly criterion: ParsedCriterion;
    /** An index that searches the values of many rows at once. */
    readonly searched: FieldIndex | undefined;
  };
  /** Those that the predicate of all criteria accepts. */
  readonly predicate: Step;
  /** Those in the union of other plans. */
  readonly union: Union;
  /** Those that are live: neither changed nor removed. */
  readonly live: Step;
}

export type FilterPath = { [P in keyof FilterSteps]: P }[keyof FilterSteps];

/** How a filter checks a row. */
export type FilterStep<Path extends FilterPath = FilterPath> = {
  [P in Path]: { readonly path: P } & FilterSteps[P];
}[Path];

export interface FilterPlan {
  readonly step: FilterStep;
  /** The indexes that would have saved its work. */
  readonly missing: readonly IndexName[];
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

/** What the first rows are kept as: those of a search, or those in an order. */
export type KeepingFirst =
  | { readonly as: "result"; readonly search: Search }
  | { readonly as: "top-rows"; readonly sort: Sort };

/** What rows are kept as: the first, or all of a search. */
export type Keeping = KeepingFirst | { readonly as: "row-set"; readonly search: Search };

/** A plan for a segment or, if its source has one of those paths, for a snapshot. */
export interface Plan<Path extends AccessPath = SourcePath> {
  readonly source: SourcePlan<Path>;
  readonly filters: readonly FilterPlan[];
  readonly order: OrderStep;
  /** How many rows from all over the collection its filters have to check. */
  readonly scatteredRows: number;
  /** What its rows are kept as for the next time. */
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

export type OrderPath = OrderStep["path"];

/** Whether the page of a plan is consecutive in its source. */
export function isReadOff({ source, filters, order }: Plan, path: SourcePath): boolean {
  return source.step.path === path && filters.length === 0 && order.path === "source";
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
