// What a store saves of a schema with default functions (V14) and unique combinations (V13): in the journal, after
// reopening, and in a migration.

import { join } from "node:path";
import { expect, test } from "vitest";
import { createCollection, createDatabase, defineSchema, int, string } from "../../src/index.ts";
import { createStore, openStore, StoreError } from "../../src/store/index.ts";
import { thrownBy } from "../rules/fixtures.ts";
import { newFolder } from "./fixtures.ts";

const UNIQUE = [["list", "email"]] as const;
const email = string({ nullable: true });

/** A schema whose ids count up, from a number on. */
function countingFrom(first: number) {
  let next = first;
  const made: number[] = [];
  const id = int({
    unique: true,
    default: () => {
      made.push(next);
      return next++;
    },
  });
  return { made, Member: defineSchema({ id, list: int(), email }, { unique: UNIQUE }) };
}

/** A store of one member, whose id was made. */
function stored() {
  const directory = join(newFolder(), "store");
  const { Member } = countingFrom(1);
  const members = createCollection(Member, [{ list: 1, email: "a" }]);
  createStore(directory, createDatabase({ members }), { lock: false }).close();
  return directory;
}

test("what a function returned is in the journal, and is not made again when the store is opened", () => {
  const directory = stored();
  const writer = countingFrom(10);
  const store = openStore(directory, { members: writer.Member }, { lock: false });
  store.update((draft) => {
    draft.members = draft.members.insert([{ list: 1, email: "b" }, { list: 2 }]);
  });
  const records = store.members.query();
  expect(records.map(({ id }) => id)).toEqual([1, 10, 11]);
  expect(writer.made).toEqual([10, 11]);
  store.close();
  // Without a checkpoint: the journal has the records.
  for (const isKept of [false, true]) {
    const { Member, made } = countingFrom(20);
    const again = openStore(directory, { members: Member }, { lock: false });
    expect(again.members.query()).toEqual(records);
    expect(made).toEqual([]);
    if (!isKept) again.checkpoint();
    again.close();
  }
});

test("a combination is unique after the journal was read, and a refused change is not in it", () => {
  const directory = stored();
  const open = () => openStore(directory, { members: countingFrom(10).Member }, { lock: false });
  const store = open();
  store.update((draft) => {
    // Null equals nothing.
    draft.members = draft.members
      .insert([{ list: 2, email: "a" }, { list: 1 }, { list: 1 }])
      .upsert({ id: 7, list: 1, email: "a" }, ["list", "email"]);
  });
  const records = store.members.query();
  expect(records.map(({ id }) => id)).toEqual([7, 10, 11, 12]);
  store.close();
  const again = open();
  expect(again.members.query()).toEqual(records);
  expect(again.members.get({ list: 2, email: "a" })?.id).toBe(10);
  expect(() =>
    again.update((draft) => {
      draft.members = draft.members.insert({ id: 99, list: 2, email: "a" });
    }),
  ).toThrow(/"list" and "email" are already used by/);
  again.close();
  const third = open();
  expect(third.members.query()).toEqual(records);
  third.close();
});

test("a migration fills in a new field by its function, once for each record, and checks a new combination", () => {
  const directory = join(newFolder(), "store");
  const Old = defineSchema({ list: int(), email });
  const records = [
    { list: 1, email: "a" },
    { list: 1, email: "b" },
    { list: 1, email: null },
    { list: 1, email: null },
  ];
  const members = createCollection(Old, records);
  createStore(directory, createDatabase({ members }), { lock: false }).close();

  const narrower = defineSchema({ list: int({ unique: true }), email });
  expect(
    thrownBy(StoreError, () => openStore(directory, { members: narrower }, { lock: false })).reason,
  ).toContain("list");

  const { Member, made } = countingFrom(1);
  const store = openStore(directory, { members: Member }, { lock: false });
  const ids = store.members.query().map(({ id }) => id);
  expect(new Set(ids).size).toBe(4);
  expect(made.toSorted((a, b) => a - b)).toEqual(ids.toSorted((a, b) => a - b));
  expect(store.members.query().map((each) => ({ list: each.list, email: each.email }))).toEqual(
    records,
  );
  store.close();
  const later = countingFrom(50);
  const again = openStore(directory, { members: later.Member }, { lock: false });
  expect(again.members.query().map(({ id }) => id)).toEqual(ids);
  expect(later.made).toEqual([]);
  again.close();
});

test("a combination that stored records break is refused, and the store stays as it was", () => {
  const directory = join(newFolder(), "store");
  const Old = defineSchema({ id: int({ unique: true }), list: int(), email });
  const twice = [1, 2].map((id) => ({ id, list: 1, email: "a" }));
  createStore(directory, createDatabase({ members: createCollection(Old, twice) }), {
    lock: false,
  }).close();
  const open = () => openStore(directory, { members: countingFrom(9).Member }, { lock: false });
  expect(thrownBy(StoreError, open).reason).toContain('"list" and "email"');
  const store = openStore(directory, { members: Old }, { lock: false });
  expect(store.members.query()).toEqual(twice);
  store.close();
});
