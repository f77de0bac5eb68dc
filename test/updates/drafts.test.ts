// To its recipe, the draft of a service is an ordinary object: it can be listed, spread, inspected and
// returned.

import { expect, test } from "vitest";
import { Contact, createBatch, createCollection, createService } from "../../src/index.ts";
import { untyped } from "../rules/fixtures.ts";
import { contact, expectRefused, idsOf, makeService } from "./fixtures.ts";

test("its members can be listed, and spread into the state that is returned", () => {
  const service = makeService();
  service.update((draft) => {
    expect(Object.keys(draft)).toEqual(["files", "batches"]);
    return { ...draft, files: draft.files.remove([["id", "exactly", 1]]) };
  });
  expect(service.files.size).toBe(0);
  expect(Object.keys(service.batches)).toEqual(["5", "1234"]);
});

test("it may be returned when it was changed, as by an arrow function that assigns", () => {
  const service = makeService();
  service.update((draft) => {
    draft.files = draft.files.remove([["id", "exactly", 1]]);
    return draft;
  });
  expect(service.files.size).toBe(0);
});

test("what it returns beside a Batch that was changed is refused", () => {
  const service = makeService();
  expect(() =>
    service.update((draft) => {
      delete draft.batches["5"];
      return { files: draft.files, batches: {} };
    }),
  ).toThrow("not both");
  expect(Object.keys(service.batches)).toEqual(["5", "1234"]);
});

test("its Batches are members that can be asked for, and seen", () => {
  makeService().update(({ batches }) => {
    expect(["5", "6", "1234", "toString"].map((id) => id in batches)).toEqual([
      ...[true, false, true, false],
    ]);
    expect(Symbol.iterator in batches).toBe(false);
    expect(Object.keys(batches)).toEqual(["1234", "5"]);
    expect(Object.getOwnPropertyDescriptor(batches, "5")).toEqual({
      ...{ value: batches["5"], writable: true, enumerable: true, configurable: true },
    });
    expect(Object.getOwnPropertyDescriptor(batches, "6")).toBeUndefined();
    expect(Reflect.preventExtensions(batches)).toBe(false);
    expect(Object.isExtensible(batches)).toBe(true);
  });
});

test("a Batch can be defined as a member, and a missing one can be deleted", () => {
  const service = makeService();
  const change = service.update(({ batches }) => {
    delete batches["77"];
    Reflect.deleteProperty(batches, Symbol("none"));
    Object.defineProperty(batches, "9", {
      value: createBatch({ id: 9, lists: [] }),
      configurable: true,
    });
    expect(Object.keys(batches)).toEqual(["1234", "5", "9"]);
  });
  expect(change.patches.map(({ op, path }) => [op, ...path])).toEqual([["add", "batches", "9"]]);
  expect(Object.keys(service.batches)).toEqual(["5", "9", "1234"]);
});

test("values that are not a Batch are refused: null, and members that can't be read", () => {
  const service = makeService();
  expectRefused(
    () => service.update(({ batches }) => void (batches["5"] = untyped(null))),
    'draft.batches["5"]',
    "must be made by createBatch(), not null",
  );
  const unreadable = Object.defineProperty({}, "5", {
    get: () => {
      throw new Error("no");
    },
    enumerable: true,
  });
  expectRefused(
    () => service.update((draft) => void Reflect.set(draft, "batches", unreadable)),
    "draft.batches",
    "could not be read",
  );
});

test("a collection that is compacted and dropped is missed as any other", () => {
  const files = Array.from({ length: 100 }, (_, id) => ({ id, folder_id: 7, name: `${id}.txt` }));
  const service = createService({ files });
  service.update((draft) => {
    draft.files = draft.files.remove([["id", "exactly", 5]]);
  });
  expect(() => service.update(({ files }) => void files.compact())).toThrow(
    "draft.files: compact() does not change the collection",
  );
});

test("a new Batch asks as strictly as any collection, before it is put anywhere", () => {
  const { contacts } = createBatch({ id: 1, lists: [{ id: 1, contacts: [contact(1)] }] });
  expect(contacts.count([["send_id", "exactly", 1]])).toBe(1);
  const many = Array.from({ length: 1001 }, () => ["send_id", "exactly", 1] as const);
  expect(() => contacts.count(many)).toThrow("1000");
  expect(() => contacts.count([untyped(["send_id", "like", 1])])).toThrow("like");
});

test("a name that a recipe deletes follows from the others again (V6)", () => {
  const service = makeService();
  for (const deleted of [["name"], ["basename"], ["extension"], ["basename", "extension"]]) {
    const change = service.update((draft) => {
      draft.files = draft.files.update([], (file) => {
        for (const name of deleted) Reflect.deleteProperty(file, name);
      });
    });
    expect(change.patches, deleted.join()).toEqual([]);
  }
  expect(service.searchFiles()).toMatchObject([
    { name: "a.txt", basename: "a", extension: ".txt" },
  ]);
});

test("patches name the Batches in the order of their ids", () => {
  const service = makeService();
  const { patches } = service.update((draft) => {
    delete draft.batches["1234"];
    draft.batches["77"] = createBatch({ id: 77, lists: [] });
    delete draft.batches["5"];
  });
  expect(patches.map(({ path }) => path[1])).toEqual(["5", "77", "1234"]);
});

const idsByList = (service: ReturnType<typeof createService>, id: number) =>
  Object.entries(service.getBatchContacts(id)).map(([list, contacts]) => [
    list,
    idsOfSent(contacts),
  ]);
const idsOfSent = (contacts: readonly { readonly send_id: string }[]) =>
  idsOf(contacts.map(({ send_id }) => ({ id: send_id })));

const twoLists = () =>
  createService({
    batches: [
      {
        id: 1,
        lists: [
          { id: 10, contacts: [contact(1), contact(2)] },
          { id: 20, contacts: [contact(3)] },
        ],
      },
    ],
  });

test("a Batch whose Contacts are not in the order of its Lists comes back in their order", () => {
  const service = twoLists();
  service.update(({ batches: { 1: batch } }) => {
    if (batch) batch.contacts = batch.contacts.insert([{ ...contact(4), list: 10 }]);
  });
  const keys = [...(service.batches["1"]?.contacts ?? [])].map(({ send_id }) => send_id);
  const { patches, inversePatches } = service.update(({ batches }) => {
    delete batches["1"];
  });
  expect(patches).toHaveLength(1);
  // The Batch, and each Contact under its key.
  expect(inversePatches.map(({ path }) => path.slice(2))).toEqual([
    [],
    ...[0, 1, 2, 3].map((key) => ["contacts", key]),
  ]);
  service.applyPatches(inversePatches);
  expect(idsByList(service, 1)).toEqual([
    ["10", [1, 2, 4]],
    ["20", [3]],
  ]);
  expect([...(service.batches["1"]?.contacts ?? [])].map(({ send_id }) => send_id)).toEqual(keys);
});

test("a Batch that lost Contacts comes back with the others under their keys", () => {
  const service = twoLists();
  service.update(({ batches: { 1: batch } }) => {
    if (batch) batch.contacts = batch.contacts.remove([["send_id", "exactly", 1]]);
  });
  const { inversePatches } = service.update(({ batches }) => {
    delete batches["1"];
  });
  expect(inversePatches.map(({ path }) => path.slice(2))).toEqual([
    [],
    ["contacts", 1],
    ["contacts", 2],
  ]);
});

test("a Batch that patches add and remove again was never there", () => {
  const service = makeService((error) => {
    throw error;
  });
  const value = { id: 9, lists: [] };
  service.subscribe(() => {
    throw new Error("there is nothing to tell");
  });
  const change = service.applyPatches([
    { op: "add", path: ["batches", 9], value },
    { op: "remove", path: ["batches", 9] },
  ]);
  expect([change.patches, change.inversePatches]).toEqual([[], []]);
});

test.each(["add", "remove"] as const)("Lists are replaced: no patch can %s them", (op) => {
  expectRefused(
    () => makeService().applyPatches([{ op, path: ["batches", 5, "lists"], value: [] }]),
    "patches[0].path",
    "does not point to a File, to a Batch, to its Lists or to its Contacts, or to a field of these",
  );
});

test("a Contact that a standard schema is given may name its List, as a Batch's may", () => {
  const service = makeService();
  const { schema } = service.batches["1234"]?.contacts ?? { schema: Contact };
  const given = [
    { ...contact(1), list: 20, fields: { Email: "a@x" } },
    { ...contact(2), list: 20, Email: "b@x" },
    { ...contact(3), list: 20 },
  ];
  const collection = createCollection(schema, untyped(given));
  expect(collection.query({ criteria: [untyped(["Email", "exactly", "b@x"])] })).toMatchObject([
    { send_id: "2" },
  ]);
  // Unless a List Field is called so: it is then that.
  const named = createService({
    batches: [{ id: 1, lists: [{ id: 1, fields: ["list", "fields"], contacts: [] }] }],
  });
  const others = createCollection(
    named.batches["1"]?.contacts.schema ?? Contact,
    untyped([
      { ...contact(1), list: "of one", fields: "of two" },
      { ...contact(2), list: 1, fields: { list: "of three" } },
    ]),
  );
  const valuesOf = (field: string) =>
    ["of one", "of two", "of three"].map((value) =>
      others.count([untyped([field, "exactly", value])]),
    );
  expect(valuesOf("list")).toEqual([1, 0, 1]);
  expect(valuesOf("fields")).toEqual([0, 1, 0]);
});

test("a listener may do with its arrays what it likes: the answer it received is compared, not they", () => {
  const service = makeService();
  let times = 0;
  service.watch("getBatchContacts", [1234], (answer) => {
    times++;
    for (const contacts of Object.values(answer)) contacts.length = 0;
  });
  // A List Field, which is not in the answer.
  service.update(({ batches: { 1234: batch } }) => {
    if (!batch) return;
    batch.contacts = batch.contacts.update([["send_id", "exactly", 1]], (each) => {
      Object.assign(each.fields ?? {}, { Email: "other@x" });
    });
  });
  expect(times).toBe(1);
});

test("a watch that begins during a notification makes nobody be notified twice", () => {
  const service = makeService();
  const heard: string[] = [];
  const stop = service.subscribe(() => {
    heard.push("first");
    stop();
    service.watch("searchFiles", [], () => heard.push("watch"));
  });
  service.subscribe(() => heard.push("second"));
  service.update((draft) => {
    draft.files = draft.files.remove([]);
  });
  expect(heard).toEqual(["first", "watch", "second"]);
  service.update((draft) => {
    draft.files = draft.files.insert([{ id: 9, folder_id: 1, name: "b.txt" }]);
  });
  expect(heard.slice(3)).toEqual(["second", "watch"]);
});
