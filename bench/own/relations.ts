// Questions about orders that name fields of their customers, and the peers that answer them.

import {
  createCollection,
  createDatabase,
  defineSchema,
  float,
  int,
  string,
} from "../../src/index.ts";
import type { Expression, Start } from "@tanstack/db";
import { prepared } from "../duckdb.ts";

export interface Customer {
  readonly id: number;
  readonly name: string;
  readonly country: string;
}

export interface Order {
  readonly id: number;
  readonly customer: number;
  readonly total: number;
}

export const CUSTOMERS = 50_000;
const COUNTRIES = 100;
const PAGE = 50;

export interface Data {
  readonly customers: readonly Customer[];
  readonly orders: readonly Order[];
}

/** So many orders of 50,000 customers in 100 countries; the same each time. */
export function dataOf(size: number): Data {
  let state = 1;
  const random = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const customers = Array.from({ length: CUSTOMERS }, (_, i) => ({
    id: i * 3,
    name: `name ${random(1_000_000)}`,
    country: country(random(COUNTRIES)),
  }));
  const orders = Array.from({ length: size }, (_, id) => ({
    id,
    customer: random(CUSTOMERS) * 3,
    total: random(1_000_000) / 100,
  }));
  return { customers, orders };
}

export const country = (number: number): string => `country ${number % COUNTRIES}`;

type Rows = readonly (readonly unknown[])[];

/** The five questions, each about another number, and the one whose answer is kept. */
export const QUESTIONS = [
  "count of a country and a total",
  "page of a country, highest totals first",
  "page by name",
  "sums by country",
  "customers with an order of a total",
] as const;
export type Question = (typeof QUESTIONS)[number];

export interface RelationsPeer {
  /** @returns `undefined` if it is not asked this */
  readonly ask: (question: Question, number: number) => Rows | Promise<Rows | undefined>;
  /** Sets the total of an order. */
  readonly change: (id: number, total: number) => unknown;
  /** Moves a customer to a country. */
  readonly move: (id: number, to: string) => unknown;
  /** Starts to follow the number of orders of a country. @returns a function that returns it */
  readonly watch?: (country: string) => (() => number) | Promise<() => number>;
}

const CustomerSchema = defineSchema({
  id: int({ unique: true }),
  name: string(),
  country: string(),
});
const OrderSchema = defineSchema({
  id: int({ unique: true }),
  customer: int({ references: ["customers", "id"] }),
  total: float(),
});

const byId = (found: readonly { readonly id: number }[]): Rows => found.map(({ id }) => [id]);

function byTercet({ customers, orders }: Data): RelationsPeer {
  const db = createDatabase({
    customers: createCollection(CustomerSchema, customers),
    orders: createCollection(OrderSchema, orders),
  });
  db.customers.prepare({ match: ["name", "country"] });
  db.orders.prepare({ match: ["customer", "total"] });
  return {
    ask(question, number) {
      switch (question) {
        case "count of a country and a total":
          return [
            [
              db.count("orders", [
                ["customer.country", "exactly", country(number)],
                ["total", "at_least", 5000 + number],
              ]),
            ],
          ];
        case "page of a country, highest totals first":
          return byId(
            db.query("orders", {
              criteria: [
                ["customer.country", "exactly", country(number)],
                ["total", "at_most", 9000 + number],
              ],
              sortBy: "total",
              limit: PAGE,
            }),
          );
        case "page by name":
          return byId(
            db.query("orders", {
              sort: [["customer.name", "ASC"]],
              offset: number * 10,
              limit: PAGE,
            }),
          );
        case "sums by country":
          return db
            .groupBy("orders", {
              by: ["customer.country"],
              measures: { sum: ["sum", "total"] },
              criteria: [["total", "at_least", number]],
            })
            .map((row) => [row["customer.country"], row.sum]);
        case "customers with an order of a total":
          return [
            [db.count("customers", [["orders", "some", [["total", "at_least", 9900 + number]]]])],
          ];
      }
    },
    change: (id, total) =>
      db.update((draft) => {
        draft.orders = draft.orders.update([["id", "exactly", id]], { total });
      }),
    move: (id, to) =>
      db.update((draft) => {
        draft.customers = draft.customers.update([["id", "exactly", id]], { country: to });
      }),
    watch(of) {
      let now = 0;
      db.watch(
        "orders",
        { count: [["customer.country", "exactly", of]] },
        (count) => (now = count),
      );
      return () => now;
    },
  };
}

/** The customers first, then their orders by a list of ids; pages by name and sums are made by hand. */
function byHand({ customers: allCustomers, orders: allOrders }: Data): RelationsPeer {
  let customers = createCollection(CustomerSchema, allCustomers);
  let orders = createCollection(
    defineSchema({ id: int({ unique: true }), customer: int(), total: float() }),
    allOrders,
  );
  customers.prepare({ match: ["name", "country"] });
  orders.prepare({ match: ["customer", "total"] });
  const idsOf = (of: string) =>
    customers.query({ criteria: [["country", "exactly", of]] }).map(({ id }) => id);
  return {
    ask(question, number) {
      switch (question) {
        case "count of a country and a total":
          return [
            [
              orders.count([
                ["customer", "in", idsOf(country(number))],
                ["total", "at_least", 5000 + number],
              ]),
            ],
          ];
        case "page of a country, highest totals first":
          return byId(
            orders.query({
              criteria: [
                ["customer", "in", idsOf(country(number))],
                ["total", "at_most", 9000 + number],
              ],
              sortBy: "total",
              limit: PAGE,
            }),
          );
        case "page by name": {
          const found: number[] = [];
          let skipped = number * 10;
          const sorted = customers.query({
            sort: [["name", "ASC"]],
            limit: 10 * number + 2 * PAGE,
          });
          // Customers of one name share their orders' places.
          for (let i = 0; i < sorted.length && found.length < PAGE;) {
            const same = [sorted[i]?.id ?? 0];
            const name = sorted[i]?.name;
            while (sorted[++i]?.name === name && i < sorted.length) same.push(sorted[i]?.id ?? 0);
            const own = orders.query({ criteria: [["customer", "in", same]] });
            for (const { id } of own) if (skipped-- <= 0 && found.length < PAGE) found.push(id);
          }
          return found.map((id) => [id]);
        }
        case "sums by country": {
          const countryOf = new Map(customers.query().map((each) => [each.id, each.country]));
          const sums = new Map<string, number>();
          const groups = orders.groupBy({
            by: ["customer"],
            measures: { sum: ["sum", "total"] },
            criteria: [["total", "at_least", number]],
          });
          for (const { customer, sum } of groups) {
            const of = countryOf.get(customer) ?? "";
            sums.set(of, (sums.get(of) ?? 0) + sum);
          }
          return [...sums].sort(([a], [b]) => (a < b ? -1 : 1));
        }
        case "customers with an order of a total":
          return [[orders.countBy("customer", [["total", "at_least", 9900 + number]]).length]];
      }
    },
    change: (id, total) => (orders = orders.update([["id", "exactly", id]], { total })),
    move: (id, to) => (customers = customers.update([["id", "exactly", id]], { country: to })),
  };
}

/** Orders that have the fields of their customers as their own: what paths are measured by. */
function byOneTable({ customers, orders }: Data): RelationsPeer {
  const customerOf = new Map(customers.map((each) => [each.id, each]));
  let table = createCollection(
    defineSchema({
      id: int({ unique: true }),
      customer: int(),
      total: float(),
      name: string(),
      country: string(),
    }),
    orders.map((order) => {
      const { name = "", country: of = "" } = customerOf.get(order.customer) ?? {};
      return { ...order, name, country: of };
    }),
  );
  table.prepare({ match: ["customer", "total", "name", "country"] });
  return {
    ask(question, number) {
      switch (question) {
        case "count of a country and a total":
          return [
            [
              table.count([
                ["country", "exactly", country(number)],
                ["total", "at_least", 5000 + number],
              ]),
            ],
          ];
        case "page of a country, highest totals first":
          return byId(
            table.query({
              criteria: [
                ["country", "exactly", country(number)],
                ["total", "at_most", 9000 + number],
              ],
              sortBy: "total",
              limit: PAGE,
            }),
          );
        case "page by name":
          return byId(table.query({ sort: [["name", "ASC"]], offset: number * 10, limit: PAGE }));
        case "sums by country":
          return table
            .groupBy({
              by: ["country"],
              measures: { sum: ["sum", "total"] },
              criteria: [["total", "at_least", number]],
            })
            .map((row) => [row.country, row.sum]);
        case "customers with an order of a total":
          return [[table.countBy("customer", [["total", "at_least", 9900 + number]]).length]];
      }
    },
    change: (id, total) => (table = table.update([["id", "exactly", id]], { total })),
    move(id, to) {
      table = table.update([["customer", "exactly", id]], { country: to });
    },
  };
}

const JOINED = "FROM orders JOIN customers ON customers.id = orders.customer";
const SQL: Readonly<Record<Question, string>> = {
  "count of a country and a total": `SELECT count(*) ${JOINED} WHERE country = ? AND total >= 5000 + ?`,
  "page of a country, highest totals first": `SELECT orders.id ${JOINED} WHERE country = ? AND total <= 9000 + ? ORDER BY total DESC, orders.id LIMIT ${PAGE}`,
  "page by name": `SELECT orders.id ${JOINED} ORDER BY name, orders.id LIMIT ${PAGE} OFFSET ? * 10`,
  "sums by country": `SELECT country, sum(total) ${JOINED} WHERE total >= ? GROUP BY country ORDER BY country`,
  "customers with an order of a total":
    "SELECT count(*) FROM customers WHERE EXISTS (SELECT 1 FROM orders WHERE customer = customers.id AND total >= 9900 + ?)",
};

const valuesOf = (question: Question, number: number): (string | number)[] =>
  SQL[question].includes("country = ?") ? [country(number), number] : [number];

async function bySqlite({ customers, orders }: Data): Promise<RelationsPeer> {
  const { default: Sqlite } = await import("better-sqlite3");
  const database = new Sqlite(":memory:");
  database.exec(`
    CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, country TEXT);
    CREATE TABLE orders (id INTEGER PRIMARY KEY, customer INTEGER REFERENCES customers, total REAL);
    BEGIN`);
  const insert = database.prepare("INSERT INTO customers VALUES (?, ?, ?)");
  for (const { id, name, country: of } of customers) insert.run(id, name, of);
  const insertOrder = database.prepare("INSERT INTO orders VALUES (?, ?, ?)");
  for (const { id, customer, total } of orders) insertOrder.run(id, customer, total);
  database.exec(`COMMIT;
    CREATE INDEX by_name ON customers (name);
    CREATE INDEX by_country ON customers (country);
    CREATE INDEX by_customer ON orders (customer, total);
    CREATE INDEX by_total ON orders (total);
    ANALYZE`);
  const change = database.prepare("UPDATE orders SET total = ? WHERE id = ?");
  const move = database.prepare("UPDATE customers SET country = ? WHERE id = ?");
  const statements = new Map(QUESTIONS.map((name) => [name, database.prepare(SQL[name])]));
  return {
    ask: (question, number) =>
      (statements.get(question)?.all(...valuesOf(question, number)) ?? []).map(Object.values),
    change: (id, total) => change.run(total, id),
    move: (id, to) => move.run(to, id),
  };
}

const CHUNK = 2048;

async function byDuckdb({ customers, orders }: Data): Promise<RelationsPeer> {
  const { BIGINT, DOUBLE, DuckDBDataChunk, DuckDBInstance, VARCHAR } =
    await import("@duckdb/node-api");
  const instance = await DuckDBInstance.create(":memory:", { threads: "2" });
  const connection = await instance.connect();
  await connection.run("CREATE TABLE customers (id BIGINT PRIMARY KEY, name TEXT, country TEXT)");
  await connection.run("CREATE TABLE orders (id BIGINT, customer BIGINT, total DOUBLE)");
  const append = async <Row>(
    table: string,
    rows: readonly Row[],
    types: Parameters<typeof DuckDBDataChunk.create>[0],
    columns: readonly ((row: Row) => bigint | string | number)[],
  ) => {
    const appender = await connection.createAppender(table);
    for (let from = 0; from < rows.length; from += CHUNK) {
      const some = rows.slice(from, from + CHUNK);
      const chunk = DuckDBDataChunk.create(types, some.length);
      chunk.setColumns(columns.map((of) => some.map(of)));
      appender.appendDataChunk(chunk);
    }
    appender.closeSync();
  };
  await append(
    "customers",
    customers,
    [BIGINT, VARCHAR, VARCHAR],
    [({ id }) => BigInt(id), ({ name }) => name, (each) => each.country],
  );
  await append(
    "orders",
    orders,
    [BIGINT, BIGINT, DOUBLE],
    [({ id }) => BigInt(id), ({ customer }) => BigInt(customer), ({ total }) => total],
  );
  const statements = new Map<Question, Awaited<ReturnType<typeof prepared>>>();
  for (const name of QUESTIONS) statements.set(name, await prepared(connection, SQL[name]));
  return {
    async ask(question, number) {
      const rows = (await statements.get(question)?.(...valuesOf(question, number))) ?? [];
      return rows.map((row) =>
        Object.values(row).map((each) => (typeof each === "bigint" ? Number(each) : each)),
      );
    },
    change: (id, total) => connection.run(`UPDATE orders SET total = ${total} WHERE id = ${id}`),
    move: (id, to) => connection.run(`UPDATE customers SET country = '${to}' WHERE id = ${id}`),
  };
}

/** A live query for each question: it has no other. */
async function byTanstack({ customers, orders }: Data): Promise<RelationsPeer> {
  const db = await import("@tanstack/db");
  const { eq, gte, lte } = db;
  const collectionOf = <Row extends { readonly id: number }>(rows: readonly Row[]) =>
    db.createCollection<Row>(
      db.localOnlyCollectionOptions({
        getKey: ({ id }: Row) => String(id),
        defaultStringCollation: { stringSort: "lexical" },
        initialData: rows,
      }),
    );
  const all = { customers: collectionOf(customers), orders: collectionOf(orders) };
  const indexed = {
    indexType: db.BTreeIndex,
    options: {
      compareOptions: { direction: "asc", nulls: "first", stringSort: "lexical" } as const,
    },
  };
  all.customers.createIndex(({ id }) => id, indexed);
  all.customers.createIndex((each) => each.country, indexed);
  all.orders.createIndex(({ customer }) => customer, indexed);
  const joined = (start: Start) =>
    start
      .from({ contact: all.orders })
      .join(
        { other: all.customers },
        ({ contact: order, other: customer }) => eq(order.customer, customer.id),
        "inner",
      );
  const ids = <Item extends { readonly id: number }>({
    contact: order,
  }: {
    readonly contact: Readonly<Record<keyof Item, Expression>>;
  }) => ({ id: order.id });
  return {
    async ask(question, number) {
      const of = country(number);
      if (question === "count of a country and a total") {
        const found = await db.queryOnce((start) =>
          joined(start)
            .where(({ other: customer }) => eq(customer.country, of))
            .where(({ contact: order }) => gte(order.total, 5000 + number))
            .select<{ id: number }>(ids<Order>),
        );
        return [[found.length]];
      }
      if (question === "page of a country, highest totals first") {
        return byId(
          await db.queryOnce((start) =>
            joined(start)
              .where(({ other: customer }) => eq(customer.country, of))
              .where(({ contact: order }) => lte(order.total, 9000 + number))
              .orderBy(({ contact: order }) => order.total, "desc")
              .orderBy(({ contact: order }) => order.id, "asc")
              .limit(PAGE)
              .select<{ id: number }>(ids<Order>),
          ),
        );
      }
      // It is asked two of the questions: those that it is made for.
      return undefined;
    },
    async change(id, total) {
      const change = all.orders.update(String(id), (draft) => {
        Object.assign(draft, { total });
      });
      await change.isPersisted.promise;
    },
    async move(id, to) {
      const change = all.customers.update(String(id), (draft) => {
        Object.assign(draft, { country: to });
      });
      await change.isPersisted.promise;
    },
    async watch(of) {
      const live = db.createLiveQueryCollection((start) =>
        joined(start)
          .where(({ other: customer }) => eq(customer.country, of))
          .select<{ id: number }>(ids<Order>),
      );
      await live.preload();
      live.subscribeChanges(() => undefined);
      return () => live.size;
    },
  };
}

export const RELATION_PEERS: Readonly<
  Record<string, (data: Data) => RelationsPeer | Promise<RelationsPeer>>
> = {
  tercet: byTercet,
  "one table": byOneTable,
  "by hand": byHand,
  duckdb: byDuckdb,
  "better-sqlite3": bySqlite,
  "@tanstack/db": byTanstack,
};
