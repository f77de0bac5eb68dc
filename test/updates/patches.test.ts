// Patches: plain JSON that identifies records by their identity, leads from one collection to the next and back, and is
// refused as a whole if it does not fit.

import { NO_IDS } from "../../src/engine/columns/last-ids.ts";
import { describe, expect, test } from "vitest";
import { Collection } from "../../src/collection/collection.ts";
import {
  createCollection,
  defineSchema,
  InputError,
  int,
  string,
  type Patch,
  type Query,
} from "../../src/index.ts";
import { refusals } from "../rules/fixtures.ts";
import { expectRefused, idsOf, makePeople, manyPeople, Person, thrownBy } from "./fixtures.ts";

const overJson = (patches: readonly Patch[]) => JSON.parse(JSON.stringify(patches)) as Patch[];

describe("what patches say", () => {
  test("an update names the record and each field that changed", () => {
    const { patches, inversePatches } = makePeople().withPatches((all) =>
      all.update([["id", "in", [1, 3]]], (draft) => {
        Object.assign(draft, { age: 30, note: null, status: draft.id === "3" ? "left" : "active" });
      }),
    );
    expect(patches).toStrictEqual([
      { op: "replace", path: ["1", "age"], value: "30", before: "36" },
      { op: "replace", path: ["1", "note"], value: null, before: "first" },
      { op: "replace", path: ["3", "status"], value: "left", before: "active" },
      { op: "replace", path: ["3", "age"], value: "30", before: "20" },
      { op: "replace", path: ["3", "note"], value: null, before: "third" },
    ]);
    const swapped = patches.map(({ op, path, value: before, before: value }) => {
      return { op, path, value, before };
    });
    expect(inversePatches).toStrictEqual(swapped);
  });

  test("an insertion carries the whole record and its key, a removal the record that was there", () => {
    const fay = { id: "6", name: "Fay", status: "active", age: null, note: "new" };
    const inserted = makePeople().withPatches((all) =>
      all.insert([{ id: 6, name: "Fay", note: "new" }]),
    );
    const [add, remove] = [
      { op: "add", path: ["6"], value: fay, key: 5 },
      { op: "remove", path: ["6"], before: fay },
    ];
    expect(inserted.patches).toEqual([add]);
    expect(inserted.inversePatches).toEqual([remove]);
    const removed = inserted.collection.withPatches((all) => all.remove([["id", "exactly", 6]]));
    expect(removed.patches).toEqual([remove]);
    expect(removed.inversePatches).toEqual([add]);
  });

  test("a record that gets another identity goes and comes, in the same place", () => {
    const swap = makePeople().withPatches((all) =>
      all.update([["id", "in", [1, 2]]], (draft) => {
        draft.id = draft.id === "1" ? "2" : "1";
      }),
    );
    const said = ({ op, path: [id], key }: Patch) => [op, id, key];
    const [first, second] = [0, 1];
    const expected = (one: string, other: string) => [
      ["remove", one, undefined],
      ["remove", other, undefined],
      ["add", other, first],
      ["add", one, second],
    ];
    expect(swap.patches.map(said)).toEqual(expected("1", "2"));
    expect(swap.inversePatches.map(said)).toEqual(expected("2", "1"));
    expect(idsOf(makePeople().applyPatches(swap.patches))).toEqual([2, 1, 3, 4, 5]);
  });

  test("several changes have the patches of what they do together", () => {
    const people = makePeople();
    const { collection, patches, inversePatches } = people.withPatches((all) =>
      all
        .insert([{ id: 6, name: "Fay" }])
        .update([["id", "exactly", 1]], { name: "Ann" })
        .remove([["id", "in", [2, 6]]])
        .update([["id", "exactly", 1]], { name: "Amy" }),
    );
    expect(patches.map(({ op, path, value }) => [op, path, value])).toEqual([
      ["remove", ["2"], undefined],
      ["replace", ["1", "name"], "Amy"],
    ]);
    expect([...people.applyPatches(patches)]).toEqual([...collection]);
    expect([...collection.applyPatches(inversePatches)]).toEqual([...people]);
  });

  test("patches are made when they are first read, once", () => {
    const changed = makePeople().withPatches((all) => all.remove(null));
    expect(changed.patches).toBe(changed.patches);
    expect(changed.inversePatches).toHaveLength(5);
    expect(Object.keys(changed)).toEqual(["collection", "patches", "inversePatches"]);
  });

  test("a function that changes nothing returns the same collection, and no patches", () => {
    const people = makePeople();
    for (const change of [
      (all: typeof people) => all,
      (all: typeof people) => all.update(null, {}),
      () => people,
    ]) {
      const { collection, patches, inversePatches } = people.withPatches(change);
      expect(collection).toBe(people);
      expect([patches, inversePatches]).toEqual([[], []]);
    }
  });

  test("a function must return a collection that the given one has become", () => {
    const people = makePeople();
    const reason = "must return a collection made from the one it is given";
    for (const [change, given] of [
      [() => undefined, "undefined"],
      [() => Promise.resolve(people), "an object"],
      [() => makePeople(), "an object"],
      // Made from the same collection, but nobody knows how.
      [() => people.remove(null), "an object"],
    ] as const) {
      expectRefused(
        () => people.withPatches(change as (all: typeof people) => typeof people),
        "change",
        `${reason}, not ${given}`,
      );
    }
    expectRefused(() => people.withPatches(5 as never), "change", "must be a function, not 5");
    expect(() =>
      people.withPatches(() => {
        throw new RangeError("own");
      }),
    ).toThrow(RangeError);
  });

  test("within another function, changes count for both", () => {
    const people = makePeople();
    let inner: readonly Patch[] = [];
    const { patches } = people.withPatches((all) => {
      const changed = all.withPatches((same) => same.remove([["id", "exactly", 1]]));
      inner = changed.patches;
      return changed.collection.remove([["id", "exactly", 2]]);
    });
    expect(inner.map(({ path }) => path)).toEqual([["1"]]);
    expect(patches.map(({ path }) => path)).toEqual([["1"], ["2"]]);
  });

  test("without a unique field that is never null, a record is named by its key", () => {
    const Note = defineSchema({ text: string(), at: int({ nullable: true, unique: true }) });
    const notes = createCollection(Note, [
      { text: "a", at: 1 },
      { text: "b", at: null },
    ]);
    const { patches } = notes
      .remove([["text", "exactly", "a"]])
      .withPatches((all) => all.update(null, { text: "c" }));
    expect(patches).toEqual([{ op: "replace", path: [1, "text"], value: "c", before: "b" }]);
    const { patches: added } = notes.withPatches((all) => all.insert({ text: "d", at: 4 }));
    expect(added).toEqual([{ op: "add", path: [2], value: { text: "d", at: 4 } }]);
  });

  test("where case is ignored, a new spelling is no other identity", () => {
    const User = defineSchema({ name: string({ unique: true, ignoreCase: true }), n: int() });
    const users = createCollection(User, [{ name: "Ann", n: 1 }]);
    const { patches, inversePatches, collection } = users.withPatches((all) =>
      all.update(null, { name: "ANN" }),
    );
    expect(patches).toEqual([
      { op: "replace", path: ["Ann", "name"], value: "ANN", before: "Ann" },
    ]);
    expect([...collection.applyPatches(inversePatches)]).toEqual([...users]);
  });

  test("keys go on after the last one given, wherever its record is now", () => {
    const one = createCollection(Person, [{ id: 1, name: "Ada" }]);
    const none = one.remove(null);
    expect(none.withPatches((all) => all.insert([{ id: 2, name: "Bob" }])).patches[0]?.key).toBe(1);
  });

  test("nothing, where nothing changes", () => {
    const people = makePeople();
    for (const changed of [
      people.withPatches((all) => all.insert([])),
      people.withPatches((all) => all.update(null, () => undefined)),
      people.withPatches((all) => all.update(null, (draft) => ({ ...draft }))),
      people.withPatches((all) =>
        all.update([["id", "exactly", 1]], (draft) => Object.assign(draft, { age: 36 })),
      ),
      people.withPatches((all) => all.remove([["id", "exactly", 99]])),
    ]) {
      expect([changed.patches, changed.inversePatches]).toEqual([[], []]);
      expect([...changed.collection]).toEqual([...people]);
    }
  });

  test("they are plain JSON, and frozen", () => {
    const people = makePeople();
    for (const { patches, inversePatches } of [
      people.withPatches((all) => all.insert([{ id: 6, name: "Fay" }])),
      people.withPatches((all) => all.update(null, (draft) => void (draft.name += "!"))),
      people.withPatches((all) => all.remove([["age", "exactly", 20]])),
    ]) {
      for (const patch of [...patches, ...inversePatches]) {
        expect(overJson([patch])).toEqual([patch]);
        expect(Object.isFrozen(patch) && Object.isFrozen(patch.path)).toBe(true);
        expect(Object.isFrozen(patch.value) && Object.isFrozen(patch.before)).toBe(true);
      }
    }
  });

  test("a row keeps its key through removals, compact() and a rebuild by itself", () => {
    let people = manyPeople(300).remove([["id", "less_than", 100]]);
    const key = () =>
      people.withPatches((all) => all.remove([["id", "exactly", 250]])).inversePatches[0]?.key;
    expect(key()).toBe(250);
    people = people.insert([{ id: 999, name: "x" }]).compact();
    expect(key()).toBe(250);
    people = people.remove([["id", "in", [...Array(149).keys()].map((i) => i + 100)]]);
    expect(people.explain().delta).toBeUndefined();
    expect(key()).toBe(250);
  });
});

describe("applying patches", () => {
  const queries: Query<typeof Person>[] = [
    {},
    { offset: 2, limit: 2 },
    { sortBy: "age", sortOrder: "ASC" },
    { sortBy: "note", sortOrder: "DESC" },
    { criteria: [["note", "contains", "i"]] },
    { criteria: [["age", "exactly", null], "OR", ["name", "starts_with", "C"]], sortBy: "name" },
  ];

  test("and then their inverse gives a collection equal in every query", () => {
    const people = makePeople();
    const answers = queries.map((query) => people.query(query));
    for (const { collection, patches, inversePatches } of [
      people.withPatches((all) => all.insert([{ id: 6, name: "Fay", note: "i" }])),
      people.withPatches((all) => all.update(null, (draft) => void (draft.note = draft.name))),
      people.withPatches((all) =>
        all.update(null, ({ id }) => ({ id: 10 - Number(id), name: "C" })),
      ),
      people.withPatches((all) => all.remove([["id", "not", 3]])),
      people.withPatches((all) => all.remove(null)),
    ]) {
      const there = people.applyPatches(overJson(patches));
      const back = there.applyPatches(overJson(inversePatches));
      expect(queries.map((query) => there.query(query))).toEqual(
        queries.map((query) => collection.query(query)),
      );
      expect(queries.map((query) => back.query(query))).toEqual(answers);
      expect(collection.applyPatches(inversePatches).query()).toEqual(people.query());
    }
  });

  test("steps can be undone one by one, and done again", () => {
    const first = makePeople().withPatches((all) => all.insert([{ id: 6, name: "Fay" }]));
    const second = first.collection.withPatches((all) => all.remove([["id", "in", [1, 6]]]));
    const third = second.collection.withPatches((all) =>
      all.update(null, (draft) => void (draft.age = "1")),
    );
    const steps = [first, second, third];
    let people = third.collection;
    for (const { inversePatches } of steps.toReversed())
      people = people.applyPatches(inversePatches);
    expect(people.query()).toEqual(makePeople().query());
    for (const { patches } of steps) people = people.applyPatches(patches);
    expect(people.query()).toEqual(third.collection.query());
  });

  test("works on another collection made from the same input", () => {
    const { collection, patches } = makePeople().withPatches((all) =>
      all.remove([["age", "exactly", 20]]),
    );
    expect(makePeople().applyPatches(overJson(patches)).query()).toEqual(collection.query());
    const other = createCollection(Person, [{ id: 1, name: "Ada" }]);
    const reason = 'there is no record with the id "3"';
    expectRefused(() => other.applyPatches(patches), "patches[0].path", reason);
  });

  test("takes values as input records have them, whole records with fields left out", () => {
    const people = makePeople().applyPatches([
      { op: "replace", path: [1, "age"], value: 5n },
      { op: "add", path: [1, "note"], value: "n" },
      { op: "remove", path: ["5", "status"] },
      { op: "replace", path: [2], value: { id: 22, name: "Ben" } },
      { op: "add", path: [6], value: { id: "6", name: "Fay" }, key: 9 },
    ]);
    expect(people.at(0)).toEqual({ id: "1", name: "Ada", status: "active", age: "5" });
    expect(people.at(1)).toEqual({ id: "22", name: "Ben", status: "active", age: null });
    expect(people.at(4)?.status).toBe("active");
    expect(people.count([["note", "exactly", "n"]])).toBe(1);
    expect(idsOf(people)).toEqual([1, 22, 3, 4, 5, 6]);
    const { patches } = people.withPatches((all) => all.insert([{ id: 7, name: "Gus" }]));
    expect(patches[0]?.key).toBe(10);
  });

  test("a removal needs no value, and takes none", () => {
    const people = makePeople().applyPatches([
      { op: "remove", path: [1], value: { id: 7, name: "Gus" } },
      { op: "remove", path: [2, "age"], value: 7 },
    ] as Patch[]);
    expect(people.query().map(({ id, age }) => [id, age])).toEqual([
      ["2", null],
      ["3", "20"],
      ["4", "20"],
      ["5", "51"],
    ]);
  });

  const add = (key: number, id: number): Patch => ({
    op: "add",
    path: [id],
    value: { id, name: "Fay" },
    key,
  });

  test("a key that another record has, or that is far above the next, is not given: the record comes last", () => {
    const keysOf = (people: ReturnType<typeof makePeople>) =>
      people.withPatches((all) => all.remove(null)).inversePatches.map(({ key }) => key);
    expect(keysOf(makePeople().applyPatches([add(2, 6)]))).toEqual([0, 1, 2, 3, 4, 5]);
    const people = makePeople().applyPatches([add(2 ** 52, 6)]);
    expect(idsOf(people)).toEqual([1, 2, 3, 4, 5, 6]);
    const top = 2 ** 52 + 1 + 2 ** 32;
    expect(idsOf(people.applyPatches([add(top, 7), add(top + 1 + 2 ** 32, 8)]))).toHaveLength(8);
    expect(keysOf(people.applyPatches([add(top + 1, 7)])).at(-1)).toBe(2 ** 52 + 1);
    expectRefused(
      () => makePeople().applyPatches([add(2 ** 53, 6)]),
      "patches[0].key",
      "must be an insertion number, not 9007199254740992",
    );
  });

  test("after a patch with a very high key, later changes are undone and repeated as any other", () => {
    const people = makePeople().applyPatches([add(2 ** 52, 6)]);
    const inserted = people.withPatches((all) => all.insert([{ id: 7, name: "Gus" }]));
    const { collection, patches, inversePatches } = inserted.collection.withPatches((all) =>
      all.update([["id", "in", [6, 7]]], (person) => void (person.age = "1")),
    );
    expect([...collection.applyPatches(inversePatches)]).toEqual([...inserted.collection]);
    expect([...inserted.collection.applyPatches(inserted.inversePatches)]).toEqual([...people]);
    const replica = makePeople().applyPatches([add(2 ** 52, 6)]);
    expect([...replica.applyPatches(inserted.patches).applyPatches(patches)]).toEqual([
      ...collection,
    ]);
  });

  test("an insertion for which no keys are left is refused", () => {
    // Patches alone would have to climb there a million times.
    const { state } = makePeople();
    const snapshot = state.snapshot.countingFrom(Number.MAX_SAFE_INTEGER - 2 ** 32, NO_IDS);
    const people = Collection.of({ ...state, snapshot }).applyPatches([
      add(Number.MAX_SAFE_INTEGER - 1, 6),
    ]);
    expect(idsOf(people)).toEqual([1, 2, 3, 4, 5, 6]);
    expectRefused(
      () => people.insert([{ id: 8, name: "Hal" }]),
      "records",
      "no keys are left for them",
    );
  });

  test("a later patch sees what an earlier one made", () => {
    const people = makePeople();
    const next = people.applyPatches([
      { op: "add", path: [6], value: { id: 6, name: "Fay" } },
      { op: "replace", path: [6, "name"], value: "Flo", before: "Fay" },
      { op: "remove", path: [1] },
      { op: "add", path: [1], value: { id: 1, name: "Ann" }, key: 0 },
      { op: "add", path: [8], value: { id: 8, name: "Hal" } },
      { op: "remove", path: [8] },
      { op: "replace", path: [2, "id"], value: "9" },
      { op: "replace", path: [3, "id"], value: 2 },
      { op: "replace", path: [9, "id"], value: 3, before: "9" },
    ]);
    expect(next.query().map(({ id, name }) => id + name)).toEqual([
      "1Ann",
      "3Bob",
      "2Cyd",
      "4Dee",
      "5Eve",
      "6Flo",
    ]);
  });

  test("keeps nothing of them", () => {
    const value = { id: 6, name: "Fay" };
    const patch = { op: "add" as const, path: [6], value };
    const people = makePeople().applyPatches([patch]);
    value.name = "changed";
    patch.path[0] = 1;
    expect(people.at(5)?.name).toBe("Fay");
  });

  test("reads each member once", () => {
    const reads: string[] = [];
    const watched = new Proxy(
      { op: "replace", path: [1, "name"], value: "Ann", before: "Ada" },
      {
        get: (target, name, receiver): unknown => {
          reads.push(String(name));
          return Reflect.get(target, name, receiver);
        },
      },
    );
    expect(
      makePeople()
        .applyPatches([watched as Patch])
        .at(0)?.name,
    ).toBe("Ann");
    expect(reads).toEqual(["op", "path", "value", "before"]);
  });
});

describe("patches that do not fit are refused as a whole", () => {
  const throwing = (name: string) =>
    Object.defineProperty({ op: "remove", path: [0] }, name, {
      enumerable: true,
      get: () => {
        throw new Error("secret");
      },
    });
  const revoked = Proxy.revocable({}, {});
  revoked.revoke();
  const cyclic: Record<string, unknown> = { id: 8, name: "Fay" };
  cyclic.note = cyclic;
  const sparse: unknown[] = [1];
  sparse.length = 3;
  const endless = Object.assign([1], {
    *[Symbol.iterator]() {
      for (;;) yield 0;
    },
  });
  const NO_ID = "patches[1].path: must name a record by its id, not by";
  const noName = "must name a field after the record";
  const at = (path: unknown) => ({ op: "replace", path, value: "x" });

  const REFUSED = refusals<unknown>({
    "patches[1]: must be an object, not null": { null: null },
    'patches[1]: must be an object, not "remove"': { "a string": "remove" },
    "patches[1]: must be an object, not an array": { "an array": ["remove", [0]] },
    'patches[1]: has no member "from"; use "op", "path", "value", "before" or "key"': {
      "a member more": { op: "remove", path: [0], from: [1] },
    },
    'patches[1]: has no member "__proto__"; use "op", "path", "value", "before" or "key"': {
      "an own __proto__": JSON.parse('{"op":"remove","path":[0],"__proto__":{}}') as unknown,
    },
    "patches[1]: could not be read": {
      "a revoked proxy": revoked.proxy,
      "a getter that throws": throwing("path"),
    },
    'patches[1].op: must be "add", "remove" or "replace", not undefined': {
      "no op": { path: [0] },
    },
    'patches[1].op: must be "add", "remove" or "replace", not "move"': {
      "an op of JSON Patch": { op: "move", path: [0] },
    },
    "patches[1].path: must be an array, not undefined": { "no path": { op: "remove" } },
    'patches[1].path: must be an array, not "/0"': {
      "a path of JSON Patch": { op: "remove", path: "/0" },
    },
    "patches[1].path: could not be read": { "a revoked path": at(revoked.proxy) },
    [`${NO_ID} undefined`]: { "a path that leads nowhere": at([]) },
    [`${NO_ID} "01"`]: { "an id that is none": at(["01", "name"]) },
    [`${NO_ID} 0.5`]: { "a fractional id": at([0.5, "name"]) },
    [`${NO_ID} NaN`]: { "NaN as an id": at([NaN, "name"]) },
    [`${NO_ID} Infinity`]: { "Infinity as an id": at([Infinity]) },
    [`${NO_ID} 9007199254740992`]: {
      "an id that is no safe integer": at([2 ** 53]),
    },
    [`${NO_ID} null`]: { "null as an id": at([null, "name"]) },
    [`${NO_ID} an object`]: {
      "an object as an id": at([{ valueOf: () => 0 }]),
    },
    "patches[1].path: there is no record with the id 9": {
      "an id that is not there": at([9, "name"]),
    },
    "patches[1].key: must be an insertion number, not -1": {
      "a negative key": { op: "add", path: [7], value: { id: 7, name: "Gus" }, key: -1 },
    },
    "patches[1].before: must be omitted from an add, which has no earlier value": {
      "an addition after something": { op: "add", path: [7], value: {}, before: {} },
    },
    'patches[1].before: is "Eva", but the current value is "Ada": it has changed since': {
      "a field that is not as it was": { ...at([1, "name"]), before: "Eva" },
    },
    'patches[1].before.name: is "Eva", but the current value is "Ada": it has changed since': {
      "a record that is not as it was": {
        ...{ op: "remove", path: [1] },
        before: { id: "1", name: "Eva", status: "active", age: "36", note: "first" },
      },
    },
    "patches[1].before: could not be read": {
      "a record before that can't be read": { op: "remove", path: [1], before: revoked.proxy },
    },
    "patches[1].value.id: must be that of the path, 7, not 8": {
      "another record than the path says": { op: "add", path: [7], value: { id: 8, name: "Hal" } },
    },
    "patches[1].value: there is already a record with this id": {
      "an id that another one has": { op: "replace", path: [1, "id"], value: 2 },
    },
    [`patches[1].path: ${noName}`]: {
      "a number for a field": at([1, 1]),
      "a symbol for a field": at([1, Symbol("name")]),
      "a sparse path": at(sparse),
    },
    'rows[0]: must be an object, not "x"': { "a path with an iterator of its own": at(endless) },
    'patches[1].path: points to "Ada", which has no fields': {
      "a path into a string": at([1, "name", "length"]),
    },
    "patches[1].path: points to undefined, which has no fields": {
      "a path into what is not there": at([1, "more", "still"]),
      "a path into the prototype": at([1, "__proto__", "polluted"]),
    },
    "patches[1].path: is too long": {
      "a long path": at([1, ...Array.from({ length: 20 }, () => "a")]),
      "a path of billions": at(Object.assign([0], { length: 2 ** 32 - 1 })),
    },
    "patches[1]: has no value": {
      "no value to replace": { op: "replace", path: [1, "name"] },
      "no value to add": { op: "add", path: [7], value: undefined },
    },
    "patches[1].path: there is already a record with the id 1": {
      "adding a record that is there": { op: "add", path: [1], value: { id: 1, name: "Fay" } },
    },
    "patches[1].path: there is already a record with the id 6": {
      "adding a record twice": { op: "add", path: [6], value: { id: 6, name: "Gus" } },
    },
    "patches[1].path: there is no record with the id 5": {
      "removing twice": { op: "remove", path: [5] },
      "replacing what was removed": { op: "replace", path: [5], value: { id: 5, name: "Eve" } },
    },
    'patches[1].path: there is no "more" to remove': {
      "removing a field that is not there": { op: "remove", path: [1, "more"] },
    },
    'patches[1].path: there is no "constructor" to remove': {
      "removing a field that every object inherits": { op: "remove", path: [1, "constructor"] },
    },
    'rows[0]: has the unknown field "more"': {
      "a field that is not the schema's": at([1, "more"]),
    },
    'rows[0]: has the unknown field "__proto__"': { "__proto__ as a field": at([1, "__proto__"]) },
    "rows[0].name: is missing": { "a field that must be": { op: "remove", path: [1, "name"] } },
    "rows[0].name: must be a string, not an object": {
      "a value of the wrong type": { op: "replace", path: [1, "name"], value: {} },
    },
    'rows[0]: must be an object, not "Ada"': {
      "a record that is none": { op: "replace", path: [1], value: "Ada" },
    },
    "rows[6].note: must be a string, not an object": {
      "a record that holds itself": { op: "add", path: [8], value: cyclic },
    },
    "patches[1].value: could not be read": {
      "a record that can't be read": { op: "add", path: [7], value: revoked.proxy },
    },
  });

  test.each(REFUSED)("%s", (_, patch, path, reason) => {
    const people = makePeople();
    // The first is good, and there are two more good ones, so that anything half-done would show.
    const good: Patch[] = [
      { op: "remove", path: [5] },
      { op: "add", path: [6], value: { id: 6, name: "Fay" } },
    ];
    const [first, second] = good;
    const removesTwice = reason.endsWith("id 5");
    const list = [removesTwice ? first : second, patch, { op: "remove", path: [3] }] as Patch[];
    expectRefused(() => people.applyPatches(list), path, reason);
    expect(idsOf(people)).toEqual([1, 2, 3, 4, 5]);
    expect(people.query()).toEqual(makePeople().query());
    expect(Object.prototype).not.toHaveProperty("polluted");
  });

  test("a value that is not a list of patches", () => {
    const apply = (patches: unknown) => () => makePeople().applyPatches(patches as Patch[]);
    expectRefused(apply(undefined), "patches", "must be iterable, not undefined");
    expectRefused(apply("[]"), "patches", 'must be iterable, not "[]"');
    expectRefused(apply({ op: "remove", path: [0] }), "patches", "must be iterable, not an object");
    const failing = function* () {
      yield { op: "remove", path: [1] };
      throw new Error("secret");
    };
    expectRefused(apply(failing()), "patches", "could not be read");
    expect(thrownBy(apply(failing()))).toBeInstanceOf(InputError);
  });
});
