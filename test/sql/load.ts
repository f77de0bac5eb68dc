// Data of a service, put into the tables of an engine.

import type { CheckedData } from "../../src/testing/index.ts";
import {
  createSqlService,
  createTables,
  insertRows,
  type Run,
  type SqlService,
  type SqlServiceOptions,
  type Statement,
} from "../../src/sql/index.ts";
import type { Engine } from "../engines/engine.ts";

export const driverOf =
  (engine: Engine): Run =>
  async (text, parameters, { signal }) =>
    await engine.run(text, parameters, { signal });

export async function runAll(engine: Engine, statements: Iterable<Statement>): Promise<void> {
  const { signal } = new AbortController();
  for (const { text, parameters } of statements) await engine.run(text, parameters, { signal });
}

/** Puts data into new tables, and makes a service over them. */
export async function serviceOn(
  engine: Engine,
  { files, batches }: Partial<CheckedData>,
  options: Partial<SqlServiceOptions> = {},
): Promise<SqlService> {
  const { dialect } = engine;
  await engine.clear();
  if (engine.createTables === undefined) await runAll(engine, createTables({ dialect }));
  else await engine.createTables();
  await runAll(engine, insertRows({ dialect, files }));
  for (const batch of batches ?? []) await runAll(engine, insertRows({ dialect, batch }));
  return createSqlService({ dialect, run: driverOf(engine), texts: "bytes", ...options });
}
