// DuckDB by @duckdb/node-api: one file, imported by its own reader of CSV, with an index of the key. It scans columns
// for the rest; its zones of smallest and largest values skip parts of them.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { prepared } from "../duckdb.ts";
import { keyOf, PAGE, type StoredPeer } from "./peer.ts";
import type { StoredTable } from "./tables.ts";

const name = (field: string) => `"${field}"`;

async function databaseIn(folder: string) {
  const { DuckDBInstance } = await import("@duckdb/node-api");
  mkdirSync(folder, { recursive: true });
  const instance = await DuckDBInstance.create(join(folder, "rows.duckdb"));
  return { instance, connection: await instance.connect() };
}

export const byDuckdb: StoredPeer = {
  load: () => import("@duckdb/node-api"),

  async import(csv, { fields, key }, folder) {
    const { instance, connection } = await databaseIn(folder);
    const types = Array.from(
      fields,
      ([field, type]) => `'${field}': '${type === "int" ? "BIGINT" : "VARCHAR"}'`,
    );
    await connection.run(
      `CREATE TABLE rows AS SELECT * FROM read_csv('${csv}', header = true, columns = {${types.join(", ")}})`,
    );
    await connection.run(`CREATE UNIQUE INDEX by_key ON rows (${name(key)})`);
    await connection.run("CHECKPOINT");
    connection.closeSync();
    instance.closeSync();
    return undefined;
  },

  async open(table: StoredTable, folder) {
    const { key, page, pair, text, changed } = table;
    const { instance, connection } = await databaseIn(folder);
    const prepare = (sql: string) => prepared(connection, sql);
    const lookup = await prepare(`SELECT * FROM rows WHERE ${name(key)} = ?`);
    const paged = await prepare(
      `SELECT * FROM rows WHERE ${name(page.field)} = ?
       ORDER BY ${name(page.sortBy)} DESC NULLS LAST, rowid LIMIT ${PAGE} OFFSET ?`,
    );
    const contains = await prepare(
      `SELECT count(*) AS n FROM rows WHERE contains(${name(text.field)}, ?)`,
    );
    const count = await prepare(
      `SELECT count(*) AS n FROM rows WHERE ${pair.map((field) => `${name(field)} = ?`).join(" AND ")}`,
    );
    const change = await prepare(`UPDATE rows SET ${name(changed)} = ? WHERE ${name(key)} = ?`);
    return {
      lookup: (given) => lookup(keyOf(table, given)),
      page: paged,
      contains: async (value) => Number((await contains(value))[0]?.n),
      count: async (one, other) => Number((await count(one, other))[0]?.n),
      change: async (given, value) => void (await change(value, keyOf(table, given))),
      checkpoint: async () => void (await connection.run("CHECKPOINT")),
      close() {
        connection.closeSync();
        instance.closeSync();
      },
    };
  },
};
