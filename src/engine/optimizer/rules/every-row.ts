// Reads every row, and filters them.

import { scan } from "../../operators/scan.ts";
import { planWithCost } from "../cost.ts";
import { type Rule } from "./rule.ts";
import { filtersOf } from "../access.ts";

export const everyRow: Rule = {
  plans(situation) {
    const { segment, query, accesses } = situation;
    const { pageOrder } = situation;
    return [planWithCost(segment, scan(segment), filtersOf(accesses), query, pageOrder)];
  },
};
