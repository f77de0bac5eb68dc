// Reads a page of all rows directly, in an order that rows or an index already have.

import { selectEveryRecord } from "../../../criteria/tree.ts";
import { indexScan } from "../../operators/index-scan.ts";
import { scan } from "../../operators/scan.ts";
import { directPlan } from "../cost.ts";
import { NO_PLANS, type Rule } from "./rule.ts";

export const pageOfAll: Rule = {
  certain: "cheapest",
  plans(situation) {
    const { segment, query } = situation;
    if (!selectEveryRecord(query.criteria) || query.afterKey >= 0) return NO_PLANS;
    const { order } = situation;
    if (order.path === "sort") return NO_PLANS;
    return [directPlan(order.path === "source" ? scan(segment) : indexScan(segment, order), query)];
  },
};
