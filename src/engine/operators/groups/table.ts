// Every operator that groups rows, by the path that steps name.

import { differenceOperator } from "./difference.ts";
import type { GroupOperator, GroupPath, GroupRun, GroupStep } from "./group-plan.ts";
import { allOperator, lookupOperator, rowsOperator } from "./rows.ts";
import { runsOperator } from "./runs.ts";
import type { Times } from "./tally.ts";

export const groupOperators: { readonly [Path in GroupPath]: GroupOperator<Path> } = {
  runs: runsOperator,
  all: allOperator,
  lookup: lookupOperator,
  rows: rowsOperator,
  difference: differenceOperator,
};

/** @throws DeadlineError */
export const runGroups = <Path extends GroupPath>(
  step: GroupStep<Path>,
  run: GroupRun,
  times: Times,
): void => groupOperators[step.path].add(step, run, times);
