// The cost of building an index, for each row, in nanoseconds: rounded measurements with 1,000,000
// contacts. `operators/costs.ts` has the cost model of queries.

import type { FieldType } from "../../schema/field.ts";

export const buildCosts = Object.freeze({
  ordered: Object.freeze({
    int: 150,
    float: 150,
    boolean: 50,
    string: 500,
    // Texts have to be made of arrays.
    strings: 1000,
    // Only for saving: no query uses it.
    json: 500,
  }) satisfies Readonly<Record<FieldType, number>>,
  trigram: 1000,
  selection: 8,
});
