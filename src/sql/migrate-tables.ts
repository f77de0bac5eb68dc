// The statements that bring the tables of an older version to the present one. Versions are
// 1: without the table of the shard;
// 2: with it, but without a version in it, and with indexes that may not end with the position;
// 3: the present one.

import {
  anything,
  integerFrom,
  optional,
  readOptions,
  type OptionReaders,
} from "../schema/options.ts";
import type { Statement } from "./dialect.ts";
import { dialectOf } from "./dialects/index.ts";
import { int, readTables } from "./names.ts";
import { readShard, THE_ONLY, VERSION_COLUMN } from "./shard.ts";
import {
  clusterStatements,
  indexesOf,
  shardStatements,
  statements,
  TABLES_VERSION,
  type CreateTablesOptions,
} from "./tables.ts";

export interface MigrateTablesOptions extends Omit<CreateTablesOptions, "only" | "textColumns"> {
  /** The version of the tables that are there. */
  readonly from: number;
}

/**
 * The statements that bring the tables of a service to the version that `createTables` makes. The other options are
 * those that the tables were made with: indexes that are not named stay as they are, which makes pages far from the
 * start slower. PostgreSQL and SQLite run the statements in one transaction. No record is read but for indexes.
 *
 * Which version tables are of, their column `tercet_shard.version` tells; without the column it is 2, without the
 * table 1.
 *
 * @throws InputError with the path of an option that is not valid
 */
export function migrateTables(options: MigrateTablesOptions): Iterable<Statement> {
  const { dialect, from, ...given } = readOptions(options, "options", migrateOptions);
  const tables = readTables(dialect, given.tables);
  if (from === TABLES_VERSION) return [];
  if (given.cluster !== undefined) {
    const made = clusterStatements(dialect, tables, given.cluster, given.indexes);
    const { parts } = dialect;
    return statements([
      // Foreign tables hold nothing. Those of older versions do not ask the shards for their estimates.
      ...made.spread.flatMap(({ table, created: [, ...foreign] }) =>
        foreign.flatMap((create, i) => [
          `DROP FOREIGN TABLE IF EXISTS ${parts?.nameOf(table.path, i)}`,
          create,
        ]),
      ),
      ...(from === 1 ? made.gathered : []),
    ]);
  }
  const part = given.shard ?? THE_ONLY;
  const declared = `${dialect.quote(VERSION_COLUMN)} ${dialect.declare(int(VERSION_COLUMN, true))}`;
  const addVersion = `ALTER TABLE ${tables.shard.name} ADD COLUMN ${declared} DEFAULT ${TABLES_VERSION}`;
  return statements([
    ...(from === 1 ? shardStatements(dialect, tables, part) : [addVersion]),
    ...indexesOf(dialect, tables, given.indexes, part).flatMap(({ create, drop }) =>
      drop === undefined || create === undefined ? [] : [drop, create],
    ),
  ]);
}

const migrateOptions = {
  dialect: dialectOf,
  from: integerFrom(1, TABLES_VERSION),
  tables: anything,
  indexes: anything,
  cluster: anything,
  shard: optional(readShard),
} satisfies OptionReaders<Record<keyof MigrateTablesOptions, unknown>>;
