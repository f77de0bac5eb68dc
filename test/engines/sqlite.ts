// SQLite in process: sql.js, which needs no compiler.

import initSqlJs, { type Database, type SqlValue } from "sql.js";
import type { Engine } from "./engine.ts";

export async function start(): Promise<Engine> {
  const { Database: SqliteDatabase } = await initSqlJs();
  let database = new SqliteDatabase();
  return {
    name: `SQLite ${versionOf(database)} (sql.js)`,
    dialect: "sqlite",
    texts: "bytes",
    inMemory: true,
    // Not `async`: what is thrown becomes a rejection all the same.
    run: async (text, parameters) => {
      const statement = database.prepare(text);
      try {
        statement.bind(parameters as SqlValue[]);
        const rows: unknown[][] = [];
        while (statement.step()) rows.push(statement.get());
        return await Promise.resolve(rows);
      } finally {
        statement.free();
      }
    },
    settle: () => {
      database.run("ANALYZE");
      return Promise.resolve();
    },
    bytes: () => {
      const [size] = database.exec(
        "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size",
      );
      return Promise.resolve(Number(size?.values[0]?.[0]));
    },
    clear: () => {
      database.close();
      database = new SqliteDatabase();
      return Promise.resolve();
    },
    close: () => {
      database.close();
      return Promise.resolve();
    },
  };
}

function versionOf(database: Database): string {
  return String(database.exec("SELECT sqlite_version()")[0]?.values[0]?.[0]);
}
