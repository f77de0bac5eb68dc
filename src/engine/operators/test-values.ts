// Keeps rows whose value passes a test: tests each row, or searches all values of a batch at once.

import { testsOfRecords, type TestOf } from "../../criteria/compile.ts";
import { testOfValues } from "../../criteria/value-test.ts";
import type { ParsedCriterion } from "../../criteria/tree.ts";
import { fieldOf } from "../../schema/names.ts";
import type { Schema } from "../../schema/schema.ts";
import type { Rows } from "../columns/rows.ts";
import { setOfCodes } from "../indexes/code-set.ts";
import type { FieldIndex } from "../indexes/field-index.ts";
import { tuning } from "../tuning.ts";
import { predicateFilter, type Filter } from "./filter.ts";
import { keepCodes } from "./keep-codes.ts";
import type { FilterOperator } from "./operator.ts";

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

/** The tests of criteria over the rows of a segment, by row number. */
export function testsOfRows(schema: Schema, rows: Rows): TestOf<number> {
  const { records } = rows;
  const ofRecords = testsOfRecords(schema);
  return (criterion) => {
    const { field, test } = criterion;
    const computed = records && schema.computed.get(field);
    if (computed !== undefined) {
      const accepts = testOfValues(computed.field, criterion.bounds);
      return (row) => accepts(computed.read(records![row]!));
    }
    if (records !== undefined && fieldOf(schema, field)?.stored === true) {
      const accepts = ofRecords(criterion);
      return (row) => accepts(records[row]!);
    }
    const read = rows.readerOf(field);
    return (row) => test(read(row));
  };
}

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
