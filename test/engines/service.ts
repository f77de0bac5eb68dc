// A service over an engine: its tables are made anew for the data.

import {
  createSqlService,
  createTables,
  insertRows,
  type SqlService,
} from "../../src/sql/index.ts";
import type { CheckedData } from "../../src/testing/index.ts";
import { execute, type Engine } from "./engine.ts";

export async function serviceOn(
  engine: Engine,
  { files, batches }: CheckedData,
): Promise<SqlService> {
  const { dialect, run, texts } = engine;
  await engine.clear();
  await execute(engine, createTables({ dialect }));
  await execute(engine, insertRows({ dialect, files }));
  for (const batch of batches) await execute(engine, insertRows({ dialect, batch }));
  return createSqlService({ dialect, run, texts });
}
