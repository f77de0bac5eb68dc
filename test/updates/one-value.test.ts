// Queries for one value of a field, of a collection whose records stand in several segments: where few
// have the value they are found without a plan.

import { expect, test, vi } from "vitest";
import { Deadline, DeadlineError } from "../../src/collection/algorithms/deadline.ts";
import { createCollection, type Collection } from "../../src/collection/collection.ts";
import { forEachRow } from "../../src/collection/execute/merge-segments.ts";
import { pageOf } from "../../src/collection/execute/page.ts";
import { planQuery } from "../../src/collection/plan/planner.ts";
import { parseQuery } from "../../src/collection/plan/query.ts";
import { defineSchema, int, string } from "../../src/index.ts";

const strict = { maxCriteria: 1000, maxValues: 1000, unknownOperator: "error" } as const;

const Row = defineSchema({ id: int({ unique: true }), group: string() });

/** How many rows of the base have the group `rare`. */
const RARE = 3;

/** 1,000 rows, of which some have moved to the segments of 100 and of 10 rows that were added. */
function changed(rare: number): Collection<typeof Row> {
  const rows = (from: number, count: number) =>
    Array.from({ length: count }, (_, i) => ({
      id: from + i,
      group: i < rare ? "rare" : `group ${i % 3}`,
    }));
  const added = createCollection(Row, rows(0, 1000))
    .prepare({ match: ["group"] })
    .insert(rows(1000, 100))
    .prepare({ match: ["group"] })
    .insert(rows(2000, 10))
    // Once more in its old place, and another with the value that the first one had.
    .update([["id", "exactly", 1]], (draft) => void (draft.group = "other"))
    .update([["id", "exactly", 1]], (draft) => void (draft.group = "rare"))
    .update([["id", "exactly", 500]], (draft) => void (draft.group = "rare"))
    .remove([["id", "exactly", 2]]);
  expect(added.state.snapshot.segments.length).toBeGreaterThan(2);
  return added;
}

const idsOf = (rows: Collection<typeof Row>, page: object = {}) =>
  rows
    .query({ criteria: [["group", "exactly", "rare"]] as const, ...page })
    .map(({ id }) => Number(id));

test("stand in insertion order, wherever their records were put", () => {
  const rows = changed(RARE);
  const all = [0, 1, 500, 1000, 1001, 1002, 2000, 2001, 2002];
  expect(idsOf(rows)).toEqual(all);
  for (const offset of [0, 1, 4, 8, 9, 100]) {
    for (const limit of [0, 1, 3, 100]) {
      expect(idsOf(rows, { offset, limit })).toEqual(all.slice(offset, offset + limit));
    }
  }
  expect(idsOf(rows, { sortBy: "id", limit: 2 })).toEqual([2002, 2001]);
  expect(rows.count([["group", "exactly", "rare"]])).toBe(all.length);
});

test.each([64, 65, 100])("are as many where %i of a segment have the value", (rare) => {
  const rows = changed(rare);
  const of = (from: number, count: number) => Array.from({ length: count }, (_, i) => from + i);
  const inBase = of(0, rare).filter((id) => id !== 2);
  expect(idsOf(rows)).toEqual([...inBase, 500, ...of(1000, rare), ...of(2000, 10)]);
});

test("are found by reading where there is no index", () => {
  const group = (i: number) => (i % 100 === 0 ? "rare" : "other");
  const rows = Array.from({ length: 200 }, (_, id) => ({ id, group: group(id) }));
  const unindexed = createCollection(Row, rows, { indexes: "none" })
    .insert([{ id: 200, group: group(200) }])
    .update([["id", "exactly", 0]], (draft) => void (draft.group = "other"));
  expect(idsOf(unindexed)).toEqual([100, 200]);
});

test("are an answer to no query whose time is over", () => {
  const { snapshot } = changed(RARE).state;
  const query = parseQuery(Row, { criteria: [["group", "exactly", "rare"]] }, strict);
  const over = new Deadline(0);
  vi.spyOn(over, "check").mockImplementation(() => {
    throw new DeadlineError("over");
  });
  expect(() => pageOf(snapshot, { ...query, deadline: over })).toThrow(DeadlineError);
});

test("take no plan, unless somebody chooses one", () => {
  const { snapshot } = changed(RARE).state;
  const query = parseQuery(Row, { criteria: [["group", "exactly", "rare"]] }, strict);
  const choose = vi.fn(planQuery);
  let rows = 0;
  const count = (_: unknown, __: unknown, from: number, to: number) => void (rows += to - from);
  forEachRow(snapshot, query, count, { choose });
  expect(choose).toHaveBeenCalled();
  const planned = rows;
  forEachRow(snapshot, query, count);
  expect(rows).toBe(2 * planned);
});
