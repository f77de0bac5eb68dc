// PostgreSQL: a server.

import type { Pool, PoolClient } from "pg";
import type { Run } from "../../src/sql/index.ts";
import type { Engine } from "./engine.ts";
import { startPostgres, type PostgresOptions, type PostgresServer } from "./postgres-server.ts";

const DATABASE = "postgres";

export interface PostgresEngine extends Engine {
  readonly server: PostgresServer;
}

export async function start(options?: PostgresOptions): Promise<PostgresEngine> {
  const server = await startPostgres(options);
  const pool = server.connect(DATABASE);
  return {
    name: await versionOf(pool),
    dialect: "postgres",
    refusesNul: true,
    server,
    run: driverOf(pool),
    empty: () => empty(pool),
    settle: () => settle(pool),
    bytes: () => bytesIn(pool),
    clear: () => clear(pool),
    close: async () => {
      await pool.end();
      await server.close();
    },
  };
}

/** As an application would write it: a statement that is given up costs its connection. */
export function driverOf(pool: Pool): Run {
  return async (text, parameters, { signal }) => {
    const client = await pool.connect();
    const giveUp = () => void client.end();
    signal.addEventListener("abort", giveUp);
    client.on("error", ignore);
    try {
      signal.throwIfAborted();
      return await rowsOf(client, text, parameters);
    } finally {
      signal.removeEventListener("abort", giveUp);
      client.off("error", ignore);
      client.release(signal.aborted);
    }
  };
}

/** A connection that breaks also says so by itself; its query is rejected anyway. */
const ignore = () => undefined;

async function rowsOf(
  client: PoolClient,
  text: string,
  parameters: readonly unknown[],
): Promise<unknown[][]> {
  const { rows } = await client.query<unknown[]>({
    text,
    values: [...parameters],
    rowMode: "array",
  });
  return rows;
}

export async function versionOf(pool: Pool): Promise<string> {
  const { rows } = await pool.query<{ server_version: string }>("SHOW server_version");
  return `PostgreSQL ${rows[0]?.server_version ?? "?"}`;
}

export async function empty(pool: Pool): Promise<boolean> {
  // The last of those that createTables makes.
  const { rows } = await pool.query<{ made: string | null }>(
    "SELECT to_regclass('tercet_lists') AS made",
  );
  if (rows[0]?.made == null) return false;
  await pool.query(
    "DELETE FROM tercet_files; DELETE FROM tercet_contacts; DELETE FROM tercet_lists",
  );
  return true;
}

export async function settle(pool: Pool): Promise<void> {
  await pool.query("VACUUM ANALYZE");
}

export async function bytesIn(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ bytes: string }>(
    "SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0) AS bytes FROM pg_class c WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace",
  );
  return Number(rows[0]?.bytes);
}

export async function clear(pool: Pool): Promise<void> {
  await pool.query("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
}
