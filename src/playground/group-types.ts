// What records are grouped by, and what is computed of each group.

import type { FacetChoice, Scalar } from "./choices.ts";

/** The steps of the calendar and of the clock, each of which begins at a time. */
export const STEPS = [
  ...(["year", "quarter", "month", "week", "day"] as const),
  ...(["hour", "5 minutes", "minute"] as const),
] as const;

/**
 * What the values of a field are grouped by: each value; a step, or what repeats every week or day; ranges, as wide as
 * each other or on a logarithmic scale.
 */
export const PARTS = ["value", ...STEPS, "weekday", "hourOfDay", "range", "log"] as const;
export type Part = (typeof PARTS)[number];

export const MEASURES = {
  count: "number of records",
  sum: "sum",
  mean: "mean",
  deviation: "standard deviation",
  minimum: "minimum",
  median: "median",
  p90: "90th percentile",
  p95: "95th percentile",
  p99: "99th percentile",
  maximum: "maximum",
  distinct: "distinct values",
} as const;
export type Measure = keyof typeof MEASURES;

/** How the groups of a second key are shown: a column each, with values or shares; or the first ones of each group. */
export const SHOWS = {
  value: "in columns",
  row: "in columns, % of the row",
  column: "in columns, % of the column",
  all: "in columns, % of all",
  top3: "top 3 of each",
  top5: "top 5 of each",
  top10: "top 10 of each",
} as const;
export type Show = keyof typeof SHOWS;

/** How many groups of the second key are shown of each, if not all of them are columns. */
export const mostShown = (show: Show): number | undefined =>
  show.startsWith("top") ? Number(show.slice(3)) : undefined;

/** A second key. */
export interface SecondKey {
  readonly by: string;
  readonly part: Part;
  readonly zone?: string | undefined;
  readonly show: Show;
}

export const BOUNDS = ["at least", "at most"] as const;

/** Whether the measures of groups add up to that of all. */
export const isAdditive = (measure: Measure): boolean => measure === "count" || measure === "sum";

export const ORDERS = {
  most: "highest first",
  least: "lowest first",
  key: "in order",
  share: "highest share first",
} as const;
export type GroupOrder = keyof typeof ORDERS;

export interface GroupBy {
  readonly by: string;
  readonly part: Part;
  /** The zone of its steps, weekdays and hours. Default: UTC. */
  readonly zone?: string | undefined;
  readonly measure: Measure;
  /** The field that is measured, one of numbers unless its distinct values are counted; `""` if records are. */
  readonly of: string;
  /** What else of the field is measured. */
  readonly also?: readonly Measure[] | undefined;
  /** Where ranges begin. Default: at round numbers. */
  readonly edges?: readonly number[] | undefined;
  /** A value of another field: of each group, the records that have it are measured too. */
  readonly where: readonly [field: string, value: Scalar] | undefined;
  readonly order: GroupOrder;
  /** How many records a group has at least. */
  readonly least: number;
  /** What the measure of a group is at least, or at most. */
  readonly having?: readonly [bound: (typeof BOUNDS)[number], value: number] | undefined;
  readonly then?: SecondKey | undefined;
}

/** A group, which has the lowest value first where that is the order. */
export interface Group extends Measured {
  /** A value of the field; the start of a step or a range; the number of a weekday, from Monday, or of an hour. */
  readonly key: Scalar;
  /** Where a step or a range ends, if it ends: that number is not part of it. */
  readonly end: number | undefined;
  /** The same of the records with the value asked for. */
  readonly within: Measured | undefined;
  /** What selects its records in a facet of the field; `undefined` if criteria can't. */
  readonly choice: FacetChoice | undefined;
}

export interface Measured {
  readonly records: number;
  /** What was measured; `null` if no record has a number. */
  readonly value: number | null;
  /** How many records have a value, if some may have none. */
  readonly values?: number | undefined;
  /** What else was measured, in the order asked for. */
  readonly others?: readonly (number | null)[];
}

/** Groups of two keys. */
export interface Pivot {
  readonly of: GroupBy;
  readonly rows: Groups;
  /** Those of the second key alone. */
  readonly columns: Groups;
  /** What was measured of each row and column, row by row; NaN if nothing was. */
  readonly cells: Float64Array;
  /** The first groups of each row instead, if these are asked for. */
  readonly tops: readonly (readonly Group[])[] | undefined;
}

export interface Groups {
  readonly of: GroupBy;
  readonly groups: readonly Group[];
  /** How many groups there are with enough records. */
  readonly found: number;
  /** How many have fewer. */
  readonly smaller: number;
  /** Of all records, those of smaller groups included. */
  readonly total: Measured;
  readonly within: Measured | undefined;
  /** How many records have no number to measure. */
  readonly nulls: number;
  readonly milliseconds: number;
}
