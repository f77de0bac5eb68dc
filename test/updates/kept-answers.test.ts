// Results over all records are cached and updated by changes: after each change, they equal those of a new collection.

import fc from "fast-check";
import { expect, test } from "vitest";
import { createCollection, defineSchema, int } from "../../src/index.ts";
import { settings } from "../property.ts";

const Row = defineSchema({ id: int({ unique: true }), number: int({ nullable: true }) });
const record = fc.record({
  id: fc.nat({ max: 12 }),
  number: fc.option(fc.integer({ min: -3, max: 4 })),
});
const change = fc.record({ put: record, isRemoved: fc.boolean() });

test("kept answers follow each change", () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 30, size: "max" }), (changes) => {
      let rows = createCollection(Row).prepare({ sort: ["number"] });
      for (const { put, isRemoved } of changes) {
        rows = isRemoved ? rows.remove([["id", "exactly", put.id]]) : rows.upsert(put, "id");
        const anew = createCollection(Row, [...rows]);
        expect(rows.countBy("number")).toEqual(anew.countBy("number"));
        expect(rows.summary("number")).toEqual(anew.summary("number"));
        for (const ends of [{}, { from: -1 }, { to: 2 }, { from: -2, to: 3 }]) {
          const options = { bins: 3, ...ends };
          expect(rows.histogram("number", options)).toEqual(anew.histogram("number", options));
        }
      }
    }),
    settings(60),
  );
});
