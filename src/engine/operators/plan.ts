// A plan: the source of its rows, the filters that remove some of them, and the order of the rest. A plan is data,
// which the executor runs and `explain` describes. All plans of a query give the same result as the predicate; they
// differ in cost.

import type { CriteriaGroup, ParsedCriterion } from "../../criteria/tree.ts";
import type { Bitset } from "../algorithms/bitset.ts";
import type { Search } from "../cache/search.ts";
import type { CodeSet } from "../indexes/code-set.ts";
import type { CompoundPositions } from "../indexes/compound-index.ts";
import type { FieldIndex } from "../indexes/field-index.ts";
import type { IndexName } from "../indexes/index-names.ts";
import type { Posting } from "../indexes/postings.ts";
import type { ParsedQuery } from "../query.ts";

/** The members of every step. */
interface Step {
  /** The criteria that it answers: at least one of the groups must hold completely. */
  readonly groups: readonly CriteriaGroup[];
}

/** The members of a step that reads an ordered index. */
interface OnIndex extends Step {
  readonly index: FieldIndex;
}

/** A range of an index, to be read in the order of values. */
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

interface Complement extends Step {
  readonly part: Plan;
}

/** The steps of sources within a segment, by access path. The file of each operator implements it. */
export interface SourceSteps {
  /** All live rows, in insertion order. */
  readonly scan: Step;
  /** All live rows from a given row on. */
  readonly "scan-after": Step & { readonly from: number };
  /** None, because criteria match no value of their field. */
  readonly nothing: Step;
  /** The live rows of one value; `live` is their number. */
  readonly "index-lookup": OnIndex & { readonly code: number; readonly live: number };
  /** The rows of several values, dead ones included, in insertion order. */
  readonly "bitmap-scan": OnIndex & { readonly set: CodeSet; readonly rows: number };
  /** The rows with all trigrams of some texts, dead ones included. */
  readonly trigrams: Step & { readonly postings: readonly Posting[] };
  /** The live rows of a range of an index, in the order of their values. */
  readonly "index-scan": Stretch;
  /** The rows of such a range at the positions that a compound index gives. */
  readonly "compound-scan": Stretch & { readonly selected: CompoundPositions };
  /** The rows of several plans, in insertion order. */
  readonly union: Union;
  /** The rows that a plan does not select, dead ones included, in insertion order. */
  readonly complement: Complement;
  /** The live rows that the predicate accepts, when there are only a few rows to check. */
  readonly predicate: Step;
  /** The cached rows of a search, dead ones included. */
  readonly "row-set": Step & { readonly bits: Bitset };
}

/** How a source finds its rows. */
export type SourcePath = { [P in keyof SourceSteps]: P }[keyof SourceSteps];

export type SourceStep<Path extends SourcePath = SourcePath> = {
  [P in Path]: { readonly path: P } & SourceSteps[P];
}[Path];

export interface SourcePlan {
  readonly step: SourceStep;
  /** The maximum number of rows; the exact number, unless it is a union or may produce dead rows. */
  readonly rows: number;
  /** Nanoseconds before its first row, and per row. */
  readonly setUp: number;
  readonly perRow: number;
}

/**
 * A step with its estimated costs, in nanoseconds, as integers: if some plans had fractions, V8 would store plans in
 * two shapes, and migrate every new plan of the first shape to the second.
 *
 * @param setUp before the first row
 */
export function withCost(step: SourceStep, rows: number, perRow: number, setUp = 0): SourcePlan {
  return { step, rows, setUp: Math.round(setUp), perRow: Math.round(perRow) };
}

/** The steps of filters, by path. */
export interface FilterSteps {
  /** Keeps rows by the code of their value. */
  readonly codes: OnIndex & { readonly set: CodeSet; readonly rows: number };
  /** Keeps rows that contain all trigrams of some strings. */
  readonly trigrams: Step & { readonly postings: readonly Posting[] };
  /** Keeps rows whose value passes a test. */
  readonly test: Step & {
    readonly criterion: ParsedCriterion;
    /** An index that searches the values of many rows at once. */
    readonly searched: FieldIndex | undefined;
  };
  /** Keeps rows that all filters of at least one alternative keep. */
  readonly any: Step & { readonly alternatives: readonly (readonly FilterPlan[])[] };
  /** Keeps rows in the union of other plans. */
  readonly union: Union;
  /** Keeps rows that another plan does not select. */
  readonly complement: Complement;
  /** Keeps rows from a given row on. */
  readonly after: Step & { readonly from: number };
  /** Keeps live rows: neither changed nor removed. */
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
  /** Nanoseconds per row, if rows are consecutive. */
  readonly perRow: number;
  /** The extra nanoseconds per row for rows from all over the collection. */
  readonly randomAccessCost: number;
}

/** How the rows get into the requested order. */
export type OrderStep =
  /** The source reads them in this order. */
  | { readonly path: "source"; readonly missing: string | undefined }
  /** A page is selected by the codes of an index. */
  | IndexOrder
  /** The values are sorted. */
  | ValueOrder;

export interface IndexOrder {
  readonly path: "select";
  readonly field: string;
  readonly descending: boolean;
  readonly index: FieldIndex;
  /** The compound index that would have avoided reading the rows before a page. */
  readonly missing: string | undefined;
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
  /** The search whose rows are cached. */
  readonly keeps: Search | undefined;
  readonly offset: number;
  readonly limit: number;
  /** The estimated number of matches before paging: an integer, like the cost. */
  readonly rows: number;
  /** Estimated nanoseconds. */
  readonly cost: number;
}

/** The parts of a query other than its criteria. */
export type Paging = Omit<ParsedQuery, "criteria" | "select">;

export type OrderPath = OrderStep["path"];

/** Whether the page of a plan is contiguous in its source. */
export function isPresorted({ source, filters, order }: Plan, path: SourcePath): boolean {
  return source.step.path === path && filters.length === 0 && order.path === "source";
}

/** The plan with its rows cached as those of a search. */
export function keeping(plan: Plan, keeps: Search): Plan {
  const { source, filters, order, scatteredRows, offset, limit, rows, cost } = plan;
  return { source, filters, order, scatteredRows, keeps, offset, limit, rows, cost };
}

/** Rows are read in the requested order. */
export const PRESORTED: OrderStep = { path: "source", missing: undefined };
