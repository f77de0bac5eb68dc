// The engines by name, and how tests run on them. `npm test` runs those that come with the packages of
// the project; `npm run test:engines` all that are there, and says which are missing.

import { afterAll, beforeAll, describe } from "vitest";
import type { Engine } from "./engine.ts";
import { missing as withoutChdb } from "./chdb.ts";
import { missing as withoutClickhouse } from "./clickhouse.ts";
import { missing as withoutMariadb } from "./mariadb.ts";

interface Entry {
  readonly start: () => Promise<Engine>;
  /** Of what is not installed with the project: why it can't be started here, if it can't. */
  readonly missing?: () => string | undefined;
}

export const engines = {
  SQLite: { start: async () => (await import("./sqlite.ts")).start() },
  DuckDB: { start: async () => (await import("./duckdb.ts")).start() },
  PostgreSQL: { start: async () => (await import("./postgres.ts")).start() },
  chDB: { start: async () => (await import("./chdb.ts")).start(), missing: withoutChdb },
  ClickHouse: {
    start: async () => (await import("./clickhouse.ts")).start(),
    missing: withoutClickhouse,
  },
  MariaDB: { start: async () => (await import("./mariadb.ts")).start(), missing: withoutMariadb },
} as const satisfies Readonly<Record<string, Entry>>;

export type EngineName = keyof typeof engines;

export const engineNames = Object.keys(engines) as EngineName[];

const runsAll = process.env.TERCET_ENGINES === "all";

/** Why tests on an engine are skipped, if they are. */
export function skipped(name: EngineName): string | undefined {
  const { missing }: Entry = engines[name];
  if (missing === undefined) return undefined;
  return runsAll ? missing() : "only npm run test:engines";
}

/** Tests on an engine that is started before them and ended after them. */
export function onEngine(name: EngineName, tests: (engine: () => Engine) => void): void {
  const why = skipped(name);
  if (why !== undefined) {
    describe.skip(`${name}: ${why}`, () => tests(notStarted));
    return;
  }
  describe(name, () => {
    let started: Engine | undefined;
    beforeAll(async () => {
      started = await engines[name].start();
    }, 60_000);
    afterAll(async () => {
      await started?.close();
    });
    tests(() => started ?? notStarted());
  });
}

function notStarted(): never {
  throw new Error("the engine is not started");
}
