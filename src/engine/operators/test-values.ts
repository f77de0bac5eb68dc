// Keeps rows whose value passes a test: tests each row, or searches all values of a batch at once.

import type { ParsedCriterion } from "../../criteria/tree.ts";
import type { Schema } from "../../schema/schema.ts";
import type { Rows } from "../columns/rows.ts";
import { setOfCodes } from "../indexes/code-set.ts";
import type { FieldIndex } from "../indexes/field-index.ts";
import { tuning } from "../tuning.ts";
import { predicateFilter, type Filter } from "./filter.ts";
import { keepCodes } from "./keep-codes.ts";
import type { FilterOperator } from "./operator.ts";
import { testsOfRows } from "./tests-of-rows.ts";

export const testFilterOperator: FilterOperator<"test"> = {
  words: "keep by testing the value",
  open: ({ criterion, searched }, { segment: { schema, rows } }) =>
    searched === undefined
      ? testFilter(schema, rows, criterion)
      : searchFilter(searched, criterion),
};

/** Keeps the rows whose value satisfies a criterion. */
export const testFilter = (schema: Schema, rows: Rows, criterion: ParsedCriterion): Filter =>
  predicateFilter(testsOfRows(schema, rows)(criterion));

/** Keeps the rows whose value satisfies a criterion. All values of a batch are searched at once. */
export function searchFilter(index: FieldIndex, criterion: ParsedCriterion): Filter {
  return {
    batch: tuning.searchedBatch,
    keep(batch, length) {
      const codes = index.codesAt(batch, length);
      const found = index.test([criterion], setOfCodes(codes.slice(), index.values.length));
      return keepCodes(batch, codes, found);
    },
  };
}
