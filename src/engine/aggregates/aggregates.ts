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
