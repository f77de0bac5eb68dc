// Rows that trigrams find and that are dead in the snapshot, in a collection of real size.

import { expect, test } from "vitest";
import { createCollection, defineSchema, int, string } from "../../src/index.ts";

test("removed and changed rows are not found by substrings", () => {
  const Item = defineSchema({ id: int(), name: string() });
  const records = Array.from({ length: 5000 }, (_, id) => ({ id, name: `item ${id} of many` }));
  const items = createCollection(Item, records).prepare({ contains: ["name"] });
  const changed = items
    .remove([["id", "exactly", 1234]])
    .update([["id", "exactly", 2234]], (item) => void (item.name = "another"));
  const query = { criteria: [["name", "contains", "234 of"]] } as const;
  expect(changed.explain(query).access.path).toBe("trigrams");
  expect(items.query(query).map(({ id }) => id)).toEqual(["234", "1234", "2234", "3234", "4234"]);
  expect(changed.query(query).map(({ id }) => id)).toEqual(["234", "3234", "4234"]);
  expect(changed.count(query.criteria)).toBe(3);
});
