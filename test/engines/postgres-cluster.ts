// PostgreSQL in shards: two servers, and a coordinator on a third that reaches them by postgres_fdw. To
// the service it is one engine.

import { createTables, type Statement } from "../../src/sql/index.ts";
import { execute, type ClusterEngine, type Shard } from "./engine.ts";
import { clear, driverOf, versionOf } from "./postgres.ts";
import { startPostgres, type PostgresServer } from "./postgres-server.ts";

const DATABASE = "postgres";
const SHARDS = ["shard0", "shard1"];

export interface PostgresCluster extends ClusterEngine {
  readonly shards: readonly PostgresShard[];
}

export interface PostgresShard extends Shard {
  readonly server: PostgresServer;
}

export async function start(): Promise<PostgresCluster> {
  const servers = await Promise.all(["coordinator", ...SHARDS].map(() => startPostgres()));
  const pools = servers.map((server) => server.connect(DATABASE));
  const [coordinator] = pools;
  if (coordinator === undefined) throw new Error("there is no coordinator");
  // In a schema of its own, which outlives the tables.
  await coordinator.query("CREATE SCHEMA fdw; CREATE EXTENSION postgres_fdw SCHEMA fdw");
  const shards = SHARDS.map((name, i) => {
    const [server, pool] = [servers[i + 1], pools[i + 1]];
    if (server === undefined || pool === undefined) throw new Error(`there is no ${name}`);
    return { name, server, run: driverOf(pool) };
  });
  for (const { name, server } of shards) {
    await coordinator.query(
      `CREATE SERVER ${name} FOREIGN DATA WRAPPER postgres_fdw
         OPTIONS (host '127.0.0.1', port '${server.port}', dbname '${DATABASE}', batch_size '1000')`,
    );
    await coordinator.query(
      `CREATE USER MAPPING FOR CURRENT_USER SERVER ${name} OPTIONS (user '${server.user}')`,
    );
  }
  const run = driverOf(coordinator);
  return {
    name: `${await versionOf(coordinator)}, two shards`,
    dialect: "postgres",
    refusesNul: true,
    shards,
    run,
    createTables: async () => {
      for (const shard of shards) await execute(shard, createTables({ dialect: "postgres" }));
      await execute({ run }, coordinatorTables(shards));
    },
    clear: async () => {
      await Promise.all(pools.map(clear));
    },
    close: async () => {
      await Promise.all(pools.map((pool) => pool.end()));
      await Promise.all(servers.map((server) => server.close()));
    },
  };
}

const SPREAD = ["tercet_files", "tercet_contacts"];

/**
 * The tables of the coordinator: Files and Contacts in hash partitions, each the table of a shard; the
 * Lists are its own. A unique index can't be over foreign tables.
 */
function* coordinatorTables(shards: readonly Shard[]): Generator<Statement> {
  for (const { text, parameters } of createTables({ dialect: "postgres" })) {
    const table = SPREAD.find((name) => text.startsWith(`CREATE TABLE "${name}"`));
    if (table === undefined) {
      if (!SPREAD.some((name) => text.includes(`ON "${name}"`))) yield { text, parameters };
      continue;
    }
    const columns = text.replace(/, PRIMARY KEY \([^)]*\)\)$/, ")");
    yield { text: `${columns} PARTITION BY HASH ("position")`, parameters };
    for (const [i, { name }] of shards.entries()) {
      const part = `FOR VALUES WITH (MODULUS ${shards.length}, REMAINDER ${i})`;
      yield {
        text: `CREATE FOREIGN TABLE "${table}_${name}" PARTITION OF "${table}" ${part} SERVER ${name} OPTIONS (table_name '${table}')`,
        parameters: [],
      };
    }
  }
}
