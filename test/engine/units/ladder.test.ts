// Indexes whose rows all have distinct values share the arrays that are equal in all of them.

import { expect, test } from "vitest";
import { ladder } from "../../../src/engine/algorithms/ladder.ts";
import { createCollection, defineSchema, int, string, type Query } from "../../../src/index.ts";

test("arrays of any place and length count up, and have memory in common", () => {
  expect([...ladder(0, 5)]).toEqual([0, 0, 1, 2, 3]);
  expect([...ladder(2, 3)]).toEqual([1, 2, 3]);
  const long = ladder(1, 1000);
  expect(long[999]).toBe(999);
  expect(ladder(2, 10).buffer).toBe(long.buffer);
});

const Row = defineSchema({ id: int(), code: int(), name: string() });
const SIZE = 70_000;
const COUNTING = { id: (i: number) => i, code: (i: number) => (i * 7919) % SIZE };
const made = ({ id, code } = COUNTING) =>
  createCollection(
    Row,
    Array.from({ length: SIZE }, (_, i) => ({ id: id(i), code: code(i), name: `n${i}` })),
  ).prepare({ sort: ["id", "code", "name"] });

test("ids that count up take the bytes of their values, others also those of their order", () => {
  const bytesOf = (collection: ReturnType<typeof made>) =>
    collection.indexes().map(({ bytes }) => Math.round(bytes / SIZE));
  expect(bytesOf(made())).toEqual([8, 16, 16]);
  // One value that occurs twice.
  const twice = made({ ...COUNTING, id: (i) => (i === 1 ? 0 : i), code: (i) => i % (SIZE - 1) });
  expect(bytesOf(twice)).toEqual([20, 20, 16]);
});

test("changed collections answer as before, and leave the others as they are", () => {
  const first = made();
  let last = first;
  for (let i = 0; i < 12; i++) {
    const rows = Array.from({ length: 1000 }, (_, j) => 1000 * i + j);
    last = last
      .remove([["id", "in", rows.slice(0, 500)]])
      .update([["id", "in", rows]], { code: -i });
  }
  const plain = createCollection(Row, last.query(), { indexes: "none" });
  for (const sortBy of ["id", "code", "name"] as const) {
    const queries: Query<typeof Row>[] = [
      { sortBy, limit: 50, offset: 40_000 },
      { criteria: [["code", "less_than", 5]], sortBy, limit: 50 },
      { criteria: [["id", "in", [0, 499, 500, 69_999, 70_000]]], sortBy },
    ];
    for (const query of queries) {
      expect(last.query(query)).toEqual(plain.query(query));
    }
  }
  expect(first.query({ sortBy: "id", sortOrder: "ASC", offset: 60_000, limit: 2 })).toEqual([
    { id: 60_000, code: COUNTING.code(60_000), name: "n60000" },
    { id: 60_001, code: COUNTING.code(60_001), name: "n60001" },
  ]);
  expect(first.count([["code", "exactly", 5]])).toBe(1);
});
