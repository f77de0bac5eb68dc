// The engines by name.

import type { ClusterEngine, Engine } from "./engine.ts";
import { missing as withoutChdb } from "./chdb.ts";
import { missing as withoutMariadb } from "./mariadb.ts";

export interface Entry {
  readonly start: () => Promise<Engine | ClusterEngine>;
  /** Of what is not installed with the project: why it can't be started here, if it can't. */
  readonly missing?: () => string | undefined;
}

export const engines = {
  SQLite: { start: async () => (await import("./sqlite.ts")).start() },
  DuckDB: { start: async () => (await import("./duckdb.ts")).start() },
  PostgreSQL: { start: async () => (await import("./postgres.ts")).start() },
  "PostgreSQL shards": { start: async () => (await import("./postgres-cluster.ts")).start() },
  chDB: { start: async () => (await import("./chdb.ts")).start(), missing: withoutChdb },
  MariaDB: { start: async () => (await import("./mariadb.ts")).start(), missing: withoutMariadb },
} as const satisfies Readonly<Record<string, Entry>>;

export type EngineName = keyof typeof engines;

export const engineNames = Object.keys(engines) as EngineName[];
