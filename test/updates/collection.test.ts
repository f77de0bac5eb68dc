// Changes of a collection: insert, update and remove each make a new collection, check records against
// the schema and keep insertion order; a failed change leaves nothing behind.

import { afterAll, describe, expect, test } from "vitest";
import {
  createCollection,
  CriteriaError,
  int,
  QueryError,
  string,
  type DraftOf,
} from "../../src/index.ts";
import { refusals } from "../rules/fixtures.ts";
import {
  expectRefused,
  idsOf,
  makePeople,
  manyPeople,
  Person,
  thrownBy,
  type People,
} from "./fixtures.ts";
import { tuned, usual } from "../tuned.ts";
import { wireSchema } from "../wire-schema.ts";

type Draft = DraftOf<typeof Person>;

const unhandled: unknown[] = [];
const onUnhandled = (reason: unknown) => unhandled.push(reason);
process.on("unhandledRejection", onUnhandled);
afterAll(() => {
  process.off("unhandledRejection", onUnhandled);
});

describe("a change makes a new collection", () => {
  test("and leaves the old one as it was", () => {
    const people = makePeople();
    const before = [...people];
    const inserted = people.insert([{ id: 6, name: "Fay" }]);
    const updated = inserted.update([["id", "exactly", 1]], (draft) => {
      draft.status = "left";
    });
    const removed = updated.remove([["status", "exactly", "left"]]);
    expect(idsOf(removed)).toEqual([2, 3, 4, 6]);
    expect(updated.at(0)).toEqual({ id: "1", name: "Ada", status: "left", age: "36" });
    expect(inserted.at(0)).toEqual({ id: "1", name: "Ada", status: "active", age: "36" });
    expect([...people]).toEqual(before);
    expect([people.size, inserted.size, updated.size, removed.size]).toEqual([5, 6, 6, 4]);
  });

  test("that shares the records that did not change", () => {
    const people = manyPeople(500);
    const next = people.update([["id", "exactly", 250]], (draft) => {
      draft.name = "new";
    });
    const shared = Array.from({ length: 500 }, (_, i) => next.at(i) === people.at(i));
    expect(shared.indexOf(false)).toBe(250);
    expect(shared.filter((isShared) => !isShared)).toHaveLength(1);
  });

  test("that reads the old one's indexes", () => {
    const people = manyPeople(500).prepare({ match: ["id", "name"] });
    const next = people.update([["id", "exactly", 250]], (draft) => {
      draft.age = null;
    });
    expect(next.indexes()).toEqual(people.indexes());
    expect(next.explain({ criteria: [["name", "exactly", "p7"]] }).access.path).toBe(
      "index-lookup",
    );
  });

  test("or is the same one, where nothing changes", () => {
    const people = makePeople();
    expect(people.insert([])).toBe(people);
    expect(people.update(null, () => undefined)).toBe(people);
    expect(people.update([["id", "exactly", 99]], (draft) => (draft.age = "1"))).toBe(people);
    expect(people.remove([["id", "exactly", 99]])).toBe(people);
    expect(people.applyPatches([])).toBe(people);
    expect(people.compact()).toBe(people);
  });

  test("whose records are frozen, and whose results are the caller's own", () => {
    const next = makePeople().update(null, (draft) => {
      draft.name += "!";
    });
    expect([...next].every((record) => Object.isFrozen(record))).toBe(true);
    const page = next.query();
    page.reverse();
    page.pop();
    expect(idsOf(next.query())).toEqual([1, 2, 3, 4, 5]);
  });

  test("and an iterator taken before goes on over the old one", () => {
    let people: People = makePeople();
    const seen: string[] = [];
    for (const { name } of people) {
      seen.push(name);
      people = people
        .remove([["name", "exactly", name]])
        .insert([{ id: 100 + seen.length, name: name.toUpperCase() }]);
    }
    expect(seen).toEqual(["Ada", "Bob", "Cyd", "Dee", "Eve"]);
    expect(idsOf(people)).toEqual([101, 102, 103, 104, 105]);
  });
});

describe("insertion order", () => {
  const changed = () =>
    makePeople()
      .insert([{ id: 6, name: "Fay", age: 20 }])
      .update([["id", "in", [3, 6]]], (draft) => {
        draft.name = draft.name.toUpperCase();
      })
      .remove([["id", "exactly", 2]]);

  test("an updated record keeps its place, an inserted one comes last, a removed one leaves no gap", () => {
    const people = changed();
    const names = ["Ada", "CYD", "Dee", "Eve", "FAY"];
    expect(people.size).toBe(5);
    expect(people.query().map(({ name }) => name)).toEqual(names);
    expect(Array.from(people, ({ name }) => name)).toEqual(names);
    expect(names.map((_, i) => people.at(i)?.name)).toEqual(names);
    expect(names.map((_, i) => people.at(i - 5)?.name)).toEqual(names);
    expect([people.at(5), people.at(-6)]).toEqual([undefined, undefined]);
    expect(names.map((_, offset) => people.query({ offset, limit: 1 })[0]?.name)).toEqual(names);
    expect(people.query({ offset: 5 })).toEqual([]);
  });

  test("decides ties of a sort, in both directions", () => {
    const people = changed();
    expect(idsOf(people.query({ sortBy: "age", sortOrder: "ASC" }))).toEqual([3, 4, 6, 1, 5]);
    expect(idsOf(people.query({ sortBy: "age", sortOrder: "DESC" }))).toEqual([5, 1, 3, 4, 6]);
  });

  test.each([40, 600])("holds after each of many small changes, among %i records", (size) => {
    const age = (person: { age: string | null }) => Number(person.age);
    let people: People = manyPeople(size).prepare({ match: ["id"], sort: ["age"] });
    let plain = [...people];
    let deltas = 0;
    for (let step = 0; step < size / 10; step++) {
      const id = String((step * 37) % size);
      if (step % 3 === 0) {
        people = people.update([["id", "exactly", id]], (draft) => void (draft.age = "45"));
        plain = plain.map((each) => (each.id === id ? { ...each, age: "45" } : each));
      } else {
        people = people.remove([["id", "exactly", id]]);
        plain = plain.filter((each) => each.id !== id);
      }
      const ascending = plain.toSorted((a, b) => age(a) - age(b));
      const descending = plain.toSorted((a, b) => age(b) - age(a));
      for (const offset of [0, 1, 50, 299, 500, plain.length - 1]) {
        const page = { offset, limit: 3 };
        const end = offset + 3;
        expect(people.query(page)).toEqual(plain.slice(offset, end));
        expect(people.query({ ...page, sortBy: "age", sortOrder: "ASC" })).toEqual(
          ascending.slice(offset, end),
        );
        expect(people.query({ ...page, sortBy: "age", sortOrder: "DESC" })).toEqual(
          descending.slice(offset, end),
        );
      }
      expect(idsOf(people.query({ sortBy: "age", sortOrder: "ASC" }))).toEqual(idsOf(ascending));
      expect(idsOf(people.query({ sortBy: "age" }))).toEqual(idsOf(descending));
      if (people.explain().delta !== undefined) deltas++;
      const young = plain.filter((each) => age(each) < 46);
      expect(people.count([["age", "less_than", 46]])).toBe(young.length);
    }
    expect(deltas).toBeGreaterThan(1);
  });

  test("the undo of a removal gives a record its old place back", () => {
    const people = makePeople();
    const { collection, inversePatches } = people.withPatches((all) =>
      all.remove([["id", "in", [1, 3]]]),
    );
    const more = collection.insert([{ id: 6, name: "Fay" }]);
    expect(idsOf(more.applyPatches(inversePatches))).toEqual([1, 2, 3, 4, 5, 6]);
  });

  test("keys are never used again", () => {
    const keyOf = (people: People, id: number) =>
      people.withPatches((all) => all.remove([["id", "exactly", id]])).inversePatches[0]?.key;
    let people: People = makePeople().insert([{ id: 6, name: "Fay" }]);
    expect(keyOf(people, 6)).toBe(5);
    people = people.remove([["id", "greater_than", 4]]).insert([{ id: 7, name: "Gus" }]);
    expect(keyOf(people, 7)).toBe(6);
    people = people
      .remove(null)
      .compact()
      .insert([{ id: 8, name: "Hal" }]);
    expect(keyOf(people, 8)).toBe(7);
    const { collection, inversePatches } = people.withPatches((all) =>
      all.insert([{ id: 9, name: "Ivy" }]),
    );
    people = collection.applyPatches(inversePatches).insert([{ id: 10, name: "Jan" }]);
    expect(keyOf(people, 10)).toBe(9);
  });
});

describe("insert", () => {
  test("checks and completes records as createCollection does", () => {
    const people = makePeople().insert(new Set([{ id: 6n, name: "Fay" }]));
    expect(people.at(-1)).toEqual({ id: "6", name: "Fay", status: "active", age: null });
  });

  test("refuses the whole for one bad record", () => {
    const people = makePeople();
    const insert = (records: unknown) => () => people.insert(records as never);
    expectRefused(insert(undefined), "records", "must be iterable, not undefined");
    expectRefused(insert("Ada"), "records", 'must be iterable, not "Ada"');
    expectRefused(insert(["Ada"]), "records[0]", 'must be an object, not "Ada"');
    expectRefused(insert([{ id: 6, name: "Fay" }, { id: 7 }]), "records[1].name", "is missing");
    expectRefused(
      insert([{ id: 6, name: "Fay", more: 1 }]),
      "records[0]",
      'has the unknown field "more"',
    );
    expectRefused(
      insert([
        { id: 6, name: "Fay" },
        { id: 4, name: "Dan" },
      ]),
      "records[1].id",
      '"4" is already used by another record',
    );
    expectRefused(
      insert([
        { id: 6, name: "Fay" },
        { id: 6, name: "Flo" },
      ]),
      "records[1].id",
      '"6" is already used by records[0]',
    );
    expect(idsOf(people)).toEqual([1, 2, 3, 4, 5]);
  });

  test("takes one record, too", () => {
    const people = makePeople();
    const fay = { id: 6, name: "Fay" };
    const { collection, patches } = people.withPatches((all) => all.insert(fay));
    expect([...people.insert(fay)]).toEqual([...people.insert([fay])]);
    expect([...collection]).toEqual([...people.insert([fay])]);
    expect(patches).toEqual(people.withPatches((all) => all.insert([fay])).patches);
  });

  test("calls one record by its own name where it is refused", () => {
    const people = makePeople();
    const insert = (record: unknown) => () => people.insert(record as never);
    expectRefused(insert({}), "record.id", "is missing");
    expectRefused(insert({ id: 6, name: 5 }), "record.name", `must be a string, not 5; write "5"`);
    expectRefused(
      insert({ id: 6, nmae: "Fay" }),
      "record",
      'has the unknown field "nmae"; did you mean "name"?',
    );
    expectRefused(
      insert({ id: 4, name: "Dan" }),
      "record.id",
      '"4" is already used by another record',
    );
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    expectRefused(insert(proxy), "records", "could not be read");
  });

  test("refuses an id that is there, in whatever part of the collection it is", () => {
    const people = manyPeople(300)
      .insert(Array.from({ length: 100 }, (_, i) => ({ id: 1000 + i, name: "x" })))
      .insert([{ id: 5000, name: "y" }]);
    for (const id of [7, 1007, 5000]) {
      const insert = () => people.insert([{ id, name: "twice" }]);
      expectRefused(insert, "records[0].id", `"${id}" is already used by another record`);
    }
    const less = people.remove([["id", "in", [7, 1007, 5000]]]);
    const again = [7, 1007, 5000].map((id) => ({ id, name: "again" }));
    expect(idsOf(less.insert(again).query({ offset: 398 }))).toEqual([7, 1007, 5000]);
  });

  test("keeps nothing of its input", () => {
    const record = { id: 6, name: "Fay" };
    const people = makePeople().insert([record]);
    record.name = "changed";
    expect(people.at(-1)?.name).toBe("Fay");
  });

  test("what its input throws is the cause of the error, and leaves the collection as it was", () => {
    const people = makePeople();
    const failing = function* () {
      yield { id: 6, name: "Fay" };
      throw new Error("no more");
    };
    expectRefused(() => people.insert(failing()), "records", "could not be read");
    expect(thrownBy(() => people.insert(failing()))).toMatchObject({
      cause: { message: "no more" },
    });
    expect(people.size).toBe(5);
  });
});

describe("update", () => {
  test("runs the recipe on each matching record, in insertion order, one record at a time", () => {
    const drafts: object[] = [];
    makePeople().update([["age", "exactly", 20]], (draft) => {
      drafts.push({ ...draft });
    });
    expect(drafts).toEqual([
      { id: "3", name: "Cyd", status: "active", age: "20", note: "third" },
      { id: "4", name: "Dee", status: "active", age: "20", note: null },
    ]);
  });

  test("takes what an input record takes, and keeps it in wire form", () => {
    const people = makePeople().update([["id", "exactly", 1]], (draft) => {
      Object.assign(draft, { age: 37, note: "later" });
    });
    expect(people.at(0)).toEqual({ id: "1", name: "Ada", status: "active", age: "37" });
    expect(people.count([["note", "exactly", "later"]])).toBe(1);
    expect(people.count([["note", "exactly", "first"]])).toBe(0);
  });

  test("takes another record that the recipe returns", () => {
    const people = makePeople().update([["id", "exactly", 3]], ({ id }) => ({ id, name: "new" }));
    expect(people.at(2)).toEqual({ id: "3", name: "new", status: "active", age: null });
    expect(people.count([["note", "exactly", "third"]])).toBe(0);
  });

  test("a deleted field is one that was left out: its default, null, or an error", () => {
    const without = (name: string) => (draft: Draft) => {
      Reflect.deleteProperty(draft, name);
    };
    const people = makePeople();
    expect(people.update([["id", "exactly", 5]], without("status")).at(-1)?.status).toBe("active");
    expect(people.update([["id", "exactly", 1]], without("age")).at(0)?.age).toBeNull();
    expectRefused(() => people.update(null, without("name")), "rows[0].name", "is missing");
    expectRefused(() => people.update(null, without("id")), "rows[0].id", "is missing");
  });

  const REFUSED = refusals<(draft: Draft) => unknown>({
    'rows[2].name: must be a string, not 5; write "5"': {
      "a wrong value": (draft) => Object.assign(draft, { name: 5 }),
    },
    "rows[2].name: must not be null": { null: (draft) => Object.assign(draft, { name: null }) },
    'rows[2].status: must be "active" or "left", not "gone"': {
      "a value that is not one of the field's": (draft) => Object.assign(draft, { status: "gone" }),
    },
    "rows[2].age: must be an integer of magnitude at most 2^53 − 1, as a number, a bigint or a canonical decimal string, not 1.5":
      {
        "a number that is no integer": (draft) => Object.assign(draft, { age: 1.5 }),
      },
    "rows[2].note: must be a string, not an object": {
      "an object": (draft) => Object.assign(draft, { note: {} }),
    },
    'rows[2]: has the unknown field "more"': {
      "a new key": (draft) => Object.assign(draft, { more: 1 }),
    },
    'rows[2].id: "4" is already used by another record': {
      "a changed id that collides": (draft) => void (draft.id = "4"),
    },
    "rows[2]: the recipe returned a promise; it must change its draft synchronously": {
      "a promise": async (draft) => {
        await Promise.resolve();
        draft.name = "late";
      },
      "a promise that is rejected": () => Promise.reject(new Error("late")),
      "what only looks like a promise": () => ({ then: () => undefined }),
    },
    "rows[2]: must be an object, not 5": { "a number in its place": () => 5 },
    "rows[2]: must be an object, not null": { "null in its place": () => null },
    "rows[2].name: is missing": { "a record that lacks a field in its place": () => ({ id: 3 }) },
    "rows[2]: a recipe either changes its own draft or returns a value, not both; write it in braces: (draft) => { draft.name = value; }":
      {
        "a change and a value at once": (draft) => (draft.name = "x"),
      },
  });

  test.each(REFUSED)("refuses %s, and nothing is changed", (_, recipe, path, reason) => {
    const people = makePeople();
    const before = [...people];
    expectRefused(() => people.update([["id", "exactly", 3]], recipe), path, reason);
    expect([...people]).toEqual(before);
  });

  test("what Immer says of a recipe is the cause", () => {
    const both = () => makePeople().update(null, (draft) => (draft.name = "x"));
    expect(thrownBy(both)).toHaveProperty("cause", expect.any(Error));
  });

  test("a rejected promise of a recipe is answered", async () => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(unhandled).toEqual([]);
  });

  test("refuses all for one record that may not be", () => {
    const people = makePeople();
    const age = (draft: Draft) => {
      draft.age = draft.id === "4" ? 0.5 : "1";
    };
    expect(thrownBy(() => people.update(null, age))).toMatchObject({ path: "rows[3].age" });
    expect(people.count([["age", "exactly", 1]])).toBe(0);
  });

  test("ids may change, and be exchanged", () => {
    const people = makePeople();
    const exchanged = people.update([["id", "in", [1, 2]]], (draft) => {
      draft.id = draft.id === "1" ? "2" : "1";
    });
    expect(idsOf(exchanged)).toEqual([2, 1, 3, 4, 5]);
    expect(exchanged.query({ criteria: [["id", "exactly", 1]] })[0]?.name).toBe("Bob");
    const next = people.update(null, (draft) => {
      draft.id = Number(draft.id) + 1;
    });
    expect(idsOf(next)).toEqual([2, 3, 4, 5, 6]);
    expectRefused(
      () => people.update([["id", "in", [1, 2]]], (draft) => void (draft.id = "9")),
      "rows[1].id",
      '"9" is already used by rows[0]',
    );
  });

  test("an error of the recipe comes out as it is", () => {
    const people = makePeople();
    for (const error of [new RangeError("mine"), "a string", undefined]) {
      const recipe = (draft: Draft) => {
        draft.name = "changed";
        // oxlint-disable-next-line typescript/only-throw-error -- a recipe may throw anything
        if (draft.id === "3") throw error;
      };
      expect(thrownBy(() => people.update(null, recipe))).toBe(error);
    }
    expect(people.at(0)?.name).toBe("Ada");
  });

  test("a draft is of no use after its recipe", () => {
    const people = makePeople();
    const leaked: Draft[] = [];
    const next = people.update(null, (draft) => {
      draft.age = "1";
      leaked.push(draft);
    });
    expect(() => leaked[0]?.name).toThrow(TypeError);
    expect(() => Object.assign(leaked[0] ?? {}, { name: "late" })).toThrow(TypeError);
    expect(next.at(0)).toEqual({ id: "1", name: "Ada", status: "active", age: "1" });
  });

  test("a recipe may query and change the same collection, which is as it was", () => {
    const people = manyPeople(300);
    const counts: number[] = [];
    const next = people.update([["id", "less_than", 3]], (draft) => {
      draft.age = "-1";
      counts.push(people.count([["age", "exactly", -1]]));
      counts.push(
        people.update(null, (inner) => void (inner.age = "-2")).count([["age", "exactly", -2]]),
      );
    });
    expect(counts).toEqual([0, 300, 0, 300, 0, 300]);
    expect(next.count([["age", "exactly", -1]])).toBe(3);
  });

  test("a recipe that fails within another one leaves the other at work", () => {
    const people = makePeople();
    const next = people.update([["id", "exactly", 1]], (draft) => {
      const fail = () => {
        throw new Error("inner");
      };
      expect(() => people.update(null, fail)).toThrow("inner");
      draft.name = "outer";
    });
    expect(next.at(0)?.name).toBe("outer");
  });

  test("does not draft what the recipe does not see", () => {
    const people = manyPeople(1000);
    let calls = 0;
    people.update([["id", "exactly", 500]], (draft) => {
      calls++;
      expect(Object.keys(draft)).toEqual(["id", "name", "status", "age", "note"]);
    });
    expect(calls).toBe(1);
  });
});

describe("remove", () => {
  test("without criteria removes every record, as they select every record", () => {
    expect(makePeople().remove(null).size).toBe(0);
    expect([...makePeople().remove([])]).toEqual([]);
  });

  test("and insertion go on from nothing", () => {
    const people = makePeople()
      .remove(null)
      .insert([{ id: 1, name: "Ada" }]);
    expect(idsOf(people.query({ sortBy: "name" }))).toEqual([1]);
    expect(people.count([["id", "exactly", 1]])).toBe(1);
  });
});

describe("what a caller without types does", () => {
  const people = makePeople();
  const untyped = people as unknown as Record<
    "insert" | "update" | "remove" | "applyPatches" | "withPatches",
    (...given: unknown[]) => unknown
  >;

  test("an update needs a recipe or an object", () => {
    const reason = "must be an object or a recipe, not undefined";
    expectRefused(() => untyped.update(null), "changes", reason);
    expectRefused(
      () => untyped.update(null, [{ name: "y" }]),
      "changes",
      "must be an object or a recipe, not an array",
    );
  });

  test("criteria are refused as those of a query are", () => {
    const wrong = [["nothing", "exactly", 1]];
    for (const change of [
      () => untyped.remove(wrong),
      () => untyped.remove("id"),
      () => untyped.remove(() => true),
      () => untyped.remove(5),
      () => untyped.update(wrong, () => undefined),
      () => untyped.update([["id", "exactly", true]], () => undefined),
    ]) {
      expect(change).toThrow(CriteriaError);
    }
    expect(people.size).toBe(5);
  });

  test("a position that no record has gives undefined, before and after a change", () => {
    const less = people.remove([["id", "exactly", 1]]);
    for (const position of [NaN, 0.9, -0.9]) {
      expect(less.at(position)?.name).toBe("Bob");
      expect(people.at(position)?.name).toBe("Ada");
    }
    expect(people.at(-Infinity)).toBeUndefined();
    expect(less.at(-Infinity)).toBeUndefined();
    expect(() => less.query({ offset: Infinity })).toThrow(QueryError);
  });
});

test("fields with the names that every object inherits are fields as any other", () => {
  const Odd = wireSchema({
    id: int({ unique: true }),
    constructor: string({ default: "" }),
    toString: string({ nullable: true, stored: false }),
  });
  const odd = createCollection(
    Odd,
    [1, 2].map((id) => ({ id, constructor: "", toString: null })),
  );
  const { collection, patches, inversePatches } = odd.withPatches((all) =>
    all.update(
      [["id", "exactly", 2]],
      (draft) => void Object.assign(draft, { constructor: "c", toString: "t" }),
    ),
  );
  expect(patches).toEqual([
    { op: "replace", path: ["2", "constructor"], value: "c", before: "" },
    { op: "replace", path: ["2", "toString"], value: "t", before: null },
  ]);
  expect(collection.count([["toString", "exactly", "t"]])).toBe(1);
  expect(collection.applyPatches(inversePatches).query()).toEqual(odd.query());
});

describe("compact", () => {
  test("puts what changed in one whole, with the indexes that there were", () => {
    const people = manyPeople(500)
      .prepare({ match: ["name"], sort: ["age"] })
      .insert([{ id: 1000, name: "new", age: 7 }])
      .remove([["id", "less_than", 10]]);
    expect(people.explain().delta).toBeDefined();
    const whole = people.compact();
    expect(whole.explain().delta).toBeUndefined();
    expect(whole.indexes().map(({ field }) => field)).toEqual(
      expect.arrayContaining(["name", "age"]),
    );
    expect([...whole]).toEqual([...people]);
    expect(whole.query({ sortBy: "age", limit: 20 })).toEqual(
      people.query({ sortBy: "age", limit: 20 }),
    );
  });

  test("has work to do if there are only new rows, or only dead ones", () => {
    const added = manyPeople(500).insert([{ id: 1000, name: "new" }]);
    const less = manyPeople(500).remove([["id", "exactly", 7]]);
    for (const people of [added, less]) {
      expect(people.explain().delta).toBeDefined();
      expect(people.compact().explain().delta).toBeUndefined();
      expect([...people.compact()]).toEqual([...people]);
    }
    const whole = manyPeople(500);
    expect(whole.compact()).toBe(whole);
  });

  test("keeps the parts few: each is merged that has an eighth of the one before", () => {
    using _ = tuned(usual);
    let people: People = manyPeople(10_000);
    const segments: number[] = [];
    for (let step = 0; step < 12; step++) {
      const many = Array.from({ length: 100 }, (_, i) => ({
        id: 10_000 + step * 100 + i,
        name: "new",
      }));
      people = people.insert(many);
      segments.push(people.explain().delta?.segments ?? 0);
    }
    expect(segments).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 1, 2]);
  });

  test("happens by itself when enough has changed, and the indexes in use are there again", () => {
    let people: People = manyPeople(1000).prepare({ match: ["id"] });
    const dead: number[] = [];
    const segments: number[] = [];
    for (let id = 0; id < 1000; id++) {
      people = people.update([["id", "exactly", id]], (draft) => void (draft.age = "100"));
      const { delta } = people.explain();
      dead.push(delta?.deadRows ?? 0);
      segments.push(delta?.segments ?? 0);
    }
    expect(Math.max(...dead)).toBeGreaterThan(10);
    expect(Math.max(...dead)).toBeLessThan(500);
    expect(Math.max(...segments)).toBeLessThan(8);
    expect(people.count([["age", "exactly", 100]])).toBe(1000);
    expect(people.explain({ criteria: [["id", "exactly", 5]] }).access.path).toBe("index-lookup");
  });
});

test("a record that changes while it is read is refused", () => {
  let reads = 0;
  const changing = new Proxy(
    { id: 6, name: "Fay", age: 1 },
    { ownKeys: () => (reads++ === 0 ? ["id", "name", "age"] : ["id", "name"]) },
  );
  expectRefused(() => makePeople().insert([changing]), "records[0]", "changes while it is read");
});

test("a record with a field called then is not taken for a promise", () => {
  const Step = wireSchema({ id: int(), then: string() });
  const steps = createCollection(Step, [{ id: 1, then: "stop" }]);
  const next = steps.update(null, ({ id }) => ({ id, then: "go on" }));
  expect(next.at(0)).toEqual({ id: "1", then: "go on" });
});

test("fields that are not stored are searched and sorted after a change, and not returned", () => {
  const people = makePeople().update([["id", "exactly", 2]], (draft) => {
    draft.note = "second";
  });
  expect(idsOf(people.query({ criteria: [["note", "contains", "d"]] }))).toEqual([2, 3]);
  expect(idsOf(people.query({ sortBy: "note", sortOrder: "DESC", limit: 3 }))).toEqual([3, 2, 1]);
  expect(people.at(1)).not.toHaveProperty("note");
});

test("null comes before every integer, in what changed too, many rows or few", () => {
  for (const changed of [3, 300]) {
    const people = manyPeople(9000)
      .update([["id", "less_than", 9000 - changed]], (draft) => {
        draft.age = Number(draft.id) - 4000;
      })
      .compact()
      .update([["id", "greater_than", 8999 - changed]], (draft) => {
        draft.age = Number(draft.id) % 2 === 0 ? null : "-5000";
      });
    const first = people.query({ sortBy: "age", sortOrder: "ASC", limit: changed + 1 });
    const nulls = Math.floor(changed / 2);
    expect(first.map(({ age }) => age)).toEqual([
      ...Array<null>(nulls).fill(null),
      ...Array<string>(changed - nulls).fill("-5000"),
      "-4000",
    ]);
    const last = people.query({ sortBy: "age", sortOrder: "DESC", offset: 9000 - nulls });
    expect(last.map(({ age }) => age)).toEqual(Array<null>(nulls).fill(null));
  }
});
