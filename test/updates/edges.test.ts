// Edge cases of changes: the last keys, values that are added and removed, patches without a target, and which records
// stay the same object.

import { NO_IDS } from "../../src/engine/columns/last-ids.ts";
import { describe, expect, test } from "vitest";
import { openCollection, saveCollection } from "../../src/arrow/index.ts";
import { insert } from "../../src/engine/changes/change.ts";
import { deltaOfEdit } from "../../src/engine/changes/delta.ts";
import type { Change } from "../../src/engine/changes/transition.ts";
import { Collection } from "../../src/collection/collection.ts";
import { collectionOf } from "../../src/collection/create.ts";
import {
  Contact,
  createCollection,
  createService,
  int,
  string,
  type BatchDraft,
} from "../../src/index.ts";
import { contact, expectRefused, makePeople } from "./fixtures.ts";
import { wireSchema } from "../wire-schema.ts";

const keysOf = ({ edit }: Change) => edit && deltaOfEdit(edit).map(({ key }) => key);

describe("keys", () => {
  test("the last one there is is given, and none after it", () => {
    const { state } = makePeople();
    const snapshot = state.snapshot.countingFrom(Number.MAX_SAFE_INTEGER - 2, NO_IDS);
    const people = (count: number) =>
      Array.from({ length: count }, (_, i) => ({ id: 100 + i, name: "n", age: 1 }));
    const last = insert({ ...state, snapshot }, people(2));
    expect(last.after.nextKey).toBe(Number.MAX_SAFE_INTEGER);
    expect(keysOf(last)).toEqual([Number.MAX_SAFE_INTEGER - 2, Number.MAX_SAFE_INTEGER - 1]);
    expectRefused(
      () => insert({ ...state, snapshot }, people(3)),
      "records",
      "no keys are left for them",
    );
  });
});

describe("a unique field that may be null", () => {
  const Row = wireSchema({ id: int({ nullable: true, unique: true }), text: string() });
  const many = (more: readonly { id: number | null; text: string }[]) =>
    createCollection(Row, [
      ...Array.from({ length: 100 }, (_, id) => ({ id, text: `${id}` })),
      ...more,
    ]);

  test("V13: is null in any number of rows, however they came", () => {
    const none = { id: null, text: "none" };
    const rows = many([none, none]).insert([none, none]).insert(none);
    expect(rows.count([["id", "exactly", null]])).toBe(5);
    expect(rows.get("id", null)).toBeUndefined();
    const inserted = rows.upsert([none, { id: 1, text: "one" }, none], "id");
    expect(inserted.count([["id", "exactly", null]])).toBe(7);
    expect(inserted.size).toBe(rows.size + 2);
    const updated = rows.update([["text", "starts_with", "5"]], { id: null });
    expect(updated.count([["id", "exactly", null]])).toBe(5 + 11);
    const drafted = rows.update([["text", "starts_with", "5"]], (row) => void (row.id = null));
    expect([...drafted]).toEqual([...updated]);
    expect(openCollection(saveCollection(updated), { verify: true }).size).toBe(updated.size);
  });

  test("V13: patches name records that may be null there by their keys", () => {
    const before = many([{ id: null, text: "none" }]);
    const { collection, patches, inversePatches } = before.withPatches((rows) =>
      rows.insert({ id: null, text: "another" }).update([["text", "exactly", "none"]], { id: 500 }),
    );
    expect(patches.map(({ path }) => path)).toEqual([[100, "id"], [101]]);
    expect([...before.applyPatches(patches)]).toEqual([...collection]);
    expect([...collection.applyPatches(inversePatches)]).toEqual([...before]);
  });

  test("accepts the first value again once its row is removed, and not before", () => {
    const first = { id: 0, text: "again" };
    expectRefused(
      () => many([]).insert([first]),
      "records[0].id",
      '"0" is already used by another record',
    );
    const without = many([]).remove([["id", "exactly", 0]]);
    expect(without.insert([first]).query({ criteria: [["id", "exactly", 0]] })).toEqual([
      { id: "0", text: "again" },
    ]);
  });
});

describe("patches", () => {
  test("that lead into null are refused", () => {
    expectRefused(
      () => makePeople().applyPatches([{ op: "replace", path: [2, "age", "x"], value: 1 }]),
      "patches[0].path",
      "points to null, which has no fields",
    );
  });

  test("of Files that are removed bring them back as they were, and a whole File is new (V9)", () => {
    const service = createService({
      files: [
        { id: 1, folder_id: 7, name: "a.txt" },
        { id: 2, folder_id: 7, name: "b.c.txt", basename: "other", extension: ".bin" },
      ],
    });
    const before = service.searchFiles();
    const { inversePatches } = service.update((draft) => {
      draft.files = draft.files.remove([]);
    });
    service.applyPatches(inversePatches);
    expect(service.searchFiles()).toEqual(before);
    const [file] = before;
    service.applyPatches([
      { op: "replace", path: ["files", 1], value: { ...file, basename: "x", extension: ".y" } },
    ]);
    expect(service.searchFiles()[0]).toMatchObject({ name: "a.txt", basename: "x" });
  });

  test.each([
    [{ name: "x.y", basename: "b", extension: ".c" }, 2],
    // Only one of them is another: the others would follow from it, so that the File is given as a whole.
    [{ name: "x.y" }, 1],
    [{ basename: "b" }, 1],
    [{ extension: ".c" }, 1],
  ])("of the names %j bring back exactly what was there, both ways (V9)", (names, length) => {
    const service = createService({ files: [{ id: 1, folder_id: 7, name: "a.txt" }] });
    const before = service.searchFiles();
    const { patches, inversePatches } = service.applyPatches([
      { op: "replace", path: ["files", "1"], value: { ...before[0], ...names } },
    ]);
    const after = service.searchFiles();
    expect(after).toEqual([{ ...before[0], ...names }]);
    service.applyPatches(inversePatches);
    expect(service.searchFiles()).toEqual(before);
    service.applyPatches(patches);
    expect(service.searchFiles()).toEqual(after);
    const isWhole = [...patches, ...inversePatches].map(({ path }) => path.length === 2);
    expect(isWhole.includes(true)).toBe(length === 1);
    expect(patches.every(({ path }) => path[0] === "files" && path[1] === "1")).toBe(true);
  });

  test("a collection that was only compacted has none", () => {
    const files = Array.from({ length: 100 }, (_, id) => ({ id, folder_id: 7, name: `${id}` }));
    const service = createService({ files });
    service.update((draft) => {
      draft.files = draft.files.remove([["id", "exactly", 5]]);
    });
    const change = service.update((draft) => {
      draft.files = draft.files.compact();
    });
    expect([change.patches, change.inversePatches]).toEqual([[], []]);
  });
});

test("a Contact stays the same object where a change of its Lists takes nothing from it", () => {
  const service = createService({
    batches: [
      {
        id: 1,
        lists: [
          {
            id: 10,
            fields: ["Email", "Name"],
            contacts: [
              { ...contact(1), fields: { Email: "a@x" } },
              { ...contact(2), fields: { Email: "b@x", Name: "Bob" } },
            ],
          },
          { id: 20, fields: ["Email"], contacts: [{ ...contact(3), fields: { Email: "c@x" } }] },
        ],
      },
    ],
  });
  const contacts = () => [...(service.batches["1"]?.contacts ?? [])];
  const same = (change: (batch: BatchDraft) => void) => {
    const before = contacts();
    service.update(({ batches: { 1: batch } }) => {
      if (batch) change(batch);
    });
    const after = contacts();
    expect(after).toEqual(before);
    return after.map((each, i) => each === before[i]);
  };
  expect(same((batch) => batch.addListField(20, "Name"))).toEqual([true, true, true]);
  // The column stays, for the other List.
  expect(same((batch) => batch.removeListField(10, "Name"))).toEqual([true, false, true]);
  // The column goes, and no Contact has a value in it.
  expect(same((batch) => batch.removeListField(20, "Name"))).toEqual([true, true, true]);
  expect(same((batch) => batch.removeListField(10, "Email"))).toEqual([false, false, true]);
  expect(same((batch) => batch.removeListField(20, "Email"))).toEqual([true, true, false]);
  expect(service.batches["1"]?.contacts.schema.fields).toEqual(Contact.fields);
});

describe("a change", () => {
  test("carries the version that it was made of, the one it made, and the keys that differ", () => {
    const people = makePeople();
    const { snapshot } = people.state;
    const log: Change[] = [];
    const logged = Collection.of(people.state, (change) => log.push(change));
    const changed = logged.remove([["id", "exactly", 1]]).insert({ id: 100, name: "n", age: 1 });
    expect(log.map((change) => [change.by, keysOf(change)])).toEqual([
      ["remove", [0]],
      ["insert", [snapshot.nextKey]],
    ]);
    expect(log[0]?.before).toBe(snapshot);
    expect(log[1]?.before).toBe(log[0]?.after);
    expect(changed.state.snapshot).toBe(log[1]?.after);
  });

  test("makes another version of the same collection, and nothing else is one", () => {
    const people = makePeople();
    const { codec, options, snapshot } = people.state;
    const changed = people.insert({ id: 100, name: "n", age: 1 });
    expect(people.isRelated(changed.remove([]).compact())).toBe(true);
    expect(changed.isRelated(people)).toBe(true);
    const [{ rows }] = snapshot.segments;
    expect(people.isRelated(collectionOf(codec, options, rows))).toBe(false);
  });
});
