// Changes of a service: all or nothing, checked against its Files, Batches and Lists; and which
// changes its subscribers receive, in which order.

import { inspect } from "node:util";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { Codec } from "../../src/engine/columns/codec.ts";
import {
  createBatch,
  createService,
  File,
  InputError,
  ServiceError,
  type Batch,
  type DraftOf,
  type Patch,
  type Service,
  type DatabaseChange,
  type ServiceDraft,
} from "../../src/index.ts";
import { documentsOf } from "../../src/database/changes.ts";
import { refusals } from "../rules/fixtures.ts";
import {
  comparedPatches,
  contact,
  expectRefused,
  idsOf,
  makeService,
  thrownBy,
  withListFields,
} from "./fixtures.ts";
import { settings } from "../property.ts";

const overJson = (patches: readonly Patch[]) => JSON.parse(JSON.stringify(patches)) as Patch[];

/** What a service answers to everything. */
function answersOf(service: Service): unknown {
  return [
    service.searchFiles(null, null, null, "size", "ASC"),
    ...Object.keys(service.batches).flatMap((id) => [
      service.getBatchContacts(id),
      service.getBatchContacts(id, null, null, null, "contact_id", "DESC"),
    ]),
    service.getBatchContacts(1234, [["First Name", "not", null]]),
    service.getBatchContacts(1234, null, 2, 1, "Email", "ASC"),
    service.getBatchContacts(1234, null, null, null, "Age"),
  ];
}

const contactsOf = (service: Service, id: string) => {
  const batch = service.batches[id];
  if (batch === undefined) throw new Error(`there is no Batch ${id}`);
  return batch.contacts;
};

const batchOf = (draft: ServiceDraft, id: string) => {
  const batch = draft.batches[id];
  if (batch === undefined) throw new Error(`there is no Batch ${id}`);
  return batch;
};

function insertFile(service: Service, id: number): DatabaseChange {
  return service.update((draft) => {
    draft.files = draft.files.insert({ id, folder_id: 7, name: `${id}.txt` });
  });
}

/** By List id, the ids of its Contacts. */
const listsOf = (service: Service, ...parameters: Parameters<Service["getBatchContacts"]>) =>
  Object.fromEntries(
    Object.entries(service.getBatchContacts(...parameters)).map(([list, contacts]) => [
      list,
      contacts.map(({ send_id }) => Number(send_id)),
    ]),
  );

describe("an update", () => {
  test("changes what every way to ask the service answers", () => {
    const service = makeService();
    service.update((draft) => {
      draft.files = draft.files
        .update([["id", "exactly", 1]], (file) => void (file.size = "20"))
        .insert([{ id: 2, folder_id: 7, name: "b.tar.gz" }]);
      const batch = batchOf(draft, "1234");
      batch.contacts = batch.contacts.update([["send_id", "exactly", 3]], (each) => {
        each.open_type = "html";
        each.open_count = "1";
      });
    });
    expect(service.searchFiles([["size", "exactly", 20]])).toHaveLength(1);
    expect(idsOf(service.files)).toEqual([1, 2]);
    expect(service.getBatchContacts(1234, [["open_type", "exactly", "html"]])["10"]).toEqual([
      expect.objectContaining({ send_id: "3", open_count: "1" }),
    ]);
    const request = { id: 1, method: "searchFiles", params: ["key"] };
    expect(service.dispatch(request).result).toHaveLength(2);
    expect(service.dispatchJson(JSON.stringify(request))).toContain('"b.tar"');
  });

  test("completes the names of Files as they are loaded (V6)", () => {
    const service = makeService();
    service.update((draft) => {
      draft.files = draft.files.insert([
        { id: 2, folder_id: 7, name: "b.tar.gz" },
        { id: 3, folder_id: 7, basename: "c", extension: "md" },
        { id: 4, folder_id: 7, name: ".env" },
      ]);
    });
    const names = service.files
      .query({ offset: 1 })
      .map(({ name, basename, extension }) => [name, basename, extension]);
    expect(names).toEqual([
      ["b.tar.gz", "b.tar", ".gz"],
      ["c.md", "c", ".md"],
      [".env", ".env", ""],
    ]);
    const rename = (file: object) => {
      Reflect.deleteProperty(file, "basename");
      Reflect.deleteProperty(file, "extension");
      Object.assign(file, { name: "new.name.txt" });
    };
    const renamed = service.files.update([["id", "exactly", 3]], rename).at(2);
    expect([renamed?.basename, renamed?.extension]).toEqual(["new.name", ".txt"]);
  });

  const names = (service: Service) => {
    const file = service.files.at(0);
    return [file?.name, file?.basename, file?.extension];
  };
  const change = (service: Service, recipe: (file: DraftOf<typeof File>) => unknown) =>
    service.update((draft) => {
      draft.files = draft.files.update([["id", "exactly", 1]], recipe);
    });

  test("of one of the names of a File changes those that follow from it (V9)", () => {
    const service = makeService();
    change(service, (file) => void (file.basename = "b.c"));
    expect(names(service)).toEqual(["b.c.txt", "b.c", ".txt"]);
    change(service, (file) => void (file.extension = "md"));
    expect(names(service)).toEqual(["b.c.md", "b.c", ".md"]);
    change(service, (file) => void Object.assign(file, { basename: "d", extension: "" }));
    expect(names(service)).toEqual(["d", "d", ""]);
    change(service, (file) => void (file.name = ".e.f"));
    expect(names(service)).toEqual([".e.f", ".e", ".f"]);
    change(service, (file) => void (file.size = "3"));
    expect(names(service)).toEqual([".e.f", ".e", ".f"]);
    change(service, (file) => ({ ...file, name: "g" }));
    expect(names(service)).toEqual(["g", "g", ""]);
  });

  test("of the name and its parts together leaves them as they are given (V9)", () => {
    const service = makeService();
    change(service, (file) => void Object.assign(file, { name: "x", basename: "y" }));
    expect(names(service)).toEqual(["x", "y", ".txt"]);
    change(service, (file) => void (file.size = "3"));
    expect(names(service)).toEqual(["x", "y", ".txt"]);
  });

  test("of a part by a patch changes the name, and a whole File is taken as a new one (V9)", () => {
    const service = makeService();
    service.applyPatches([{ op: "replace", path: ["files", 1, "basename"], value: "b" }]);
    expect(names(service)).toEqual(["b.txt", "b", ".txt"]);
    service.applyPatches([{ op: "replace", path: ["files", 1, "name"], value: "c.d" }]);
    expect(names(service)).toEqual(["c.d", "c", ".d"]);
    const value = { id: 1, folder_id: 7, name: "c.d", basename: "x", extension: "y" };
    service.applyPatches([{ op: "replace", path: ["files", 1], value }]);
    expect(names(service)).toEqual(["c.d", "x", ".y"]);
  });

  test("of names, whatever they are, is undone and repeated exactly (V9)", () => {
    const part = fc.constantFrom("", "a", "a.b", "b", ".a");
    const extension = fc.constantFrom("", ".a", ".b", ".a.b");
    const triple = fc.record({ name: part, basename: part, extension });
    const partial = fc.record({ name: part, basename: part, extension }, { requiredKeys: [] });
    fc.assert(
      fc.property(triple, partial, (before, changes) => {
        const make = () => createService({ files: [{ id: 1, folder_id: 7, ...before }] });
        const [service, twin] = [make(), make()];
        const { patches, inversePatches } = change(service, (file) => {
          Object.assign(file, changes);
        });
        twin.applyPatches(overJson(patches));
        expect(names(twin)).toEqual(names(service));
        for (const each of [service, twin]) {
          each.applyPatches(overJson(inversePatches));
          expect(names(each)).toEqual([before.name, before.basename, before.extension]);
        }
      }),
      settings(200),
    );
  });

  test("of a name alone, beside parts that it does not follow from, is patched as a whole (V9)", () => {
    const free = { id: 1, folder_id: 7, name: "q", basename: "y", extension: ".t" };
    const [service, twin] = [createService({ files: [free] }), createService({ files: [free] })];
    const named = (name: string) =>
      expect.objectContaining({ id: "1", name, basename: "y", extension: ".t" }) as unknown;
    const whole = (name: string, before: string) => [
      { op: "replace", path: ["files", "1"], value: named(name), before: named(before) },
    ];
    const there = change(service, (file) => void (file.name = "y.t"));
    expect([there.patches, there.inversePatches]).toEqual([whole("y.t", "q"), whole("q", "y.t")]);
    const back = service.applyPatches([{ op: "replace", path: ["files", 1], value: free }]);
    expect([back.patches, back.inversePatches]).toEqual([whole("q", "y.t"), whole("y.t", "q")]);
    for (const [patches, name] of [
      [there.patches, "y.t"],
      [there.inversePatches, "q"],
      [back.inversePatches, "y.t"],
      [back.patches, "q"],
    ] as const) {
      twin.applyPatches(overJson(patches));
      expect(names(twin)).toEqual([name, "y", ".t"]);
    }
  });

  test("old collections keep answering as before", () => {
    const service = makeService();
    const { files } = service;
    const contacts = contactsOf(service, "1234");
    service.update((draft) => {
      draft.files = draft.files.remove(null);
      batchOf(draft, "1234").contacts = contacts.remove(null);
    });
    expect([service.files.size, contactsOf(service, "1234").size]).toEqual([0, 0]);
    expect([files.size, contacts.size]).toEqual([1, 3]);
    expect(contacts.query({ sortBy: "contact_email", limit: 1 })).toHaveLength(1);
  });

  test("that throws half-way leaves every answer as it was", () => {
    const service = makeService();
    const before = answersOf(service);
    const { files, batches } = service;
    const notified: unknown[] = [];
    service.subscribe((change) => notified.push(change));
    const error = new Error("half-way");
    const fail = (draft: ServiceDraft) => {
      draft.files = draft.files.remove(null);
      const batch = batchOf(draft, "1234");
      batch.contacts = batch.contacts.remove([["send_id", "less_than", 3]]);
      expect(service.searchFiles()).toHaveLength(1);
      throw error;
    };
    expect(thrownBy(() => service.update(fail))).toBe(error);
    expect(answersOf(service)).toEqual(before);
    expect(service.files).toBe(files);
    expect(service.batches).toBe(batches);
    expect(notified).toEqual([]);
    expect(insertFile(service, 2).patches).toHaveLength(1);
  });

  test("that changes nothing notifies nobody", () => {
    const service = makeService();
    const notified: unknown[] = [];
    service.subscribe((change) => notified.push(change));
    const nothing = { patches: [], inversePatches: [] };
    expect(service.update(() => undefined)).toEqual(nothing);
    expect(service.update((draft) => void (draft.files = draft.files.insert([])))).toEqual(nothing);
    expect(service.applyPatches([])).toEqual(nothing);
    expect(notified).toEqual([]);
  });

  test("may take another state from the recipe, made of the same parts", () => {
    const service = makeService();
    service.update(({ files, batches }) => ({ files: files.remove(null), batches }));
    expect([service.files.size, contactsOf(service, "1234").size]).toEqual([0, 3]);
  });

  test("one within another is refused; the other goes on", () => {
    const service = makeService();
    const reason = "can't be changed while an update is running; subscribers may change it";
    service.update((draft) => {
      expectRefused(() => insertFile(service, 3), "service", reason);
      expectRefused(() => service.applyPatches([]), "service", reason);
      draft.files = draft.files.insert([{ id: 2, folder_id: 7, name: "b" }]);
    });
    expect(idsOf(service.files)).toEqual([1, 2]);
    const patches = function* (): Generator<Patch> {
      insertFile(service, 3);
      yield { op: "remove", path: ["files", 1] };
    };
    expectRefused(() => service.applyPatches(patches()), "service", reason);
    expect(idsOf(service.files)).toEqual([1, 2]);
  });

  const other = makeService();
  const REFUSED = refusals<(draft: ServiceDraft) => unknown>({
    "draft.files: must be made from the Files of this service": {
      "the Files of another service": (draft) => void (draft.files = other.files),
      "an array for the Files": (draft) => Object.assign(draft, { files: [] }),
      "Files that are no more": ({ batches }) => ({ batches }),
    },
    'draft.batches["1234"].contacts: must be made from the Contacts of this Batch': {
      "the Contacts of another Batch": (draft) =>
        void (batchOf(draft, "1234").contacts = batchOf(draft, "5").contacts),
      "the Contacts of another service": (draft) =>
        void (batchOf(draft, "1234").contacts = contactsOf(other, "1234")),
      "the Files for Contacts": (draft) =>
        void Object.assign(batchOf(draft, "1234"), { contacts: draft.files }),
    },
    'draft.batches["1234"].id: can\'t be changed': {
      "another id": (draft) => void Object.assign(batchOf(draft, "1234"), { id: "6" }),
    },
    'draft.batches["1234"].lists: can\'t be assigned; use addList(), removeList(), addListField() and removeListField()':
      {
        "Lists that are assigned": (draft) =>
          void Object.assign(batchOf(draft, "1234"), { lists: ["40"] }),
      },
    'draft.batches["1234"]: must be made by createBatch(), not "gone"': {
      "a Batch that is none": (draft) => void Object.assign(draft.batches, { 1234: "gone" }),
    },
    'draft.batches["9"]: must be made by createBatch(), not an object': {
      "a Batch as it is given": (draft) =>
        void Object.assign(draft.batches, { 9: { id: 9, lists: [] } }),
    },
    'draft.batches["5"]: must be made by createBatch(), not an object': {
      "a Batch of a service, as it stands there": (draft) =>
        void Object.assign(draft.batches, { 5: other.batches["5"] }),
    },
    'draft.batches["1234"]: has no member "name"; use "id", "lists" or "contacts"': {
      "a Batch with a member more": (draft) =>
        void Object.assign(batchOf(draft, "1234"), { name: "x" }),
    },
    'draft.batches["99"]: has the id 5; assign it to draft.batches["5"]': {
      "a Batch under another id": (draft) =>
        void Object.assign(draft.batches, { 99: draft.batches["5"] }),
    },
    'draft.batches["09"]: has the id 9; assign it to draft.batches["9"]': {
      "a Batch under an id that is not canonical": (draft) =>
        void (draft.batches["09"] = createBatch({ id: 9, lists: [] })),
    },
    'draft.batches.__proto__: has the id 9; assign it to draft.batches["9"]': {
      "a Batch called __proto__": (draft) =>
        void (draft.batches.__proto__ = createBatch({ id: 9, lists: [] })),
    },
    'draft.batches["Symbol(Symbol.iterator)"]: is not the id of a Batch': {
      "a symbol for a Batch": (draft) => Object.assign(draft.batches, { [Symbol.iterator]: 1 }),
    },
    "draft.batches: must be an object, not undefined": {
      "no Batches at all": ({ files }) => ({ files }),
    },
    'draft: has no member "folders"; use "files" or "batches"': {
      "a member more": (draft) => Object.assign(draft, { folders: [] }),
    },
    "draft: must be an object, not 5": { "a number in its place": () => 5 },
    "draft: a recipe either changes its own draft or returns a value, not both; write it in braces: (draft) => { draft.name = value; }":
      {
        "a change and a value at once": (draft) => (draft.files = draft.files.remove(null)),
      },
    "draft: the recipe returned a promise; it must change its draft synchronously": {
      "a promise": async (draft) => {
        draft.files = draft.files.remove(null);
        await Promise.reject(new Error("late"));
      },
    },
  });

  test.each(REFUSED)("refuses %s, and nothing is changed", (_, recipe, path, reason) => {
    const service = makeService();
    const before = answersOf(service);
    expectRefused(() => service.update(recipe), path, reason);
    expect(answersOf(service)).toEqual(before);
  });

  test("needs a recipe", () => {
    const service = makeService() as unknown as Record<
      "update" | "subscribe" | "applyPatches",
      (given?: unknown) => unknown
    >;
    expectRefused(() => service.update(), "recipe", "must be a function, not undefined");
    expectRefused(() => service.update({}), "recipe", "must be a function, not an object");
    expectRefused(() => service.subscribe(), "subscriber", "must be a function, not undefined");
    expectRefused(() => service.applyPatches(), "patches", "must be iterable, not undefined");
  });
});

describe("Contacts of a Batch", () => {
  const update = (
    service: Service,
    change: (contacts: Batch["contacts"]) => Batch["contacts"],
    id = "1234",
  ) =>
    service.update((draft) => {
      const batch = batchOf(draft, id);
      batch.contacts = change(batch.contacts);
    });

  test("show recipes their List Fields and their List", () => {
    const drafts: unknown[] = [];
    contactsOf(makeService(), "1234").update(null, (draft) => {
      drafts.push({ fields: { ...draft.fields }, list: draft.list });
    });
    expect(drafts).toEqual([
      { fields: { Email: "a@x", "First Name": "Ada" }, list: "20" },
      { fields: { Email: "b@x", "First Name": "Bob" }, list: "20" },
      { fields: { Email: "c@x", Age: "30" }, list: "10" },
    ]);
  });

  test("are inserted into the List that they name, and grouped by it", () => {
    const service = makeService();
    update(service, (contacts) =>
      contacts.insert([
        { ...contact(4), list: 30 },
        { ...contact(5), list: "10", fields: { Age: 31 } },
        { ...contact(6), list: 20, fields: { "First Name": "Fay" } },
      ]),
    );
    expect(listsOf(service, 1234)).toEqual({ 10: [3, 5], 20: [1, 2, 6], 30: [4] });
    expect(listsOf(service, 1234, [["First Name", "exactly", "Fay"]])).toEqual({
      10: [],
      20: [6],
      30: [],
    });
    expect(listsOf(service, 1234, null, 3, 2)).toEqual({ 10: [3, 5], 20: [], 30: [4] });
    expect(listsOf(service, 1234, null, 2, 0, "Age", "DESC")).toEqual({
      10: [5, 3],
      20: [],
      30: [],
    });
  });

  test("are in the only List, where there is but one", () => {
    const service = makeService();
    update(service, (contacts) => contacts.insert([contact(10)]), "5");
    expect(listsOf(service, 5)).toEqual({ 20: [9, 10] });
  });

  test("are inserted one at a time, too", () => {
    const service = makeService();
    update(service, (contacts) => contacts.insert({ ...contact(4), list: 30 }));
    expect(listsOf(service, 1234, [["send_id", "exactly", 4]])).toEqual({
      10: [],
      20: [],
      30: [4],
    });
    const insert = () =>
      update(service, (contacts) => contacts.insert({ ...contact(5), list: 99 }));
    expectRefused(insert, "record.list", "must be the id of an existing List, not 99");
  });

  test("every List keeps its key when its Contacts are removed", () => {
    const service = makeService();
    update(service, (contacts) => contacts.remove([["send_id", "less_than", 3]]));
    expect(listsOf(service, 1234)).toEqual({ 10: [3], 20: [], 30: [] });
    update(service, (contacts) => contacts.remove(null));
    expect(listsOf(service, 1234)).toEqual({ 10: [], 20: [], 30: [] });
  });

  test("may be moved to another List, with the fields that it has", () => {
    const service = makeService();
    const before = answersOf(service);
    const { patches, inversePatches } = update(service, (contacts) =>
      contacts.update([["send_id", "exactly", 1]], (draft) => {
        draft.list = 10;
        draft.fields = { Email: draft.fields?.Email, Age: 40 };
      }),
    );
    expect(listsOf(service, 1234)).toEqual({ 10: [1, 3], 20: [2], 30: [] });
    expect(listsOf(service, 1234, [["Age", "greater_than", 35]])["10"]).toEqual([1]);
    expect(listsOf(service, 1234, [["First Name", "exactly", "Ada"]])["20"]).toEqual([]);
    const path = ["batches", "1234", "contacts", 0];
    expect(patches).toEqual([
      { op: "remove", path: [...path, "fields", "First Name"], before: "Ada" },
      { op: "add", path: [...path, "fields", "Age"], value: "40" },
      { op: "replace", path: [...path, "list"], value: "10", before: "20" },
    ]);
    service.applyPatches(overJson(inversePatches));
    expect(answersOf(service)).toEqual(before);
    service.applyPatches(overJson(patches));
    expect(listsOf(service, 1234)).toEqual({ 10: [1, 3], 20: [2], 30: [] });
  });

  test("List Fields are changed one by one, or all at once", () => {
    const { collection, patches } = contactsOf(makeService(), "1234").withPatches((all) =>
      all.update(null, (draft) => {
        if (draft.send_id === "1") Object.assign(draft.fields ?? {}, { Email: "new@x" });
        if (draft.send_id === "2") Reflect.deleteProperty(draft.fields ?? {}, "Email");
        if (draft.send_id === "3") draft.fields = { Age: 31n };
      }),
    );
    expect(patches).toEqual([
      { op: "replace", path: [0, "fields", "Email"], value: "new@x", before: "a@x" },
      { op: "replace", path: [1, "fields", "Email"], value: null, before: "b@x" },
      { op: "replace", path: [2, "fields", "Email"], value: null, before: "c@x" },
      { op: "replace", path: [2, "fields", "Age"], value: "31", before: "30" },
    ]);
    expect(collection.count(withListFields([["Email", "exactly", null]]))).toBe(2);
  });

  test("List Fields with inherited names are fields as any other", () => {
    const names = ["__proto__", "constructor"] as const;
    const service = createService({
      batches: [
        {
          id: 1,
          lists: [
            { id: 1, contacts: [contact(1)] },
            {
              id: 2,
              fields: names,
              contacts: [
                {
                  ...contact(2),
                  fields: JSON.parse('{ "__proto__": "p", "constructor": "c" }') as object as never,
                },
              ],
            },
          ],
        },
      ],
    });
    const contacts = contactsOf(service, "1");
    const opened = contacts.update(null, (draft) => void (draft.open_count = "1"));
    expect(names.map((name) => opened.count(withListFields([[name, "not", null]])))).toEqual([
      1, 1,
    ]);
    const { collection, patches, inversePatches } = contacts.withPatches((all) =>
      all.update(null, (draft) => {
        draft.list = draft.list === "1" ? "2" : "1";
        if (draft.list === "1") draft.fields = {};
      }),
    );
    expect(names.map((name) => collection.count(withListFields([[name, "not", null]])))).toEqual([
      0, 0,
    ]);
    expect(patches.filter(({ path }) => path[1] === "fields").map(({ op }) => op)).toEqual([
      "add",
      "add",
      "remove",
      "remove",
    ]);
    const back = collection.applyPatches(overJson(inversePatches));
    expect(names.map((name) => back.count(withListFields([[name, "not", null]])))).toEqual([1, 1]);
    expect(back.count(withListFields([["__proto__", "exactly", "p"]]))).toBe(1);
  });

  const REFUSED = refusals<object>({
    "rows[0].list: must be the id of an existing List, not 40": {
      "a List that the Batch has not": { list: 40 },
    },
    "rows[0].list: must be the id of an existing List, not null": {
      "a List that is no id": { list: null },
    },
    "rows[0].list: is missing: the record's List must be named": {
      "no List where there are several": { list: undefined },
    },
    'rows[0].fields: has the unknown field "First Name"': {
      "a move with the fields of the List before": { list: "10" },
    },
    'rows[0].fields: has the unknown field "Age"': {
      "a List Field of another List": { fields: { Age: 5 } },
    },
    'rows[0]: has the unknown field "Email"; it stands under "fields"': {
      "a List Field beside the others": { Email: "x" },
    },
    'rows[0].fields.Email: must be a string, not 5; write "5"': {
      "a wrong value of a List Field": { fields: { Email: 5 } },
    },
    'rows[0].fields: must be an object, not "x"': { "fields that are none": { fields: "x" } },
    'rows[0].open_type: must be "not_opened", "html", "text" or "sms", not "opened"': {
      "a wrong value": { open_type: "opened" },
    },
  });

  test.each(REFUSED)("refuse %s", (_, change, path, reason) => {
    const contacts = contactsOf(makeService(), "1234");
    expectRefused(
      () => contacts.update(null, (draft) => Object.assign(draft, change)),
      path,
      reason,
    );
    expect([...contacts]).toEqual([...contactsOf(makeService(), "1234")]);
  });

  test("refuse a Contact without its List, and the List Fields of another, at insertion", () => {
    const contacts = contactsOf(makeService(), "1234");
    expectRefused(
      () => contacts.insert([contact(4)]),
      "records[0].list",
      "is missing: the record's List must be named",
    );
    expectRefused(
      () => contacts.insert([{ ...contact(4), list: 10, fields: { "First Name": "Fay" } }]),
      "records[0].fields",
      'has the unknown field "First Name"',
    );
  });

  test("a draft of another Contact's fields is of no use", () => {
    const contacts = contactsOf(makeService(), "1234");
    let leaked: object | undefined;
    const recipe = (draft: { fields?: object }) => {
      leaked ??= draft.fields;
      Object.assign(draft, { fields: leaked });
    };
    expect(() => contacts.update(null, recipe)).toThrow(TypeError);
    expect(contacts.count(withListFields([["Email", "exactly", "b@x"]]))).toBe(1);
  });
});

describe("a result that a recipe drops", () => {
  const hint = (place: string, by: string) =>
    `${by}() does not change the collection, but returns a new one; write ${place} = ${place}.${by}(…)`;
  const contactsPlace = 'draft.batches["5"].contacts';
  const one = [{ id: 2, folder_id: 7, name: "b" }];
  const size: Patch = { op: "replace", path: [1, "size"], value: "11" };
  const opened: Patch = { op: "replace", path: [0, "open_count"], value: "11" };

  const DROPPED: readonly (readonly [string, string, (draft: ServiceDraft) => unknown])[] = [
    ["insert", "draft.files", ({ files }) => void files.insert(one)],
    ["update", "draft.files", ({ files }) => void files.update(null, (f) => void (f.size = "1"))],
    ["remove", "draft.files", ({ files }) => void files.remove(null)],
    ["applyPatches", "draft.files", ({ files }) => void files.applyPatches([size])],
    ["insert", "draft.files", ({ files }) => void files.withPatches((all) => all.insert(one))],
    [
      "update",
      "draft.files",
      ({ files }) => void files.withPatches((all) => all.update(null, (f) => void (f.size = "1"))),
    ],
    ["remove", "draft.files", ({ files }) => void files.withPatches((all) => all.remove(null))],
    ["insert", contactsPlace, (draft) => void batchOf(draft, "5").contacts.insert([contact(1)])],
    [
      "update",
      contactsPlace,
      (draft) => void batchOf(draft, "5").contacts.update(null, (c) => void (c.open_count = "1")),
    ],
    [
      "remove",
      contactsPlace,
      (draft) => void batchOf(draft, "5").contacts.withPatches((all) => all.remove(null)),
    ],
    [
      "applyPatches",
      contactsPlace,
      (draft) => void batchOf(draft, "5").contacts.applyPatches([opened]),
    ],
  ];

  test.each(DROPPED)("of %s() of %s is an error that says what to write", (by, place, recipe) => {
    const service = makeService();
    const before = answersOf(service);
    expectRefused(() => service.update(recipe), place, hint(place, by));
    expect(answersOf(service)).toEqual(before);
  });

  test("is found beside others that are kept, before and after them", () => {
    const service = makeService();
    for (const recipe of [
      (draft: ServiceDraft) => {
        draft.files = draft.files.insert(one);
        draft.files.remove(null);
      },
      (draft: ServiceDraft) => {
        const { files } = draft;
        files.remove(null);
        draft.files = files.insert(one);
      },
      ({ files, batches }: ServiceDraft) => {
        files.remove(null);
        return { files: files.insert(one), batches };
      },
    ]) {
      expectRefused(() => service.update(recipe), "draft.files", hint("draft.files", "remove"));
    }
    const late = (draft: ServiceDraft) => {
      const batch = batchOf(draft, "5");
      batch.contacts.remove(null);
      batch.addList({ id: 21, contacts: [] });
    };
    expectRefused(() => service.update(late), contactsPlace, hint(contactsPlace, "remove"));
    expect(idsOf(service.files)).toEqual([1]);
  });

  test("is none where it went into what is kept, or was kept for a while", () => {
    const service = makeService();
    service.update((draft) => {
      const { files } = draft;
      const more = files.insert(one);
      draft.files = more
        .remove([["id", "exactly", 1]])
        .insert([{ id: 3, folder_id: 7, name: "c" }]);
      draft.files = files;
      draft.files = more;
      const { collection } = batchOf(draft, "5").contacts.withPatches((all) =>
        all.insert([contact(1)]),
      );
      batchOf(draft, "5").contacts = collection;
    });
    expect(idsOf(service.files)).toEqual([1, 2]);
    expect(contactsOf(service, "5").size).toBe(2);
  });

  test("is none where nothing came of it, nor outside of a recipe", () => {
    const service = makeService();
    const { files } = service;
    let leaked: ServiceDraft["files"] | undefined;
    service.update((draft) => {
      leaked = draft.files = draft.files.insert(one);
      draft.files.remove([["id", "exactly", 99]]);
      files.remove(null);
    });
    leaked?.remove(null);
    service.files.remove(null);
    expect(idsOf(service.files)).toEqual([1, 2]);
  });

  test("concerns nobody where the recipe throws", () => {
    const error = new Error("mine");
    const recipe = ({ files }: ServiceDraft) => {
      files.remove(null);
      throw error;
    };
    expect(thrownBy(() => makeService().update(recipe))).toBe(error);
  });
});

describe("Batches that come and go", () => {
  const nine = {
    id: 9,
    lists: [
      {
        id: 90,
        fields: { Age: "int" },
        contacts: [
          { ...contact(1), fields: { Age: 7 } },
          { ...contact(2), fields: { Age: 8 } },
        ],
      },
      { id: 91, fields: ["Email"], contacts: [contact(3)] },
    ],
  } as const;
  const add = (service: Service) =>
    service.update((draft) => {
      draft.batches["9"] = createBatch(nine);
    });
  const remove = (service: Service, id: string) =>
    service.update((draft) => {
      Reflect.deleteProperty(draft.batches, id);
    });

  /** Undoes and repeats a change on the service and on one of the same data, over JSON. */
  function expectUndoable(
    service: Service,
    twin: Service,
    change: (service: Service) => DatabaseChange,
  ): DatabaseChange {
    const everything = (each: Service) => ({
      answers: answersOf(each),
      batches: Object.entries(each.batches).map(([id, { lists, contacts }]) => ({
        id,
        lists,
        documents: [...documentsOf(contacts.state)],
        fields: Object.entries(contacts.schema.fields).map(([name, { type }]) => [name, type]),
      })),
    });
    const before = everything(service);
    const made = change(service);
    const after = everything(service);
    twin.applyPatches(overJson(made.patches));
    expect(everything(twin)).toEqual(after);
    for (const each of [service, twin]) {
      each.applyPatches(overJson(made.inversePatches));
      expect(everything(each)).toEqual(before);
    }
    service.applyPatches(overJson(made.patches));
    expect(everything(service)).toEqual(after);
    return made;
  }

  test("a Batch is added, answers, and is removed", () => {
    const service = makeService();
    const { batches } = service;
    add(service);
    expect(Object.keys(service.batches)).toEqual(["5", "9", "1234"]);
    expect(Object.isFrozen(service.batches)).toBe(true);
    expect(Object.getPrototypeOf(service.batches)).toBe(null);
    expect(listsOf(service, 9, [["Age", "greater_than", 7]])).toEqual({ 90: [2], 91: [] });
    expect(service.batches["5"]).toBe(batches["5"]);
    remove(service, "9");
    expect(Object.keys(service.batches)).toEqual(["5", "1234"]);
    expect(thrownBy(() => service.getBatchContacts(9))).toMatchObject({
      code: 308,
      data: "batch_id: there is no Batch 9",
    });
    expect(Object.keys(batches)).toEqual(["5", "1234"]);
  });

  test("a Batch that is added is a patch with its Lists, and one for each Contact with its key", () => {
    const { patches, inversePatches } = expectUndoable(makeService(), makeService(), add);
    const first = makeService();
    add(first);
    const [one, two, three] = contactsOf(first, "9");
    const lists = [
      { id: "90", fields: { Age: "int" }, contacts: [] },
      { id: "91", fields: { Email: "string" }, contacts: [] },
    ];
    const contacts = [
      { ...one, fields: { Age: "7" }, list: "90" },
      { ...two, fields: { Age: "8" }, list: "90" },
      { ...three, fields: { Email: null }, list: "91" },
    ];
    expect(patches).toEqual([
      { op: "add", path: ["batches", "9"], value: { id: "9", lists } },
      ...contacts.map((value, key) => ({
        op: "add",
        path: ["batches", "9", "contacts", key],
        value,
      })),
    ]);
    expect(inversePatches).toEqual([
      ...contacts.map((before, key) => ({
        op: "remove",
        path: ["batches", "9", "contacts", key],
        before,
      })),
      { op: "remove", path: ["batches", "9"], before: { id: "9", lists } },
    ]);
    const added = patches[0]?.value as { lists: object[] } | undefined;
    expect(Object.isFrozen(added?.lists)).toBe(true);
    expect(Object.isFrozen(patches[1]?.value)).toBe(true);
  });

  test("a patch of a Batch that is not there, or is there already, is refused with a code", () => {
    const remove: Patch = { op: "remove", path: ["batches", "9"] };
    const add: Patch = { op: "add", path: ["batches", "5"], value: { id: 5, lists: [] } };
    for (const [code, reason, patch] of [
      ["not_found", "there is no Batch 9", remove],
      ["conflict", "there is a Batch 5 already", add],
    ] as const) {
      const refused = thrownBy(() => makeService().applyPatches([patch]));
      expect(refused).toMatchObject({ code, path: "patches[0].path", reason });
    }
  });

  test("a patch may add a Batch with its Contacts", () => {
    const [service, other] = [makeService(), makeService()];
    add(service);
    const [{ send_id, contact_id, contact_email } = {}] = contactsOf(service, "9").query();
    const contacts = [{ send_id, contact_id, contact_email, fields: { Age: 7 } }];
    const value = { id: 9, lists: [{ id: 90, fields: { Age: "int" }, contacts }] };
    const { patches } = other.applyPatches([{ op: "add", path: ["batches", "9"], value }]);
    expect(patches.map(({ path }) => path)).toEqual([
      ["batches", "9"],
      ["batches", "9", "contacts", 0],
    ]);
    expect(listsOf(other, 9, [["Age", "exactly", 7]])).toEqual({ 90: [1] });
  });

  test("a Batch that is removed comes back with its Contacts under their keys", () => {
    const changed = () => {
      const service = makeService();
      service.update((draft) => {
        const batch = batchOf(draft, "1234");
        batch.contacts = batch.contacts
          .remove([["send_id", "exactly", 2]])
          .insert([{ ...contact(4), list: 20, fields: { Email: "d@x" } }]);
      });
      return service;
    };
    const service = changed();
    const opened: Patch = {
      op: "replace",
      path: ["batches", "1234", "contacts", 3, "open_count"],
      value: "5",
    };
    const { inversePatches } = service.update((draft) => {
      draft.batches["1234"] = createBatch({ id: 1234, lists: [] });
      delete draft.batches["1234"];
    });
    expect(Object.keys(service.batches)).toEqual(["5"]);
    service.applyPatches([...overJson(inversePatches), opened]);
    expect(listsOf(service, 1234, [["open_count", "exactly", 5]])).toEqual({
      10: [],
      20: [4],
      30: [],
    });
    expect(
      contactsOf(service, "1234")
        .query()
        .map(({ send_id }) => send_id),
    ).toEqual(["1", "3", "4"]);
    expectUndoable(changed(), changed(), (each) => remove(each, "5"));
  });

  test("a Batch is replaced by another of its id", () => {
    const replace = (service: Service) =>
      service.update((draft) => {
        draft.batches["1234"] = createBatch({
          id: "1234",
          lists: [
            {
              id: 10,
              fields: { Age: "string", "First Name": "string", Email: "string" },
              contacts: [{ ...contact(3), fields: { Age: "old" } }, contact(7)],
            },
          ],
        });
      });
    const service = makeService();
    replace(service);
    expect(listsOf(service, 1234, [["Age", "contains", "l"]])).toEqual({ 10: [3] });
    expectUndoable(makeService(), makeService(), replace);
  });

  test("a Batch that is replaced by one of the same content is no change (U3)", () => {
    const service = makeService();
    add(service);
    let notified = 0;
    service.subscribe(() => notified++);
    expect(add(service)).toEqual({ patches: [], inversePatches: [] });
    const gone = service.update((draft) => {
      draft.batches["10"] = createBatch({ id: 10, lists: [] });
      delete draft.batches["10"];
    });
    expect([gone.patches, notified]).toEqual([[], 0]);
    const { patches } = service.update((draft) => {
      draft.batches["9"] = createBatch(nine);
      draft.files = draft.files.remove([]);
    });
    expect(patches.map(({ op, path }) => [op, ...path])).toEqual([["remove", "files", "1"]]);
  });

  test("changes of Contacts that cancel out leave the Batch that is there (U3)", () => {
    const service = makeService();
    const { batches } = service;
    const change = service.update((draft) => {
      for (const batch of Object.values(draft.batches)) {
        const { collection, inversePatches } = batch.contacts.withPatches((all) =>
          all.remove(null),
        );
        batch.contacts = collection.applyPatches(inversePatches);
      }
    });
    expect(change).toEqual({ patches: [], inversePatches: [] });
    for (const [id, batch] of Object.entries(batches)) expect(service.batches[id]).toBe(batch);
  });

  test("a new Batch can be changed before and after it is put into a draft", () => {
    const service = makeService();
    service.update((draft) => {
      const batch = createBatch(nine);
      batch.contacts = batch.contacts.remove([["send_id", "exactly", 1]]);
      batch.addList({ id: 92, contacts: [contact(5)] });
      draft.batches["9"] = batch;
      expect("9" in draft.batches).toBe(true);
      expect(Object.keys(draft.batches).sort()).toEqual(["1234", "5", "9"]);
      const placed = batchOf(draft, "9");
      expect([placed.id, ...placed.lists]).toEqual(["9", "90", "91", "92"]);
      placed.contacts = placed.contacts.insert([{ ...contact(4), list: 91 }]);
    });
    expect(listsOf(service, 9)).toEqual({ 90: [2], 91: [3, 4], 92: [5] });
    const drop = (draft: ServiceDraft) => {
      draft.batches["8"] = createBatch({ id: 8, lists: [] });
      void batchOf(draft, "9").contacts.remove(null);
    };
    expect(() => service.update(drop)).toThrow(/write draft\.batches\["9"\]\.contacts = /);
    expect(Object.keys(service.batches)).toEqual(["5", "9", "1234"]);
  });

  test("a new Batch that was put into a draft is changed there: changing it beside is an error", () => {
    const service = makeService();
    const placed = 'was added to a service; change draft.batches["9"] there';
    service.update((draft) => {
      const batch = createBatch(nine);
      draft.batches["9"] = batch;
      expectRefused(() => batch.addList({ id: 92, contacts: [] }), "batch", placed);
      expectRefused(() => batch.removeList(91), "batch", placed);
      expectRefused(() => batch.addListField(91, "Town"), "batch", placed);
      expectRefused(() => batch.removeListField(91, "Email"), "batch", placed);
      expectRefused(() => (batch.contacts = batch.contacts.remove(null)), "batch", placed);
    });
    expect(listsOf(service, 9)).toEqual({ 90: [1, 2], 91: [3] });
  });

  test("a collection made from a new Batch's Contacts and put nowhere is an error", () => {
    const service = makeService();
    const drop = (draft: ServiceDraft) => {
      const batch = createBatch(nine);
      batch.contacts.remove([["send_id", "exactly", 1]]);
      draft.batches["9"] = batch;
    };
    expectRefused(
      () => service.update(drop),
      "batch.contacts",
      "remove() does not change the collection, but returns a new one; write batch.contacts = batch.contacts.remove(…)",
    );
    expect(Object.keys(service.batches)).not.toContain("9");
  });

  test("a Batch that is added takes the options of the service", () => {
    const service = createService({ limits: { criteria: 1 } });
    add(service);
    const two = [
      ["send_id", "exactly", 1],
      ["send_id", "exactly", 2],
    ] as const;
    expect(thrownBy(() => service.getBatchContacts(9, two))).toMatchObject({ code: 311 });
    expect(() => contactsOf(service, "9").count(two)).toThrow(/at most 1/);
  });

  test("Batches are taken away and put back, or put in the place of all, as members of an object", () => {
    const service = makeService();
    const before = service.batches;
    const unchanged = service.update((draft) => {
      const batch = batchOf(draft, "5");
      delete draft.batches["5"];
      delete draft.batches["77"];
      expect(inspect(draft.batches)).toContain("'1234'");
      expect(draft.batches["5"]).toBe(undefined);
      expect(Reflect.ownKeys(draft.batches)).toEqual(["1234"]);
      expect([5, 77, 1234].map((id) => id in draft.batches)).toEqual([false, false, true]);
      expect(Reflect.preventExtensions(draft.batches)).toBe(false);
      draft.batches["5"] = batch;
      expect(draft.batches["5"]).toBe(batch);
      expect(draft.batches.constructor).toBe(undefined);
    });
    expect(unchanged.patches).toEqual([]);
    expect(service.batches).toBe(before);
    service.update(({ files, batches }) => {
      const kept = Object.entries(batches).filter(([id]) => id !== "5");
      return { files, batches: { ...Object.fromEntries(kept), 9: createBatch(nine) } };
    });
    expect(Object.keys(service.batches)).toEqual(["9", "1234"]);
    const { patches } = service.update(({ batches }) => {
      for (const id of [1000, 11, 100, 12]) {
        Object.defineProperty(batches, id, { value: createBatch({ id, lists: [] }) });
      }
    });
    expect(patches.map(({ path }) => path[1])).toEqual(["11", "12", "100", "1000"]);
  });

  test("Batches put in the place of all are all put there, or none", () => {
    const service = makeService();
    const { patches } = service.update((draft) => {
      const others = { 9: createBatch(nine), 10: "gone" };
      expectRefused(
        () => Object.assign(draft, { batches: others }),
        'draft.batches["10"]',
        'must be made by createBatch(), not "gone"',
      );
    });
    expect(patches).toEqual([]);
  });

  test("nothing of a draft can be changed when its update is over", () => {
    const service = makeService();
    let leaked: ServiceDraft | undefined;
    let batch: ReturnType<typeof batchOf> | undefined;
    service.update((draft) => {
      leaked = draft;
      batch = batchOf(draft, "5");
    });
    const { files } = service;
    const late = "belongs to an update that has ended";
    const setFiles = () => {
      if (leaked !== undefined) leaked.files = files;
    };
    expectRefused(setFiles, "draft.files", late);
    expectRefused(() => batch?.addList({ id: 1, contacts: [] }), 'draft.batches["5"]', late);
    expect(() => leaked?.batches["5"]).toThrow(TypeError);
    const use = (draft: ServiceDraft) => {
      if (batch !== undefined) draft.batches["5"] = batch;
    };
    expectRefused(
      () => service.update(use),
      'draft.batches["5"]',
      "must be made by createBatch(), not an object",
    );
  });

  test("needs a Batch as it is loaded, and says where it is not", () => {
    expectRefused(
      () => createBatch({ id: 9, lists: [{ id: 1, contacts: [{ ...contact(1), send_id: "x" }] }] }),
      "batch.lists[0].contacts[0].send_id",
      'must be an integer of magnitude at most 2^53 − 1, as a number, a bigint or a canonical decimal string, not "x"',
    );
    expectRefused(() => createBatch(5 as never), "batch", "must be an object, not 5");
  });

  test.each(
    refusals<unknown>({
      "path: there is a Batch 5 already": { "that is there": { op: "add", path: ["batches", 5] } },
      "path: does not point to a File, to a Batch, to its Lists or to its Contacts, or to a field of these":
        {
          "under no id": { op: "add", path: ["batches", "x"] },
        },
      "value.id: must be 6, not 7": {
        "of another id": { op: "add", path: ["batches", 6], value: { id: 7, lists: [] } },
      },
      "value: must be an object, not 7": {
        "that is none": { op: "add", path: ["batches", 6], value: 7 },
      },
      "path: there is no Batch 6": { "that is not there": { op: "remove", path: ["batches", 6] } },
    }),
  )("patches refuse a Batch %s, and nothing is changed", (_, patch, place, reason) => {
    const service = makeService();
    const before = answersOf(service);
    const patches = [{ op: "remove", path: ["files", 1] }, patch] as Patch[];
    expectRefused(() => service.applyPatches(patches), `patches[1].${place}`, reason);
    expect(answersOf(service)).toEqual(before);
  });

  describe("and their Lists", () => {
    const change =
      (id: string, recipe: (batch: ReturnType<typeof batchOf>) => unknown) => (service: Service) =>
        service.update((draft) => void recipe(batchOf(draft, id)));

    test("a List is added with its fields and Contacts", () => {
      const addList = change("1234", (batch) => {
        batch.addList({
          id: 40,
          fields: { Age: "int", Town: "string" },
          contacts: [{ ...contact(4), fields: { Age: 50, Town: "Rome" } }],
        });
      });
      const service = makeService();
      const records = [...contactsOf(service, "1234")];
      const { patches } = addList(service);
      expect(listsOf(service, 1234, null, null, null, "Age", "DESC")).toEqual({
        10: [3],
        20: [1, 2],
        30: [],
        40: [4],
      });
      expect(listsOf(service, 1234, [["Town", "exactly", "Rome"]])["40"]).toEqual([4]);
      expect(contactsOf(service, "1234").query({ limit: 3 })).toEqual(records);
      expect(contactsOf(service, "1234").at(0)).toBe(records[0]);
      expect(patches.map(({ op, path }) => [op, ...path])).toEqual([
        ["replace", "batches", "1234", "lists"],
        ["add", "batches", "1234", "contacts", 3],
      ]);
      expect(patches[0]?.value).toEqual([
        { id: "20", fields: { Email: "string", "First Name": "string" } },
        { id: "10", fields: { Email: "string", Age: "int" } },
        { id: "30", fields: {} },
        { id: "40", fields: { Age: "int", Town: "string" } },
      ]);
      expectUndoable(makeService(), makeService(), addList);
    });

    test("a List is removed with its Contacts, and comes back with them", () => {
      const removeList = change("1234", (batch) => batch.removeList(20));
      const service = makeService();
      removeList(service);
      expect(listsOf(service, 1234)).toEqual({ 10: [3], 30: [] });
      expect(
        thrownBy(() => service.getBatchContacts(1234, [["First Name", "not", null]])),
      ).toMatchObject({
        code: 311,
      });
    });

    test("a List Field is added, null for the Contacts that there are", () => {
      const service = makeService();
      change("1234", (batch) => batch.addListField("10", "Town"))(service);
      expect(listsOf(service, 1234, [["Town", "exactly", null]])).toEqual({
        10: [3],
        20: [1, 2],
        30: [],
      });
      change("1234", (batch) => {
        batch.contacts = batch.contacts.update([["send_id", "exactly", 3]], (each) => {
          each.fields = { ...each.fields, Town: "Rome" };
        });
      })(service);
      expect(listsOf(service, 1234, [["Town", "exactly", "Rome"]])["10"]).toEqual([3]);
    });

    test("an undo that would lose what has been added since is refused, and changes nothing", () => {
      const refused = (
        first: (draft: ServiceDraft) => unknown,
        since: (draft: ServiceDraft) => unknown,
        [path, reason]: readonly [string, string],
      ) => {
        const service = makeService();
        const { inversePatches } = service.update((draft) => void first(draft));
        service.update((draft) => void since(draft));
        const [batches, answers] = [service.batches, answersOf(service)];
        expectRefused(() => service.applyPatches(overJson(inversePatches)), path, reason);
        expect(service.batches).toBe(batches);
        expect(answersOf(service)).toEqual(answers);
      };
      const town = (draft: ServiceDraft) => batchOf(draft, "1234").addListField(10, "Town");
      refused(
        town,
        (draft) => {
          const batch = batchOf(draft, "1234");
          batch.contacts = batch.contacts.update([["send_id", "exactly", 3]], (each) => {
            each.fields = { ...each.fields, Town: "Rome" };
          });
        },
        ["patches[0].value", "would remove records or values that are there now"],
      );
      refused(town, (draft) => batchOf(draft, "1234").addListField(10, "Street"), [
        "patches[0].before",
        "is an array, but the current value is an array: it has changed since",
      ]);
      refused(
        (draft) => (draft.batches[9] = createBatch(nine)),
        (draft) => {
          const batch = batchOf(draft, "9");
          batch.contacts = batch.contacts.insert([{ ...contact(77), list: 90, fields: {} }]);
        },
        ["patches[3].before", "is empty, but the Batch has records"],
      );
    });

    test("a List Field is removed with its values, only in its List", () => {
      const service = makeService();
      change("1234", (batch) => batch.removeListField(20, "Email"))(service);
      expect(listsOf(service, 1234, [["Email", "not", null]])).toEqual({ 10: [3], 20: [], 30: [] });
      change("1234", (batch) => batch.removeListField(10, "Email"))(service);
      expect(
        thrownBy(() => service.getBatchContacts(1234, [["Email", "not", null]])),
      ).toMatchObject({
        code: 311,
      });
    });

    test("many changes of Lists at once are undone and repeated exactly", () => {
      const withoutFirstName = (each: Service) => {
        // What the answers ask for must be there before and after.
        change("1234", (batch) => {
          batch.contacts = batch.contacts.remove([["send_id", "exactly", 2]]);
        })(each);
        return each;
      };
      const { patches } = expectUndoable(
        withoutFirstName(makeService()),
        withoutFirstName(makeService()),
        change("1234", (batch) => {
          batch.contacts = batch.contacts.update([["send_id", "exactly", 1]], (each) => {
            each.open_count = "4";
          });
          batch.removeListField(10, "Age");
          batch.addListField(10, "Age", "string");
          batch.removeList(30);
          batch.addList({
            id: 31,
            fields: ["__proto__", "First Name"],
            contacts: [contact(8)],
          });
          batch.addListField(20, "constructor", "int");
          batch.contacts = batch.contacts.insert([
            { ...contact(9), list: 20, fields: { constructor: 5 } },
          ]);
        }),
      );
      expect(patches.map(({ op, path }) => [op, ...path.slice(2)])).toEqual([
        ["replace", "lists"],
        ["replace", "contacts", 0, "open_count"],
        ["add", "contacts", 3],
        ["add", "contacts", 4],
      ]);
    });

    test("indexes that were there are there again when they are asked for", () => {
      const service = makeService();
      contactsOf(service, "1234").prepare({ sort: ["send_id"] });
      change("1234", (batch) => batch.addList({ id: 40, contacts: [] }))(service);
      expect(contactsOf(service, "1234").query({ sortBy: "send_id", limit: 1 })[0]?.send_id).toBe(
        "3",
      );
    });

    test.each(
      refusals<(batch: ReturnType<typeof batchOf>) => unknown>({
        "list.id: List 20 occurs twice": {
          "a List that is there": (b) => b.addList({ id: 20, contacts: [] }),
        },
        "list.id: is missing": {
          "a List without an id": (b) => b.addList({ contacts: [] } as never),
        },
        'list.fields.Age: is "string" here and "int" in an earlier List of the Batch': {
          "a List Field of another type than in another List": (b) =>
            b.addList({ id: 40, fields: ["Age"], contacts: [] }),
        },
        'list.contacts[1].open_type: must be "not_opened", "html", "text" or "sms", not "x"': {
          "a List with a wrong Contact": (b) =>
            b.addList({
              id: 40,
              contacts: [contact(1), { ...contact(1), open_type: "x" as never }],
            }),
        },
        "list: there is no List 40 in the Batch": {
          "removing a List that is not there": (b) => b.removeList(40),
        },
        'list: must be an integer or its canonical decimal string, not "x"': {
          "removing no List": (b) => b.removeList("x"),
        },
        "fields.Age: occurs twice": {
          "a List Field that is there": (b) => b.addListField(10, "Age", "int"),
        },
        'type: is "string", and "int" in another List of the Batch': {
          "a List Field of another type than elsewhere": (b) => b.addListField(20, "Age"),
        },
        "fields.send_id: is already the name of a Contact field": {
          "a List Field named like a Contact field": (b) => b.addListField(10, "send_id"),
        },
        'name: the List has no List Field "Age"': {
          "removing a List Field that is not there": (b) => b.removeListField(20, "Age"),
        },
        'draft.batches["1234"].contacts: must be made from the Contacts of this Batch': {
          "Contacts of the Lists before": (b) => {
            const { contacts } = b;
            b.addList({ id: 40, contacts: [] });
            b.contacts = contacts;
          },
        },
      }),
    )("refuse %s, and nothing is changed", (_, recipe, path, reason) => {
      const service = makeService();
      const before = answersOf(service);
      expectRefused(() => change("1234", recipe)(service), path, reason);
      expect(answersOf(service)).toEqual(before);
    });

    test.each(
      refusals<unknown>({
        "value: must be iterable, not 5": { "that are none": 5 },
        "value[1].id: List 20 occurs twice": { "twice the same": [{ id: 20 }, { id: 20 }] },
        'value[0]: has no member "contacts"; use "id" or "fields"': {
          "with Contacts": [{ id: 20, contacts: [] }],
        },
      }),
    )("patches refuse Lists %s, and nothing is changed", (_, value, place, reason) => {
      const service = makeService();
      const before = answersOf(service);
      const patches = [
        { op: "remove", path: ["files", 1] },
        { op: "replace", path: ["batches", 1234, "lists"], value },
      ] as Patch[];
      expectRefused(() => service.applyPatches(patches), `patches[1].${place}`, reason);
      expect(answersOf(service)).toEqual(before);
    });
  });

  test("many Batches are loaded, changed one by one, and read", () => {
    const batches = Array.from({ length: 5000 }, (_, id) => ({ id, lists: [] }));
    const service = createService({ batches });
    for (let id = 0; id < 5000; id += 2) remove(service, String(id));
    expect(Object.keys(service.batches)).toHaveLength(2500);
    expect(service.getBatchContacts(4999)).toEqual({});
  });
});

describe("patches of a service", () => {
  test("lead into the Files and into the Contacts of a Batch", () => {
    const service = makeService();
    const change = service.update((draft) => {
      draft.files = draft.files.update(null, (file) => void (file.size = "11"));
      const batch = batchOf(draft, "5");
      batch.contacts = batch.contacts.remove(null);
    });
    const nine = { ...contactsOf(makeService(), "5").at(0), fields: {}, list: "20" };
    expect(change).toEqual({
      patches: [
        { op: "replace", path: ["files", "1", "size"], value: "11", before: "10" },
        { op: "remove", path: ["batches", "5", "contacts", 0], before: nine },
      ],
      inversePatches: [
        { op: "replace", path: ["files", "1", "size"], value: "10", before: "11" },
        { op: "add", path: ["batches", "5", "contacts", 0], value: nine },
      ],
    });
  });

  test("undo a change, and repeat it on a service of the same data", () => {
    const service = makeService();
    const before = answersOf(service);
    const { patches, inversePatches } = service.update((draft) => {
      draft.files = draft.files.remove(null).insert([{ id: 1, folder_id: 9, name: "again" }]);
      for (const id of ["1234", "5"]) {
        const batch = batchOf(draft, id);
        batch.contacts = batch.contacts
          .remove([["send_id", "exactly", 1]])
          .insert([{ ...contact(50), list: 20 }]);
      }
    });
    const after = answersOf(service);
    const twin = makeService();
    expect(twin.applyPatches(overJson(patches))).toEqual({ patches, inversePatches });
    expect(answersOf(twin)).toEqual(after);
    for (const each of [service, twin]) {
      each.applyPatches(overJson(inversePatches));
      expect(answersOf(each)).toEqual(before);
    }
  });

  const good: Patch = { op: "replace", path: ["files", 1, "size"], value: 99 };
  const REFUSED = refusals<readonly unknown[]>({
    'patches[1].path: must start with "files" or "batches"': {
      "no path": [],
      "a path of a collection": [0, "size"],
      "an inherited name": ["constructor"],
    },
    "patches[1].path: must name a record by its id, not by undefined": {
      "the Files as a whole": ["files"],
    },
    "patches[1].path: must name a record by its key, not by undefined": {
      "the Contacts as a whole": ["batches", "1234", "contacts"],
    },
    "patches[1].path: there is no record with the id 5": {
      "a File that is not there": ["files", 5, "size"],
    },
    "patches[1].path: does not point to a File, to a Batch, to its Lists or to its Contacts, or to a field of these":
      {
        "the Batches as a whole": ["batches"],
        "into the Lists of a Batch": ["batches", "1234", "lists", 0],
        "an inherited name as a Batch": ["batches", "constructor", "contacts", 0],
        "the id of a Batch": ["batches", "1234", "id"],
      },
    "patches[1].path: there is no Batch 6": {
      "an unknown Batch": ["batches", "6"],
      "a Contact of an unknown Batch": ["batches", "6", "contacts", 0],
    },
    "patches[1].path: there is no record with the key 3": {
      "a Contact that is not there": ["batches", "1234", "contacts", 3, "open_count"],
    },
    "patches[1].path: is too long": {
      "into a List Field": ["batches", "1234", "contacts", 0, "fields", "Email", "length"]
        .slice(0, 6)
        .concat(Array.from({ length: 15 }, () => "x")),
    },
  });

  test.each(REFUSED)("refuse %s, and nothing is changed", (_, path, place, reason) => {
    const service = makeService();
    const before = answersOf(service);
    const patches = [good, { op: "replace", path, value: "5" }, good] as Patch[];
    expectRefused(() => service.applyPatches(patches), place, reason);
    expect(answersOf(service)).toEqual(before);
  });

  test("that name two parts are applied to both, or to none", () => {
    const service = makeService();
    const opened = (value: unknown): Patch => ({
      op: "replace",
      path: ["batches", 1234, "contacts", 0, "open_count"],
      value,
    });
    expect(() => service.applyPatches([good, opened("many")])).toThrow(InputError);
    expect(service.files.at(0)?.size).toBe("10");
    service.applyPatches([good, opened(3)]);
    expect([service.files.at(0)?.size, contactsOf(service, "1234").at(0)?.open_count]).toEqual([
      "99",
      "3",
    ]);
  });
});

describe("subscribers", () => {
  test("are notified of each change, with the patches that the update returns", () => {
    const service = makeService();
    const notified: DatabaseChange[] = [];
    service.subscribe((change) => notified.push(change));
    const changes = [insertFile(service, 2), insertFile(service, 3)];
    changes.push(service.applyPatches(changes.flatMap(({ inversePatches }) => inversePatches)));
    expect(notified).toEqual(changes);
    expect(notified[2]?.patches).toEqual([
      {
        op: "remove",
        path: ["files", "2"],
        before: expect.objectContaining({ id: "2" }) as unknown,
      },
      {
        op: "remove",
        path: ["files", "3"],
        before: expect.objectContaining({ id: "3" }) as unknown,
      },
    ]);
  });

  test("patches of several changes of one collection, merged meanwhile, are those between the ends", () => {
    const service = createService({
      files: Array.from({ length: 40 }, (_, id) => ({ id, folder_id: 1, name: `${id}.txt` })),
    });
    const before = service.files.state;
    const change = service.update((draft) => {
      draft.files = draft.files.insert([{ id: 100, folder_id: 1, name: "a" }]);
      draft.files = draft.files.update([["id", "less_than", 20]], (file) => {
        file.name = `b${file.id}.txt`;
      });
      draft.files = draft.files.remove([["id", "in", [3, 30, 100]]]).compact();
    });
    const { patches, inversePatches } = comparedPatches(before, service.files.state);
    const inFiles = (each: readonly Patch[]) =>
      each.map((patch) => ({ ...patch, path: ["files", ...patch.path] }));
    expect(change.patches).toEqual(inFiles(patches));
    expect(change.inversePatches).toEqual(inFiles(inversePatches));
    expect(patches.some(({ path }) => path[0] === 40)).toBe(false);
  });

  test("who asks for no patches pays for none; asked for later, they are those of the change", () => {
    const service = makeService();
    const made = vi.spyOn(Codec.prototype, "write");
    let notified = 0;
    service.subscribe(() => {
      notified++;
    });
    const first = insertFile(service, 2);
    const second = insertFile(service, 3);
    expect([notified, made.mock.calls.length]).toEqual([2, 0]);
    expect(second.inversePatches).toMatchObject([{ op: "remove", path: ["files", "3"] }]);
    expect(first.inversePatches).toMatchObject([{ op: "remove", path: ["files", "2"] }]);
    service.applyPatches(second.inversePatches);
    service.applyPatches(first.inversePatches);
    expect(idsOf(service.files)).toEqual([1]);
    const calls = made.mock.calls.length;
    expect(first.patches).toHaveLength(1);
    expect(made.mock.calls.length).toBe(calls);
    made.mockRestore();
  });

  test("can't change what others receive", () => {
    const service = makeService();
    const notified: DatabaseChange[] = [];
    const thrown: unknown[] = [];
    service.subscribe((change) => {
      for (const spoil of [
        () => (change.patches as Patch[]).pop(),
        () => Object.assign(change.patches[0] ?? {}, { op: "remove" }),
        () => (change.patches.map(({ path }) => path) as unknown[][])[0]?.push("x"),
        () => Object.assign(change.patches[0]?.value as object, { name: "x" }),
        () => Object.assign(change, { patches: [] }),
      ]) {
        thrown.push(thrownBy(spoil));
      }
    });
    service.subscribe((change) => notified.push(change));
    const change = insertFile(service, 2);
    expect(thrown).toHaveLength(5);
    expect(thrown.every((error) => error instanceof TypeError)).toBe(true);
    expect(notified).toEqual([change]);
    expect(change.patches[0]).toMatchObject({ op: "add", path: ["files", "2"] });
  });

  test("can't change a Contact that others are notified of either", () => {
    const service = makeService();
    const { inversePatches } = service.update((draft) => {
      const batch = batchOf(draft, "1234");
      batch.contacts = batch.contacts.remove([["send_id", "exactly", 1]]);
    });
    const value = inversePatches[0]?.value as { fields: object };
    expect(() => Object.assign(value, { list: "30" })).toThrow(TypeError);
    expect(() => Object.assign(value.fields, { Email: "x" })).toThrow(TypeError);
  });

  test("may dispatch, and see the new state", () => {
    const service = makeService();
    const seen: unknown[] = [];
    const request = { id: 1, method: "searchFiles", params: ["key", [["id", "exactly", 2]]] };
    service.subscribe(() => {
      seen.push(service.dispatch(request).result);
      seen.push(
        (JSON.parse(service.dispatchJson(JSON.stringify(request))) as { result: unknown }).result,
      );
      seen.push(service.searchFiles([["id", "exactly", 2]]));
      seen.push(service.files.query({ criteria: [["id", "exactly", 2]] }));
    });
    insertFile(service, 2);
    const expected = service.searchFiles([["id", "exactly", 2]]);
    expect(expected).toHaveLength(1);
    expect(seen).toEqual([expected, expected, expected, expected]);
  });

  test("may update; all are notified of that later, in the order of changes", () => {
    const service = makeService();
    const notified: string[] = [];
    const keyOf = ({ patches }: DatabaseChange) => String(patches[0]?.key);
    service.subscribe((change) => {
      notified.push(`a${keyOf(change)}`);
      if (service.files.size < 4) insertFile(service, service.files.size + 1);
      notified.push(`a${keyOf(change)} end, ${service.files.size} Files`);
    });
    service.subscribe((change) => notified.push(`b${keyOf(change)}`));
    insertFile(service, 2);
    expect(notified).toEqual([
      "a1",
      "a1 end, 3 Files",
      "b1",
      "a2",
      "a2 end, 4 Files",
      "b2",
      "a3",
      "a3 end, 4 Files",
      "b3",
    ]);
    insertFile(service, 5);
    expect(notified.at(-1)).toBe("b4");
  });

  test("one that throws concerns nobody else, and is reported", async () => {
    const reported: unknown[] = [];
    const service = makeService((thrown) => reported.push(thrown));
    const notified: unknown[] = [];
    const [error, later] = [new Error("now"), new Error("later")];
    service.subscribe(() => {
      throw error;
    });
    const rejecting: (change: DatabaseChange) => unknown = () => Promise.reject(later);
    service.subscribe(rejecting);
    service.subscribe(() => {
      service.update(() => {
        throw new ServiceError(310, "mine");
      });
    });
    service.subscribe((change) => notified.push(change));
    const change = insertFile(service, 2);
    expect(notified).toEqual([change]);
    expect(reported).toEqual([error, expect.objectContaining({ code: 310 })]);
    await new Promise((resolve) => setTimeout(resolve, 1));
    expect(reported).toEqual([error, expect.objectContaining({ code: 310 }), later]);
    expect(service.files.size).toBe(2);
  });

  test("one that throws where nobody listens for it, or the listener throws too, concerns nobody", () => {
    const fail = () => {
      throw new Error("mine");
    };
    for (const service of [makeService(), makeService(fail)]) {
      service.subscribe(fail);
      expect(insertFile(service, 2).patches).toHaveLength(1);
      expect(insertFile(service, 3).patches).toHaveLength(1);
    }
  });

  test("are not notified once they have ended it, once, twice, or while being notified", () => {
    const service = makeService();
    const notified: string[] = [];
    const first = service.subscribe(() => {
      notified.push("first");
      first();
      first();
      third();
    });
    const second = () => void notified.push("second");
    const ends = [service.subscribe(second), service.subscribe(second)];
    const third = service.subscribe(() => void notified.push("third"));
    insertFile(service, 2);
    expect(notified).toEqual(["first", "second", "second"]);
    ends[0]?.();
    ends[0]?.();
    insertFile(service, 3);
    expect(notified).toEqual(["first", "second", "second", "second"]);
    ends[1]?.();
    insertFile(service, 4);
    expect(notified).toHaveLength(4);
  });

  test("are notified of the changes since they began, not of those before", () => {
    const service = makeService();
    const notified: string[] = [];
    const end = service.subscribe(() => {
      end();
      insertFile(service, 3);
      service.subscribe(({ patches }) => notified.push(String(patches[0]?.key)));
      insertFile(service, 4);
    });
    insertFile(service, 2);
    expect(notified).toEqual(["3"]);
    insertFile(service, 5);
    expect(notified).toEqual(["3", "4"]);
  });
});
