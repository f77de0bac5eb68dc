// The questions for groups of orders, and the peers that answer them.

import {
  createCollection,
  defineSchema,
  float,
  int,
  string,
  type GroupQuery,
} from "../../src/index.ts";
import { prepared } from "../duckdb.ts";

export interface Order {
  readonly id: number;
  readonly shop: string;
  readonly customer: number;
  /** In milliseconds since 1970. */
  readonly placed: number;
  readonly total: number;
  readonly items: number;
}

const CUSTOMERS = 50_000;
const THREE_YEARS = 94_608_000;

/** Orders in 12 shops, by up to 50,000 customers, within three years; the same each time. */
export function ordersOf(size: number): Order[] {
  let state = 1;
  const random = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  return Array.from({ length: size }, (_, id) => ({
    id,
    shop: `shop ${random(12)}`,
    customer: random(CUSTOMERS),
    placed: Date.UTC(2023, 0, 1) + random(THREE_YEARS) * 1000,
    total: random(1_000_000) / 100,
    items: random(20),
  }));
}

const OrderSchema = defineSchema({
  id: int({ unique: true }),
  shop: string(),
  customer: int(),
  placed: int(),
  total: float(),
  items: int(),
});

/** Over the orders with at least so many items. */
interface Question {
  readonly name: string;
  /** Selects the columns of the answer, in the order of its rows. */
  readonly sql: string;
  /** What differs in DuckDB. */
  readonly duckdb?: string;
  readonly tercet: GroupQuery<typeof OrderSchema>;
  readonly arquero?: {
    readonly by: Readonly<Record<string, string>>;
    readonly found: Readonly<Record<string, string>>;
  };
}

const WHERE = "FROM orders WHERE items >= ?";
const MONTH = "strftime('%Y-%m', placed / 1000, 'unixepoch')";
const DUCK_MONTH = "strftime(make_timestamp(placed * 1000), '%Y-%m')";

export const QUESTIONS: readonly Question[] = [
  {
    name: "count by shop",
    sql: `SELECT shop, count(*) ${WHERE} GROUP BY shop ORDER BY shop`,
    tercet: { by: "shop", measures: { n: "count" } },
    arquero: { by: { shop: "d => d.shop" }, found: { n: "d => op.count()" } },
  },
  {
    name: "sum by shop",
    sql: `SELECT shop, sum(total) ${WHERE} GROUP BY shop ORDER BY shop`,
    tercet: { by: "shop", measures: { s: ["sum", "total"] } },
    arquero: { by: { shop: "d => d.shop" }, found: { s: "d => op.sum(d.total)" } },
  },
  {
    name: "mean by shop and items",
    sql: `SELECT shop, items, avg(total) ${WHERE} GROUP BY shop, items ORDER BY shop, items`,
    tercet: { by: ["shop", "items"], measures: { s: ["mean", "total"] } },
    arquero: {
      by: { shop: "d => d.shop", items: "d => d.items" },
      found: { s: "d => op.mean(d.total)" },
    },
  },
  {
    name: "lowest and highest by shop",
    sql: `SELECT shop, min(total), max(total) ${WHERE} GROUP BY shop ORDER BY shop`,
    tercet: { by: "shop", measures: { a: ["minimum", "total"], b: ["maximum", "total"] } },
    arquero: {
      by: { shop: "d => d.shop" },
      found: { a: "d => op.min(d.total)", b: "d => op.max(d.total)" },
    },
  },
  {
    name: "ten customers by sum",
    sql: `SELECT customer, sum(total) AS s ${WHERE} GROUP BY customer ORDER BY s DESC, customer LIMIT 10`,
    tercet: { by: "customer", measures: { s: ["sum", "total"] }, sort: [["s", "DESC"]], limit: 10 },
  },
  {
    name: "customers with a sum, ten of them",
    sql: `SELECT customer, sum(total) AS s ${WHERE} GROUP BY customer HAVING s >= 20000 ORDER BY customer LIMIT 10`,
    tercet: {
      by: "customer",
      measures: { s: ["sum", "total"] },
      having: [["s", "at_least", 20_000]],
      limit: 10,
    },
  },
  {
    name: "sum by month",
    sql: `SELECT ${MONTH} AS m, sum(total) ${WHERE} GROUP BY m ORDER BY m`,
    duckdb: `SELECT ${DUCK_MONTH} AS m, sum(total) ${WHERE} GROUP BY m ORDER BY m`,
    tercet: { by: { field: "placed", step: "month", as: "m" }, measures: { s: ["sum", "total"] } },
  },
  {
    name: "count by weekday",
    sql: `SELECT (placed / 86400000 + 3) % 7 + 1 AS w, count(*) ${WHERE} GROUP BY w ORDER BY w`,
    duckdb: `SELECT (placed // 86400000 + 3) % 7 + 1 AS w, count(*) ${WHERE} GROUP BY w ORDER BY w`,
    tercet: { by: { field: "placed", step: "weekday", as: "w" } },
  },
  {
    name: "count by range of totals",
    sql: `SELECT CAST(total / 500 AS INTEGER) * 500 AS r, count(*) ${WHERE} GROUP BY r ORDER BY r`,
    duckdb: `SELECT floor(total / 500) * 500 AS r, count(*) ${WHERE} GROUP BY r ORDER BY r`,
    tercet: { by: { field: "total", width: 500, as: "r" } },
  },
  {
    name: "customers by shop",
    sql: `SELECT shop, count(DISTINCT customer) ${WHERE} GROUP BY shop ORDER BY shop`,
    tercet: { by: "shop", measures: { d: ["distinct", "customer"] } },
    arquero: { by: { shop: "d => d.shop" }, found: { d: "d => op.distinct(d.customer)" } },
  },
  {
    name: "median by shop",
    sql: "",
    duckdb: `SELECT shop, quantile_disc(total, 0.5) ${WHERE} GROUP BY shop ORDER BY shop`,
    tercet: { by: "shop", measures: { q: ["quantile", "total", 0.5] } },
  },
  {
    name: "deviation by shop",
    sql: "",
    duckdb: `SELECT shop, stddev_samp(total) ${WHERE} GROUP BY shop ORDER BY shop`,
    tercet: { by: "shop", measures: { v: ["deviation", "total"] } },
    arquero: { by: { shop: "d => d.shop" }, found: { v: "d => op.stdev(d.total)" } },
  },
];

type Rows = readonly (readonly unknown[])[];

export interface GroupPeer {
  /** @returns `undefined` if it can't answer the question */
  readonly ask: (name: string, low: number) => Rows | undefined | Promise<Rows>;
  /** Sets the total of an order. */
  readonly change: (id: number, total: number) => unknown;
}

const questionOf = (name: string): Question => {
  const found = QUESTIONS.find((each) => each.name === name);
  if (found === undefined) throw new RangeError(`there is no question ${name}`);
  return found;
};

function byTercet(orders: readonly Order[]): GroupPeer {
  let collection = createCollection(OrderSchema, orders);
  return {
    ask(name, low) {
      const criteria = [["items", "at_least", low]] as const;
      const rows: readonly object[] = collection.groupBy({ ...questionOf(name).tercet, criteria });
      return rows.map((row) =>
        Object.entries(row).map(([key, value]: [string, unknown]) =>
          key === "m" ? new Date(Number(value)).toISOString().slice(0, 7) : value,
        ),
      );
    },
    change: (id, total) => (collection = collection.update([["id", "exactly", id]], { total })),
  };
}

const COLUMNS =
  "id INTEGER, shop TEXT, customer INTEGER, placed INTEGER, total REAL, items INTEGER";

async function bySqlite(orders: readonly Order[]): Promise<GroupPeer> {
  const { default: Sqlite } = await import("better-sqlite3");
  const database = new Sqlite(":memory:");
  database.exec(`CREATE TABLE orders (${COLUMNS.replace("INTEGER", "INTEGER PRIMARY KEY")})`);
  const insert = database.prepare("INSERT INTO orders VALUES (?, ?, ?, ?, ?, ?)");
  database.exec("BEGIN");
  for (const { id, shop, customer, placed, total, items } of orders) {
    insert.run(id, shop, customer, placed, total, items);
  }
  database.exec("COMMIT; CREATE INDEX by_items ON orders (items)");
  const change = database.prepare("UPDATE orders SET total = ? WHERE id = ?");
  return {
    ask(name, low) {
      const { sql } = questionOf(name);
      return sql === "" ? undefined : database.prepare(sql).all(low).map(Object.values);
    },
    change: (id, total) => change.run(total, id),
  };
}

const CHUNK = 2048;

async function byDuckdb(orders: readonly Order[]): Promise<GroupPeer> {
  const { BIGINT, DOUBLE, DuckDBDataChunk, DuckDBInstance, VARCHAR } =
    await import("@duckdb/node-api");
  const instance = await DuckDBInstance.create(":memory:", { threads: "2" });
  const connection = await instance.connect();
  const columns = COLUMNS.replaceAll("INTEGER", "BIGINT").replace("REAL", "DOUBLE");
  await connection.run(`CREATE TABLE orders (${columns})`);
  const appender = await connection.createAppender("orders");
  const types = [BIGINT, VARCHAR, BIGINT, BIGINT, DOUBLE, BIGINT];
  for (let from = 0; from < orders.length; from += CHUNK) {
    const rows = orders.slice(from, from + CHUNK);
    const chunk = DuckDBDataChunk.create(types, rows.length);
    chunk.setColumns([
      rows.map(({ id }) => BigInt(id)),
      rows.map(({ shop }) => shop),
      rows.map(({ customer }) => BigInt(customer)),
      rows.map(({ placed }) => BigInt(placed)),
      rows.map(({ total }) => total),
      rows.map(({ items }) => BigInt(items)),
    ]);
    appender.appendDataChunk(chunk);
  }
  appender.closeSync();
  return {
    async ask(name, low) {
      const { sql, duckdb = sql } = questionOf(name);
      const rows = await (await prepared(connection, duckdb))(low);
      return rows.map((row) =>
        Object.values(row).map((each) => (typeof each === "bigint" ? Number(each) : each)),
      );
    },
    change: (id, total) => connection.run(`UPDATE orders SET total = ${total} WHERE id = ${id}`),
  };
}

async function byArquero(orders: readonly Order[]): Promise<GroupPeer> {
  const { table } = await import("arquero");
  const totals = orders.map(({ total }) => total);
  const all = table({
    shop: orders.map(({ shop }) => shop),
    customer: orders.map(({ customer }) => customer),
    total: totals,
    items: orders.map(({ items }) => items),
  });
  return {
    ask(name, low) {
      const { arquero } = questionOf(name);
      if (arquero === undefined) return undefined;
      return all
        .params({ low })
        .filter("(d, $) => d.items >= $.low")
        .groupby(arquero.by)
        .rollup(arquero.found)
        .orderby(...Object.keys(arquero.by))
        .objects()
        .map(Object.values);
    },
    // A table reads the arrays that it was made of.
    change: (id, total) => (totals[id] = total),
  };
}

async function byCrossfilter(orders: readonly Order[]): Promise<GroupPeer> {
  const { default: crossfilter } = await import("crossfilter2");
  const filter = crossfilter(orders.map((order) => ({ ...order })));
  const items = filter.dimension((order) => order.items);
  const id = filter.dimension((order) => order.id);
  const byShop = filter.dimension((order) => order.shop);
  const counted = byShop.group().reduceCount();
  const summed = filter
    .dimension((order) => order.shop)
    .group()
    .reduceSum(({ total }) => total);
  return {
    ask(name, low) {
      items.filterRange([low, Infinity]);
      if (name === "count by shop") return counted.all().map(({ key, value }) => [key, value]);
      if (name === "sum by shop") return summed.all().map(({ key, value }) => [key, value]);
      return undefined;
    },
    change(changed, total) {
      items.filterAll();
      id.filterRange([changed, changed + 1]);
      const [order] = id.top(1);
      filter.remove();
      id.filterAll();
      if (order !== undefined) filter.add([{ ...order, total }]);
    },
  };
}

export const GROUP_PEERS: Readonly<
  Record<string, (orders: readonly Order[]) => GroupPeer | Promise<GroupPeer>>
> = {
  tercet: byTercet,
  duckdb: byDuckdb,
  "better-sqlite3": bySqlite,
  arquero: byArquero,
  crossfilter2: byCrossfilter,
};
