// Loads the data of a service into the tables of an engine.

import type { CheckedData } from "../../src/testing/index.ts";
import {
  createSqlService,
  createTables,
  insertRows,
  type Shard,
  type SqlService,
  type SqlServiceOptions,
} from "../../src/sql/index.ts";
import { change, execute, NOTHING, type Engine } from "../engines/engine.ts";

/** Puts data into tables that hold nothing else, those of a shard where told, and makes a service over them. */
export async function serviceOn(
  engine: Engine,
  { files, batches }: Partial<CheckedData>,
  options: Partial<SqlServiceOptions> = {},
  shard?: Shard,
): Promise<SqlService> {
  const { dialect } = engine;
  if ((await engine.empty?.()) !== true) {
    await engine.clear();
    if (engine.createTables === undefined) {
      const indexes = options.ranks && { ranks: options.ranks };
      await execute(engine, createTables({ dialect, shard, indexes }));
    } else await engine.createTables();
  }
  await execute(engine, insertRows({ dialect, files }));
  for (const batch of batches ?? []) await execute(engine, insertRows({ dialect, batch }));
  if (shard !== undefined) await change(engine, NOTHING, { shard, generation: 1 });
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
