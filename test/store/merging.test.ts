// What may happen to segments while their files are being merged: schema changes, earlier versions of the collection,
// missing files.

import { readdirSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  createCollection,
  createDatabase,
  defineSchema,
  int,
  string,
  type Collection,
} from "../../src/index.ts";
import { createStore, openStore } from "../../src/store/index.ts";
import { tuned } from "../tuned.ts";
import { newFolder, SEGMENTED } from "./fixtures.ts";

let usual: Disposable;
beforeAll(() => (usual = tuned(SEGMENTED)));
afterAll(() => usual[Symbol.dispose]());

const unlocked = { lock: false, durability: "os" } as const;
const id = int({ unique: true });
const People = defineSchema({ id, city: string(), name: string({ ignoreCase: true }) });
const InOtherOrder = defineSchema({ id, name: string({ ignoreCase: true }), city: string() });

const people = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => ({
    id: from + i,
    city: `City ${i % 3}`,
    name: `Name ${i % 5}`,
  }));

const plain = (records: Collection<typeof People>) =>
  Array.from(records, ({ id, city, name }) => [id, city, name]);

/** A store of thirty people, whose errors go to the list. */
function open(folder: string, errors: unknown[] = []) {
  const database = createDatabase({ people: createCollection(People, people(0, 30)) });
  createStore(folder, database, unlocked).close();
  const onError = (thrown: unknown) => void errors.push(thrown);
  return openStore(folder, { people: People }, { ...unlocked, onError });
}

const turn = () => new Promise((resolve) => setImmediate(resolve));
const filesIn = (folder: string) => readdirSync(folder).filter((name) => name.endsWith(".arrow"));

/** Until one file is left. */
async function merged(folder: string): Promise<void> {
  while (filesIn(folder).length > 1) await turn();
}

test("files are merged by the names of their fields, whatever their order is", async () => {
  const folder = newFolder();
  open(folder).close();
  const store = openStore(folder, { people: InOtherOrder }, unlocked);
  store.update((draft) => {
    draft.people = draft.people.insert(people(30, 60));
  });
  store.checkpoint();
  await merged(folder);
  expect(store.people.count([["name", "exactly", "name 0"]])).toBe(12);
  store.close();
  const again = openStore(folder, { people: People }, unlocked);
  expect(plain(again.people)).toEqual(
    plain(createCollection(People, [...people(0, 30), ...people(30, 60)])),
  );
  again.close();
});

test.each([
  ["their files are written", false],
  ["they are merged", true],
])("records that an earlier version brings back are not lost when %s", async (_, isLater) => {
  const folder = newFolder();
  const store = open(folder);
  store.update((draft) => {
    draft.people = draft.people.insert(people(30, 60));
  });
  const before = store.people;
  const expected = plain(before);
  store.update((draft) => {
    draft.people = draft.people.remove([["id", "in", [3, 33]]]);
  });
  store.checkpoint();
  store.update((draft) => {
    draft.people = before;
  });
  if (!isLater) store.checkpoint();
  await merged(folder);
  expect(plain(store.people)).toEqual(expected);
  store.close();
  const again = openStore(folder, { people: People }, unlocked);
  expect(plain(again.people)).toEqual(expected);
  again.close();
});

test.each([
  ["by another checkpoint", 60, (all: Collection<typeof People>) => all.compact()],
  [
    "since all rows of the first are dead",
    40,
    (all: Collection<typeof People>) => all.remove([["id", "less_than", 30]]),
  ],
])("it is no error if files are removed %s", async (_, end, change) => {
  const folder = newFolder();
  const errors: unknown[] = [];
  const store = open(folder, errors);
  store.update((draft) => {
    draft.people = draft.people.insert(people(30, end));
  });
  store.checkpoint();
  store.update((draft) => {
    draft.people = change(draft.people);
  });
  const { size } = store.people;
  store.checkpoint();
  for (let i = 0; i < 20; i++) await turn();
  expect(errors).toEqual([]);
  expect(store.people.size).toBe(size);
  store.close();
});
