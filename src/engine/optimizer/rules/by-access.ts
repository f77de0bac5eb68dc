// Reads the rows that may satisfy some of the criteria, by any access, and filters them by the others.

import { RowSet, textOf } from "../../cache/search.ts";
import type { SourcePlan } from "../../operators/plan.ts";
import { rowsOfSet } from "../../operators/row-set.ts";
import { tuning } from "../../tuning.ts";
import type { Segment } from "../../versions/segment.ts";
import { onlySearch, type Access, filtersOf } from "../access.ts";
import { planWithCost } from "../cost.ts";
import { type Rule } from "./rule.ts";

export const byAccess: Rule = {
  plans(situation) {
    const { segment, query, accesses } = situation;
    const plansFrom = (source: SourcePlan, access: Access, filters = filtersOf(accesses, access)) =>
      planWithCost(segment, source, filters, query, situation.pageOrder);
    const plans = mostSelective(accesses).map((access) => {
      const { source, verifying = [] } = access;
      return plansFrom(source(), access, [...verifying, ...filtersOf(accesses, access)]);
    });
    for (const access of accesses) {
      const kept = keptRows(segment, access);
      if (kept !== undefined) plans.push(plansFrom(kept, access));
    }
    return plans;
  },
};

type WithSource = Access & { readonly source: () => SourcePlan };

/** The accesses that select the fewest rows. */
function mostSelective(accesses: readonly Access[]): WithSource[] {
  const all = accesses.filter((access): access is WithSource => access.source !== undefined);
  if (all.length <= tuning.mostSources) return all;
  return all.sort((a, b) => selectivityOf(a) - selectivityOf(b)).slice(0, tuning.mostSources);
}

const selectivityOf = ({ filters, setFilter }: Access): number =>
  (setFilter === undefined ? filters : [setFilter]).reduce(
    (product, { selectivity }) => product * selectivity,
    1,
  );

/** The cached rows of a search. */
function keptRows({ cache, rows, size }: Segment, access: Access): SourcePlan | undefined {
  const search = onlySearch(access);
  if (search === undefined) return undefined;
  const set = cache.get(RowSet, rows, search.field, textOf(search));
  return set && rowsOfSet(size, [[search]], set);
}
