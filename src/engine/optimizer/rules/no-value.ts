// Reads no row: the criteria match no value of their field.

import { nothing } from "../../operators/nothing.ts";
import { PRESORTED } from "../../operators/plan.ts";
import { planWithCost } from "../cost.ts";
import { NO_PLANS, type Rule } from "./rule.ts";

export const noValue: Rule = {
  certain: "only",
  plans({ segment, query, accesses }) {
    if (query.criteria.groups.length === 0) {
      return [planWithCost(segment, nothing([]), [], query, PRESORTED)];
    }
    const impossible = accesses.find(({ codes }) => codes?.rows === 0);
    if (impossible === undefined) return NO_PLANS;
    return [planWithCost(segment, nothing(impossible.groups), [], query, PRESORTED)];
  },
};
