// Checks each row of a tiny segment, which has no indexes, with the predicate.

import { selectEveryRecord } from "../../../criteria/tree.ts";
import { keepAfter } from "../../operators/after.ts";
import { checked } from "../../operators/predicate.ts";
import { scan } from "../../operators/scan.ts";
import { directPlan, planWithCost } from "../cost.ts";
import { NO_PLANS, type Rule } from "./rule.ts";

export const fewRows: Rule = {
  certain: "only",
  plans(situation) {
    const { segment, query } = situation;
    if (!segment.isTiny) return NO_PLANS;
    const { criteria } = query;
    const source = selectEveryRecord(criteria) ? scan(segment) : checked(segment, criteria);
    const { sort, afterKey } = query;
    if (sort === undefined && afterKey < 0) return [directPlan(source, query)];
    const filters = afterKey < 0 ? [] : [keepAfter(segment, afterKey)];
    return [planWithCost(segment, source, filters, query, situation.order)];
  },
};
