// PostgreSQL in shards: two servers, and a coordinator on a third that reaches them by postgres_fdw. The service uses
// it like one engine.

import { createClusterTables, type ClusterEngine, type Shard } from "./engine.ts";
import { bytesIn, clear, driverOf, empty, settle, versionOf } from "./postgres.ts";
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
  const asked = { dialect: "postgres", shards, servers: SHARDS, run } as const;
  return {
    name: `${await versionOf(coordinator)}, two shards`,
    ...asked,
    refusesNul: true,
    createTables: (indexes) => createClusterTables(asked, indexes),
    empty: () => empty(coordinator),
    settle: async () => {
      await Promise.all(pools.map(settle));
    },
    bytes: async () => {
      const each = await Promise.all(pools.map(bytesIn));
      return each.reduce((sum, bytes) => sum + bytes, 0);
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
