// Counts nothing: the number is known.

import { countWith, type CountOperator, type CountPlan } from "./count-plan.ts";

export const knownCount = (rows: number): CountPlan => countWith({ path: "known", rows }, 0);

export const knownOperator: CountOperator<"known"> = {
  words: "the number is known",
  count: ({ rows }) => rows,
};
