// How far changes can be undone, tested without a browser.

import { expect, test } from "vitest";
import { createCollection, createDatabase, defineSchema, int } from "../../src/index.ts";
import { Changes } from "../../src/playground/engine/changes.ts";
import type { Edit } from "../../src/playground/messages.ts";

const Item = defineSchema({ id: int(), votes: int() });

function changesOf(count: number) {
  const records = Array.from({ length: count }, (_, id) => ({ id, votes: 0 }));
  const database = createDatabase({ records: createCollection(Item, records) });
  const changes = new Changes({
    get collection() {
      return database.records as never;
    },
    path: ["records"],
    applyPatches: (patches) => database.applyPatches(patches),
    update: (recipe) =>
      database.update((draft) => {
        draft.records = recipe(draft.records) as never;
      }),
  });
  return { changes, votes: () => database.records.summary("votes").sum, database };
}

const setVotes = (value: unknown, ...criteria: unknown[]): Edit => ({
  kind: "set",
  criteria,
  field: "votes",
  value,
});

test("the newest 100 changes can be undone and redone, and a new one ends what could be redone", () => {
  const { changes, votes } = changesOf(3);
  for (let value = 1; value <= 150; value++) changes.run(setVotes(value, ["id", "exactly", 1]));
  let undone = 0;
  while (changes.run({ kind: "undo" }).how === "undone") undone++;
  expect([undone, votes()]).toEqual([100, 50]);
  expect(changes.run({ kind: "redo" }).undone).toHaveLength(99);
  expect(votes()).toBe(51);
  // What changes nothing is no change, and what is refused is none either.
  expect(changes.run(setVotes(51, ["id", "exactly", 1])).how).toBe("nothing");
  expect(() => changes.run(setVotes("x"))).toThrow("changes.votes: must be an integer");
  expect(() => changes.run(setVotes(null))).toThrow("changes.votes: must not be null");
  expect(votes()).toBe(51);
  const { done, undone: left, how } = changes.run(setVotes(7));
  expect([how, done.length, left.length, votes()]).toEqual(["done", 2, 0, 21]);
  expect(done[0]).toMatchObject({ records: 3, more: 0, value: 7 });
});

test("a change of very many records is undone and redone without patches", () => {
  const { changes, votes, database } = changesOf(100_001);
  changes.run(setVotes(1, ["id", "less_than", 5]));
  const before = database.records.query({ limit: 9 });
  const { done } = changes.run(setVotes(2));
  expect(done[0]).toMatchObject({ records: 100_001, patches: [], more: undefined });
  expect(votes()).toBe(200_002);
  changes.run({ kind: "undo" });
  expect(database.records.query({ limit: 9 })).toEqual(before);
  changes.run({ kind: "redo" });
  expect(votes()).toBe(200_002);
  changes.run({ kind: "undo" });
  changes.run({ kind: "undo" });
  expect(votes()).toBe(0);
  changes.run({ kind: "remove", criteria: [] });
  expect(database.records.size).toBe(0);
  changes.run({ kind: "undo" });
  expect(database.records.size).toBe(100_001);
  // One more than a million records together: the oldest is forgotten.
  for (let value = 3; value < 14; value++) changes.run(setVotes(value));
  let undone = 0;
  while (changes.run({ kind: "undo" }).how === "undone") undone++;
  expect(undone).toBe(9);
});

test("a record that has changed since it was shown is not touched", () => {
  const { changes, votes } = changesOf(3);
  const asked = { criteria: [], sort: [] };
  const remove = (row: readonly number[]) =>
    changes.run({ kind: "remove", place: { asked, position: 1, row } });
  expect(() => remove([1, 5])).toThrow("has changed since it was shown");
  const { done } = remove([1, 0]);
  expect(done[0]?.patches).toEqual([
    { op: "remove", path: ["records", 1], before: { id: 1, votes: 0 } },
  ]);
  expect(() => remove([1, 0])).toThrow("has changed since it was shown");
  expect(votes()).toBe(0);
});
