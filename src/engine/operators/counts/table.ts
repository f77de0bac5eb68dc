// Every operator that counts, by the path that steps name.

import { codesOperator } from "./codes.ts";
import { columnsOperator } from "./columns.ts";
import { complementOperator } from "./complement.ts";
import { compoundOperator } from "./compound.ts";
import type { Counting, CountOperator, CountPath, CountStep } from "./count-plan.ts";
import { eitherOperator } from "./either.ts";
import { knownOperator } from "./known.ts";
import { lookupOperator } from "./lookup.ts";
import { rowsOperator } from "./rows.ts";
import { shortTextOperator } from "./short-text.ts";

export const countOperators: { readonly [Path in CountPath]: CountOperator<Path> } = {
  known: knownOperator,
  codes: codesOperator,
  "short-text": shortTextOperator,
  compound: compoundOperator,
  lookup: lookupOperator,
  columns: columnsOperator,
  either: eitherOperator,
  complement: complementOperator,
  rows: rowsOperator,
};

/** @throws DeadlineError */
export const runCount = <Path extends CountPath>(
  step: CountStep<Path>,
  counting: Counting,
): number => countOperators[step.path].count(step, counting);
