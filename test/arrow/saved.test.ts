// The content of a saved file: which columns have an order and trigrams, which share a dictionary, and the names of
// hidden columns.

import { describe, expect, test } from "vitest";
import { collectionPieces, openCollection, saveCollection } from "../../src/arrow/index.ts";
import { createCollection, defineSchema, InputError, int, string } from "../../src/index.ts";
import { thrownBy, untyped } from "../rules/fixtures.ts";
import { tuned } from "../tuned.ts";
import { directoryOf } from "./sealed.ts";

const Person = defineSchema({
  id: int({ unique: true }),
  name: string(),
  again: string(),
  city: string({ nullable: true }),
});
const rows = Array.from({ length: 60 }, (_, id) => ({
  id,
  name: `person ${(id * 7) % 60}`,
  again: `person ${(id * 11) % 60}`,
  city: id % 4 === 0 ? null : `city ${id % 5}`,
}));
const people = () => createCollection(Person, rows, { indexes: "none" });

/** The columns of a file with something. */
const having = (file: Uint8Array, what: "order" | "starts" | "trigrams" | "postings") =>
  directoryOf(file).columns.flatMap((each) => (each[what] === undefined ? [] : each.name));
const orderOf = (file: Uint8Array) => {
  const names = having(file, "order");
  expect(having(file, "starts")).toEqual(names);
  return names;
};
const trigramsOf = (file: Uint8Array) => {
  const names = having(file, "trigrams");
  expect(having(file, "postings")).toEqual(names);
  return names;
};

describe("the order of a column", () => {
  const prepared = createCollection(Person, rows).prepare({ sort: ["name"] });

  test("is there if it was made for a query, by default, or of all or none", () => {
    expect(orderOf(saveCollection(people()))).toEqual([]);
    expect(orderOf(saveCollection(prepared))).toEqual(["name"]);
    expect(orderOf(saveCollection(prepared, { orders: "used" }))).toEqual(["name"]);
    expect(orderOf(saveCollection(prepared, { orders: "all" }))).toEqual(
      Object.keys(Person.fields),
    );
    expect(orderOf(saveCollection(prepared, { orders: "none" }))).toEqual([]);
  });

  test("stays there when what was opened is saved again", () => {
    const opened = openCollection(saveCollection(prepared, { orders: "all" }), { schema: Person });
    expect(orderOf(saveCollection(opened))).toEqual(Object.keys(Person.fields));
    expect(orderOf(saveCollection(opened, { orders: "none" }))).toEqual([]);
    const changed = opened.update([["id", "exactly", 3]], { name: "other" });
    expect(orderOf(saveCollection(changed))).toContain("name");
    expect([...openCollection(saveCollection(changed), { verify: true })]).toEqual([...changed]);
  });
});

describe("the trigrams of a column", () => {
  const searched = (() => {
    using _ = tuned({ fewValues: 3 });
    return createCollection(Person, rows).prepare({ contains: ["city"] });
  })();

  test("are there if they were made for a query, unless none are wanted", () => {
    expect(trigramsOf(saveCollection(people()))).toEqual([]);
    expect(trigramsOf(saveCollection(searched))).toEqual(["city"]);
    expect(trigramsOf(saveCollection(searched, { trigrams: "none" }))).toEqual([]);
  });

  test("stay there when what was opened is saved again, changed or not", () => {
    const opened = openCollection(saveCollection(searched), { schema: Person });
    expect(trigramsOf(saveCollection(opened))).toEqual(["city"]);
    expect(trigramsOf(saveCollection(opened, { trigrams: "none" }))).toEqual([]);
    const again = openCollection(saveCollection(opened), { schema: Person, verify: true });
    expect(again.count([["city", "contains", "ty 3"]])).toBe(
      searched.count([["city", "contains", "ty 3"]]),
    );
  });
});

test("columns of the same values share a dictionary, and others do not", () => {
  const { columns, dictionaries } = directoryOf(saveCollection(people()));
  const [id, name, again, city] = columns.map(({ dictionary }) => dictionary);
  expect(again).toBe(name);
  expect(new Set([id, name, city]).size).toBe(3);
  expect(dictionaries.map(({ type, values }) => [type, values])).toEqual([
    ["int", 61],
    ["string", 61],
    ["string", 6],
  ]);
  // Integers and texts are different values, even if one writes them alike.
  const Both = defineSchema({ n: int(), text: string() });
  const both = createCollection(Both, [{ n: 1, text: "1" }]);
  expect(directoryOf(saveCollection(both)).dictionaries).toHaveLength(2);
  const changed = openCollection(saveCollection(people()), { schema: Person }).update(
    [["id", "exactly", 5]],
    { name: "p", again: "q" },
  );
  const file = saveCollection(changed);
  expect([...openCollection(file, { verify: true })]).toEqual([...changed]);
  expect(directoryOf(file).columns[1]?.dictionary).not.toBe(
    directoryOf(file).columns[2]?.dictionary,
  );
});

test("a column that is compared in lower case has a name of its own beside the fields", () => {
  const City = defineSchema({
    city: string({ ignoreCase: true }),
    city_folded: string(),
    town: string({ ignoreCase: true, nullable: true }),
  });
  const cities = createCollection(City, [
    { city: "PARIS", city_folded: "b", town: null },
    { city: "Paris", city_folded: "a", town: "Ulm" },
  ]);
  const file = saveCollection(cities, { orders: "all" });
  expect(directoryOf(file).columns.map(({ name, hidden }) => [name, hidden])).toEqual([
    ["city", false],
    ["city_folded", false],
    ["town", false],
    ["city_folded_", true],
    ["town_folded", true],
  ]);
  expect(orderOf(file)).toEqual(["city_folded", "city_folded_", "town_folded"]);
  const opened = openCollection(file, { schema: City, verify: true });
  expect([...opened]).toEqual([...cities]);
  expect(opened.count([["city", "exactly", "paris"]])).toBe(2);
  expect(opened.count([["town", "exactly", "ULM"]])).toBe(1);
});

test("the pieces of a file are the file, and options are checked before there is one", () => {
  const pieces = [...collectionPieces(people(), { orders: "all" })];
  expect(Buffer.concat(pieces)).toEqual(Buffer.from(saveCollection(people(), { orders: "all" })));
  for (const options of [{ orders: "some" }, { trigrams: "all of them" }, { order: "all" }]) {
    const error = thrownBy(InputError, () => collectionPieces(people(), untyped(options)));
    expect(error.path.startsWith("options")).toBe(true);
  }
});
