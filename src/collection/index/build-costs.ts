// What building an index costs, for each row, in nanoseconds: of the order seen with 1,000,000
// contacts. The cost model of queries is that of `plan/costs.ts`.

import type { FieldType } from "../../schema/field.ts";

export const buildCosts = Object.freeze({
  ordered: Object.freeze({ int: 150, string: 500 }) satisfies Readonly<Record<FieldType, number>>,
  trigram: 1000,
});
