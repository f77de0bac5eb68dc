// Replaces `test/engines/postgres-server.ts` in a mutation run: servers stay for the life of the process, because
// starting one takes as long as its tests. Each start gives a server that is as good as new.

import type { Pool } from "pg";
import * as real from "../../engines/postgres-server.ts";

const free: real.PostgresServer[] = [];

export async function startPostgres(
  options: real.PostgresOptions = {},
): Promise<real.PostgresServer> {
  if (Object.keys(options).length > 0) return await real.startPostgres(options);
  const server = free.pop() ?? (await real.startPostgres());
  await clean(server);
  return { ...server, close: () => Promise.resolve(void free.push(server)) };
}

/** Ends what a mutant left running, and drops what tests made. */
async function clean(server: real.PostgresServer): Promise<void> {
  const pool = server.connect("postgres");
  try {
    await namesIn(
      pool,
      "SELECT pg_terminate_backend(pid)::text FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()",
    );
    const databases = await namesIn(
      pool,
      "SELECT quote_ident(datname) FROM pg_database WHERE NOT datistemplate AND datname <> current_database()",
    );
    for (const name of databases) await pool.query(`DROP DATABASE ${name} WITH (FORCE)`);
    const schemas = await namesIn(
      pool,
      "SELECT quote_ident(nspname) FROM pg_namespace WHERE nspname NOT LIKE 'pg\\_%' AND nspname <> 'information_schema'",
    );
    await pool.query(`DROP SCHEMA ${schemas.join(", ")} CASCADE; CREATE SCHEMA public`);
  } finally {
    await pool.end();
  }
}

async function namesIn(pool: Pool, text: string): Promise<string[]> {
  const { rows } = await pool.query<string[]>({ text, rowMode: "array" });
  return rows.map(([name = ""]) => name);
}
