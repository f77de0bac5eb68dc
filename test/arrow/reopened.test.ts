// Every storage kind is among the reopenings, because the properties of the engine use no others.

import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { createCollection, defineSchema, int } from "../../src/index.ts";
import { reopened, reopenings } from "./reopened.ts";

test("reopenings and merged changes of them have rows of every kind", () => {
  const folder = new URL("../../src/engine/columns/", import.meta.url);
  const kinds = readdirSync(folder)
    .filter((name) => name.endsWith(".ts"))
    .flatMap((name) => [
      ...readFileSync(new URL(name, folder), "utf8").matchAll(/class (\w+) implements Rows\b/g),
    ])
    .map(([, name]) => name);
  const made = createCollection(defineSchema({ id: int() }), [{ id: 1 }, { id: 2 }]);
  const collections = [made, ...reopenings.map((reopening) => reopened(made, reopening))];
  const merged = collections.map((each) =>
    each.update([["id", "exactly", 2]], { id: 3 }).compact(),
  );
  const drawn = [...collections, ...merged].map(
    ({ state }) => state.snapshot.segments[0].rows.constructor.name,
  );
  expect([...new Set(drawn)].sort()).toEqual(kinds.sort());
});
