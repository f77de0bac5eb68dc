// Many shards on few PostgreSQL servers. The tables of a server are partitioned: each of its shards is
// a partition, named in the server's row in the shard table. So a server is changed and queried as one
// database, and a shard moves to another server as a whole.

import { InputError } from "../schema/errors.ts";
import type { ColumnDefinition, Dialect, TableDefinition } from "./dialect.ts";
import { postgres } from "./dialects/postgres.ts";
import type { Table, Tables } from "./names.ts";
import type { Part } from "./shard.ts";

/** @throws InputError if a server has several shards and its engine does not support that */
export function requireShards({ name }: Dialect, { place }: Part): void {
  if (place !== undefined || name === "postgres") return;
  throw new InputError("options.shard.place", `must be one place for ${name}, not several`);
}

/** By which column a row goes to a shard. */
export function placeColumn({ contacts }: Tables, table: TableDefinition, { by }: Part): string {
  const isWhole = by === "batch" && table.name === contacts.name;
  return isWhole ? contacts.batch : (table.key.at(-1) ?? "");
}

/** The place of the shard for a number. */
export const placeOf = (number: string, { count }: Pick<Part, "count">) =>
  `((${number} % ${count}) + ${count}) % ${count}`;

/** The partition of a table for a shard. */
export function partitionOf({ path }: Table, place: number): Pick<Table, "name" | "path"> {
  const own = [...path.slice(0, -1), `${path.at(-1) ?? ""}_${place}`];
  return { name: own.map(postgres.quote).join("."), path: own };
}

/** The statements that make a table of a server, and its partitions. */
export function partitioned(table: Table, declared: string, column: string, part: Part): string[] {
  const by = placeOf(postgres.quote(column), part);
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
    const name = placeColumn(tables, into, part);
    const at = given.findIndex((column) => column.name === name);
    const held = `string_to_array((SELECT "place" FROM ${tables.shard.name}), ',')::bigint[]`;
    return `${placeOf(`(r ->> ${at})::bigint`, part)} = ANY(${held})`;
  };
}
