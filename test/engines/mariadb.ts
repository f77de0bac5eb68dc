// MariaDB from the system's packages, through the driver mysql2. The server has its built-in defaults,
// including latin1, so createTables must specify what the tables need.

import { mkdirSync, chownSync } from "node:fs";
import { join } from "node:path";
import type { Pool } from "mysql2/promise";
import type { Run } from "../../src/sql/index.ts";
import type { Engine } from "./engine.ts";
import { startServer, USER, type Server } from "./server.ts";
import { missingPackage, pathOf } from "./system.ts";

/** Why it can't be started here, if it can't. */
export function missing(): string | undefined {
  return pathOf("mariadbd") === undefined
    ? "there is no command mariadbd"
    : missingPackage("mysql2");
}

const DATABASE = "tercet";

export interface MariadbEngine extends Engine {
  readonly server: Server;
  readonly user: string;
  readonly database: string;
  /** That of `mysql2/promise`. */
  readonly createPool: unknown;
}

export async function start(): Promise<MariadbEngine> {
  const server = await startServer({
    name: "mariadb",
    ports: 1,
    prepare: (folder) => {
      const data = join(folder, "data");
      mkdirSync(data);
      if (USER !== undefined) chownSync(data, USER, USER);
    },
    command: (folder, [port = 0]) => ({
      command: pathOf("mariadbd") ?? "mariadbd",
      parameters: [
        "--no-defaults",
        `--datadir=${join(folder, "data")}`,
        // That of the tests belongs to whoever runs them.
        `--tmpdir=${join(folder, "data")}`,
        `--port=${port}`,
        "--bind-address=127.0.0.1",
        `--socket=${join(folder, "socket")}`,
        "--innodb-flush-log-at-trx-commit=0",
        // There are no system tables, and so no users: whoever reaches the port is root.
        "--skip-grant-tables",
      ],
      signal: "SIGTERM",
    }),
    isUp: async ([port = 0]) => {
      const pool = await connect(port);
      try {
        await pool.query(`CREATE DATABASE IF NOT EXISTS ${DATABASE}`);
      } finally {
        await pool.end();
      }
    },
  });
  const pool = await connect(server.ports[0] ?? 0, DATABASE);
  const [[version]] = await pool.query({ sql: "SELECT VERSION()", rowsAsArray: true });
  return {
    name: `MariaDB ${String(version?.[0])}`,
    dialect: "mariadb",
    ...{ server, user: "root", database: DATABASE },
    createPool: (await import("mysql2/promise")).createPool,
    run: driverOf(pool),
    settle: async () => {
      await pool.query("ANALYZE TABLE tercet_contacts, tercet_files, tercet_lists");
    },
    bytes: async () => {
      const [[row]] = await pool.query({
        sql: "SELECT SUM(data_length + index_length) FROM information_schema.tables WHERE table_schema = DATABASE()",
        rowsAsArray: true,
      });
      return Number(row?.[0]);
    },
    clear: async () => {
      const [tables] = await pool.query({ sql: "SHOW FULL TABLES", rowsAsArray: true });
      for (const [table, type] of tables) {
        const kind = type === "VIEW" ? "VIEW" : "TABLE";
        const name = String(table).replaceAll("`", "``");
        // In any order, whatever refers to them.
        await pool.query(`SET STATEMENT foreign_key_checks = 0 FOR DROP ${kind} \`${name}\``);
      }
    },
    close: async () => {
      await pool.end();
      await server.close();
    },
  };
}

async function connect(port: number, database?: string): Promise<Pool> {
  const { createPool } = await import("mysql2/promise");
  return createPool({
    host: "127.0.0.1",
    port,
    user: "root",
    charset: "utf8mb4",
    supportBigNumbers: true,
    bigNumberStrings: true,
    // A server has 16,382 for all connections.
    maxPreparedStatements: 200,
    ...(database === undefined ? {} : { database }),
  });
}

export function driverOf(pool: Pool): Run {
  return async (text, parameters, { signal }) => {
    signal.throwIfAborted();
    const connection = await pool.getConnection();
    const giveUp = () => void pool.query(`KILL QUERY ${connection.threadId}`);
    signal.addEventListener("abort", giveUp);
    try {
      const [rows] = await connection.execute({ sql: text, rowsAsArray: true }, [...parameters]);
      return isRows(rows) ? rows : [];
    } finally {
      signal.removeEventListener("abort", giveUp);
      connection.release();
    }
  };
}

/** `Array.isArray`, which does not tell arrays from other objects. */
function isRows(rows: unknown[][] | object): rows is unknown[][] {
  return Array.isArray(rows);
}
