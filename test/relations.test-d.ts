// The types of questions that cross collections, checked by the compiler in `npm run types`.

import { expectTypeOf, test } from "vitest";
import {
  createCollection,
  createDatabase,
  defineSchema,
  float,
  int,
  joinedSchema,
  queryFromText,
  string,
  time,
} from "../src/index.ts";
import { createDatabaseTables, createSqlDatabase, type Run } from "../src/sql/index.ts";

const Customer = defineSchema({
  id: int({ unique: true }),
  name: string(),
  country: string({ oneOf: ["AU", "US"] }),
  boss: int({ references: ["customers", "id"], nullable: true }),
});
const Order = defineSchema({
  id: int({ unique: true }),
  customer: int({ references: ["customers", "id"], onRemove: "refuse" }),
  total: float(),
  at: time(),
});
const db = createDatabase({
  customers: createCollection(Customer, []),
  orders: createCollection(Order, []),
});

test("records are those of the asked collection", () => {
  const found = db.query("orders", {
    criteria: [
      ["customer.country", "exactly", "AU"],
      ["total", "at_least", 50],
    ],
    sortBy: "customer.name",
  });
  expectTypeOf(found).toEqualTypeOf(db.orders.query());
  expectTypeOf(db.page("orders").records).toEqualTypeOf(db.orders.query());
});

test("paths are checked step by step, and values are those of the other field", () => {
  db.count("orders", [["customer.boss.name", "exactly", "x"], "OR", ["customer.boss", "in", [1]]]);
  // @ts-expect-error -- no such country
  db.query("orders", { criteria: [["customer.country", "exactly", "AX"]] });
  // @ts-expect-error -- no such field
  expect(() => db.count("orders", [["customer.contry", "exactly", "AU"]]));
  // @ts-expect-error -- an operator of other fields
  expect(() => db.count("orders", [["customer.boss", "has", "x"]]));
  // @ts-expect-error -- no such collection
  expect(() => db.query("order"));
  // @ts-expect-error -- a collection alone has no paths
  expect(() => db.orders.query({ sortBy: "customer.name" }));
  // @ts-expect-error -- total refers to nothing
  expect(() => db.query("orders", { sortBy: "total.name" }));
});

const expect = (run: () => unknown) => run;

test("groups have the values of the other field, or null", () => {
  const [group] = db.groupBy("orders", {
    by: ["customer.country"],
    measures: { sum: ["sum", "total"], most: ["maximum", "customer.name"] },
  });
  expectTypeOf(group?.["customer.country"]).toEqualTypeOf<"AU" | "US" | null | undefined>();
  expectTypeOf(group?.sum).toEqualTypeOf<number | undefined>();
  expectTypeOf(group?.most).toEqualTypeOf<string | null | undefined>();
});

test("live queries have paths", () => {
  const live = db.live("orders", { count: [["customer.name", "exactly", "x"]] });
  expectTypeOf(live.current).toEqualTypeOf<number>();
});

test("conditions on other collections are checked like their own criteria", () => {
  db.count("customers", [["orders", "some", [["total", "at_least", 5]]]]);
  db.query("customers", {
    criteria: ["NOT", ["orders.customer", "none", [["customer.country", "exactly", "AU"]]]],
  });
  // @ts-expect-error -- no such field of orders
  expect(() => db.count("customers", [["orders", "some", [["totl", "at_least", 5]]]]));
  // @ts-expect-error -- a value of another type
  expect(() => db.count("customers", [["orders", "some", [["total", "at_least", "x"]]]]));
  // @ts-expect-error -- nothing refers to orders
  expect(() => db.count("orders", [["customers", "some", []]]));
});

test("queries from texts have the fields of others that a joined schema has", () => {
  const fields = ["total", "customer.name"] as const;
  const { limit = 20, ...query } = queryFromText(joinedSchema(db, "orders", fields), "");
  const criteria = [["customer.country", "exactly", "AU"], query.criteria] as const;
  const { records } = db.page("orders", {
    ...query,
    criteria,
    limit,
    select: ["id", "customer.name"],
  });
  expectTypeOf(records).toEqualTypeOf<
    { readonly id: number; readonly "customer.name": string | null }[]
  >();
  // @ts-expect-error -- no such field
  expect(() => joinedSchema(db, "orders", ["customer.nam"]));
  // @ts-expect-error -- no such collection
  expect(() => joinedSchema(db, "order", []));
});

const run: Run = () => Promise.resolve([]);
const collections = {
  customers: { schema: Customer, order: ["id"] },
  orders: { schema: Order, table: ["shop", "orders"], position: "place", columns: { id: "no" } },
} as const;

test("over SQL, questions have the same types, as promises", async () => {
  const tables = createSqlDatabase({ dialect: "postgres", run, collections });
  const criteria = [
    ["customer.country", "exactly", "AU"],
    ["total", "at_least", 50],
  ] as const;
  const found = await tables.query("orders", { criteria, sortBy: "customer.name" });
  expectTypeOf(found).toEqualTypeOf(db.query("orders", { criteria, sortBy: "customer.name" }));
  const select = ["id", "customer.boss.name"] as const;
  const [record] = await tables.query("orders", { select });
  expectTypeOf(record).toEqualTypeOf(db.query("orders", { select })[0]);
  const page = await tables.page("orders", { sort: [["customer.name", "ASC"]], limit: 2 });
  expectTypeOf(page.records).toEqualTypeOf(found);
  const grouping = { by: ["customer.country"], measures: { sum: ["sum", "total"] } } as const;
  const [group] = await tables.groupBy("orders", grouping);
  expectTypeOf(group).toEqualTypeOf(db.groupBy("orders", grouping)[0]);
  expectTypeOf(await tables.count("orders")).toEqualTypeOf<number>();
  const conditions = [["orders", "some", [["total", "at_least", 5]]]] as const;
  const { signal } = new AbortController();
  expectTypeOf(await tables.count("customers", conditions, { signal })).toEqualTypeOf<number>();
  expectTypeOf(await tables.orders.query()).toEqualTypeOf(found);
  // @ts-expect-error -- no such country
  void tables.query("orders", { criteria: [["customer.country", "exactly", "AX"]] });
  // @ts-expect-error -- no such field
  void tables.count("orders", [["customer.contry", "exactly", "AU"]]);
  // @ts-expect-error -- no such collection
  void tables.query("order");
  // @ts-expect-error -- a collection alone has no paths
  void tables.orders.query({ sortBy: "customer.name" });
  // @ts-expect-error -- total refers to nothing
  void tables.query("orders", { sortBy: "total.name" });
  // @ts-expect-error -- no such field of orders
  void tables.count("customers", [["orders", "some", [["totl", "at_least", 5]]]]);
  // @ts-expect-error -- such a step is not a field
  void tables.groupBy("orders", { by: "customer.contry" });
});

test("tables have the names of collections and of their fields", () => {
  createDatabaseTables({ dialect: "sqlite", collections, indexes: { orders: ["customer"] } });
  // @ts-expect-error -- no such field
  createDatabaseTables({ dialect: "sqlite", collections, indexes: { orders: ["costumer"] } });
  // @ts-expect-error -- no such collection
  createDatabaseTables({ dialect: "sqlite", collections, indexes: { order: ["customer"] } });
  const misspelt = { schema: Customer, order: ["idd"] } as const;
  // @ts-expect-error -- no such field
  createSqlDatabase({ dialect: "sqlite", run, collections: { customers: misspelt } });
});
