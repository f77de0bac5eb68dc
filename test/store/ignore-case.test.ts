// A store whose fields are in another order than in the schema that opens it, and a store damaged by an earlier version
// for that reason: its lower-case columns were those of other fields.

import { join } from "node:path";
import { expect, test } from "vitest";
import type { Directory } from "../../src/arrow/directory.ts";
import { openCollection, saveCollection } from "../../src/arrow/index.ts";
import { createCollection, createDatabase, defineSchema, int, string } from "../../src/index.ts";
import { checkStore, createStore, openStore, repairStore } from "../../src/store/index.ts";
import { directoryOf, sealed } from "../arrow/sealed.ts";
import { newFolder } from "./fixtures.ts";

const id = int({ unique: true });
const text = string({ ignoreCase: true });
const Before = defineSchema({ id, city: text, name: text });
const After = defineSchema({ id, name: text, city: text });
// More than are kept as lines.
const records = Array.from({ length: 1500 }, (_, n) => ({
  id: n,
  city: `City ${n % 3}`,
  name: `Name ${n % 5}`,
}));
const people = createCollection(Before, records);

test("fields are read by their names, whatever their order in the schema is", () => {
  const folder = join(newFolder(), "store");
  createStore(folder, createDatabase({ people })).close();
  for (const schema of [After, Before, After]) {
    const db = openStore(folder, { people: schema });
    expect(db.people.count([["city", "exactly", "CITY 1"]])).toBe(500);
    expect(db.people.countBy("name").map(({ value }) => value)[0]).toBe("name 0");
    db.update((draft) => {
      draft.people = draft.people.update([["id", "exactly", 1]], { city: "CITY 1" });
    });
    db.checkpoint();
    db.close();
    expect(checkStore(folder).problems).toEqual([]);
  }
});

test("columns of other fields are found, and made anew from the spelling", () => {
  const saved = saveCollection(people);
  const mixedUp = sealed(saved, directoryOf(saved), (directory) => {
    const { columns, ...others } = directory as Directory;
    const hidden = columns.filter((column) => column.hidden).reverse();
    return { ...others, columns: [...columns.filter((column) => !column.hidden), ...hidden] };
  });
  const folder = join(newFolder(), "store");
  createStore(
    folder,
    createDatabase({ people: openCollection(mixedUp, { schema: Before }) }),
  ).close();
  const { problems } = checkStore(folder);
  expect(problems.map(({ reason }) => reason)).toEqual([
    expect.stringContaining("has folded values that do not match its values"),
  ]);
  const { kept, refused } = repairStore(folder);
  expect([kept.length, refused]).toEqual([1, 0]);
  expect(checkStore(folder).problems).toEqual([]);
  const db = openStore(folder, { people: After });
  expect(db.people.count([["city", "exactly", "CITY 1"]])).toBe(500);
  expect(db.people.query()).toEqual(records.map(({ id, city, name }) => ({ id, name, city })));
  db.close();
});
