// The tests of criteria over the rows of a segment.

import { testsOfRecords, type TestOf } from "../../criteria/compile.ts";
import { testOfValues } from "../../criteria/value-test.ts";
import { fieldOf } from "../../schema/names.ts";
import type { Schema } from "../../schema/schema.ts";
import type { Rows } from "../columns/rows.ts";

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
