// All rows that a change affects, from every segment, in insertion order.

import fc from "fast-check";
import { expect, test } from "vitest";
import { collect } from "../../../src/collection/collection.ts";
import { selectedBySegment, selectedRows } from "../../../src/collection/execute/answer.ts";
import { UNLIMITED } from "../../../src/collection/plan/query.ts";
import { Codec } from "../../../src/collection/records/codec.ts";
import { readCriteria } from "../../../src/criteria/parse.ts";
import { defineSchema, int, string } from "../../../src/index.ts";
import { settings } from "../../property.ts";
import { predicatePage } from "../../reference-page.ts";
import { tuned } from "../../tuned.ts";

const Row = defineSchema(
  { id: int(), letter: string(), text: string({ nullable: true }) },
  { form: "wire" },
);
const TEXTS = ["", "text", "texts", "\u{10000}", "\uffff", null];
const rowsFrom = (from: number, count: number) =>
  Array.from({ length: count }, (_, i) => ({
    id: from + i,
    letter: "abc"[(from + i) % 3] ?? "",
    text: TEXTS[(from + i) % TEXTS.length] ?? null,
  }));

const options = { maxCriteria: 1000, maxValues: 1000, unknownOperator: "error" } as const;
const made = () =>
  collect(new Codec(Row), options, (loader) => loader.add(rowsFrom(0, 300))).prepare({
    match: ["letter"],
  });

const change = fc.oneof(
  fc.record({ kind: fc.constant("insert" as const), count: fc.nat(12) }),
  fc.record({ kind: fc.constant("update" as const), ids: fc.array(fc.nat(340), { maxLength: 9 }) }),
  fc.record({ kind: fc.constant("remove" as const), ids: fc.array(fc.nat(340), { maxLength: 4 }) }),
);

const ALL_CRITERIA = [
  [],
  [["letter", "exactly", "b"]],
  [["letter", "in", ["a", "c"]]],
  [["text", "contains", "ex"]],
  [["text", "exactly", null]],
  [
    ["id", "greater_than", 250],
    ["letter", "not", "a"],
  ],
  [["id", "less_than", 0]],
] as const;

test("is found by every criteria, as the predicate finds it", () => {
  const parts = new Set<number>();
  fc.assert(
    fc.property(fc.constantFrom(0, 3, 20), fc.array(change, { maxLength: 8 }), (few, changes) => {
      using _ = tuned({ fewRows: few });
      let rows = made();
      let next = 300;
      for (const each of changes) {
        if (each.kind === "insert") {
          rows = rows.insert(rowsFrom(next, each.count));
          next += each.count;
        } else if (each.kind === "remove") rows = rows.remove([["id", "in", each.ids]]);
        else rows = rows.update([["id", "in", each.ids]], (draft) => void (draft.text = "text"));
      }
      const { snapshot } = rows.state;
      for (const criteria of ALL_CRITERIA) {
        const query = {
          criteria: readCriteria(Row, criteria, options),
          sort: undefined,
          offset: 0,
          limit: UNLIMITED,
          deadline: undefined,
        };
        const found = selectedRows(snapshot, query);
        parts.add(new Set(found.map(({ segment }) => segment)).size);
        expect(found.map(({ segment, row }) => segment.rows.record(row))).toEqual(
          predicatePage(Row, [...rows], { criteria }),
        );
        const grouped = snapshot.segments.map((segment) => ({
          segment,
          rows: found.flatMap((location) => (location.segment === segment ? [location.row] : [])),
        }));
        const bySegment = Array.from(selectedBySegment(snapshot, query), ([segment, rows]) => ({
          segment,
          rows: Array.from(rows),
        }));
        expect(bySegment).toEqual(grouped.filter(({ rows }) => rows.length > 0));
      }
    }),
    settings(150),
  );
  expect([...parts].sort((a, b) => a - b)).toEqual(expect.arrayContaining([0, 1, 2, 3]));
});
