// What a plan is: where its rows come from, what removes some of them, and how the rest get into
// order. All plans of a query give the predicate's answer; they differ in what they cost.

import type { ParsedCriterion } from "../../criteria/parse.ts";
import type { Filter } from "../pipeline/filter.ts";
import type { IndexName } from "../index/indexes.ts";
import type { ParsedQuery } from "./query.ts";
import type { Source } from "../pipeline/source.ts";

/**
 * How a source comes by its rows: all rows; the run of one value; the runs of several; candidates
 * by trigrams; an index in its order; the union of other plans; or nothing, because a criterion
 * holds for no value of its field.
 */
export type SourcePath = "scan" | "run" | "runs" | "trigrams" | "walk" | "union" | "nothing";

/** Criteria that must all hold. */
export type Group = readonly ParsedCriterion[];

export interface SourcePlan {
  readonly path: SourcePath;
  /** The field whose index it uses. */
  readonly field: string | undefined;
  /** The criteria that it answers or, by trigrams, narrows: all of one of the groups must hold. */
  readonly groups: readonly Group[];
  /** The plans that it unites. */
  readonly parts: readonly Plan[];
  /** How many rows it has, at most; exactly so many, where it passes over dead rows by itself. */
  readonly rows: number;
  /** Whether it may hand out rows that are dead. */
  readonly hasDead: boolean;
  /** Nanoseconds before its first row, and for each row. */
  readonly setUp: number;
  readonly perRow: number;
  readonly open: () => Source;
}

/**
 * How a filter judges a row: by the code of its value; by having the trigrams of a text; by testing
 * its value; by the predicate of all criteria; by being in the union of other plans; by being alive.
 */
export type FilterPath = "codes" | "trigrams" | "test" | "predicate" | "union" | "alive";

export interface FilterPlan {
  readonly path: FilterPath;
  readonly groups: readonly Group[];
  readonly selectivity: number;
  readonly setUp: number;
  /** Nanoseconds a row, where rows come one after the other. */
  readonly perRow: number;
  /** Nanoseconds more for rows that come from all over the collection. */
  readonly scattered: number;
  /** The indexes that would have saved its work. */
  readonly missing: readonly IndexName[];
  /** @param scatteredRows how many rows from all over the collection it will have to judge */
  readonly open: (scatteredRows: number) => Filter;
}

/**
 * How the rows come into the order asked for: they are in it as they come; a page of them is
 * selected by the codes of an index; or their values are sorted.
 */
export type OrderPath = "source" | "select" | "sort";

export interface Plan {
  readonly source: SourcePlan;
  readonly filters: readonly FilterPlan[];
  readonly order: OrderPath;
  readonly sort: ParsedQuery["sort"];
  /** How many rows its filters will have to judge that come from all over the collection. */
  readonly scatteredRows: number;
  readonly offset: number;
  readonly limit: number;
  /** How many rows are estimated to match, before paging. */
  readonly rows: number;
  /** Estimated nanoseconds. */
  readonly cost: number;
}

/** The part of a query that is not criteria. */
export type Page = Omit<ParsedQuery, "criteria">;

/** How many rows the page of a plan has, where that is known before it is run; else 0. */
export function knownLength({ source, filters, offset, limit }: Plan): number {
  if (filters.length > 0 || source.path === "union") return 0;
  return Math.min(limit, Math.max(0, source.rows - offset));
}
