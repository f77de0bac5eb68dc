// Servers over which an engine itself distributes the rows of a service's tables.

import { InputError, quote } from "../schema/errors.ts";
import { oneOrMore } from "../schema/input.ts";
import { oneOf, optional, readOptions } from "../schema/options.ts";
import type { ColumnDefinition, Dialect } from "./dialect.ts";
import { readName } from "./columns.ts";
import { readTables, type ServiceTables, type Tables } from "./names.ts";

/** Servers over which the engine itself distributes rows. */
export interface Cluster {
  /**
   * PostgreSQL: the names of foreign servers, made by `CREATE SERVER`. ClickHouse: the name of the cluster in the
   * servers' configuration.
   */
  readonly servers: string | readonly string[];
  /** How records are distributed over the servers, by the engine's hashes. Default `"contact"`. */
  readonly by?: SpreadBy | undefined;
  /** The tables of the other servers. Their columns have the same names as here. Default: those of `createTables`. */
  readonly tables?: ServiceTables | undefined;
}

/**
 * Which server stores a Contact: by its position, by a hash of its Batch and position, or by its Batch. Files are
 * distributed by their positions.
 */
export type SpreadBy = "contact" | "hash" | "batch";

/**
 * @param own the local tables, which query those of the servers
 * @throws InputError if the engine has no such tables, or a member of the cluster is not valid
 */
export function readCluster(dialect: Dialect, input: unknown, own: Tables) {
  const path = "options.cluster";
  if (dialect.spread === undefined) {
    throw new InputError(path, `is for PostgreSQL and ClickHouse, not for ${dialect.name}`);
  }
  const cluster = readOptions(input, path, {
    servers: (given, place) => readServers(dialect, given, place),
    by: optional(oneOf("contact", "hash", "batch"), "contact"),
    tables: (given, place) => readTables(dialect, given, place),
  });
  for (const name of ["files", "contacts", "lists"] as const) {
    const place = `${path}.tables.${name}`;
    const tables = [own[name], cluster.tables[name]];
    const [here = [], there = []] = tables.map(({ columns }) => columns.filter(isGiven));
    // The columns on the servers have the names used here.
    const other = there.find((column, i) => column.name !== here[i]?.name);
    if (other !== undefined) {
      const reason = `has the column ${quote(other.name)}, which has another name in options.tables.${name}`;
      throw new InputError(place, reason);
    }
    if (new Set(tables.map(({ columns }) => columns.every(isGiven))).size > 1) {
      const reason = `must have integers as strings if and only if options.tables.${name} has; name both tables, or neither`;
      throw new InputError(place, reason);
    }
  }
  return cluster;
}

const isGiven = ({ generated }: ColumnDefinition) => generated === undefined;

function readServers(dialect: Dialect, input: unknown, path: string): readonly string[] {
  const names = new Set<string>();
  for (const { value, path: place } of oneOrMore(input, path)) {
    const name = readName(value, place);
    // A server listed twice would return its rows twice.
    if (names.has(name)) throw new InputError(place, `repeats ${quote(name)}`);
    names.add(name);
  }
  if (names.size === 0) throw new InputError(path, "needs at least one server");
  if (names.size > 1 && dialect.onServers !== undefined) {
    throw new InputError(
      path,
      `must be a single name, the name of the cluster, for ${dialect.name}`,
    );
  }
  return [...names];
}
