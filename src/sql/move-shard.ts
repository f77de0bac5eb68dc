// The statements that move a shard from one server of PostgreSQL to another.

import { anything, must, readOptions, type OptionReaders } from "../schema/options.ts";
import { postgres } from "./dialects/postgres.ts";
import { literal } from "./dialects/standard.ts";
import { readName, readTables, type Table } from "./names.ts";
import { partitionOf, placeOf } from "./partitions.ts";
import { readShard, type ShardBy } from "./shard.ts";

export interface MoveShardOptions {
  /** The place of the shard. */
  readonly place: number;
  /** How many shards there are. */
  readonly count: number;
  /** As `createTables` was told. Default `"contact"`. */
  readonly by?: ShardBy | undefined;
  /** What the server that gets the shard calls the one that has it, by `CREATE SERVER` of `postgres_fdw`. */
  readonly from: string;
}

/** A step of a move, and the server that it is for. */
export interface MoveStatement {
  readonly on: "from" | "to";
  /** A transaction by itself. */
  readonly text: string;
}

/** The schema of a copy, until it takes the shard's place. */
const COPY = "tercet_moving";
/** The schema of the other server's tables while they are copied. */
const THERE = "tercet_from";

/**
 * The four statements of a move, in their order; each needs the one before. The tables are those of `createTables`, in
 * the schema `public`.
 *
 * - A copy of the shard is made, in the schema `tercet_moving`, by the name of its generation.
 * - The server that has the shard gives it up.
 * - The other takes the copy, if it is of the generation of the shards there.
 * - The first server removes what it gave up.
 *
 * After the second, requests fail until the third. Each does nothing if it was done: after an interruption, run all of
 * them again.
 * Cost: the copy is linear in the shard. The others read no rows, and wait for the requests of the server to end.
 *
 * @throws InputError with the path of an option that is not valid
 */
export function moveShard(options: MoveShardOptions): readonly MoveStatement[] {
  const { from, ...shard } = readOptions(options, "options", moveOptions);
  const part = readShard(shard, "options");
  const place = part.place ?? 0;
  const tables = readTables(postgres, {});
  const { files, contacts, lists } = tables;
  const moved = [files, contacts].map((table) => {
    const { name, path } = partitionOf(table, place);
    const isOwn = placeOf(tables, table, part, postgres.quote);
    return { table, name, own: path.at(-1) ?? "", isOwn };
  });
  const held = (row: string) => `'${place}' = ANY (string_to_array(${row}.place, ','))`;
  const locked = [
    // Every request names this table before others: it is answered before the change, or after it.
    "LOCK TABLE tercet_shard IN ACCESS EXCLUSIVE MODE;",
    "SELECT * INTO STRICT own FROM tercet_shard;",
  ];
  const setHeld = (places: string) => [
    // Not an update: a snapshot of earlier would have the old row, but finds no row in a table that was cleared.
    "TRUNCATE tercet_shard;",
    `own.place := array_to_string(${places}, ',');`,
    "INSERT INTO tercet_shard VALUES (own.*);",
  ];
  const names = (each: Table) =>
    each.columns
      .filter(({ generated }) => generated === undefined)
      .map(({ name }) => postgres.quote(name));
  const copy = (each: Table, there: string, here: string) =>
    `INSERT INTO ${COPY}.${here} (${names(each).join(", ")}) SELECT ${names(each).join(", ")} FROM ${THERE}.${there};`;
  const imported = [...moved.map(({ own }) => own), "tercet_lists", "tercet_shard"].join(", ");
  return [
    {
      on: "to",
      text: block([
        "SELECT * INTO STRICT own FROM tercet_shard;",
        `IF own.shards <> ${part.count} THEN RAISE EXCEPTION 'this server has shards of %, not of ${part.count}', own.shards; END IF;`,
        `IF NOT ${held("own")} THEN`,
        `DROP SCHEMA IF EXISTS ${COPY} CASCADE;`,
        `DROP SCHEMA IF EXISTS ${THERE} CASCADE;`,
        `CREATE SCHEMA ${COPY};`,
        `CREATE SCHEMA ${THERE};`,
        `IMPORT FOREIGN SCHEMA public LIMIT TO (${imported}) FROM SERVER ${postgres.quote(from)} INTO ${THERE};`,
        ...moved.flatMap(({ table, own, isOwn }) => [
          // What is checked here is not read again when the table becomes a partition.
          `CREATE TABLE ${COPY}.${own} (LIKE ${table.name} INCLUDING ALL, PRIMARY KEY (${table.key.map(postgres.quote).join(", ")}), CHECK (${isOwn} IS NOT NULL AND ${isOwn} = ${place}));`,
          copy(table, own, own),
        ]),
        `CREATE UNIQUE INDEX ${moved[0]?.own}_id ON ${COPY}.${moved[0]?.own} (id);`,
        `CREATE TABLE ${COPY}.tercet_lists (LIKE tercet_lists INCLUDING ALL);`,
        copy(lists, "tercet_lists", "tercet_lists"),
        `CREATE TABLE ${COPY}.tercet_shard AS SELECT '${place}' AS place, shards, generation FROM ${THERE}.tercet_shard;`,
        `DROP SCHEMA ${THERE} CASCADE;`,
        "END IF;",
      ]),
    },
    {
      on: "from",
      text: block([
        ...locked,
        `IF ${held("own")} THEN`,
        ...moved.map(({ table, name }) => `ALTER TABLE ${table.name} DETACH PARTITION ${name};`),
        ...setHeld(`array_remove(string_to_array(own.place, ','), '${place}')`),
        "END IF;",
      ]),
    },
    {
      on: "to",
      text: block([
        ...locked,
        `IF NOT ${held("own")} THEN`,
        `SELECT * INTO STRICT copy FROM ${COPY}.tercet_shard;`,
        "IF own.place = '' THEN",
        `DELETE FROM tercet_lists; INSERT INTO tercet_lists SELECT * FROM ${COPY}.tercet_lists;`,
        "own.generation := copy.generation;",
        "ELSIF own.generation <> copy.generation THEN",
        `RAISE EXCEPTION ${literal(`the copy of shard ${place} is of generation %, this server of %: make the changes in between in the copy, too`)}, copy.generation, own.generation;`,
        "END IF;",
        ...moved.flatMap(({ table, name, own }) => [
          `ALTER TABLE ${COPY}.${own} SET SCHEMA public;`,
          `ALTER TABLE ${table.name} ATTACH PARTITION ${name} FOR VALUES IN (${place});`,
        ]),
        ...setHeld(`array_append(string_to_array(own.place, ','), '${place}')`),
        `DROP SCHEMA ${COPY} CASCADE;`,
        "END IF;",
      ]),
    },
    {
      on: "from",
      text: block([
        ...locked,
        `IF NOT ${held("own")} THEN`,
        ...moved.map(({ name }) => `DROP TABLE IF EXISTS ${name};`),
        "END IF;",
      ]),
    },
  ];
}

const block = (lines: readonly string[]) =>
  `DO $move$ DECLARE own tercet_shard%ROWTYPE; copy record; BEGIN\n${lines.join("\n")}\nEND $move$`;

const moveOptions = {
  place: must("the place of a shard", (given): given is number => typeof given === "number"),
  count: anything,
  by: anything,
  from: readName,
} satisfies OptionReaders<Record<keyof MoveShardOptions, unknown>>;
