// Many shards on few PostgreSQL servers. The tables of a server are partitioned: each of its shards is
// a partition, named in the server's row in the shard table. So a server is changed and queried as one
// database, and a shard moves to another server as a whole.

import { InputError } from "../schema/errors.ts";
import type { ColumnDefinition, Dialect, TableDefinition } from "./dialect.ts";
import { postgres } from "./dialects/postgres.ts";
import { namedTable, pathOf, type Table, type Tables } from "./names.ts";
import { HASH, type Part } from "./shard.ts";

/** @throws InputError if a server has several shards and its engine does not support that */
export function requireShards({ name }: Dialect, { place }: Part): void {
  if (place !== undefined || name === "postgres") return;
  throw new InputError("options.shard.place", `must be one place for ${name}, not several`);
}

/**
 * The place of the shard for a row.
 *
 * @param read the SQL of the value of a column
 */
export function placeOf(
  { contacts }: Tables,
  table: TableDefinition,
  { by, count }: Part,
  read: (column: string) => string,
): string {
  let number = read(table.key.at(-1) ?? "");
  if (table.name === contacts.name && by !== "contact") {
    const batch = read(contacts.batch);
    const { primes, factors } = HASH;
    const mixed = `(${batch} % ${primes[0]} * ${factors[0]} + ${number} % ${primes[0]}) % ${primes[0]}`;
    number = by === "batch" ? batch : `abs(${mixed} * ${factors[1]} % ${primes[1]})`;
  }
  return `((${number} % ${count}) + ${count}) % ${count}`;
}

/** The partition of a table for a shard. */
export const partitionOf = (table: Table, place: number): Pick<Table, "name" | "path"> =>
  namedTable(postgres, pathOf(table, place));

/** The statements that make a table of a server, and its partitions. */
export function partitioned(tables: Tables, table: Table, declared: string, part: Part): string[] {
  const by = placeOf(tables, table, part, postgres.quote);
  return [
    `CREATE TABLE ${table.name} (${declared}) PARTITION BY LIST ((${by}))`,
    ...(part.places ?? []).map(
      (place) =>
        `CREATE TABLE ${partitionOf(table, place).name} PARTITION OF ${table.name} (${keyOf(table)}) FOR VALUES IN (${place})`,
    ),
  ];
}

const keyOf = ({ key }: TableDefinition) => `PRIMARY KEY (${key.map(postgres.quote).join(", ")})`;

/** The columns of the shard's table of a server that names several places. */
export const placesAsText = ({ columns }: Table): ColumnDefinition[] =>
  columns.map((column) => (column.name === "place" ? { ...column, kind: "string" } : column));

/** Tells the rows that belong to the shards of the server that inserts them. */
export function isOnServer(tables: Tables, part: Part) {
  if (part.place !== undefined || part.places !== undefined) return undefined;
  return (into: TableDefinition): string | undefined => {
    // A server has the Lists of all Batches.
    if (into.name === tables.lists.name) return undefined;
    const given = into.columns.filter(({ generated }) => generated === undefined);
    const read = (column: string) =>
      `(r ->> ${given.findIndex(({ name }) => name === column)})::bigint`;
    const held = `string_to_array((SELECT "place" FROM ${tables.shard.name}), ',')::bigint[]`;
    return `${placeOf(tables, into, part, read)} = ANY(${held})`;
  };
}
