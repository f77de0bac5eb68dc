// SQLite in process: sql.js, which needs no compiling.

import initSqlJs, { type Database, type SqlValue } from "sql.js";
import type { Engine } from "./engine.ts";

export async function start(): Promise<Engine> {
  const { Database: SqliteDatabase } = await initSqlJs();
  let database = new SqliteDatabase();
  return {
    name: `SQLite ${versionOf(database)} (sql.js)`,
    dialect: "sqlite",
    texts: "bytes",
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
