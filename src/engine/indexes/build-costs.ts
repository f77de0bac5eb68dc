// The cost of building an index, in nanoseconds per row: rounded measurements with 1,000,000
// contacts. The cost model of queries is in `operators/costs.ts`.

import type { FieldType } from "../../schema/field.ts";

export const buildCosts = Object.freeze({
  /** If all values are distinct. */
  ordered: Object.freeze({
    int: 150,
    float: 150,
    boolean: 50,
    string: 500,
    // Arrays have to be converted to strings.
    strings: 1000,
    // Only for saving; no query uses it.
    json: 500,
    time: 500,
  }) satisfies Readonly<Record<FieldType, number>>,
  /** The share of that if few are: finding the code of a value that is known. */
  knownShare: 1 / 4,
  trigram: 1000,
  /** Reading the number of each record, in the order of rows. */
  numbers: 20,
  /** Moving the codes of one field into the order of another, and each level of bits over these. */
  compound: Object.freeze({ row: 12, level: 8 }),
  /** Finding the value of each reference, in the index of a field of other records. */
  reference: 60,
  /** Whether other records refer to each row. */
  existence: 5,
});
