// Fields that ignore accents (V17): comparisons use strings without combining marks, records keep their spelling. What
// the reference and the laws say of every collection is tested with such fields, too.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { openCollection, saveCollection } from "../../src/arrow/index.ts";
import {
  compileCriteria,
  createCollection,
  defineSchema,
  InputError,
  int,
  readSchema,
  string,
  writeSchema,
} from "../../src/index.ts";
import { compileSql, createTable } from "../../src/sql/index.ts";
import { settings } from "../property.ts";
import { untyped } from "../rules/fixtures.ts";
import { expectRefused } from "../updates/fixtures.ts";

const Person = defineSchema({
  id: int({ unique: true }),
  name: string({ ignoreCase: true, ignoreAccents: true }),
  city: string({ ignoreAccents: true, nullable: true }),
});
const given = [
  { id: 1, name: "José", city: "Orléans" },
  { id: 2, name: "École", city: "Orle\u0301ans" },
  { id: 3, name: "Cafe\u0301 Noir", city: "orléans" },
  { id: 4, name: "Ångström", city: "가나" },
  { id: 5, name: "\u212bNGSTROM", city: null },
  { id: 6, name: "İstanbul", city: "" },
];
const people = createCollection(Person, given);
const columns = createCollection(Person, given, { storage: "columns" });
const opened = openCollection(saveCollection(people.prepare({ match: ["name"] })), {
  verify: true,
});

describe.each([
  ["objects", people],
  ["columns", columns],
  ["a file", opened],
  ["a changed file", opened.remove([["id", "exactly", 1]]).insert(given.slice(0, 1))],
] as const)("in %s", (_, collection) => {
  const ids = (...criteria: unknown[]) =>
    collection
      .query({ criteria: untyped(criteria) })
      .map(({ id }) => id)
      .sort();

  test("every operator compares without accents", () => {
    expect(ids(["name", "exactly", "jose"])).toEqual([1]);
    expect(ids(["name", "contains", "ecole"])).toEqual([2]);
    expect(ids(["name", "contains", "CAFÉ"])).toEqual([3]);
    expect(ids(["name", "starts_with", "ang"])).toEqual([4, 5]);
    expect(ids(["name", "ends_with", "om"])).toEqual([4, 5]);
    expect(ids(["name", "in", ["ISTANBUL", "jösé"]])).toEqual([1, 6]);
    expect(ids(["name", "not", "angstrom"])).toEqual([1, 2, 3, 6]);
    expect(ids(["name", "between", ["ë", "jose"]])).toEqual([1, 2, 6]);
  });

  test("case is another matter, and so are letters that are composed without marks", () => {
    expect(ids(["city", "exactly", "Orleans"])).toEqual([1, 2]);
    expect(ids(["city", "exactly", "가나"])).toEqual([4]);
    expect(ids(["city", "exactly", "가나".normalize("NFD")])).toEqual([4]);
  });

  test("a mark alone is nothing", () => {
    expect(ids(["city", "contains", "\u0301"])).toEqual([1, 2, 3, 4, 6]);
    expect(ids(["city", "exactly", "\u0301"])).toEqual([6]);
  });

  test("records keep their spelling, and counts have the compared one", () => {
    expect(collection.get("id", 3)?.name).toBe("Cafe\u0301 Noir");
    expect(collection.countBy("name", [["name", "starts_with", "å"]])).toEqual([
      { value: "angstrom", count: 2 },
    ]);
    const sorted = collection.query({ sortBy: "name", sortOrder: "ASC" });
    expect(sorted.map(({ id }) => id)).toEqual([4, 5, 3, 2, 6, 1]);
  });
});

test("what a field ignores is unique, too", () => {
  const Tag = defineSchema({ name: string({ unique: true, ignoreAccents: true }) });
  const tags = createCollection(Tag, [{ name: "café" }]);
  expect(tags.get("name", "cafe")).toEqual({ name: "café" });
  expect(tags.get("name", "Cafe")).toBeUndefined();
  expect(tags.upsert({ name: "cafe\u0301" }, "name").size).toBe(1);
  expectRefused(
    () => tags.insert({ name: "cafe" }),
    "record.name",
    '"cafe" is already used by another record',
  );
});

test("a schema keeps the option as JSON, and refuses it beside oneOf", () => {
  expect(readSchema(writeSchema(Person)).fields).toEqual(Person.fields);
  expect(() => string({ oneOf: ["é"], ignoreAccents: untyped(true) })).toThrow(
    "ignoreAccents: can't be combined with oneOf, which fixes how values are spelled",
  );
});

test("a file tells when its values are compared in another way", () => {
  const Other = defineSchema({ ...Person.fields, city: string({ nullable: true }) });
  expect(() => openCollection(saveCollection(people), { schema: Other })).toThrow(
    "options.schema.fields.city: has ignoreAccents false, in the file true",
  );
});

test("in SQL a second column has the compared values", () => {
  const [table] = createTable(Person, { table: "people", dialect: "sqlite" });
  expect(table?.text).toContain("`c2_folded`");
  const columns = { id: "id", name: { column: "name", folded: "plain" }, city: "city" };
  const own = { dialect: "sqlite", table: { name: "people", columns } } as const;
  const criteria = [["name", "exactly", "JOSÉ"]] as const;
  const { text, parameters } = compileSql(Person, { criteria }, own);
  expect(text).toContain("`plain` = ");
  expect(parameters).toEqual(["jose"]);
  const unnamed = () => compileSql(Person, { criteria: [["city", "exactly", "a"]] }, own);
  expect(unnamed).toThrow(InputError);
  expect(unnamed).toThrow(
    'options.table.columns.city: must be { column, folded }: the field ignores accents, and `folded` holds its values as they are compared, as text.normalize("NFD").replace(/\\p{M}/gu, "").normalize() in JavaScript computes them',
  );
});

test("any two strings are equal exactly if they differ in marks alone", () => {
  const Word = defineSchema({ word: string({ ignoreAccents: true }) });
  const part = fc.constantFrom("e", "é", "\u0301", "\u0323", "가", "\u1100", "\u1161", "I", "İ", "\u{1d15e}", "Ω"); // oxfmt-ignore
  const word = fc.oneof(fc.array(part, { maxLength: 4 }).map((parts) => parts.join("")), fc.string({ unit: "grapheme" })); // oxfmt-ignore
  const plain = (text: string) =>
    Array.from(text.normalize("NFD"))
      .filter((each) => !/\p{Mark}/u.test(each))
      .join("")
      .normalize();
  fc.assert(
    fc.property(word, word, (a, b) => {
      const isEqual = compileCriteria(Word, [["word", "exactly", a]])({ word: b });
      expect(isEqual).toBe(plain(a) === plain(b));
      const isPart = compileCriteria(Word, [["word", "contains", a]])({ word: b });
      expect(isPart).toBe(plain(b).includes(plain(a)));
    }),
    settings(1000),
  );
});
