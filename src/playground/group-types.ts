// What records are grouped by, and what is computed of each group.

import type { FacetChoice, Scalar } from "./choices.ts";

/** The steps of the calendar and of the clock, each of which begins at a time. */
export const STEPS = [
  ...(["year", "quarter", "month", "week", "day"] as const),
  ...(["hour", "5 minutes", "minute"] as const),
] as const;

/** What the values of a field are grouped by: each value; a step, or what repeats every week or day; ranges. */
export const PARTS = ["value", ...STEPS, "weekday", "hourOfDay", "range"] as const;
export type Part = (typeof PARTS)[number];

export const MEASURES = {
  count: "number of records",
  sum: "sum",
  mean: "mean",
  minimum: "minimum",
  median: "median",
  p99: "99th percentile",
  maximum: "maximum",
} as const;
export type Measure = keyof typeof MEASURES;

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
  /** The field of numbers that is measured; `""` if records are counted. */
  readonly of: string;
  /** A value of another field: of each group, the records that have it are measured too. */
  readonly where: readonly [field: string, value: Scalar] | undefined;
  readonly order: GroupOrder;
  /** How many records a group has at least. */
  readonly least: number;
}

/** A group, which has the lowest value first where that is the order. */
export interface Group {
  /** A value of the field; the start of a step or a range; the number of a weekday, from Monday, or of an hour. */
  readonly key: Scalar;
  /** Where a step or a range ends, if it ends: that number is not part of it. */
  readonly end: number | undefined;
  readonly records: number;
  /** What was measured; `null` if the group has no number. */
  readonly value: number | null;
  /** The same of the records with the value asked for. */
  readonly within: Measured | undefined;
  /** What selects its records in a facet of the field; `undefined` if criteria can't. */
  readonly choice: FacetChoice | undefined;
}

export interface Measured {
  readonly records: number;
  readonly value: number | null;
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
