// DuckDB by @duckdb/node-api: a typed table in memory, loaded by data chunks, an index on the id; it scans columns
// for the rest. Prepared statements. Its file is a copy of the database.

import { COLUMNS, FOUND, PAGE, type Order, type Summed } from "./orders.ts";
import type { OwnEntry } from "./peer.ts";

const names = Object.keys(COLUMNS) as (keyof Order)[];
/** Rows of a data chunk: the standard vector size, which is also the most. */
const CHUNK = 2048;

export const duckdb: OwnEntry = {
  isNative: true,
  async create(path) {
    const { BIGINT, BOOLEAN, DOUBLE, VARCHAR, DuckDBDataChunk } = await import("@duckdb/node-api");
    const TYPES = { integer: BIGINT, real: DOUBLE, boolean: BOOLEAN, text: VARCHAR, json: VARCHAR };
    const types = names.map((name) => TYPES[COLUMNS[name]]);
    const connection = await connect(":memory:");
    const columns = names.map((name, i) => `${name} ${String(types[i])}`);
    await connection.run(`CREATE TABLE orders (${columns.join(", ")})`);
    const select = async (sql: string) => {
      const statement = await connection.prepare(sql);
      return async (...values: (string | number)[]) => {
        for (const [i, value] of values.entries()) {
          if (typeof value === "string") statement.bindVarchar(i + 1, value);
          else statement.bindDouble(i + 1, value);
        }
        return (await statement.runAndReadAll()).getRowObjectsJS();
      };
    };
    const lookup = await select("SELECT * FROM orders WHERE id = CAST(? AS BIGINT)");
    const page = await select(
      `SELECT * FROM orders WHERE state = ? AND country = ?
      ORDER BY quantity DESC, total DESC LIMIT ${PAGE.limit} OFFSET ${PAGE.offset}`,
    );
    const search = await select(
      `SELECT * FROM orders WHERE contains(lower(title), lower(?)) LIMIT ${FOUND}`,
    );
    const summary = await select(
      `SELECT CAST(count(total) AS DOUBLE) AS count, sum(total) AS sum, min(total) AS minimum,
      max(total) AS maximum FROM orders WHERE state = ?`,
    );
    const update = await select("UPDATE orders SET total = ? WHERE id = CAST(? AS BIGINT)");
    return {
      async load(orders) {
        const appender = await connection.createAppender("orders");
        for (let from = 0; from < orders.length; from += CHUNK) {
          const rows = orders.slice(from, from + CHUNK);
          const chunk = DuckDBDataChunk.create(types, rows.length);
          chunk.setColumns(
            names.map((name) =>
              rows.map(({ [name]: value }) => {
                if (typeof value === "object") return JSON.stringify(value);
                return COLUMNS[name] === "integer" ? BigInt(value) : value;
              }),
            ),
          );
          appender.appendDataChunk(chunk);
        }
        appender.closeSync();
        await connection.run("CREATE UNIQUE INDEX by_id ON orders (id)");
      },
      lookup,
      page,
      search,
      async summary(state) {
        const [found] = await summary(state);
        return found as unknown as Summed;
      },
      async update(id, total) {
        await update(total, id);
      },
      async save() {
        await connection.run(`ATTACH '${path}' AS saved`);
        await connection.run("COPY FROM DATABASE memory TO saved");
        await connection.run("DETACH saved");
      },
    };
  },
  async open(path) {
    const connection = await connect(path);
    const statement = await connection.prepare("SELECT * FROM orders WHERE id = CAST(? AS BIGINT)");
    return {
      async lookup(id) {
        statement.bindDouble(1, id);
        return (await statement.runAndReadAll()).getRowObjectsJS();
      },
    };
  },
};

async function connect(path: string) {
  const { DuckDBInstance } = await import("@duckdb/node-api");
  return (await DuckDBInstance.create(path)).connect();
}
