// DuckDB in process.

import { statSync } from "node:fs";
import { DuckDBInstance, type DuckDBValue } from "@duckdb/node-api";
import type { Engine } from "./engine.ts";

export async function start(file = ":memory:"): Promise<Engine> {
  const instance = await DuckDBInstance.create(file);
  const control = await instance.connect();
  const first = async (text: string) => (await control.runAndReadAll(text)).getRows()[0]?.[0];
  const version = String(await first("SELECT version()"));
  return {
    name: `DuckDB ${version}`,
    dialect: "duckdb",
    texts: "bytes",
    // A connection runs one statement after the other, and an interrupt concerns them all.
    run: async (text, parameters, { signal }) => {
      const connection = await instance.connect();
      let again: NodeJS.Timeout | undefined;
      // What still waits for a thread is interrupted when it runs.
      const interrupt = () => {
        connection.interrupt();
        again = setTimeout(interrupt, 20);
      };
      signal.addEventListener("abort", interrupt);
      try {
        signal.throwIfAborted();
        const reader = await connection.runAndReadAll(text, parameters as DuckDBValue[]);
        return reader.getRows();
      } finally {
        clearTimeout(again);
        signal.removeEventListener("abort", interrupt);
        connection.closeSync();
      }
    },
    bytes: async () => {
      await control.run("CHECKPOINT");
      return file === ":memory:" ? NaN : statSync(file).size;
    },
    clear: async () => {
      const reader = await control.runAndReadAll(
        // Foreign keys refer to earlier tables.
        "SELECT 'VIEW', view_name FROM duckdb_views() WHERE NOT internal UNION ALL SELECT 'TABLE', table_name FROM (SELECT table_name FROM duckdb_tables() ORDER BY table_oid DESC)",
      );
      for (const [kind, name] of reader.getRows()) {
        await control.run(`DROP ${String(kind)} "${String(name).replaceAll('"', '""')}"`);
      }
    },
    close: () => {
      control.closeSync();
      instance.closeSync();
      return Promise.resolve();
    },
  };
}
