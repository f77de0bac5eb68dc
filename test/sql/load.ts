// Loads the data of a service into the tables of an engine.

import type { CheckedData } from "../../src/testing/index.ts";
import {
  createSqlService,
  createTables,
  insertRows,
  type SqlService,
  type SqlServiceOptions,
} from "../../src/sql/index.ts";
import { execute, type Engine } from "../engines/engine.ts";

/** Puts data into tables that hold nothing else, and makes a service over them. */
export async function serviceOn(
  engine: Engine,
  { files, batches }: Partial<CheckedData>,
  options: Partial<SqlServiceOptions> = {},
): Promise<SqlService> {
  const { dialect } = engine;
  const { tables } = options;
  if (tables !== undefined || (await engine.empty?.()) !== true) {
    await engine.clear();
    if (engine.createTables === undefined) await execute(engine, createTables({ dialect, tables }));
    else await engine.createTables();
  }
  await execute(engine, insertRows({ dialect, tables, files }));
  for (const batch of batches ?? []) await execute(engine, insertRows({ dialect, tables, batch }));
  // What an answer does not tell.
  const onInternalError = (thrown: unknown) => console.error(thrown);
  return createSqlService({
    dialect,
    run: engine.run,
    texts: "bytes",
    onInternalError,
    ...options,
  });
}
