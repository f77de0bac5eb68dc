// A light collection keeps the laws of collections, and after any changes it has the records, the answers and the errors
// of a collection.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  createCollection as createIndexed,
  defineSchema,
  float,
  int,
  next,
  string,
  strings,
  type Collection,
} from "../../src/index.ts";
import { createCollection, type LightCollection } from "../../src/light/index.ts";
import { checkCollection, criteria, formatReport, query } from "../../src/testing/index.ts";
import { settings } from "../property.ts";
import { untyped } from "../rules/fixtures.ts";
import { tuned } from "../tuned.ts";

test("keeps the laws of what it has", async () => {
  const report = await checkCollection(createCollection, settings(10));
  expect(report.passed, formatReport(report)).toBe(true);
  const missing = report.laws.filter(({ outcome }) => outcome === "not applicable");
  const names = missing.map(({ reason }) => reason?.replace("needs ", ""));
  expect(new Set(names)).toEqual(new Set(["page", "countBy", "histogram", "summary", "groupBy"]));
});

const Row = defineSchema(
  {
    id: int({ unique: true }),
    name: string({ unique: true, ignoreCase: true, nullable: true }),
    size: float({ default: 0 }),
    kind: string({ default: "a" }),
    tags: strings({ default: [] }),
    number: int({ default: next }),
  },
  { unique: [["kind", "size"]] },
);

type Both = readonly [LightCollection<typeof Row>, Collection<typeof Row>];

/** The changes that both have. */
interface Changing {
  insert(records: unknown): unknown;
  update(which: unknown, values: object): unknown;
  upsert(records: unknown, by: unknown, options?: object): unknown;
  remove(which: unknown): unknown;
}

const names = fc.constantFrom(null, "", "a", "A", "ab", "0", "__proto__", "\u{1f600}", "\uffff");
const given = fc.record(
  {
    id: fc.nat({ max: 12 }),
    name: names,
    size: fc.constantFrom(0, -0, 1, 1e300, 0.1),
    kind: fc.constantFrom("a", "b", "ab", "\u{1f600}"),
    tags: fc.constantFrom([], ["a"], ["a", "a", "b"]),
  },
  { requiredKeys: ["id", "name", "size", "kind", "tags"] },
);
const partly = fc.record(
  { id: fc.nat({ max: 12 }), name: names, size: fc.constantFrom(0, 7), kind: fc.constant("b") },
  { requiredKeys: ["id"] },
);
const some = criteria(Row);

const change: fc.Arbitrary<(to: Changing) => unknown> = fc.oneof(
  fc.array(given, { maxLength: 4 }).map((records) => (to: Changing) => to.insert(records)),
  given.map((record) => (to: Changing) => to.insert(record)),
  fc
    .tuple(some, fc.constantFrom({ size: 3 }, { kind: "b" }, { name: "B" }, { tags: ["x"] }, {}))
    .map(
      ([which, values]) =>
        (to: Changing) =>
          to.update(which, values),
    ),
  fc.tuple(fc.array(partly, { maxLength: 3 }), fc.constantFrom("id", "name")).map(
    ([records, by]) =>
      (to: Changing) =>
        to.upsert(records, by, { merge: true }),
  ),
  given.map((record) => (to: Changing) => to.upsert(record, ["kind", "size"])),
  some.map((which) => (to: Changing) => to.remove(which)),
  fc.nat({ max: 12 }).map((id) => (to: Changing) => to.remove([["id", "exactly", id]])),
);

/** What a call returns, or the error that it throws. */
function outcome(call: () => unknown): unknown {
  try {
    return call();
  } catch (error) {
    return error instanceof Error ? [error.name, error.message] : error;
  }
}

describe("a light collection and a collection", () => {
  test("are the same after any changes", () => {
    // Small segments are merged with large ones at any time.
    using _ = tuned({ fewRows: 3, sizeRatio: 2 });
    const asked = fc.tuple(fc.array(change, { maxLength: 12 }), fc.array(query(Row)), some, names);
    const same = fc.property(asked, ([changes, queries, counted, name]) => {
      let both: Both = [createCollection(Row), createIndexed(Row)];
      for (const each of changes) {
        const [light, indexed] = both.map((to) => outcome(() => each(untyped(to))));
        const isRefused = Array.isArray(indexed);
        if (isRefused) expect(light).toEqual(indexed);
        else both = [untyped(light), untyped(indexed)];
        const [first, second] = both;
        expect([...first]).toEqual([...second]);
        expect(first.size).toBe(second.size);
        for (const query of queries) {
          expect(outcome(() => first.query(query))).toEqual(outcome(() => second.query(query)));
        }
        expect(first.count(counted)).toBe(second.count(counted));
        for (let id = 0; id <= 12; id++) expect(first.get("id", id)).toEqual(second.get("id", id));
        expect(first.get("name", name)).toEqual(second.get("name", name));
        expect(first.get({ kind: "a", size: 0 })).toEqual(second.get({ kind: "a", size: 0 }));
      }
    });
    fc.assert(same, settings(200));
  });

  test("have sorted pages of any length, ties in insertion order", () => {
    const records = Array.from({ length: 600 }, (_, i) => ({ id: i, kind: "k", size: i % 7 }));
    const Tied = defineSchema({ id: int(), kind: string(), size: float() });
    const both = [createCollection(Tied, records), createIndexed(Tied, records)] as const;
    for (const limit of [0, 1, 256, 257, 600, undefined]) {
      for (const offset of [0, 1, 250, 599, 600]) {
        const query = {
          sort: [
            ["kind", "ASC"],
            ["size", "DESC"],
          ],
          limit,
          offset,
        } as const;
        const [light, indexed] = both.map((each) => each.query(query));
        expect(light).toEqual(indexed);
      }
    }
  });
});

test("an unchanged light collection is the same one, and so are its records", () => {
  const rows = createCollection(Row, [{ id: 1, name: "a" }]);
  expect(rows.update([["id", "exactly", 1]], { name: "a" })).toBe(rows);
  expect(rows.remove([["id", "exactly", 2]])).toBe(rows);
  const more = rows.insert({ id: 2, name: "b", kind: "b" });
  expect(more.get("id", 1)).toBe(rows.get("id", 1));
  expect(Object.isFrozen(more)).toBe(true);
});

test("options that it does not have are errors that list those it has", () => {
  expect(() => createCollection(Row, [], untyped({ indexes: "none" }))).toThrow(
    'options: has no member "indexes"; use "maxCriteria" or "maxValues"',
  );
  const few = createCollection(Row, [], { maxCriteria: 1 });
  expect(() =>
    few.count([
      ["id", "exactly", 1],
      ["id", "exactly", 2],
    ]),
  ).toThrow(/at most 1/);
});
