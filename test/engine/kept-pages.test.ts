// Pages that are asked for again: each time the same records in a new array, in each version its own, and never
// instead of building an index.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createCollection, defineSchema, formatPlan, int, string } from "../../src/index.ts";
import { settings } from "../property.ts";

const Item = defineSchema({ id: int({ unique: true }), rank: int(), name: string() });

const itemAt = (id: number) => ({ id, rank: (id * 7919) % 13, name: `n${(id * 31) % 17}` });

const items = (count: number) =>
  createCollection(
    Item,
    Array.from({ length: count }, (_, id) => itemAt(id)),
  );

const page = fc.record({
  sortBy: fc.constantFrom("rank" as const, "name" as const, "id" as const),
  sortOrder: fc.constantFrom("ASC" as const, "DESC" as const),
  offset: fc.nat(30),
  limit: fc.nat(12),
});

const step = fc.oneof(
  { weight: 3, arbitrary: page },
  fc.record({ update: fc.nat(120), rank: fc.nat(20) }),
  fc.record({ remove: fc.nat(120) }),
  fc.record({ insert: fc.nat(20) }),
  // Many at once: more than are inserted into a page one by one.
  fc.record({ removeFrom: fc.nat(20) }),
  fc.record({ insertMany: fc.constant(70) }),
);

const Named = defineSchema({
  id: int({ unique: true }),
  name: string({ nullable: true }),
  rank: int({ nullable: true }),
});

const rankAt = (id: number) => (id % 5 === 0 ? null : ((id * 7919) % 13) - 6);

const named = (count: number) =>
  createCollection(
    Named,
    Array.from({ length: count }, (_, id) => ({
      id,
      name: id % 3 === 0 ? null : "a".repeat(id % 3),
      rank: rankAt(id),
    })),
  );

const change = fc.record({
  kind: fc.constantFrom(
    ...["update", "insert", "remove", "both"],
    ...["update many", "insert many", "remove many"],
  ),
  // The first ids are on the pages.
  id: fc.oneof(fc.nat(12), fc.nat(200)),
  name: fc.constantFrom(null, "", "a", "aa", "b", "😀", "￿"),
  rank: fc.constantFrom(null, -9, 0, 9),
  // What the old version is asked then.
  limit: fc.integer({ min: 1, max: 6 }),
  // How often the old version is asked before there is a new one, and then.
  askedBefore: fc.nat(2),
  askedAfter: fc.nat(2),
});

interface Changing {
  readonly kind: string;
  readonly id: number;
  readonly name: string | null;
  readonly rank: number | null;
}

function changed(
  all: ReturnType<typeof named>,
  { kind, id, name, rank }: Changing,
  nextId: number,
) {
  const one = [["id", "exactly", id]] as const;
  const many = [["id", "greater_than", id]] as const;
  if (kind === "update") return all.update(one, { name, rank });
  if (kind === "update many") return all.update(many, { name, rank });
  if (kind === "insert") return all.insert({ id: nextId, name, rank });
  if (kind === "remove") return all.remove(one);
  if (kind === "remove many") return all.remove(many);
  if (kind === "insert many") {
    const rows = Array.from({ length: 70 }, (_, i) => ({ id: nextId + i, name, rank: rankAt(i) }));
    return all.insert(rows);
  }
  const removed = all.removeWithPatches(many);
  const updated = removed.collection.updateWithPatches(one, { name, rank });
  return all.applyPatches([...removed.patches, ...updated.patches]);
}

describe("a page asked for again", () => {
  test("is the one of its version, whatever was asked in between", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), fc.boolean(), (steps, isIndexed) => {
        let all = items(120);
        let next = 120;
        if (isIndexed) all.prepare({ sort: ["rank", "name", "id"] });
        for (const each of steps) {
          if ("update" in each) {
            all = all.update([["id", "exactly", each.update]], { rank: each.rank });
          } else if ("remove" in each) all = all.remove([["id", "exactly", each.remove]]);
          else if ("insert" in each) all = all.insert([{ ...itemAt(next++), rank: each.insert }]);
          else if ("removeFrom" in each) {
            all = all.remove([["rank", "greater_than", each.removeFrom]]);
          } else if ("insertMany" in each) {
            all = all.insert(Array.from({ length: each.insertMany }, () => itemAt(next++)));
          } else {
            const { sortBy, sortOrder, offset, limit } = each;
            const sign = sortOrder === "ASC" ? 1 : -1;
            const compare = (a: string | number, b: string | number) =>
              a === b ? 0 : a < b ? -sign : sign;
            const expected = [...all]
              .sort((a, b) => compare(a[sortBy], b[sortBy]))
              .slice(offset, offset + limit);
            for (let i = 0; i < 4; i++) expect(all.query({ ...each })).toEqual(expected);
          }
        }
      }),
      settings(100),
    );
  });

  test("follows from the one before a change, whatever changes", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(0, 3, 200),
        fc.array(change, { maxLength: 30 }),
        fc.constantFrom("name" as const, "rank" as const),
        fc.constantFrom("ASC" as const, "DESC" as const),
        fc.integer({ min: 1, max: 6 }),
        (rows, changes, sortBy, sortOrder, limit) => {
          const query = { sortBy, sortOrder, limit } as const;
          let all = named(rows).prepare({ sort: [sortBy], match: ["id"] });
          for (const [i, each] of changes.entries()) {
            const before = all;
            for (let times = 0; times < each.askedBefore; times++) before.query(query);
            all = changed(before, each, 1000 + 100 * i);
            const other = { ...query, limit: each.limit };
            for (let times = 0; times < each.askedAfter; times++) before.query(other);
            // Without an index and in a new collection, no page is kept.
            const expected = createCollection(Named, [...all], { indexes: "none" });
            if (each.askedAfter > 0) expect(all.query(other)).toEqual(expected.query(other));
            expect(all.query(query)).toEqual(expected.query(query));
            const one = { criteria: [["id", "exactly", each.id]] } as const;
            expect(all.query(one)).toEqual(expected.query(one));
          }
        },
      ),
      settings(200),
    );
  });

  test("is there after a change, and explain says so", () => {
    const query = { sortBy: "rank", limit: 5 } as const;
    let all = items(200).prepare({ sort: ["rank"], match: ["id"] });
    for (let i = 0; i < 2; i++) all.query(query);
    for (const change of [
      () => all.update([["id", "exactly", 3]], { rank: 50 }),
      () => all.insert({ id: 200, rank: 60, name: "new" }),
      () => all.remove([["id", "exactly", 3]]),
      () => all.remove([["rank", "less_than", 6]]),
      () => all.insert(Array.from({ length: 70 }, (_, i) => ({ ...itemAt(300 + i), rank: i }))),
    ]) {
      all = change();
      expect(all.explain(query).access.path).toBe("kept-page");
      const ranks = Array.from(all, ({ rank }) => rank).sort((a, b) => b - a);
      expect(all.query(query).map(({ rank }) => rank)).toEqual(ranks.slice(0, 5));
    }
    // More records go than are kept after the page.
    all = all.remove([["rank", "greater_than", 9]]);
    expect(all.explain(query).access.path).not.toBe("kept-page");
  });

  test("is a new array, which its caller may change", () => {
    const all = items(1000).prepare({ sort: ["rank"] });
    const first = all.query({ sortBy: "rank", limit: 5 });
    for (let i = 0; i < 4; i++) {
      const again = all.query({ sortBy: "rank", limit: 5 });
      expect(again).toEqual(first);
      expect(again[0]).toBe(first[0]);
      again.length = 0;
    }
  });

  test("is what explain says, for the version that keeps it, and only then", () => {
    const first = items(100).prepare({ sort: ["rank"], match: ["id"] });
    // Two segments: the page is kept for both together.
    const changed = first.update([["id", "exactly", 3]], { rank: 50 });
    const query = { sortBy: "rank", limit: 5 } as const;
    for (const all of [first, changed]) {
      const page = all.query(query);
      for (let i = 0; i < 3; i++) expect(all.explain(query).access.path).toBe("index-scan");
      expect(all.query(query)).toEqual(page);
      const plan = all.explain(query);
      expect(formatPlan(plan)).toBe(
        [
          "page: 5 rows at offset 0, estimated 5 ns",
          "  sort by rank DESC: in order as read",
          "    copy a kept page of rank — about 100 rows",
        ].join("\n"),
      );
      expect(all.explain(query, { analyze: true })).toMatchObject({
        access: { path: "kept-page", actualRows: 5 },
        actualRows: 5,
        delta: undefined,
      });
      for (const other of [
        { ...query, limit: 4 },
        { ...query, offset: 1 },
        { ...query, sortOrder: "ASC" } as const,
        { ...query, criteria: [["id", "not", 7]] } as const,
        {
          limit: 5,
          sort: [
            ["rank", "DESC"],
            ["id", "ASC"],
          ],
        } as const,
      ]) {
        expect(all.explain(other).access.path).not.toBe("kept-page");
      }
      all.query({ ...query, offset: 1 });
      expect(all.explain(query).access.path).toBe("index-scan");
    }
  });

  test("is sorted again as long as there is no index, so that it gets one", () => {
    const all = items(10_000);
    for (let i = 0; i < 1000 && all.indexes().length === 0; i++) {
      all.query({ sortBy: "name", limit: 5 });
    }
    expect(all.indexes()).toMatchObject([{ field: "name", kind: "ordered" }]);
  });
});
