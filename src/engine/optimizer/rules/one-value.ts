// Looks up the rows of one value of an indexed field; for queries without a sort.

import { onlyCriterion, onlyValueOf } from "../../../criteria/tree.ts";
import { rowsOfValue } from "../../operators/index-lookup.ts";
import { PRESORTED } from "../../operators/plan.ts";
import { scan } from "../../operators/scan.ts";
import { codeAccess } from "../access.ts";
import { directPlan, planWithCost } from "../cost.ts";
import { NO_PLANS, type Rule } from "./rule.ts";

/** How many times the rows of a page a value must have. */
const FREQUENT = 16;

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
    if (!index.hasOrder) {
      // A page of a frequent value is full long before the order of all rows would be made.
      const code = index.codeOf(value, deadline);
      const rows = code < 0 ? 0 : index.count([code, code + 1]);
      if ((query.offset + query.limit) * FREQUENT <= rows) {
        const { filters } = codeAccess(segment, groups, index, [code, code + 1], rows);
        return [planWithCost(segment, scan(segment), filters, query, PRESORTED)];
      }
    }
    return [directPlan(rowsOfValue(segment, groups, index, value, deadline), query)];
  },
};
