// A change that leaves every value equal, in whatever form, is not a change: it returns the same
// collection, keeps the same Batch, and notifies nobody.

import { describe, expect, test } from "vitest";
import { createBatch, type Patch, type ServiceDraft } from "../../src/index.ts";
import { reopened } from "../arrow/reopened.ts";
import { contact, makePeople, makeService, manyPeople } from "./fixtures.ts";

describe("a collection is the same one", () => {
  test.each(
    Object.entries<(draft: object) => unknown>({
      "a number over its text": (draft) => void Object.assign(draft, { age: 36 }),
      "a bigint over its text": (draft) => void Object.assign(draft, { id: 1n }),
      "an equal value of a field that is not stored": (draft) => ({ ...draft, note: "first" }),
      "an equal copy": (draft) => ({ ...draft }),
      "an equal copy, its members turned round": (draft) =>
        Object.fromEntries(Object.entries(draft).reverse()),
      "a field with its default left out": (draft) => void Reflect.deleteProperty(draft, "status"),
      "another value, and the old one again": (draft) => {
        Object.assign(draft, { name: "Eva" });
        Object.assign(draft, { name: "Ada" });
      },
    }),
  )("after %s", (_, recipe) => {
    for (const people of [makePeople(), reopened(makePeople())]) {
      expect(people.update([["id", "exactly", 1]], recipe)).toBe(people);
      const changed = people.withPatches((all) => all.update([["id", "exactly", 1]], recipe));
      expect(changed).toEqual({ collection: people, patches: [], inversePatches: [] });
      expect(changed.collection).toBe(people);
    }
  });

  test.each(
    Object.entries<Patch[]>({
      "an equal value": [{ op: "replace", path: [1, "age"], value: 36 }],
      "an equal record": [
        { op: "replace", path: [1], value: { id: 1, name: "Ada", age: 36n, note: "first" } },
      ],
      "a record taken away and put back": [
        { op: "remove", path: [2] },
        { op: "add", path: [2], value: { id: 2, name: "Bob", age: null }, key: 1 },
      ],
      "a value changed and changed back": [
        { op: "replace", path: [3, "name"], value: "X" },
        { op: "replace", path: [3, "name"], value: "Cyd" },
      ],
    }),
  )("after a patch with %s", (_, patches) => {
    const people = makePeople();
    expect(people.applyPatches(patches)).toBe(people);
  });
});

test("of many records that a recipe touches, those that stay as they are stay the same objects", () => {
  const people = manyPeople(300);
  const { collection, patches } = people.withPatches((all) =>
    all.update(null, (draft) => {
      Object.assign(draft, { age: Number(draft.id) % 100 === 7 ? 99 : Number(draft.age) });
    }),
  );
  expect(patches).toEqual(
    [7, 107, 207].map((id) => {
      return { op: "replace", path: [String(id), "age"], value: "99", before: String(id % 90) };
    }),
  );
  const [before, after] = [[...people], [...collection]];
  expect(after.filter((record, i) => record !== before[i]).map(({ id }) => id)).toEqual([
    "7",
    "107",
    "207",
  ]);
});

test("a record that stays as it is keeps the value of its unique field", () => {
  const people = makePeople();
  const take = () =>
    people.update([["id", "in", [1, 2]]], (draft) => void Object.assign(draft, { id: 2 }));
  expect(take).toThrow('rows[0].id: "2" is already used by another record');
});

describe("a service is as it was, and nobody is notified", () => {
  type Recipe = (draft: ServiceDraft) => unknown;
  const batchIn = ({ batches }: ServiceDraft, id: string) =>
    batches[id] ?? createBatch({ id, lists: [] });
  const assigning = (values: object) => (draft: object) => void Object.assign(draft, values);
  const five = { id: 5, lists: [{ id: 20, contacts: [contact(9)] }] };

  test.each(
    Object.entries<Recipe>({
      "a File's size as a number": (draft) => {
        draft.files = draft.files.update(null, assigning({ size: 10 }));
      },
      "a File's equal copy": (draft) => {
        draft.files = draft.files.update(null, (file) => ({ ...file }));
      },
      "a File's extension without its dot": (draft) => {
        draft.files = draft.files.update(null, assigning({ extension: "txt" }));
      },
      "a Contact's List as a number": (draft) => {
        const batch = batchIn(draft, "1234");
        batch.contacts = batch.contacts.update(
          [["send_id", "exactly", 3]],
          assigning({ list: 10 }),
        );
      },
      "a List Field as a number": (draft) => {
        const batch = batchIn(draft, "1234");
        batch.contacts = batch.contacts.update([["send_id", "exactly", 3]], (contact) =>
          assigning({ Age: 30 })(contact.fields ?? {}),
        );
      },
      "List Fields in an equal copy": (draft) => {
        const batch = batchIn(draft, "1234");
        batch.contacts = batch.contacts.update(null, ({ ...contact }) => ({
          ...contact,
          fields: { ...contact.fields },
        }));
      },
      "an equal copy of the draft": ({ files, batches }) => ({ files, batches: { ...batches } }),
      "an equal Batch": (draft) => void (draft.batches["5"] = createBatch(five)),
      "a Batch that goes and comes": (draft) => {
        delete draft.batches["5"];
        draft.batches["5"] = createBatch(five);
      },
      "a List that comes and goes": (draft) => {
        batchIn(draft, "1234").addList({ id: 77, fields: ["Email"], contacts: [] });
        batchIn(draft, "1234").removeList(77);
      },
      "a List Field that comes and goes": (draft) => {
        batchIn(draft, "1234").addListField(30, "Town");
        batchIn(draft, "1234").removeListField(30, "Town");
      },
    }),
  )("after %s", (_, recipe) => {
    const service = makeService();
    const { files, batches } = service;
    const reported: unknown[] = [];
    service.subscribe((change) => reported.push(change));
    service.watch("searchFiles", [], () => reported.push("files"));
    service.watch("getBatchContacts", [1234], () => reported.push("contacts"));
    expect(reported).toEqual(["files", "contacts"]);
    expect(service.update(recipe)).toEqual({ patches: [], inversePatches: [] });
    expect(reported).toHaveLength(2);
    expect(service.files).toBe(files);
    expect(service.batches).toEqual(batches);
    for (const [id, batch] of Object.entries(batches)) expect(service.batches[id]).toBe(batch);
  });

  test.each(
    Object.entries<Patch[]>({
      "a File's size as a number": [{ op: "replace", path: ["files", 1, "size"], value: 10 }],
      "a List Field as a number": [
        { op: "replace", path: ["batches", "1234", "contacts", 2, "fields", "Age"], value: 30 },
      ],
      "Lists as they are declared": [
        {
          op: "replace",
          path: ["batches", "1234", "lists"],
          value: [
            { id: 20, fields: ["Email", "First Name"] },
            { id: "10", fields: { Email: "string", Age: "int" } },
            { id: 30n },
          ],
        },
      ],
      "an equal Batch": [{ op: "replace", path: ["batches", "5"], value: five }],
      "a Batch taken away and put back": [
        { op: "remove", path: ["batches", "5"] },
        { op: "add", path: ["batches", "5"], value: five },
      ],
    }),
  )("after a patch with %s", (_, patches) => {
    const service = makeService();
    const { files, batches } = service;
    const reported: unknown[] = [];
    service.subscribe((change) => reported.push(change));
    expect(service.applyPatches(patches)).toEqual({ patches: [], inversePatches: [] });
    expect(reported).toEqual([]);
    expect(service.files).toBe(files);
    for (const [id, batch] of Object.entries(batches)) expect(service.batches[id]).toBe(batch);
  });

  test.each(
    Object.entries<() => ReturnType<typeof createBatch>>({
      "of another Contact": () =>
        createBatch({ ...five, lists: [{ id: 20, contacts: [contact(8)] }] }),
      "of more Contacts": () =>
        createBatch({ ...five, lists: [{ id: 20, contacts: [contact(9), contact(8)] }] }),
      "of another List": () =>
        createBatch({ ...five, lists: [{ id: 21, contacts: [contact(9)] }] }),
      "of a List with a field": () =>
        createBatch({ ...five, lists: [{ id: 20, fields: ["Town"], contacts: [contact(9)] }] }),
      "whose Contact has another key": () => {
        const batch = createBatch({
          ...five,
          lists: [{ id: 20, contacts: [contact(8), contact(9)] }],
        });
        batch.contacts = batch.contacts.remove([["send_id", "exactly", 8]]);
        return batch;
      },
    }),
  )("but not after a Batch %s", (_, batch) => {
    const service = makeService();
    const before = service.batches["5"];
    const reported: unknown[] = [];
    service.subscribe((change) => reported.push(change));
    service.update((draft) => void (draft.batches["5"] = batch()));
    expect(reported).toHaveLength(1);
    expect(service.batches["5"]).not.toBe(before);
  });
});
