// Every aggregate, by the name that queries use.

import { count } from "./count.ts";
import { deviation } from "./deviation.ts";
import { distinct } from "./distinct.ts";
import { maximum } from "./maximum.ts";
import { mean } from "./mean.ts";
import { minimum } from "./minimum.ts";
import { quantile } from "./quantile.ts";
import { sum } from "./sum.ts";
import { variance } from "./variance.ts";

export const aggregates = {
  count,
  distinct,
  sum,
  mean,
  minimum,
  maximum,
  variance,
  deviation,
  quantile,
} as const;

export type AggregateName = keyof typeof aggregates;

/** Members of the aggregates as types that declarations can write out. */
export type AggregateFields = {
  readonly [Name in AggregateName]: (typeof aggregates)[Name]["fields"];
};
export type AggregateFinds = {
  readonly [Name in AggregateName]: (typeof aggregates)[Name]["finds"];
};
export type AggregateTakesShare = {
  readonly [Name in AggregateName]: (typeof aggregates)[Name] extends { readonly takesShare: true }
    ? true
    : false;
};
