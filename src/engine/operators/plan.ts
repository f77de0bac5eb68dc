// What a plan is: the source of its rows, what removes some of them, and how the rest are ordered. A
// plan is data, which the executor runs and `explain` describes. All plans of a query give the
// predicate's answer; they differ in cost.

import type { CriteriaGroup, ParsedCriterion } from "../../criteria/tree.ts";
import type { Bitset } from "../algorithms/bitset.ts";
import type { RankBitmap } from "../algorithms/rank-bitmap.ts";
import type { Search } from "../cache/search.ts";
import type { CodeSet } from "../indexes/code-set.ts";
import type { FieldIndex } from "../indexes/field-index.ts";
import type { IndexName } from "../indexes/index-names.ts";
import type { Posting } from "../indexes/postings.ts";
import type { Selected } from "../indexes/selections.ts";
import type { ParsedQuery } from "../query.ts";

/** What every step knows. */
interface Step {
  /** The criteria that it answers: at least one of the groups must hold completely. */
  readonly groups: readonly CriteriaGroup[];
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

/** What is known to a source of each path within a segment. The file of its operator says what is done with it. */
export interface SourceSteps {
  /** All live rows, in insertion order. */
  readonly scan: Step;
  /** Those of them from a row on. */
  readonly "scan-after": Step & { readonly from: number };
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
  readonly "selected-scan": Stretch & { readonly selected: RankBitmap };
  /** The rows of several plans, in insertion order. */
  readonly union: Union;
  /** The live rows that the predicate accepts: it checks each of a few rows. */
  readonly predicate: Step;
  /** The rows of a search that was answered whole before, dead ones included. */
  readonly "row-set": Step & { readonly bits: Bitset };
}

/** How a source finds its rows. */
export type SourcePath = { [P in keyof SourceSteps]: P }[keyof SourceSteps];

export type SourceStep<Path extends SourcePath = SourcePath> = {
  [P in Path]: { readonly path: P } & SourceSteps[P];
}[Path];

export interface SourcePlan {
  readonly step: SourceStep;
  /** The most rows it can have; the exact number, unless it is a union or may produce dead rows. */
  readonly rows: number;
  /** Nanoseconds before its first row, and for each row. */
  readonly setUp: number;
  readonly perRow: number;
}

/**
 * A step with its estimated costs, in nanoseconds, as whole numbers: with fractions in some plans V8 would hold plans in
 * two shapes, and move every new plan of the first shape to the second.
 *
 * @param setUp before the first row
 */
export function withCost(step: SourceStep, rows: number, perRow: number, setUp = 0): SourcePlan {
  return { step, rows, setUp: Math.round(setUp), perRow: Math.round(perRow) };
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
  /** Those that all filters of at least one alternative keep. */
  readonly any: Step & { readonly alternatives: readonly (readonly FilterPlan[])[] };
  /** Those in the union of other plans. */
  readonly union: Union;
  /** Those from a row on. */
  readonly after: Step & { readonly from: number };
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
  readonly unbuiltIndexes: readonly IndexName[];
  /** The share of rows that pass. */
  readonly selectivity: number;
  readonly setUp: number;
  /** Nanoseconds a row, if rows are consecutive. */
  readonly perRow: number;
  /** The extra nanoseconds for rows from all over the collection. */
  readonly randomAccessCost: number;
}

/** How the rows get into the requested order. */
export type OrderStep =
  /** They are read in this order. */
  | { readonly path: "source"; readonly missing: MissingSelection | undefined }
  /** A page of them is selected by the codes of an index. */
  | IndexOrder
  /** Their values are sorted. */
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
  readonly path: "sort";
  readonly field: string;
  readonly descending: boolean;
}

/** A plan for a segment. */
export interface Plan {
  readonly source: SourcePlan;
  readonly filters: readonly FilterPlan[];
  readonly order: OrderStep;
  /** How many rows from all over the collection its filters have to check. */
  readonly scatteredRows: number;
  /** The search whose rows are kept for the next time. */
  readonly keeps: Search | undefined;
  readonly offset: number;
  readonly limit: number;
  /** The estimated number of matches before paging: a whole number, like the cost. */
  readonly rows: number;
  /** Estimated nanoseconds. */
  readonly cost: number;
}

/** The part of a query other than criteria. */
export type Paging = Omit<ParsedQuery, "criteria">;

export type OrderPath = OrderStep["path"];

/** Whether the page of a plan is consecutive in its source. */
export function isPresorted({ source, filters, order }: Plan, path: SourcePath): boolean {
  return source.step.path === path && filters.length === 0 && order.path === "source";
}

/** The plan, with its rows kept as those of a search. */
export function keeping(plan: Plan, keeps: Search): Plan {
  const { source, filters, order, scatteredRows, offset, limit, rows, cost } = plan;
  return { source, filters, order, scatteredRows, keeps, offset, limit, rows, cost };
}

/** Rows are read in the order asked for. */
export const PRESORTED: OrderStep = { path: "source", missing: undefined };
