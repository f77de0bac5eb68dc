// What is derived from indexes and rows counts among the bytes of indexes, and can be forgotten at any time.

import { expect, test } from "vitest";
import { createCollection, defineSchema, int, string } from "../../../src/index.ts";
import { tuned, usual } from "../../tuned.ts";

const Row = defineSchema({ id: int(), word: string() });
const COUNT = 1000;
const make = (options?: { readonly storage: "columns" }) =>
  createCollection(
    Row,
    Array.from({ length: COUNT }, (_, id) => ({ id, word: `${id % 10} ${id}` })),
    options,
  );

test("the positions of dead rows are counted, forgotten, and found again", () => {
  using _ = tuned({ ...usual, fewRows: 3 });
  const rows = make().prepare({ sort: ["id"] });
  const left = rows.remove([["id", "less_than", 100]]);
  const [{ rows: all, indexes }] = left.state.snapshot.segments;
  const index = indexes.buildOrdered("id");
  const before = index.bytes;
  const pages = () => [
    left.query({ sortBy: "id", sortOrder: "ASC", offset: 300, limit: 1 })[0]?.id,
    left.query({ offset: 300, limit: 1 })[0]?.id,
  ];
  expect(pages()).toEqual([400, 400]);
  expect(index.bytes - before).toBe(4 * 100);
  expect(all.derived.bytes).toBe(4 * 100);
  index.derived.clear();
  all.derived.clear();
  expect(index.bytes).toBe(before);
  expect(pages()).toEqual([400, 400]);
  // Another version, whose dead rows are others.
  expect(rows.query({ sortBy: "id", sortOrder: "ASC", offset: 300, limit: 1 })[0]?.id).toBe(300);
});

test("the bounds of first characters are counted, forgotten, and found again", () => {
  const rows = make().prepare({ match: ["word"] });
  const [{ indexes }] = rows.state.snapshot.segments;
  const index = indexes.buildOrdered("word");
  const before = index.bytes;
  const groups = () => rows.countBy("word", [["id", "less_than", 500]], { prefix: 1 });
  const first = groups();
  expect(first).toHaveLength(10);
  expect(index.bytes).toBeGreaterThan(before);
  index.derived.clear();
  expect(index.bytes).toBe(before);
  expect(groups()).toEqual(first);
});

test("records made from columns make room, and stay the same while somebody has them", () => {
  using _ = tuned({ mostRecords: 16 });
  const rows = make({ storage: "columns" });
  const [{ rows: all, indexes }] = rows.state.snapshot.segments;
  indexes.buildOrdered("id");
  const none = indexes.bytes;
  const page = rows.query({ limit: 10 });
  expect(all.derived.bytes).toBe(10 * 400);
  expect(indexes.bytes - none).toBe(10 * 400);
  rows.query({ offset: 500, limit: 30 });
  expect(all.derived.bytes).toBe(16 * 400);
  const records = indexes.evictables.find(({ structure }) => structure === all.derived);
  records?.evict();
  expect(indexes.bytes).toBe(none);
  const again = rows.query({ limit: 10 });
  expect(again.every((record, i) => record === page[i])).toBe(true);
  for (let i = 0; i < COUNT; i++) expect(rows.at(i)?.id).toBe(i);
  expect(rows.query({ limit: 10 })[0]).toBe(page[0]);
});
