// Queries for one value of a field, of a collection whose records stand in several segments: where few
// have the value they are found without a plan.

import { expect, test, vi } from "vitest";
import { Deadline, DeadlineError } from "../../src/collection/algorithms/deadline.ts";
import { createCollection, type Collection } from "../../src/collection/collection.ts";
import { fewRowsWith } from "../../src/collection/execute/lookup.ts";
import { forEachRow, type Visit } from "../../src/collection/execute/merge-segments.ts";
import { pageOf } from "../../src/collection/execute/page.ts";
import { planQuery } from "../../src/collection/plan/planner.ts";
import { parseQuery } from "../../src/collection/plan/query.ts";
import { defineSchema, int, string } from "../../src/index.ts";

const strict = { maxCriteria: 1000, maxValues: 1000, unknownOperator: "error" } as const;

const Row = defineSchema({ id: int({ unique: true }), group: string() });

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

/** The ids of what is found without a plan. */
const foundIn = (
  rows: Collection<typeof Row>,
  { wanted = Infinity, deadline }: { wanted?: number; deadline?: Deadline } = {},
) =>
  fewRowsWith(rows.state.snapshot, "group", "rare", wanted, deadline)?.map(({ segment, row }) =>
    Number(segment.rows.record(row).id),
  );

test("are found without a plan where they are few", () => {
  expect(foundIn(changed(RARE))).toEqual([0, 1, 500, 1000, 1001, 1002, 2000, 2001, 2002]);
  expect(foundIn(changed(64))?.length).toBe(63 + 1 + 64 + 10);
  expect(foundIn(changed(66))).toBeUndefined();
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
  expect(foundIn(added(2))).toEqual([0, 8000, 8001]);
  expect(foundIn(added(2).remove([["id", "exactly", 8000]]))).toEqual([0, 8001]);
  expect(added(2).state.snapshot.segments[1]?.indexes.count).toBe(0);
  // Of more than a few, those of a short page.
  expect(foundIn(added(64))).toHaveLength(65);
  expect(foundIn(added(65))).toBeUndefined();
  expect(foundIn(added(65), { wanted: 3 })?.slice(0, 3)).toEqual([0, 8000, 8001]);
  expect(idsOf(added(65), { limit: 70 })).toHaveLength(66);
  expect(idsOf(added(65), { offset: 2, limit: 3 })).toEqual([8001, 8002, 8003]);
});

test("take a plan where a segment has neither an index nor digests", () => {
  const group = (i: number) => (i % 100 === 0 ? "rare" : "other");
  const rows = Array.from({ length: 200 }, (_, id) => ({ id, group: group(id) }));
  const unindexed = createCollection(Row, rows, { indexes: "none" })
    .insert([{ id: 200, group: group(200) }])
    .update([["id", "exactly", 0]], (draft) => void (draft.group = "other"));
  expect(foundIn(unindexed)).toBeUndefined();
  expect(idsOf(unindexed)).toEqual([100, 200]);
});

test("are looked for no longer than there is time", () => {
  const rows = (from: number, count: number) =>
    Array.from({ length: count }, (_, i) => ({ id: from + i, group: `group ${from + i}` }));
  const many = createCollection(Row, rows(0, 150_000))
    .prepare({ match: ["group"] })
    .insert(rows(150_000, 18_000));
  const deadline = new Deadline(0);
  const check = vi.spyOn(deadline, "check").mockImplementation(() => undefined);
  expect(foundIn(many, { deadline })).toEqual([]);
  // Before, and after the rows without an index.
  expect(check).toHaveBeenCalledTimes(2);
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
  const ordered = vi.spyOn(snapshot.segments[0].indexes, "ordered");
  const rowsBy = (choose?: typeof planQuery) => {
    const found: number[] = [];
    const visit: Visit = (segment, rows, from, to) => {
      for (let i = from; i < to; i++) found.push(segment.keyOf(rows[i] ?? -1));
    };
    if (choose === undefined) forEachRow(snapshot, query, visit);
    else forEachRow(snapshot, query, visit, { choose });
    return found;
  };
  const choose = vi.fn(planQuery);
  const planned = rowsBy(choose);
  expect(choose).toHaveBeenCalled();
  expect(planned).toHaveLength(9);
  ordered.mockClear();
  expect(rowsBy()).toEqual(planned);
  expect(ordered).toHaveBeenCalledTimes(1);
});

test("are found without a plan by a prepared query, too", () => {
  const rows = changed(RARE);
  const prepared = rows.prepareQuery({ criteria: [["group", "exactly", "rare"]] as const });
  const { indexes } = rows.state.snapshot.segments[0];
  const ordered = vi.spyOn(indexes, "ordered");
  for (let i = 0; i < 3; i++) expect(prepared.run(rows)).toHaveLength(9);
  // A plan that is kept asks for the index once.
  expect(ordered).toHaveBeenCalledTimes(3);
});
