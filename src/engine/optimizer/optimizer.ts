// The optimizer chooses the plan of a query for a segment. It tries the rules in order; a certain plan ends the search,
// otherwise the cheapest plan wins.

import { keeping, type Plan } from "../operators/plan.ts";
import { UNLIMITED, type ParsedQuery } from "../query.ts";
import { decidedRows } from "../operators/decided.ts";
import type { Segment } from "../versions/segment.ts";
import { onlySearch } from "./access.ts";
import { rules } from "./rules/rules.ts";
import { Situation } from "./situation.ts";

/** Chooses the plan of a segment. */
export type Choose = (segment: Segment, query: ParsedQuery) => Plan;

/**
 * The cheapest plan.
 *
 * @throws DeadlineError
 */
export function planQuery(segment: Segment, query: ParsedQuery): Plan {
  return planOf(situationOf(segment, query));
}

export function situationOf(segment: Segment, query: ParsedQuery): Situation {
  const decided = decidedRows(segment, query.criteria, query.deadline);
  return new Situation(segment, query, cheapestPlan, undefined, decided);
}

/** The cheapest plan. @throws DeadlineError */
export function planOf(situation: Situation): Plan {
  const { segment, query } = situation;
  return keepingRows(segment, query, cheapestPlan(situation));
}

function cheapestPlan(situation: Situation): Plan {
  let best: Plan | undefined;
  for (const { certain, plans } of rules) {
    const proposed = plans(situation);
    for (const plan of proposed) if (best === undefined || plan.cost < best.cost) best = plan;
    if (certain !== undefined && proposed.length > 0) break;
  }
  if (best === undefined) throw new RangeError("no rule has a plan");
  return best;
}

/** All plans that can answer the query; at least one. @throws DeadlineError */
export function plansOf(segment: Segment, query: ParsedQuery): readonly Plan[] {
  const situation = new Situation(segment, query, cheapestPlan);
  const all: Plan[] = [];
  for (const { certain, plans } of rules) {
    const proposed = plans(situation);
    all.push(...proposed);
    if (certain === "only" && proposed.length > 0) break;
  }
  return all;
}

/**
 * The plan, with its rows cached if they are those of a search. Only for segments without dead rows, whose records live
 * elsewhere.
 */
function keepingRows(segment: Segment, query: ParsedQuery, plan: Plan): Plan {
  const { dead, options, size } = segment;
  const { offset, limit, filters, source } = plan;
  const { sort, afterKey } = query;
  // Testing no more rows than a set has words takes no longer than making the set.
  const isWorthIt = filters.length > 0 && source.rows > size >>> 5;
  const isWhole = offset === 0 && limit === UNLIMITED && sort === undefined && afterKey < 0;
  if (!isWorthIt || !isWhole || dead.count > 0 || options.indexes === "none") return plan;
  const search = onlySearch(query.criteria);
  return search === undefined ? plan : keeping(plan, search);
}
