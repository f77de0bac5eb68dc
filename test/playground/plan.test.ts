// What the page shows about plans, and what it runs without indexes.

import fc from "fast-check";
import { expect, test } from "vitest";
import { boolean, createCollection, defineSchema, float, int, string } from "../../src/index.ts";
import type { Collection, QueryPlan } from "../../src/index.ts";
import { scan } from "../../src/playground/engine/scan.ts";
import { stepsOf } from "../../src/playground/page/steps.ts";
import { settings } from "../property.ts";

const schema = defineSchema({
  n: int({ nullable: true }),
  f: float(),
  s: string({ nullable: true }),
  b: boolean(),
});

const row = fc.record({
  n: fc.option(fc.integer({ min: -3, max: 12 })),
  f: fc.constantFrom(-0.5, 0, 1e9, 2.25),
  s: fc.option(fc.constantFrom("", "a", "B", "10", "9")),
  b: fc.boolean(),
});

const question = fc.record({
  criteria: fc.constantFrom(
    [],
    [["n", "greater_than", 1]],
    [["s", "contains", "a"], "OR", ["b", "exactly", true]],
  ),
  sort: fc.uniqueArray(
    fc.tuple(fc.constantFrom("n", "f", "s", "b"), fc.constantFrom("ASC", "DESC")),
    { selector: ([field]) => field, maxLength: 2 },
  ),
});

test("a loop over all records finds what the query finds", () => {
  const same = fc.property(fc.array(row, { maxLength: 30 }), question, (rows, asked) => {
    const collection = createCollection(schema, rows) as unknown as Collection;
    const query = { ...asked, limit: 5 } as never;
    expect(scan(collection, asked as never, 5)).toEqual(collection.query(query));
  });
  fc.assert(same, settings(200));
});

const planOf = (estimated: number, rows: number, part: Partial<QueryPlan> = {}) =>
  ({
    access: { path: "scan", criteria: [], parts: [], estimatedRows: estimated, actualRows: rows },
    filters: [],
    limit: 50,
    actualRows: Math.min(50, rows),
    ...part,
  }) as unknown as QueryPlan;

test.each([
  [100, 11, undefined, false],
  [100, 10, "10 times too many", false],
  [0, 9, undefined, false],
  [3, 40, "13 times too few", false],
  // A full page ends the reading.
  [100_000, 60, undefined, true],
  [599, 60, undefined, false],
  [5, 60, "12 times too few", false],
])("an estimate of %d for %d rows", (estimated, rows, wrong, isStopped) => {
  const [access] = stepsOf(planOf(estimated, rows));
  expect(access).toMatchObject({ wrong, isStopped });
});
