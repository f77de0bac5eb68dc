// PostgreSQL in shards: two servers, and a coordinator on a third that reaches them by postgres_fdw. To
// the service it is one engine.

import type { ClusterEngine } from "./engine.ts";
import { clear, driverOf, versionOf } from "./postgres.ts";
import { startPostgres } from "./postgres-server.ts";

const DATABASE = "postgres";
const SHARDS = ["shard0", "shard1"];

export async function start(): Promise<ClusterEngine> {
  const servers = await Promise.all(["coordinator", ...SHARDS].map(() => startPostgres()));
  const pools = servers.map((server) => server.connect(DATABASE));
  const [coordinator] = pools;
  if (coordinator === undefined) throw new Error("there is no coordinator");
  await coordinator.query("CREATE EXTENSION postgres_fdw");
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
  return {
    name: `${await versionOf(coordinator)}, two shards`,
    dialect: "postgres",
    refusesNul: true,
    shards,
    run: driverOf(coordinator),
    clear: async () => {
      await Promise.all(pools.map(clear));
    },
    close: async () => {
      await Promise.all(pools.map((pool) => pool.end()));
      await Promise.all(servers.map((server) => server.close()));
    },
  };
}
