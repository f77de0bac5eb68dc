// Tables made by the statements of older versions are migrated to the present ones, and keep their
// records.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { createService } from "../../src/index.ts";
import {
  createSqlService,
  createTables,
  insertRows,
  migrateTables,
  type Shard,
} from "../../src/sql/index.ts";
import { dialectOf } from "../../src/sql/dialects/index.ts";
import { generateBatch, generateFiles } from "../../src/synthetic/index.ts";
import {
  change,
  execute,
  NOTHING,
  rowsOf,
  type ClusterEngine,
  type Engine,
} from "../engines/engine.ts";

/** The statements of version 2, by dialect, and those of tables that ask others. */
const VERSION_2 = JSON.parse(
  readFileSync(join(import.meta.dirname, "tables-of-version-2.json"), "utf8"),
) as Readonly<Record<string, readonly string[]>>;

type Version = 1 | 2;

const THE_ONLY: Shard = { place: 0, count: 1 };

/** Version 1 made the same tables, but none of the shard. */
const statementsOf = (version: Version, name: string, { place, count }: Shard) =>
  (VERSION_2[name] ?? expect.fail(`there are no tables of ${name}`))
    .filter((text) => version === 2 || !/^\S+ (?:FOREIGN )?\S+ .tercet_shard/.test(text))
    .map((text) => text.replace("(0, 1, 0)", `(${Number(place)}, ${count}, 0)`))
    .map((text) => ({ text, parameters: [] }));

const indexes = { files: ["size"], contacts: ["contact_email"] } as const;

export async function expectMigrated(
  engine: Engine | ClusterEngine,
  version: Version,
): Promise<void> {
  const { dialect, run } = engine;
  const files = [...generateFiles({ count: 40, seed: 3 })];
  const batch = generateBatch({ id: 7, count: 60, lists: 2, seed: 5 });
  const memory = createService({ files, batches: [batch] });
  const told: unknown[] = [];
  const service = createSqlService({
    ...{ dialect, run, texts: "bytes" },
    onInternalError: (thrown) => told.push(thrown),
  });
  const isCluster = "shards" in engine;
  const shards = isCluster ? engine.shards : [engine];
  const parts = shards.map(({ run }, place) => ({
    ...{ dialect, run },
    part: isCluster ? { place, count: shards.length } : THE_ONLY,
  }));

  await engine.clear();
  for (const shard of parts) await execute(shard, statementsOf(version, dialect, shard.part));
  if (isCluster) {
    const name = dialect === "postgres" ? "coordinator" : "distributed";
    await execute(engine, statementsOf(version, name, THE_ONLY));
  }
  await execute(engine, insertRows({ dialect, files, batch }));
  if (version === 1) {
    await expect(service.searchFiles()).rejects.toMatchObject({ code: 100 });
    expect(String(told[0])).toContain("migrateTables has the statements");
  }

  for (const shard of parts) {
    await execute(shard, migrateTables({ dialect, shard: shard.part, indexes, from: version }));
  }
  const versions = await Promise.all(
    parts.map((shard) => rowsOf(shard, "SELECT version FROM tercet_shard")),
  );
  expect(versions.flat().map(numberIn)).toEqual(parts.map(() => 3));
  if (isCluster) {
    const cluster = { servers: engine.servers };
    await execute(engine, migrateTables({ dialect, cluster, from: version }));
    await change(engine, NOTHING, { cluster, generation: 1 });
  }
  expect(await service.searchFiles()).toEqual(memory.searchFiles());
  const page = ["7", null, 20, 30, "contact_email", "DESC"] as const;
  expect(await service.getBatchContacts(...page)).toEqual(memory.getBatchContacts(...page));

  const migrated = await shapesOf(engine, parts);
  await engine.clear();
  if (engine.createTables === undefined) await execute(engine, createTables({ dialect, indexes }));
  else await engine.createTables(indexes);
  expect(migrated).toEqual(await shapesOf(engine, parts));
}

const numberIn = (row: object) => Number(Object.values(row)[0]);

type Asked = Pick<Engine, "run" | "dialect">;

/** What the catalogs say of the tables. */
async function shapesOf(engine: Asked, shards: readonly Asked[]): Promise<unknown[]> {
  const shapes: unknown[] = [];
  for (const shard of shards) {
    const { catalog, quote } = dialectOf(shard.dialect, "dialect");
    for (const table of ["tercet_files", "tercet_contacts", "tercet_lists", "tercet_shard"]) {
      for (const asked of [
        catalog.columns([table], quote(table)),
        catalog.indexes?.([table], quote(table)),
      ]) {
        if (asked === undefined) continue;
        const rows = await rowsOf(shard, asked.text, asked.parameters);
        shapes.push(rows.map((row) => Object.values(row).map(String).join()).sort());
      }
    }
  }
  if (engine.dialect === "postgres") {
    const options = "SELECT ftrelid::regclass::text, ftoptions FROM pg_foreign_table ORDER BY 1";
    shapes.push(await rowsOf(engine, options));
  }
  return shapes;
}
