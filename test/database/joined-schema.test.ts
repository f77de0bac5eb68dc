// The schema of questions that cross collections: queries from texts name the fields of others, as far as the caller
// allows, and a wrong step of a path says what is known there.

import { describe, expect, test } from "vitest";
import {
  createCollection,
  createDatabase,
  criterionFromText,
  defineSchema,
  float,
  int,
  joinedSchema,
  operatorsOf,
  queryFromText,
  string,
  strings,
  type TextParameters,
} from "../../src/index.ts";
import { untyped } from "../rules/fixtures.ts";

const Region = defineSchema({ code: string({ unique: true }), label: string() });
const Customer = defineSchema({
  id: int({ unique: true }),
  name: string(),
  tags: strings({ nullable: true }),
  region: string({ references: ["regions", "code"], nullable: true }),
  boss: int({ references: ["customers", "id"], nullable: true }),
});
const Order = defineSchema({
  id: int({ unique: true }),
  customer: int({ references: ["customers", "id"] }),
  total: float(),
});
const db = createDatabase({
  regions: createCollection(Region, [{ code: "n", label: "North" }]),
  customers: createCollection(Customer, [
    { id: 1, name: "Ann", tags: ["vip", "new"], region: "n" },
    { id: 2, name: "Bob", boss: 1 },
  ]),
  orders: createCollection(Order, [
    { id: 10, customer: 1, total: 70 },
    { id: 11, customer: 2, total: 20 },
    { id: 12, customer: 1, total: 50 },
  ]),
});

const fields = [
  ...(["id", "total", "customer.name", "customer.tags"] as const),
  ...(["customer.region.label", "customer.boss.name"] as const),
] as const;
const Joined = joinedSchema(db, "orders", fields);
const asked = (text: TextParameters) =>
  db.page("orders", queryFromText(Joined, text, { fields })).records;
const ids = (text: TextParameters) => asked(text).map(({ id }) => id);

describe("queries from texts", () => {
  test.each([
    ["customer.name=Ann", [10, 12]],
    ["customer.name.starts_with=B", [11]],
    ["customer.tags=vip&total.at_least=60", [10]],
    ["customer.region.label=null", [11]],
    ["customer.boss.name=Ann", [11]],
    ["sort=-customer.name,total", [11, 12, 10]],
  ])("name the fields of others: %s", (text, expected) => {
    expect(ids(text)).toEqual(expected);
  });

  test("select them, and walk their pages", () => {
    const text = "sort=customer.name&select=id,customer.name&limit=1";
    const first = db.page("orders", queryFromText(Joined, text, { fields }));
    expect(first.records).toEqual([{ id: 10, "customer.name": "Ann" }]);
    expect(asked(`${text}&after=${first.next}`)).toEqual([{ id: 12, "customer.name": "Ann" }]);
  });

  test.each([
    ["customer.nam=x", 'parameters["customer.nam"]: unknown field "customer.nam"; did you mean "customer.name"'],
    ["customer.zip=x", 'unknown field "customer.zip"; use "customer.name", "customer.tags", "customer.region.label" or "customer.boss.name"'],
    ["customer.region.zip=x", 'unknown field "customer.region.zip"; use "customer.region.label"'],
    ["customer.region.labl.exactly=x", 'unknown field "customer.region.labl"; did you mean "customer.region.label"'],
    ["customer=1", 'unknown field "customer"; did you mean'],
    ["customer.id=1", 'unknown field "customer.id"; use "customer.name"'],
    ["customer.boss.id.at_least=1", 'unknown field "customer.boss.id"; use "id"'],
    ["sort=customer.region.code", 'parameters.sort: unknown field "customer.region.code"'],
    ["select=id,customer.region", 'parameters.select: unknown field "customer.region"'],
    ["customer.name.has=x", 'parameters["customer.name.has"]: unknown operator "has"'],
  ])("name nothing else: %s", (text, reason) => {
    expect(() => asked(text)).toThrow(reason);
  }); // oxfmt-ignore

  test("name what the caller allows, though the schema has more", () => {
    const read = (text: string) => queryFromText(Joined, text, { fields: ["customer.name"] });
    expect(read("customer.name=Ann").criteria).toEqual([["customer.name", "exactly", "Ann"]]);
    expect(() => read("customer.region.label=North")).toThrow('use "customer.name"');
    expect(() => read("sort=total")).toThrow('unknown field "total"');
  });
});

describe("a joined schema", () => {
  test("has the fields of the collection, and those of others at the paths, by their kinds", () => {
    expect(Object.keys(Joined.fields)).toEqual(["id", "customer", "total", ...fields.slice(2)]);
    const names = operatorsOf(Joined, "customer.tags").map(({ name }) => name);
    expect(names).toContain("has_all");
    expect(criterionFromText(Joined, "customer.tags", "has_any", "a,b")).toEqual([
      "customer.tags",
      "has_any",
      ["a", "b"],
    ]);
    expect(joinedSchema(db, "orders", []).fields).toEqual(Order.fields);
  });

  test.each([
    ["customer.nam", '"customers" has no field "nam"; did you mean "name"?'],
    ["customer.zip", '"customers" has no field "zip"; use "id", "name", "tags", "region" or "boss"'],
    ["customer.region.x", '"regions" has no field "x"; use "code" or "label"'],
    ["customer.name.x", '"customers" has no field "name" that refers to records; use "region" or "boss"'],
    ["custmer.name", '"orders" has no field "custmer" that refers to records; did you mean "customer"?'],
    ["customer.region.code.x", '"regions" has no field "code" that refers to records; it has none'],
    [`customer.${"boss.".repeat(8)}id`, "a path may have at most 8 steps"],
  ])("leads nowhere else: %s", (path, reason) => {
    expect(() => joinedSchema(db, "orders", ["customer.name", untyped(path)])).toThrow(
      `paths[1]: ${reason}`,
    );
  }); // oxfmt-ignore

  test("is that of a collection of a database", () => {
    const attempt = (...given: readonly unknown[]) =>
      expect(() => joinedSchema(...(given as Parameters<typeof joinedSchema>)));
    attempt({}, "orders", []).toThrow("database: must be made by createDatabase(), not an object");
    attempt(db, "order", []).toThrow('name: must be "regions", "customers" or "orders"');
    attempt(db, "orders", "customer.name").toThrow("paths: must be an array of names");
    attempt(db, "orders", [7]).toThrow("paths: must be an array of names");
  });
});
