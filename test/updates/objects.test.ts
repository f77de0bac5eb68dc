// Changes given as an object of field values, and records that replace others.

import { describe, expect, test } from "vitest";
import {
  createCollection,
  createService,
  defineSchema,
  File,
  float,
  int,
  json,
  string,
  type Collection,
} from "../../src/index.ts";
import { untyped } from "../rules/fixtures.ts";
import { expectRefused, makePeople, makeService, manyPeople } from "./fixtures.ts";

const Order = defineSchema({
  id: int({ unique: true }),
  total: float({ default: 0 }),
  state: string({ oneOf: ["new", "paid"], default: "new" }),
  code: string({ nullable: true, unique: true }),
  lines: json({ nullable: true }),
});

function makeOrders(): Collection<typeof Order> {
  return createCollection(Order, [
    { id: 1, total: 1.5, code: "a" },
    { id: 2, total: 2, state: "paid", code: "b" },
    { id: 3, code: "c", lines: [1] },
  ]);
}

describe("an update by an object", () => {
  test("sets fields of the selected records, each in its form", () => {
    const orders = makeOrders();
    const next = orders.update([["id", "in", [1, 2]]], { total: "7.5", state: "paid" });
    expect(next.query()).toEqual([
      { id: 1, total: 7.5, state: "paid", code: "a", lines: null },
      { id: 2, total: 7.5, state: "paid", code: "b", lines: null },
      orders.at(2),
    ]);
    expect(next.at(2)).toBe(orders.at(2));
    expect(Object.isFrozen(next.at(0))).toBe(true);
    const people = makePeople().update(null, { age: 5n, note: "all" });
    expect(people.at(0)).toEqual({ id: "1", name: "Ada", status: "active", age: "5" });
    expect(people.count([["note", "exactly", "all"]])).toBe(5);
  });

  test("leaves a record whose values stay equal the same object", () => {
    const orders = makeOrders();
    const next = orders.update(null, { total: 2 });
    expect([0, 1, 2].map((i) => next.at(i) === orders.at(i))).toEqual([false, true, false]);
    expect(next.update(null, { total: "2" })).toBe(next);
    expect(next.update([["id", "exactly", 3]], { lines: [1] })).toBe(next);
    expect(next.update(null, {})).toBe(next);
  });

  test("changes nothing by a member that is undefined", () => {
    const orders = makeOrders();
    expect(orders.update(null, { total: undefined, code: undefined })).toBe(orders);
    const one = orders.update([["id", "exactly", 1]], { total: undefined, state: "paid" });
    expect(one.at(0)).toMatchObject({ total: 1.5, state: "paid" });
  });

  test("has the patches of the same recipe", () => {
    const people = manyPeople(300);
    const byObject = people.withPatches((all) =>
      all.update([["age", "at_least", 80]], { name: "x", note: null }),
    );
    const byRecipe = people.withPatches((all) =>
      all.update([["age", "at_least", 80]], (draft) => {
        Object.assign(draft, { name: "x", note: null });
      }),
    );
    expect(byObject.patches).toEqual(byRecipe.patches);
    expect(byObject.inversePatches).toEqual(byRecipe.inversePatches);
    expect(byObject.patches).toHaveLength(30);
    expect([...byObject.collection]).toEqual([...byRecipe.collection]);
  });

  test("keeps unique fields unique", () => {
    const orders = makeOrders();
    const paid = [["state", "exactly", "new"]] as const;
    expectRefused(
      () => orders.update([["id", "exactly", 1]], { code: "b" }),
      "rows[0].code",
      '"b" is already used by another record',
    );
    expectRefused(
      () => orders.update(paid, { code: "z" }),
      "rows[2].code",
      '"z" is already used by rows[0]',
    );
    expect(orders.update(paid, { code: null }).count([["code", "exactly", null]])).toBe(2);
    // One of both has the value already, and changes otherwise.
    expectRefused(
      () => orders.update(paid, { code: "a", total: 9 }),
      "rows[2].code",
      '"a" is already used by rows[0]',
    );
    expect(orders.update([["id", "exactly", 1]], { code: "z" }).get("code", "z")?.id).toBe(1);
  });

  test("is checked once, whatever it selects", () => {
    const orders = makeOrders();
    const none = [["id", "exactly", 99]] as const;
    const refusals = [
      [{ total: "five" }, "changes.total", /^must be a finite number.*not "five"$/],
      [{ id: null }, "changes.id", /^must not be null$/],
      [{ state: "open" }, "changes.state", /^must be "new" or "paid", not "open"$/],
      [{ stat: "paid" }, "changes", /^has the unknown field "stat"; did you mean "state"\?$/],
      [[], "changes", /^must be an object or a recipe, not an array$/],
    ] as const;
    for (const [changes, path, reason] of refusals) {
      expect(() => orders.update(none, untyped(changes))).toThrow(
        expect.objectContaining({ path, reason: expect.stringMatching(reason) as string }),
      );
    }
    let reads = 0;
    const once = {
      get total() {
        reads++;
        return reads;
      },
    };
    expect(orders.update(null, once).countBy("total")).toEqual([{ value: 1, count: 3 }]);
    expect(reads).toBe(1);
    const hostile = { get total(): number { throw new Error("no"); } }; // oxfmt-ignore
    expectRefused(() => orders.update(null, hostile), "changes", "could not be read");
    const proxy = new Proxy({}, { ownKeys: () => { throw new Error("no"); } }); // oxfmt-ignore
    expectRefused(() => orders.update(null, proxy), "changes", "could not be read");
  });

  test("keeps no reference to what it was given", () => {
    const lines = [1, 2];
    const next = makeOrders().update(null, { lines });
    lines.push(3);
    expect(next.at(0)?.lines).toEqual([1, 2]);
    expect(Object.isFrozen(next.at(0)?.lines)).toBe(true);
  });

  test("and a recipe change a field of numbers that records do not carry", () => {
    const Scored = defineSchema({ id: int(), score: int({ stored: false, default: 1 }) });
    const rows = createCollection(Scored, [{ id: 1 }, { id: 2, score: 5 }]);
    const more = rows.update(null, (draft) => void (draft.score += 5));
    expect(more.countBy("score")).toEqual([{ value: 6, count: 1 }, { value: 10, count: 1 }]); // oxfmt-ignore
    const { patches, collection } = more.withPatches((all) =>
      all.update([["id", "exactly", 1]], { score: 10 }),
    );
    expect(patches).toEqual([{ op: "replace", path: [0, "score"], value: 10, before: 6 }]);
    expect(collection.summary("score").sum).toBe(20);
    expect(collection.update(null, { score: "10" })).toBe(collection);
  });

  test("sets fields with names that objects inherit", () => {
    const Odd = defineSchema({ id: int(), ["__proto__"]: string(), constructor: string() });
    const [one] = [JSON.parse('{"id":1,"__proto__":"a","constructor":"b"}') as never];
    const changes = JSON.parse('{"__proto__":"z"}') as never;
    const next = createCollection(Odd, [one]).update(null, changes);
    expect(JSON.stringify(next.at(0))).toBe('{"id":1,"__proto__":"z","constructor":"b"}');
  });

  test("after a field that records do not hold, each keeps its own value", () => {
    const Note = defineSchema({ note: string({ stored: false }), id: int(), name: string() });
    const notes = createCollection(Note, [{ note: "n", id: 1, name: "a" }]);
    const next = notes.update(null, { name: "b" });
    expect(next.at(0)).toEqual({ id: 1, name: "b" });
    expect(next.count([["note", "exactly", "n"]])).toBe(1);
    expect(next.update(null, { note: "m" }).count([["note", "exactly", "m"]])).toBe(1);
  });
});

describe("in a service, an update by an object", () => {
  test("of one of the names of a File changes those that follow from it (V9)", () => {
    const service = createService({ files: [{ id: 1, folder_id: 7, name: "a.txt", size: 3 }] });
    const names = (changes: object) => {
      service.update((draft) => {
        draft.files = draft.files.update([["id", "exactly", 1]], changes);
      });
      const file = service.files.at(0);
      return [file?.basename, file?.extension, file?.name, file?.size];
    };
    expect(names({ size: 5 })).toEqual(["a", ".txt", "a.txt", "5"]);
    expect(names({ name: "b.png" })).toEqual(["b", ".png", "b.png", "5"]);
    expect(names({ extension: "gif", size: 6 })).toEqual(["b", ".gif", "b.gif", "6"]);
    expect(names({ basename: "c", name: undefined })).toEqual(["c", ".gif", "c.gif", "6"]);
    // As `complete` has it, also where no service revises.
    const files = createCollection(File, [
      { id: 1, folder_id: 7, name: "a", basename: "a", extension: "" },
    ]);
    expect(files.update(null, { extension: "txt" }).at(0)?.extension).toBe(".txt");
  });

  test("leads back by its patches", () => {
    const service = makeService();
    const before = [...service.files];
    const { patches, inversePatches } = service.update((draft) => {
      draft.files = draft.files.update(null, { name: "new.name" });
    });
    const after = [...service.files];
    service.applyPatches(inversePatches);
    expect([...service.files]).toEqual(before);
    service.applyPatches(patches);
    expect([...service.files]).toEqual(after);
  });

  test("of a Contact sets its fields, and those of its List that are named", () => {
    const service = makeService();
    const { patches } = service.update((draft) => {
      const batch = draft.batches["1234"];
      if (batch === undefined) throw new Error("there is no such Batch");
      batch.contacts = batch.contacts.update([["send_id", "exactly", 1]], {
        open_count: 2,
        fields: { "First Name": "Eve", Email: undefined },
      });
    });
    expect(patches.map(({ path, value }) => [path.slice(-1)[0], value])).toEqual([
      ["open_count", "2"],
      ["First Name", "Eve"],
    ]);
    service.update((draft) => {
      const batch = draft.batches["1234"];
      if (batch === undefined) throw new Error("there is no such Batch");
      batch.contacts = batch.contacts.update(null, { open_count: 4 });
    });
    const contacts = service.batches["1234"]?.contacts;
    expect(contacts?.countBy("open_count")).toEqual([{ value: "4", count: 3 }]);
    expect(contacts?.count([["Email" as "send_id", "exactly", "a@x"]])).toBe(1);
  });

  test("that is dropped is refused", () => {
    const service = makeService();
    expectRefused(
      () => service.update((draft) => void draft.files.upsert([], "id").update(null, { size: 1 })),
      "draft.files",
      "update() does not change the collection, but returns a new one; write draft.files = draft.files.update(…)",
    );
  });
});

describe("an upsert", () => {
  test("replaces the records that are there, each in its place, and adds the others", () => {
    const orders = makeOrders();
    const next = orders.upsert(
      [
        { id: 9, code: "x" },
        { id: 2, code: "y" },
        { id: 1, total: 1.5, code: "a" },
      ],
      "id",
    );
    expect(next.query()).toEqual([
      orders.at(0),
      { id: 2, total: 0, state: "new", code: "y", lines: null },
      orders.at(2),
      { id: 9, total: 0, state: "new", code: "x", lines: null },
    ]);
    expect(next.at(0)).toBe(orders.at(0));
    expect(next.upsert({ id: 9, code: "x" }, "id")).toBe(next);
    expect(next.upsert([], "code")).toBe(next);
    expect(next.upsert({ id: 10, code: "x" }, "code").at(3)?.id).toBe(10);
  });

  test("has patches that lead there and back", () => {
    const orders = makeOrders();
    const given = [
      { id: 3, total: 4, code: "c" },
      { id: 4, code: null },
    ];
    const { collection, patches, inversePatches } = orders.withPatches((all) =>
      all.upsert(given, "id"),
    );
    expect(patches.map(({ op, path }) => [op, path])).toEqual([
      ["replace", [3, "total"]],
      ["replace", [3, "lines"]],
      ["add", [4]],
    ]);
    expect(orders.applyPatches(patches).query()).toEqual(collection.query());
    expect(collection.applyPatches(inversePatches).query()).toEqual(orders.query());
  });

  test("with merge keeps what the records omit, and gives defaults only to those that are added", () => {
    const orders = makeOrders();
    const merged = orders.upsert(
      [{ id: 3, total: 4 }, { id: 1 }, { id: 9, code: "x" }, { code: "b", id: 2, lines: [1] }],
      "id",
      { merge: true },
    );
    expect(merged.query()).toEqual([
      orders.at(0),
      { ...orders.at(1), lines: [1] },
      { ...orders.at(2), total: 4 },
      { id: 9, total: 0, state: "new", code: "x", lines: null },
    ]);
    expect(merged.at(0)).toBe(orders.at(0));
    expect(merged.upsert({ id: 9, total: undefined }, "id", { merge: true })).toBe(merged);
    const byCode = merged.upsert({ code: "x", total: 8 }, "code", { merge: true });
    expect(byCode.get("id", 9)?.total).toBe(8);
    const { patches } = orders.withPatches((all) =>
      all.upsert({ id: 3, total: 4 }, "id", { merge: true }),
    );
    expect(patches.map(({ op, path }) => [op, path])).toEqual([["replace", [3, "total"]]]);
  });

  test("with merge refuses what an upsert refuses, in the same words", () => {
    const orders = makeOrders();
    const put = (records: unknown, options: unknown = { merge: true }) =>
      orders.upsert(untyped(records), "id", untyped(options));
    const used = '"1" is already used by records[0]';
    expectRefused(() => put([{ id: 1 }, { id: "1", total: 9 }]), "records[1].id", used);
    const added = () => makePeople().upsert({ id: 77 }, "id", { merge: true });
    expectRefused(added, "record.name", "is missing");
    expectRefused(
      () => put([{ id: 1, totl: 1 }]),
      "records[0]",
      'has the unknown field "totl"; did you mean "total"?',
    );
    expectRefused(
      () => put([{ id: 1, total: "x" }]),
      "records[0].total",
      'must be a finite number, or its text as JavaScript writes it, not "x"',
    );
    expectRefused(() => put([7]), "records[0]", "must be an object, not 7");
    expectRefused(() => put(7), "records", "must be iterable, not 7");
    expectRefused(() => put([{ total: 1 }]), "records[0].id", "is missing");
    expectRefused(() => put([], { merge: 1 }), "options.merge", "must be true or false, not 1");
    expectRefused(
      () => put([], { merged: true }),
      "options",
      'has no member "merged"; use "merge"',
    );
  });

  test("with merge keeps values that records do not store, and derives names anew", () => {
    const people = makePeople();
    const known = people.at(0);
    const aged = people.upsert({ id: known?.id ?? "", age: 99 }, "id", { merge: true });
    expect(aged.at(0)).toEqual({ ...known, age: "99" });
    for (const note of people.countBy("note")) {
      expect(aged.countBy("note")).toContainEqual(note);
    }
    const service = makeService();
    const [file] = service.files;
    service.update((draft) => {
      const given = { id: file?.id ?? "", name: "z.gif" };
      draft.files = draft.files.upsert(given, "id", { merge: true });
    });
    expect(service.files.at(0)).toEqual({
      ...file,
      name: "z.gif",
      basename: "z",
      extension: ".gif",
    });
  });

  test("refuses a value that is not a record, or not unique", () => {
    const orders = makeOrders();
    const put = (records: unknown, field: unknown = "id") =>
      orders.upsert(untyped(records), untyped(field));
    expectRefused(
      () => put([{ id: 5, code: null }, { id: "5", code: "z" }]), // oxfmt-ignore
      "records[1].id",
      '"5" is already used by records[0]',
    );
    expectRefused(
      () => put([{ id: 1, code: "a" }, { id: 2, code: "a" }]), // oxfmt-ignore
      "records[1].code",
      '"a" is already used by records[0]',
    );
    expectRefused(
      () => put([{ id: 7, code: "q" }, { id: 1, code: "b" }]), // oxfmt-ignore
      "records[1].code",
      '"b" is already used by another record',
    );
    expectRefused(
      () => put({ id: 8, code: "b" }),
      "record.code",
      '"b" is already used by another record',
    );
    expect(() => put({ id: "x" })).toThrow(expect.objectContaining({ path: "record.id" }));
    expectRefused(() => put([], "total"), "field", 'must be a unique field, not "total"');
    expectRefused(() => put([], "no"), "field", 'unknown field "no"');
    expectRefused(() => put(5), "records", "must be iterable, not 5");
    // The value that one gives up is free for another.
    const swapped = put([
      { id: 1, code: "b" },
      { id: 2, code: "a" },
    ]);
    expect([...swapped].map(({ code }) => code)).toEqual(["b", "a", "c"]);
  });

  test("finds records in each segment, by an index or without one", () => {
    let people = manyPeople(2000);
    for (const id of [1, 500, 1999, 2000, 2001]) people = people.upsert({ id, name: "new" }, "id");
    const many = Array.from({ length: 300 }, (_, i) => ({ id: 1900 + i, name: "more" }));
    people = people.upsert(many, "id");
    expect(people.countBy("name").filter(({ value }) => !value.startsWith("p"))).toEqual([
      { value: "more", count: 300 },
      { value: "new", count: 2 },
    ]);
    expect([...people].map(({ id }) => Number(id))).toEqual(
      Array.from({ length: 2200 }, (_, i) => i),
    );
  });

  test("of Files completes their names, and replaces them as a whole", () => {
    const service = makeService();
    service.update((draft) => {
      draft.files = draft.files.upsert([{ id: 1, folder_id: 7, name: "z.gif" }], "id");
    });
    expect(service.files.at(0)).toMatchObject({ basename: "z", extension: ".gif", size: "0" });
  });
});
