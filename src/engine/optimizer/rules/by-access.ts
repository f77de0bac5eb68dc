// Reads the rows that may satisfy some of the criteria, by any access, and filters them by the others.

import type { FilterPlan, Plan, SourcePlan } from "../../operators/plan.ts";
import { tuning } from "../../tuning.ts";
import { filtersOf, keptRows, setFiltersOf, type Access } from "../access.ts";
import { planWithCost } from "../cost.ts";
import { type Rule } from "./rule.ts";

export const byAccess: Rule = {
  plans(situation) {
    const { segment, query, accesses } = situation;
    const plans: Plan[] = [];
    const add = (source: SourcePlan, access: Access, verifying: readonly FilterPlan[] = []) => {
      for (const others of [filtersOf(accesses, access), setFiltersOf(accesses, access)]) {
        if (others === undefined) continue;
        const filters = [...verifying, ...others];
        plans.push(planWithCost(segment, source, filters, query, situation.pageOrder));
      }
    };
    for (const access of mostSelective(accesses)) add(access.source(), access, access.verifying);
    for (const access of accesses) {
      const kept = keptRows(segment, access.groups);
      if (kept !== undefined) add(kept, access);
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
