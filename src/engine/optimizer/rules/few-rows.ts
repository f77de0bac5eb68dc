// Checks each of a few rows with the predicate: those of a change, which have no indexes, or of a collection that has
// none for the query. Charging for one, comparing plans and running the best takes longer.

import { criteriaIn, selectEveryRecord } from "../../../criteria/tree.ts";
import { keepAfter } from "../../operators/after.ts";
import { checked } from "../../operators/predicate.ts";
import { scan } from "../../operators/scan.ts";
import type { ParsedQuery } from "../../query.ts";
import type { Segment } from "../../versions/segment.ts";
import { directPlan, planWithCost } from "../cost.ts";
import { NO_PLANS, type Rule } from "./rule.ts";

export const fewRows: Rule = {
  certain: "only",
  plans(situation) {
    const { segment, query } = situation;
    if (!segment.isTiny && !(segment.isSmall && hasNoIndex(segment, query))) return NO_PLANS;
    const { criteria } = query;
    const source = selectEveryRecord(criteria) ? scan(segment) : checked(segment, criteria);
    const { sort, afterKey } = query;
    if (sort === undefined && afterKey < 0) return [directPlan(source, query)];
    const filters = afterKey < 0 ? [] : [keepAfter(segment, afterKey)];
    return [planWithCost(segment, source, filters, query, situation.order)];
  },
};

function hasNoIndex({ rows, indexed }: Segment, { criteria, sort }: ParsedQuery): boolean {
  if (rows.isIndexed) return false;
  if (indexed.size === 0) return true;
  if (sort !== undefined && indexed.has(sort.field)) return false;
  return !criteriaIn(criteria.groups).some(({ field }) => indexed.has(field));
}
