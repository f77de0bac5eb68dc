// SQLite by better-sqlite3: a typed table in memory, an index for what is matched and sorted by, an FTS5 trigram
// index, which ignores case, for the titles; prepared statements. Its file is what `VACUUM INTO` writes.

import { COLUMNS, FOUND, PAGE, type Order, type Summed } from "./orders.ts";
import type { OwnEntry } from "./peer.ts";

const names = Object.keys(COLUMNS) as (keyof Order)[];
const TYPES = { integer: "INTEGER", real: "REAL", boolean: "INTEGER", text: "TEXT", json: "TEXT" };

export const sqlite: OwnEntry = {
  isNative: true,
  async create(path) {
    const { default: Sqlite } = await import("better-sqlite3");
    const database = new Sqlite(":memory:");
    const columns = names.map((name) => `${name} ${TYPES[COLUMNS[name]]}`);
    database.exec(`CREATE TABLE orders (${columns.join(", ")})`);
    database.exec(`CREATE VIRTUAL TABLE titles USING fts5(
      title, content = 'orders', tokenize = 'trigram'
    )`);
    const prepared = {
      lookup: database.prepare("SELECT * FROM orders WHERE id = ?"),
      page: database.prepare(
        `SELECT * FROM orders WHERE state = ? AND country = ?
        ORDER BY quantity DESC, total DESC LIMIT ${PAGE.limit} OFFSET ${PAGE.offset}`,
      ),
      search: database.prepare(
        `SELECT * FROM orders WHERE rowid IN (SELECT rowid FROM titles WHERE titles MATCH ?)
        ORDER BY rowid LIMIT ${FOUND}`,
      ),
      summary: database.prepare(
        `SELECT count(total) AS count, sum(total) AS sum, min(total) AS minimum, max(total) AS maximum
        FROM orders WHERE state = ?`,
      ),
      update: database.prepare("UPDATE orders SET total = ? WHERE id = ?"),
    };
    return {
      load(orders) {
        const insert = database.prepare(
          `INSERT INTO orders VALUES (${names.map(() => "?").join(", ")})`,
        );
        database.exec("BEGIN");
        for (const order of orders) {
          const lines = JSON.stringify(order.lines);
          insert.run(...Object.values({ ...order, gift: Number(order.gift), lines }));
        }
        database.exec(`
          COMMIT;
          CREATE UNIQUE INDEX by_id ON orders (id);
          CREATE INDEX by_place ON orders (state, country, quantity DESC, total DESC);
          CREATE INDEX by_state ON orders (state, total);
          INSERT INTO titles (titles) VALUES ('rebuild');
          ANALYZE;
        `);
      },
      lookup: (id) => prepared.lookup.all(id),
      page: (state, country) => prepared.page.all(state, country),
      search: (text) => prepared.search.all(`"${text}"`),
      summary: (state) => prepared.summary.get(state) as unknown as Summed,
      update: (id, total) => void prepared.update.run(total, id),
      save: () => void database.prepare("VACUUM INTO ?").run(path),
    };
  },
  async open(path) {
    const { default: Sqlite } = await import("better-sqlite3");
    const lookup = new Sqlite(path).prepare("SELECT * FROM orders WHERE id = ?");
    return { lookup: (id) => lookup.all(id) };
  },
};
