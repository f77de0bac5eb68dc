// Sizes at which what must not grow with the input would: the depth of the stack, the arguments of a
// call, the passes of a selection. They take too long for a mutation run.

import { expect, test } from "vitest";
import { createCollection, defineSchema, int, string } from "../src/index.ts";
import { selectRange } from "../src/collection/select.ts";
import { withLowestInTheMiddle } from "./engine/adversaries.ts";
import { makeService, manyPeople } from "./updates/fixtures.ts";

test("strings with a long common prefix are sorted without exhausting the stack", () => {
  const Item = defineSchema({ id: int(), name: string() });
  const prefix = "p".repeat(300_000);
  const records = Array.from({ length: 450 }, (_, id) => ({
    id,
    name: prefix + String((id * 7) % 450).padStart(3, "0"),
  }));
  const sorted = createCollection(Item, records).query({ sortBy: "name", sortOrder: "ASC" });
  expect(sorted.map(({ name }) => Number(name.slice(-3)))).toEqual([...records.keys()]);
});

test("a stretch of keys that were put in the worst order is selected", () => {
  const size = 400_000;
  const keys = Float64Array.from(withLowestInTheMiddle(size));
  selectRange(keys, size - 3, size);
  expect(Array.from(keys.subarray(-3))).toEqual([size - 3, size - 2, size - 1]);
});

test("a removal of any size is made at once", () => {
  const people = manyPeople(200_000);
  expect(people.remove(null).size).toBe(0);
  expect(people.removeWithPatches([["id", "greater_than", 9]]).patches).toHaveLength(199_990);
});

test("a change of a service of any size is made as a whole", () => {
  const service = makeService();
  const files = Array.from({ length: 150_000 }, (_, i) => ({
    id: 10 + i,
    folder_id: 1,
    name: "x",
  }));
  const { patches, inversePatches } = service.update((draft) => {
    draft.files = draft.files.insert(files);
  });
  expect([service.files.size, patches.length]).toEqual([150_001, 150_000]);
  service.applyPatches(inversePatches);
  expect(service.files.size).toBe(1);
});
