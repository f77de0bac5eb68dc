// Queries for one value of a field, in a collection with several segments.

import { expect, test, vi } from "vitest";
import { Deadline, DeadlineError } from "../../src/collection/algorithms/deadline.ts";
import { createCollection, type Collection } from "../../src/collection/collection.ts";
import { pageOf } from "../../src/collection/execute/page.ts";
import { planQuery } from "../../src/collection/plan/planner.ts";
import { parseQuery } from "../../src/collection/plan/query.ts";
import { defineSchema, int, string } from "../../src/index.ts";
import { tuned, usual } from "../tuned.ts";

const strict = { maxCriteria: 1000, maxValues: 1000, unknownOperator: "error" } as const;

const Row = defineSchema({ id: int({ unique: true }), group: string() }, { form: "wire" });

/** How many of each lot of rows have the group `rare`. */
const RARE = 3;

/**
 * Segments of 1,000, of 100 and of a few rows. Two rows of the first were changed and moved to the last.
 *
 * @param rare how many of each lot of rows have the group `rare`
 */
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

test("are in insertion order, wherever their records were put", () => {
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

const asked = parseQuery(Row, { criteria: [["group", "exactly", "rare"]] }, strict);

/** By which path each segment answers. */
const pathsIn = (rows: Collection<typeof Row>) =>
  rows.state.snapshot.segments.map((segment) => planQuery(segment, asked).source.step.path);

test("are found by an index, and where they are few by the predicate", () => {
  using _ = tuned(usual);
  expect(pathsIn(changed(RARE))).toEqual(["index-lookup", "index-lookup", "predicate"]);
});

test("are found by digests where a segment that is not small has no index yet", () => {
  const rows = (from: number, count: number, rare: number) =>
    Array.from({ length: count }, (_, i) => ({
      id: from + i,
      group: i < rare ? "rare" : `group ${from + i}`,
    }));
  const added = (rare: number) =>
    createCollection(Row, rows(0, 8000, 1))
      .prepare({ match: ["group"] })
      .insert(rows(8000, 900, rare));
  const few = added(2);
  expect(pathsIn(few)).toEqual(["index-lookup", "digest-lookup"]);
  expect(idsOf(few)).toEqual([0, 8000, 8001]);
  expect(idsOf(few.remove([["id", "exactly", 8000]]))).toEqual([0, 8001]);
  expect(few.count([["group", "exactly", "rare"]])).toBe(3);
  expect(few.state.snapshot.segments[1]?.indexes.count).toBe(0);
  expect(idsOf(added(65), { limit: 70 })).toHaveLength(66);
  expect(idsOf(added(65), { offset: 2, limit: 3 })).toEqual([8001, 8002, 8003]);
});

test("are tested for where a segment has neither an index nor digests", () => {
  const group = (i: number) => (i % 100 === 0 ? "rare" : "other");
  const rows = Array.from({ length: 200 }, (_, id) => ({ id, group: group(id) }));
  const unindexed = createCollection(Row, rows, { indexes: "none" })
    .insert([{ id: 200, group: group(200) }])
    .update([["id", "exactly", 0]], (draft) => void (draft.group = "other"));
  expect(pathsIn(unindexed)).toEqual(["scan", "predicate"]);
  expect(idsOf(unindexed)).toEqual([100, 200]);
});

test("are looked for no longer than there is time", () => {
  const { snapshot } = changed(RARE).state;
  const deadline = new Deadline(0);
  const check = vi.spyOn(deadline, "check").mockImplementation(() => undefined);
  expect(pageOf(snapshot, { ...asked, deadline })).toHaveLength(9);
  // Before and after the rows of each segment.
  expect(check.mock.calls.length).toBeGreaterThanOrEqual(2 * snapshot.segments.length);
  check.mockImplementation(() => {
    throw new DeadlineError("over");
  });
  expect(() => pageOf(snapshot, { ...asked, deadline })).toThrow(DeadlineError);
});
