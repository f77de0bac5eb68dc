// Looks up the rows of one value of an indexed field; for queries without a sort.

import { onlyCriterion, onlyValueOf } from "../../../criteria/tree.ts";
import { rowsOfValue } from "../../operators/index-lookup.ts";
import { directPlan } from "../cost.ts";
import { NO_PLANS, type Rule } from "./rule.ts";

export const oneValue: Rule = {
  certain: "cheapest",
  plans({ segment, query }) {
    const { sort, deadline } = query;
    const { groups } = query.criteria;
    if (sort !== undefined || query.afterKey >= 0) return NO_PLANS;
    const criterion = onlyCriterion(groups);
    if (criterion === undefined) return NO_PLANS;
    const value = onlyValueOf(criterion);
    if (value === undefined) return NO_PLANS;
    const index = segment.indexes.ordered(criterion.field, deadline);
    if (index === undefined) return NO_PLANS;
    return [directPlan(rowsOfValue(segment, groups, index, value, deadline), query)];
  },
};
