// ClickHouse in shards: two servers, and a third that holds no data and queries both. To the service
// it is one engine.

import {
  bytesIn,
  clear,
  CLUSTER,
  driverOf,
  empty,
  startClickhouse,
  versionOf,
} from "./clickhouse.ts";
import { createClusterTables, type ClusterEngine } from "./engine.ts";

export async function start(): Promise<ClusterEngine> {
  const servers = [await startClickhouse([]), await startClickhouse([])];
  const coordinator = await startClickhouse(servers);
  const run = driverOf(coordinator.httpPort);
  const shards = servers.map((server, i) => ({
    name: `shard${i}`,
    server,
    run: driverOf(server.httpPort),
  }));
  const asked = { dialect: "clickhouse18", shards, servers: CLUSTER, run } as const;
  return {
    name: `${await versionOf(run)}, two shards`,
    ...asked,
    createTables: (indexes) => createClusterTables(asked, indexes),
    empty: async () => {
      const each = await Promise.all(shards.map((shard) => empty(shard.run)));
      return each.every((isEmpty) => isEmpty);
    },
    bytes: async () => {
      const each = await Promise.all(shards.map((shard) => bytesIn(shard.run)));
      return each.reduce((sum, bytes) => sum + bytes, 0);
    },
    clear: async () => {
      for (const each of [run, ...shards.map((shard) => shard.run)]) await clear(each);
    },
    close: async () => {
      await Promise.all([coordinator, ...servers].map((server) => server.close()));
    },
  };
}
