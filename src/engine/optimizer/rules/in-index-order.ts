// Reads rows in the order of an index, only the selected ones if a compound index gives their positions, and filters them
// until the page is full.

import { indexScan } from "../../operators/index-scan.ts";
import { PRESORTED } from "../../operators/plan.ts";
import { compoundScan } from "../../operators/compound-scan.ts";
import { groupsOfAll, filtersOf } from "../access.ts";
import { planWithCost } from "../cost.ts";
import { NO_PLANS, type Rule } from "./rule.ts";

export const inIndexOrder: Rule = {
  plans({ segment, query, accesses, inOrder }) {
    if (inOrder === undefined) return NO_PLANS;
    const { order, restricting, selected } = inOrder;
    if (selected !== undefined) {
      // No row is read in vain, wherever the selected rows are in the order.
      const positions = compoundScan(groupsOfAll(accesses), order, restricting, selected);
      return [planWithCost(segment, positions, [], query, PRESORTED)];
    }
    const source = indexScan(segment, order, restricting);
    const { missing } = order;
    const asRead = { path: "source", missing } as const;
    const plans = [planWithCost(segment, source, filtersOf(accesses, restricting), query, asRead)];
    for (const access of accesses) {
      if (access.setFilter === undefined) continue;
      const others = accesses.filter((other) => other !== access);
      const filters = [access.setFilter, ...filtersOf(others, restricting)];
      plans.push(planWithCost(segment, source, filters, query, asRead));
    }
    return plans;
  },
};
