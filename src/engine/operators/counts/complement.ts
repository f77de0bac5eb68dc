// Counts the live rows that are not in a part.

import { countWith, type CountOperator, type CountPlan } from "./count-plan.ts";

export const countOfComplement = (part: CountPlan): CountPlan =>
  countWith({ path: "complement", part }, part.cost);

export const complementOperator: CountOperator<"complement"> = {
  words: "count all other rows",
  count: ({ part }, { segment, count }) => segment.live - count(part),
};
