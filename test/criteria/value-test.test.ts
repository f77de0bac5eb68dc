// The tests of values hold exactly where those of their text forms do, on records of any schema.

import fc from "fast-check";
import { expect, test } from "vitest";
import { testsOfRecords } from "../../src/criteria/compile.ts";
import { parseCriteria } from "../../src/criteria/parse.ts";
import { criteriaIn } from "../../src/criteria/tree.ts";
import { compileCriteria, createCollection, type Schema } from "../../src/index.ts";
import type { AnyRecord } from "../../src/schema/field-types.ts";
import { criteria, inputRecords, ownSchema } from "../../src/testing/index.ts";
import { settings } from "../property.ts";

const asked = ownSchema().chain((schema: Schema) =>
  inputRecords(schema, { maxLength: 20 }).chain((given) =>
    criteria(schema, { records: given as readonly Readonly<Record<string, unknown>>[] }).map(
      (list) => ({ schema, given, list }),
    ),
  ),
);

test("a test of values holds where that of the text forms does", () => {
  fc.assert(
    fc.property(asked, ({ schema, given, list }) => {
      const records = createCollection(schema, given).query() as readonly AnyRecord[];
      for (const criterion of criteriaIn(parseCriteria(schema, list).groups)) {
        const { field } = criterion;
        if (schema.fields[field]?.stored !== true) continue;
        const read = schema.readerOf(field);
        expect(records.filter(testsOfRecords(schema)(criterion))).toEqual(
          records.filter((record) => criterion.test(read(record))),
        );
      }
    }),
    settings(500),
  );
});

test("a record is selected as given, in any form, and as the collection has it", () => {
  fc.assert(
    fc.property(asked, ({ schema, given, list }) => {
      const collection = createCollection(schema, given);
      const predicate = compileCriteria(schema, list);
      expect(given.filter(predicate)).toHaveLength(collection.count(list as []));
    }),
    settings(500),
  );
});
