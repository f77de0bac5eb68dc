// Counts the rows that a plan finds.

import type { Plan } from "../plan.ts";
import { countWith, type CountOperator, type CountPlan } from "./count-plan.ts";

export const countOfRows = (plan: Plan): CountPlan => countWith({ path: "rows", plan }, plan.cost);

export const rowsOperator: CountOperator<"rows"> = {
  words: "count the rows of a plan",
  count: ({ plan }, { countRows }) => countRows(plan),
};
