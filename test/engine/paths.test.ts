// Every plan agrees with the predicate, on a fixed seed: the access paths that run are then the same
// each time, and none is missing.

import fc from "fast-check";
import { expect, test } from "vitest";
import { sourceOperators, filterOperators, orders } from "../../src/engine/operators/table.ts";
import {
  createCollection,
  defineSchema,
  formatPlan,
  int,
  operatorsOf,
  string,
  type Criteria,
} from "../../src/index.ts";
import { reopened, reopenings } from "../arrow/reopened.ts";
import { everyPlanAgrees, pathsThatRan } from "./every-plan.ts";

test("every plan of the queries of a fixed seed gives the predicate's answer", () => {
  fc.assert(everyPlanAgrees, { numRuns: 200, seed: 20261123 });
}, 600_000);

test("every access path ran for them", () => {
  const all = Object.entries({ source: sourceOperators, filter: filterOperators, order: orders });
  const paths = all.flatMap(([kind, rows]) => Object.keys(rows).map((path) => `${kind} ${path}`));
  expect([...pathsThatRan].sort()).toEqual(paths.sort());
});

test("estimates of a collection that has no records, or none any more, are numbers", () => {
  const Word = defineSchema({ id: int({ unique: true }), word: string({ ignoreCase: true }) });
  const values = {
    value: "1",
    text: "a",
    bound: "1",
    range: ["1", "2"],
    values: ["1"],
    element: "a",
    elements: ["a"],
  } as const;
  const criteria = Object.keys(Word.fields).flatMap((field) =>
    operatorsOf(Word, field as "id" | "word").map(({ name, takes }) => [
      [field, name, values[takes]],
    ]),
  ) as unknown as Criteria<typeof Word>[];
  const words = Array.from({ length: 40 }, (_, id) => ({ id, word: "abcd"[id % 4] ?? "" }));
  const made = [[], words].map((records) =>
    createCollection(Word, records).prepare({ match: ["word", "id"], contains: ["word"] }),
  );
  const all = [...made, ...made.flatMap((each) => reopenings.map((way) => reopened(each, way)))];
  for (const each of all) {
    for (const empty of [each.remove(null), each.insert({ id: 90, word: "e" }).remove(null)]) {
      for (const asked of criteria) {
        for (const sortBy of [undefined, "word"] as const) {
          const plan = empty.explain({ criteria: asked, sortBy, limit: 5 }, { analyze: true });
          expect(formatPlan(plan)).not.toMatch(/NaN|Infinity/);
          expect(JSON.stringify(plan)).not.toMatch(/:null/);
        }
      }
    }
  }
});
