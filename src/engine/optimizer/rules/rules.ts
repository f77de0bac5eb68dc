// Every rule, in the order in which they are tried: of plans with equal cost, the first is taken.

import { byAccess } from "./by-access.ts";
import { decidedRows } from "./decided-rows.ts";
import { everyRow } from "./every-row.ts";
import { fewRows } from "./few-rows.ts";
import { inIndexOrder } from "./in-index-order.ts";
import { noValue } from "./no-value.ts";
import { oneValue } from "./one-value.ts";
import { pageOfAll } from "./page-of-all.ts";
import type { Rule } from "./rule.ts";

export const rules: readonly Rule[] = [
  pageOfAll,
  fewRows,
  decidedRows,
  oneValue,
  noValue,
  everyRow,
  byAccess,
  inIndexOrder,
];
