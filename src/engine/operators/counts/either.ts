// Counts the rows in either of two trees, which may overlap.

import { countWith, type CountOperator, type CountPlan } from "./count-plan.ts";

export const countOfEither = (a: CountPlan, b: CountPlan, both: CountPlan): CountPlan =>
  countWith({ path: "either", parts: [a, b], both }, a.cost + b.cost + both.cost);

export const eitherOperator: CountOperator<"either"> = {
  words: "add two counts, and subtract the third",
  count: ({ parts: [a, b], both }, { count }) => count(a) + count(b) - count(both),
};
