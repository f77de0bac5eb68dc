// A service that is changed: as a whole or not at all, held to its Files, Batches and Lists; and
// what its subscribers are told, in which order.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  createService,
  File,
  InputError,
  ServiceError,
  type Batch,
  type DraftOf,
  type Patch,
  type Service,
  type ServiceChange,
  type ServiceDraft,
} from "../../src/index.ts";
import {
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

function insertFile(service: Service, id: number): ServiceChange {
  return service.update((draft) => {
    draft.files = draft.files.insert([{ id, folder_id: 7, name: `${id}.txt` }]);
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
      draft.files = draft.files.update([["id", "exactly", 1]], recipe as () => unknown);
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
    service.applyPatches([{ op: "replace", path: ["files", 0, "basename"], value: "b" }]);
    expect(names(service)).toEqual(["b.txt", "b", ".txt"]);
    service.applyPatches([{ op: "replace", path: ["files", 0, "name"], value: "c.d" }]);
    expect(names(service)).toEqual(["c.d", "c", ".d"]);
    const value = { id: 1, folder_id: 7, name: "c.d", basename: "x", extension: "y" };
    service.applyPatches([{ op: "replace", path: ["files", 0], value }]);
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
    const told: unknown[] = [];
    service.subscribe((change) => told.push(change));
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
    expect(told).toEqual([]);
    expect(insertFile(service, 2).patches).toHaveLength(1);
  });

  test("that changes nothing is told to nobody", () => {
    const service = makeService();
    const told: unknown[] = [];
    service.subscribe((change) => told.push(change));
    const nothing = { patches: [], inversePatches: [] };
    expect(service.update(() => undefined)).toEqual(nothing);
    expect(service.update((draft) => void (draft.files = draft.files.insert([])))).toEqual(nothing);
    expect(service.applyPatches([])).toEqual(nothing);
    expect(told).toEqual([]);
  });

  test("may take another state from the recipe, made of the same parts", () => {
    const service = makeService();
    service.update(({ files, batches }) => ({ files: files.remove(null), batches }));
    expect([service.files.size, contactsOf(service, "1234").size]).toEqual([0, 3]);
  });

  test("one within another is refused; the other goes on", () => {
    const service = makeService();
    const reason = "may not be changed while it is being changed";
    service.update((draft) => {
      expectRefused(() => insertFile(service, 3), "service", reason);
      expectRefused(() => service.applyPatches([]), "service", reason);
      draft.files = draft.files.insert([{ id: 2, folder_id: 7, name: "b" }]);
    });
    expect(idsOf(service.files)).toEqual([1, 2]);
    const patches = function* (): Generator<Patch> {
      insertFile(service, 3);
      yield { op: "remove", path: ["files", 0] };
    };
    expectRefused(() => service.applyPatches(patches()), "service", reason);
    expect(idsOf(service.files)).toEqual([1, 2]);
  });

  const other = makeService();
  const REFUSED: readonly (readonly [string, (draft: ServiceDraft) => unknown, string, string])[] =
    [
      [
        "the Files of another service",
        (draft) => void (draft.files = other.files),
        "draft.files",
        "must be made from the Files of this service",
      ],
      [
        "an array for the Files",
        (draft) => Object.assign(draft, { files: [] }),
        "draft.files",
        "must be made from the Files of this service",
      ],
      [
        "Files that are no more",
        (draft) => void Reflect.deleteProperty(draft, "files"),
        "draft.files",
        "must be made from the Files of this service",
      ],
      [
        "the Contacts of another Batch",
        (draft) => void (batchOf(draft, "1234").contacts = batchOf(draft, "5").contacts),
        'draft.batches["1234"].contacts',
        "must be made from the Contacts of this Batch",
      ],
      [
        "the Contacts of another service",
        (draft) => void (batchOf(draft, "1234").contacts = contactsOf(other, "1234")),
        'draft.batches["1234"].contacts',
        "must be made from the Contacts of this Batch",
      ],
      [
        "the Files for Contacts",
        (draft) => void Object.assign(batchOf(draft, "1234"), { contacts: draft.files }),
        'draft.batches["1234"].contacts',
        "must be made from the Contacts of this Batch",
      ],
      [
        "another id",
        (draft) => void Object.assign(batchOf(draft, "1234"), { id: "6" }),
        'draft.batches["1234"].id',
        "may not be changed",
      ],
      [
        "another List",
        (draft) => void (batchOf(draft, "1234").lists as string[]).push("40"),
        'draft.batches["1234"].lists',
        "may not be changed",
      ],
      [
        "a Batch that is removed",
        (draft) => void Reflect.deleteProperty(draft.batches, "1234"),
        'draft.batches["1234"]',
        "may not be removed",
      ],
      [
        "a Batch that is none",
        (draft) => void Object.assign(draft.batches, { 1234: "gone" }),
        'draft.batches["1234"]',
        'must be an object, not "gone"',
      ],
      [
        "a Batch with a member more",
        (draft) => void Object.assign(batchOf(draft, "1234"), { name: "x" }),
        'draft.batches["1234"]',
        'has no member "name"; use "id", "contacts" or "lists"',
      ],
      [
        "a Batch that is new",
        (draft) => void Object.assign(draft.batches, { 99: draft.batches["5"] }),
        "draft.batches",
        'has no member "99"; use "5" or "1234"',
      ],
      [
        "a Batch called __proto__",
        (draft) => Object.defineProperty({ ...draft, batches: {} }, "__proto__", { value: 1 }),
        'draft.batches["5"]',
        "may not be removed",
      ],
      [
        "a member more",
        (draft) => Object.assign(draft, { folders: [] }),
        "draft",
        'has no member "folders"; use "files" or "batches"',
      ],
      ["a number in its place", () => 5, "draft", "must be an object, not 5"],
      [
        "a change and a value at once",
        (draft) => (draft.files = draft.files.remove(null)),
        "draft",
        "can't be made from what the recipe leaves: a recipe changes its draft or returns another value, not both, and uses no draft but its own",
      ],
      [
        "a promise",
        async (draft) => {
          draft.files = draft.files.remove(null);
          await Promise.reject(new Error("late"));
        },
        "draft",
        "the recipe returned a promise; it must change its draft at once",
      ],
    ];

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

  test("every List keeps its key when its Contacts are gone", () => {
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
      { op: "remove", path: [...path, "fields", "First Name"] },
      { op: "add", path: [...path, "fields", "Age"], value: "40" },
      { op: "replace", path: [...path, "list"], value: "10" },
    ]);
    service.applyPatches(overJson(inversePatches));
    expect(answersOf(service)).toEqual(before);
    service.applyPatches(overJson(patches));
    expect(listsOf(service, 1234)).toEqual({ 10: [1, 3], 20: [2], 30: [] });
  });

  test("List Fields are changed one by one, or all at once", () => {
    const { collection, patches } = contactsOf(makeService(), "1234").updateWithPatches(
      null,
      (draft) => {
        if (draft.send_id === "1") Object.assign(draft.fields ?? {}, { Email: "new@x" });
        if (draft.send_id === "2") Reflect.deleteProperty(draft.fields ?? {}, "Email");
        if (draft.send_id === "3") draft.fields = { Age: 31n };
      },
    );
    expect(patches).toEqual([
      { op: "replace", path: [0, "fields", "Email"], value: "new@x" },
      { op: "replace", path: [1, "fields", "Email"], value: null },
      { op: "replace", path: [2, "fields", "Email"], value: null },
      { op: "replace", path: [2, "fields", "Age"], value: "31" },
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
    const { collection, patches, inversePatches } = contacts.updateWithPatches(null, (draft) => {
      draft.list = draft.list === "1" ? "2" : "1";
      if (draft.list === "1") draft.fields = {};
    });
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

  const REFUSED: readonly (readonly [string, object, string, string])[] = [
    [
      "a List that the Batch has not",
      { list: 40 },
      "rows[0].list",
      "must be the id of a List that is there, not 40",
    ],
    [
      "a List that is no id",
      { list: null },
      "rows[0].list",
      "must be the id of a List that is there, not null",
    ],
    [
      "no List where there are several",
      { list: undefined },
      "rows[0].list",
      "is missing: the record's List must be named",
    ],
    [
      "a move with the fields of the List before",
      { list: "10" },
      "rows[0].fields",
      'has the unknown field "First Name"',
    ],
    [
      "a List Field of another List",
      { fields: { Age: 5 } },
      "rows[0].fields",
      'has the unknown field "Age"',
    ],
    ["a List Field beside the others", { Email: "x" }, "rows[0]", 'has the unknown field "Email"'],
    [
      "a wrong value of a List Field",
      { fields: { Email: 5 } },
      "rows[0].fields.Email",
      "must be a string, not 5",
    ],
    ["fields that are none", { fields: "x" }, "rows[0].fields", 'must be an object, not "x"'],
    [
      "a wrong value",
      { open_type: "opened" },
      "rows[0].open_type",
      'must be "not_opened", "html", "text" or "sms", not "opened"',
    ],
  ];

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
        { op: "replace", path: ["files", 0, "size"], value: "11" },
        { op: "remove", path: ["batches", "5", "contacts", 0] },
      ],
      inversePatches: [
        { op: "replace", path: ["files", 0, "size"], value: "10" },
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

  const good: Patch = { op: "replace", path: ["files", 0, "size"], value: 99 };
  const REFUSED: readonly (readonly [string, readonly unknown[], string])[] = [
    ["no path", [], 'must start with "files" or "batches"'],
    ["a path of a collection", [0, "size"], 'must start with "files" or "batches"'],
    ["an inherited name", ["constructor"], 'must start with "files" or "batches"'],
    ["the Files as a whole", ["files"], "must lead to the key of a row, not to undefined"],
    ["a File that is not there", ["files", 5, "size"], "there is no row 5"],
    ["the Batches as a whole", ["batches"], "does not lead to the Contacts of a Batch"],
    ["a Batch", ["batches", "1234"], "does not lead to the Contacts of a Batch"],
    [
      "an unknown Batch",
      ["batches", "6", "contacts", 0],
      "does not lead to the Contacts of a Batch",
    ],
    [
      "an inherited name as a Batch",
      ["batches", "constructor", "contacts", 0],
      "does not lead to the Contacts of a Batch",
    ],
    ["the id of a Batch", ["batches", "1234", "id"], "does not lead to the Contacts of a Batch"],
    [
      "the Contacts as a whole",
      ["batches", "1234", "contacts"],
      "must lead to the key of a row, not to undefined",
    ],
    [
      "a Contact that is not there",
      ["batches", "1234", "contacts", 3, "open_count"],
      "there is no row 3",
    ],
    [
      "into a List Field",
      ["batches", "1234", "contacts", 0, "fields", "Email", "length"].slice(0, 6).concat("x"),
      "is too long",
    ],
  ];

  test.each(REFUSED)("refuse %s, and nothing is changed", (_, path, reason) => {
    const service = makeService();
    const before = answersOf(service);
    const patches = [good, { op: "replace", path, value: "5" }, good] as Patch[];
    expectRefused(() => service.applyPatches(patches), "patches[1].path", reason);
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
  test("are told of each change, with the patches that the update returns", () => {
    const service = makeService();
    const told: ServiceChange[] = [];
    service.subscribe((change) => told.push(change));
    const changes = [insertFile(service, 2), insertFile(service, 3)];
    changes.push(service.applyPatches(changes.flatMap(({ inversePatches }) => inversePatches)));
    expect(told).toEqual(changes);
    expect(told[2]?.patches).toEqual([
      { op: "remove", path: ["files", 1] },
      { op: "remove", path: ["files", 2] },
    ]);
  });

  test("can't change what others are told", () => {
    const service = makeService();
    const told: ServiceChange[] = [];
    const thrown: unknown[] = [];
    service.subscribe((change) => {
      for (const spoil of [
        () => (change.patches as Patch[]).pop(),
        () => Object.assign(change.patches[0] ?? {}, { op: "remove" }),
        () => (change.patches[0]?.path as unknown[]).push("x"),
        () => Object.assign(change.patches[0]?.value as object, { name: "x" }),
        () => Object.assign(change, { patches: [] }),
      ]) {
        thrown.push(thrownBy(spoil));
      }
    });
    service.subscribe((change) => told.push(change));
    const change = insertFile(service, 2);
    expect(thrown).toHaveLength(5);
    expect(thrown.every((error) => error instanceof TypeError)).toBe(true);
    expect(told).toEqual([change]);
    expect(change.patches[0]).toMatchObject({ op: "add", path: ["files", 1] });
  });

  test("can't change a Contact that others are told of either", () => {
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

  test("may update; all are told of that later, in the order of changes", () => {
    const service = makeService();
    const told: string[] = [];
    const keyOf = ({ patches }: ServiceChange) => String(patches[0]?.path[1]);
    service.subscribe((change) => {
      told.push(`a${keyOf(change)}`);
      if (service.files.size < 4) insertFile(service, service.files.size + 1);
      told.push(`a${keyOf(change)} end, ${service.files.size} Files`);
    });
    service.subscribe((change) => told.push(`b${keyOf(change)}`));
    insertFile(service, 2);
    expect(told).toEqual([
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
    expect(told.at(-1)).toBe("b4");
  });

  test("one that throws concerns nobody else, and is reported", async () => {
    const reported: unknown[] = [];
    const service = makeService((thrown) => reported.push(thrown));
    const told: unknown[] = [];
    const [error, later] = [new Error("now"), new Error("later")];
    service.subscribe(() => {
      throw error;
    });
    const rejecting: (change: ServiceChange) => unknown = () => Promise.reject(later);
    service.subscribe(rejecting);
    service.subscribe(() => {
      service.update(() => {
        throw new ServiceError(310, "mine");
      });
    });
    service.subscribe((change) => told.push(change));
    const change = insertFile(service, 2);
    expect(told).toEqual([change]);
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

  test("are told no more when they have ended it, once, twice, or while they are told", () => {
    const service = makeService();
    const told: string[] = [];
    const first = service.subscribe(() => {
      told.push("first");
      first();
      first();
      third();
    });
    const second = () => void told.push("second");
    const ends = [service.subscribe(second), service.subscribe(second)];
    const third = service.subscribe(() => void told.push("third"));
    insertFile(service, 2);
    expect(told).toEqual(["first", "second", "second"]);
    ends[0]?.();
    ends[0]?.();
    insertFile(service, 3);
    expect(told).toEqual(["first", "second", "second", "second"]);
    ends[1]?.();
    insertFile(service, 4);
    expect(told).toHaveLength(4);
  });

  test("are told of the changes since they began, not of those before", () => {
    const service = makeService();
    const told: string[] = [];
    const end = service.subscribe(() => {
      end();
      insertFile(service, 3);
      service.subscribe(({ patches }) => told.push(String(patches[0]?.path[1])));
      insertFile(service, 4);
    });
    insertFile(service, 2);
    expect(told).toEqual(["3"]);
    insertFile(service, 5);
    expect(told).toEqual(["3", "4"]);
  });
});
