// Keeps rows whose value passes a test: tests each row, or searches all values of a batch at once.

import { type ParsedCriterion, onlyValueOf } from "../../criteria/tree.ts";
import type { TextValue } from "../../schema/field.ts";
import { fieldOf } from "../../schema/names.ts";
import type { AnyRecord } from "../../schema/field-types.ts";
import type { RecordReader, Schema } from "../../schema/schema.ts";
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
export function testFilter(schema: Schema, rows: Rows, criterion: ParsedCriterion): Filter {
  const { field, test } = criterion;
  const { records } = rows;
  const { stored } = fieldOf(schema, field)!;
  const only = onlyValueOf(criterion);
  if (records === undefined || !stored) {
    const valueOf = rows.readerOf(field);
    return predicateFilter((row) => test(valueOf(row)));
  }
  const read = schema.readerOf(field);
  // A scan spends its time here: the special case for equality saves one call per row.
  if (only !== undefined) return equalityFilter(records, read, only);
  return {
    keep(batch, length) {
      let kept = 0;
      for (let i = 0; i < length; i++) {
        const row = batch[i]!;
        if (test(read(records[row]!))) batch[kept++] = row;
      }
      return kept;
    },
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

function equalityFilter(
  records: readonly AnyRecord[],
  read: RecordReader,
  operand: TextValue,
): Filter {
  return {
    keep(batch, length) {
      let kept = 0;
      for (let i = 0; i < length; i++) {
        const row = batch[i]!;
        if (read(records[row]!) === operand) batch[kept++] = row;
      }
      return kept;
    },
  };
}
