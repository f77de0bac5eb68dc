// Reads the rows that queries found in several attempts, because each of them was late.

import { selectEveryRecord } from "../../../criteria/tree.ts";
import { keepAfter } from "../../operators/after.ts";
import { rowsOfSet } from "../../operators/row-set.ts";
import { planWithCost } from "../cost.ts";
import { NO_PLANS, type Rule } from "./rule.ts";

export const decidedRows: Rule = {
  plans(situation) {
    const { segment, query, decided } = situation;
    const { criteria, afterKey } = query;
    const set = decided?.rowsIn(segment);
    if (set === undefined || selectEveryRecord(criteria)) return NO_PLANS;
    const filters = afterKey < 0 ? [] : [keepAfter(segment, afterKey)];
    const source = rowsOfSet(segment.size, criteria.groups, set);
    // In the order of an index, a page may take less time, once the positions of the rows are known.
    return [planWithCost(segment, source, filters, query, situation.pageOrder)];
  },
};
