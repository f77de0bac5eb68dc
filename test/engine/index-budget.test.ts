// A limit on the bytes of indexes: whatever was queried before, the bytes stay within the limit, results equal those of
// the predicate, and repeated queries get their index. The least recently used indexes make room for it.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createCollection, defineSchema, int, string } from "../../src/index.ts";
import { settings } from "../property.ts";
import { tuned } from "../tuned.ts";
import { wireSchema } from "../wire-schema.ts";

const Row = wireSchema({ a: string(), b: string(), c: int(), d: string(), e: int() });
const names = ["a", "b", "c", "d", "e"] as const;
type Name = (typeof names)[number];
const SIZE = 400;

const recordsOf = (from: number, count: number) =>
  Array.from({ length: count }, (_, i) => {
    const id = from + i;
    const spread = (id * 7919) % 10_007;
    return { a: `${spread} abc`, b: `b ${id % 90}`, c: id, d: `${spread} xyz`, e: spread % 50 };
  });
const collectionOf = (options: object = {}) => createCollection(Row, recordsOf(0, SIZE), options);
type Rows = ReturnType<typeof collectionOf>;

/** What the indexes of some versions take, and what is kept of them. What versions share is the same object. */
const bytesOf = (versions: readonly Rows[]) => {
  const all = versions.flatMap(({ state }) => state.snapshot.segments);
  const indexes = all.filter((each) => !each.isTiny).map((each) => each.indexes);
  const counted = new Set([...indexes, ...all.map((each) => each.cache)]);
  return [...counted].reduce((sum, { bytes }) => sum + bytes, 0);
};

type Step =
  | { readonly ask: "sort" | "match" | "contains" | "countBy" | "deep"; readonly field: Name }
  | { readonly change: "insert" | "remove" | "update" | "compact" | "back" };

/** Asks for other rows each time: an answer that is kept needs no index. */
function ask(rows: Rows, { ask, field }: Extract<Step, { ask: string }>, time: number): unknown {
  const [record] = recordsOf(time % SIZE, 1);
  const value = record?.[field] ?? null;
  switch (ask) {
    case "sort":
      return rows.query({ sortBy: field, offset: time % 200, limit: 3 });
    case "match":
      return rows.query({ criteria: [[field, "exactly", value]], limit: 5 });
    case "contains":
      return rows.count([[field, "contains", String(value).slice(0, 3)]]);
    case "countBy":
      return rows.countBy(field, [["b", "not", `b ${time % 90}`]], { limit: 4 });
    case "deep":
      return rows.query({
        criteria: [["b", "not", `b ${time % 3}`]],
        sortBy: field,
        offset: 150 + (time % 100),
        limit: 2,
      });
  }
}

function changed(rows: Rows, change: string, time: number): Rows {
  switch (change) {
    case "insert":
      return rows.insert(recordsOf(1000 + 40 * time, 40));
    case "remove":
      return rows.remove([["c", "exactly", time % SIZE]]);
    case "update":
      return rows.update([["e", "exactly", time % 50]], { b: `new ${time}` });
    default:
      return rows.compact();
  }
}

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      ask: fc.constantFrom("sort", "match", "contains", "countBy", "deep"),
      field: fc.constantFrom(...names),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      change: fc.constantFrom("insert", "remove", "update", "compact", "back"),
    }),
  },
);

const largest = Math.max(
  ...names.map((name) => bytesOf([collectionOf().prepare({ sort: [name] })])),
);

test("the bytes stay within the bound, answers are right, and what is asked for in the end has its index", () => {
  using _ = tuned({ fewRows: 8, fewValues: 16, fewToSearch: 1000 });
  fc.assert(
    fc.property(
      fc.array(fc.tuple(step, fc.integer({ min: 1, max: 20 })), { maxLength: 15, size: "max" }),
      // Of room for none to room for nearly all.
      fc.integer({ min: 0, max: 3 * largest }),
      fc.constantFrom(...names),
      (steps, indexBytes, last) => {
        const bound = collectionOf({ indexBytes });
        const plain = collectionOf({ indexes: "none" });
        // Old versions are held, so their indexes count.
        const versions = [bound];
        let [rows, expected] = [bound, plain];
        let time = 0;
        for (const [step, times] of steps) {
          if ("ask" in step) {
            for (let i = 0; i < times; i++) {
              expect(ask(rows, step, ++time)).toEqual(ask(expected, step, time));
              expect(bytesOf(versions)).toBeLessThanOrEqual(indexBytes);
            }
          } else {
            time++;
            [rows, expected] =
              step.change === "back"
                ? [bound, plain]
                : [changed(rows, step.change, time), changed(expected, step.change, time)];
            versions.push(rows);
            expect(bytesOf(versions)).toBeLessThanOrEqual(indexBytes);
          }
        }
        const again = { ask: "sort", field: last } as const;
        for (let i = 0; i < 60; i++) {
          expect(ask(rows, again, ++time)).toEqual(ask(expected, again, time));
        }
        expect(bytesOf(versions)).toBeLessThanOrEqual(indexBytes);
        const has = rows.indexes().some(({ field, kind }) => field === last && kind === "ordered");
        const needed = bytesOf([rows.compact().prepare({ sort: [last] })]);
        if (indexBytes >= 1.2 * needed) expect(has).toBe(true);
      },
    ),
    settings(15),
  );
});

describe("two indexes that have no room together", () => {
  const budget = Math.ceil(largest * 1.5);
  const sortBy = (field: Name) => ({ ask: "sort", field }) as const;

  test.each([
    ["auto", 2],
    ["deferred", 2],
  ] as const)("are not built at every query: %s", (indexes, least) => {
    const rows = collectionOf({ indexes, indexBytes: budget });
    let built = 0;
    let before = "";
    for (let time = 0; time < 200; time++) {
      ask(rows, sortBy(time % 2 === 0 ? "a" : "d"), time);
      if (indexes === "deferred") rows.buildDue();
      const now = rows.indexes().map(({ field }) => field);
      expect(now.length).toBeLessThanOrEqual(1);
      if (now.join() !== before) built++;
      before = now.join();
    }
    // An index costs as much as 1.25 sorts.
    expect(built).toBeGreaterThanOrEqual(least);
    expect(built).toBeLessThanOrEqual(200 / 2.5 + 2);
  });

  test("make place for each other, the one used last stays", () => {
    const rows = collectionOf({ indexBytes: budget });
    for (const [field, others] of [
      ["a", 0],
      ["d", 20],
      ["a", 20],
    ] as const) {
      for (let time = 0; time < 20 + others; time++) ask(rows, sortBy(field), time);
      expect(rows.indexes().map((index) => index.field)).toEqual([field]);
    }
  });
});

test("what was named is not evicted, nor what changes need", () => {
  const Item = defineSchema({ id: int({ unique: true }), name: string(), note: string() });
  const records = Array.from({ length: 500 }, (_, id) => ({
    id,
    name: `${(id * 7) % 500} name`,
    note: `note ${(id * 31) % 500}`,
  }));
  let items = createCollection(Item, records, { indexBytes: 0 }).prepare({ sort: ["name"] });
  items = items.insert({ id: 500, name: "new", note: "new" });
  for (let time = 0; time < 50; time++) items.query({ sortBy: "note", offset: time, limit: 1 });
  expect(items.indexes().map(({ field }) => field)).toEqual(["name", "id"]);
  items = items.insert(records.map((each) => ({ ...each, id: each.id + 1000 }))).compact();
  for (let time = 0; time < 50; time++) items.query({ sortBy: "note", offset: time, limit: 1 });
  items = items.insert({ id: 5000, name: "new", note: "new" });
  expect(
    items
      .indexes()
      .map(({ field }) => field)
      .sort(),
  ).toEqual(["id", "name"]);
});
