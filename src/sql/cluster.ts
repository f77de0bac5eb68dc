// Tables that hold nothing, but ask those of other servers: the engine's own way of sharding. Each of the
// other servers has the tables that `createTables` makes without a cluster.

import { InputError, quote } from "../schema/errors.ts";
import { oneOrMore } from "../schema/input.ts";
import { readOptions } from "../schema/options.ts";
import type { Dialect, TableDefinition } from "./dialect.ts";
import { readName, type Table } from "./names.ts";
import { readBy, shardDefinition, type ShardBy } from "./shard.ts";
import {
  contactDefinition,
  declarations,
  definitionOf,
  listDefinition,
  readTables,
  type ServiceTables,
  type Tables,
} from "./tables.ts";

export interface Cluster {
  /**
   * For PostgreSQL the names of foreign servers, which were made by `CREATE SERVER`; for ClickHouse the name of the
   * cluster in the servers' configuration.
   */
  readonly servers: string | readonly string[];
  /** What is kept together on one server: each Contact by itself, or a Batch. Default `"contact"`. */
  readonly by?: ShardBy | undefined;
  /** The tables of the other servers. Default: those of `createTables`. */
  readonly tables?: ServiceTables | undefined;
}

/** A cluster that was read. */
export interface ReadCluster {
  readonly servers: readonly string[];
  readonly by: ShardBy;
  /** Those of the other servers. */
  readonly tables: Tables;
}

/** @throws InputError where the engine has no such tables, or a member of the cluster is not valid */
export function readCluster(dialect: Dialect, input: unknown): ReadCluster {
  const path = "options.cluster";
  if (dialect.spread === undefined) {
    throw new InputError(path, `is not for ${dialect.name}; give createSqlService several drivers`);
  }
  return readOptions(input, path, {
    servers: (given, place) => readServers(dialect, given, place),
    by: readBy,
    tables: (given, place) => readTables(dialect, given, place),
  });
}

type Named = Pick<Table, "name" | "path">;

/** @throws InputError as {@link readCluster}, and where indexes are given */
export function clusterStatements(
  dialect: Dialect,
  { files, contacts, lists, shard }: Tables,
  input: unknown,
  indexes: unknown,
): string[] {
  const { servers, by, tables: remote } = readCluster(dialect, input);
  if (indexes !== undefined) {
    throw new InputError("options.indexes", "are made on the servers of the cluster, not here");
  }
  const spread = (
    definition: TableDefinition,
    { name, path }: Named,
    { path: remotePath }: Named,
    column: string,
  ) => {
    const table = { name, path, remote: remotePath, servers, by: column };
    return dialect.spread?.(declarations(definition, dialect), table) ?? [];
  };
  return [
    ...spread(definitionOf(files, dialect), files, remote.files, files.position),
    ...spread(
      contactDefinition(contacts, dialect),
      contacts,
      remote.contacts,
      by === "batch" ? contacts.batch : contacts.position,
    ),
    ...spread(listDefinition(lists), lists, remote.lists, lists.batch),
    ...(dialect.gather?.(declarations(shardDefinition(shard), dialect), {
      ...{ name: shard.name, path: shard.path, remote: remote.shard.path, servers },
    }) ?? []),
  ];
}

function readServers(dialect: Dialect, input: unknown, path: string): readonly string[] {
  const names = new Set<string>();
  for (const { value, path: place } of oneOrMore(input, path)) {
    const name = readName(value, place);
    // Rows of a server that is asked twice would be there twice.
    if (names.has(name)) throw new InputError(place, `is ${quote(name)} again`);
    names.add(name);
  }
  if (names.size === 0) throw new InputError(path, "needs at least one server");
  if (names.size > 1 && dialect.namesClusters) {
    throw new InputError(path, `must be one name, that of the cluster, for ${dialect.name}`);
  }
  return [...names];
}
