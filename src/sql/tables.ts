// The statements that make the tables of a service, Files, Contacts and the Lists of Batches, or a table for records
// of a schema.

import { describe, InputError, member, quote } from "../schema/errors.ts";
import { iterate, membersOf, oneOrMore, reading } from "../schema/input.ts";
import { anything, oneOf, optional, readOptions, type OptionReaders } from "../schema/options.ts";
import { requireSchema, type FieldName, type Schema } from "../schema/schema.ts";
import type { Contact, ListFieldType } from "../service/contact.ts";
import type { File } from "../service/file.ts";
import type { Dialect, DialectName, IndexColumn, Statement, TableDefinition } from "./dialect.ts";
import { dialectOf } from "./dialects/index.ts";
import { listFieldKey } from "./list-fields.ts";
import {
  readName,
  readTable,
  readTables,
  requireCompared,
  type NamedColumns,
  type RecordTable,
  type ServiceTables,
  type Table,
  type TableName,
  type TableNames,
  type Tables,
} from "./names.ts";
import {
  readBy,
  readShard,
  SHARD_COLUMNS,
  THE_ONLY,
  type Part,
  type Shard,
  type ShardBy,
} from "./shard.ts";

export interface CreateTableOptions<Name extends string = string> {
  readonly dialect: DialectName;
  readonly table: TableName | TableNames<Name>;
  /** The fields that are to have an index. ClickHouse and DuckDB have none that would help. */
  readonly indexes?: readonly Name[] | undefined;
}

/**
 * The statements that make a table for records of a schema, its texts collated by code point.
 *
 * @throws SchemaError where the schema is none; InputError with the path of an option that is not valid
 */
export function createTable<S extends Schema>(
  schema: S,
  options: CreateTableOptions<FieldName<S>>,
): Iterable<Statement> {
  requireSchema(schema);
  const given = readOptions(options, "options", {
    dialect: dialectOf,
    table: anything,
    indexes: anything,
  });
  const { dialect } = given;
  const table = readTable(schema, dialect, given.table, "options.table");
  const indexes = indexesOn(table, given.indexes, "options.indexes");
  return statements([
    createStatement(table, dialect),
    ...indexes.map((index) =>
      indexStatement(dialect, table, index.name, [index, onPosition(dialect, table)]),
    ),
  ]);
}

export interface CreateTablesOptions {
  readonly dialect: DialectName;
  readonly tables?: ServiceTables | undefined;
  readonly indexes?: ServiceIndexes | undefined;
  /** Makes tables that hold nothing, but ask those of other servers. */
  readonly cluster?: Cluster | undefined;
  /** Which of several databases it is, whose tables are to hold a part of the records each. Default: the only one. */
  readonly shard?: Shard | undefined;
  /** Of the statements, those of the tables or those of the indexes: rows load faster without indexes. Default: all. */
  readonly only?: "tables" | "indexes" | undefined;
}

/** The fields that are to have an index. ClickHouse and DuckDB have none that would help. */
export interface ServiceIndexes {
  readonly files?: readonly FieldName<typeof File>[] | undefined;
  /** Each within its Batch. */
  readonly contacts?: readonly FieldName<typeof Contact>[] | undefined;
  /** List Fields with their types, within their Batches. MariaDB has no such indexes. */
  readonly listFields?: Readonly<Record<string, ListFieldType>> | undefined;
  /**
   * Fields that get an index of substrings, for which PostgreSQL has the extension `pg_trgm`; other engines have none.
   * A service uses these indexes if its option `substrings` is set.
   */
  readonly substrings?:
    | {
        readonly files?: readonly FieldName<typeof File>[] | undefined;
        readonly contacts?: readonly FieldName<typeof Contact>[] | undefined;
      }
    | undefined;
}

/**
 * The statements that make the tables of a service: Files, Contacts, the Lists of Batches, and the row that tells
 * which shard the database is.
 *
 * @throws InputError with the path of an option that is not valid
 */
export function createTables(options: CreateTablesOptions): Iterable<Statement> {
  const given = readOptions(options, "options", createTablesOptions);
  const { dialect, shard: part } = given;
  const tables = readTables(dialect, given.tables);
  if (given.cluster !== undefined) {
    if (part !== undefined) {
      throw new InputError("options.shard", "is for the servers of the cluster, not here");
    }
    const made = clusterStatements(dialect, tables, given.cluster, given.indexes);
    return statements(given.only === "indexes" ? [] : made);
  }
  const { files, contacts, lists, shard } = tables;
  const indexes = readOptions(given.indexes ?? {}, "options.indexes", {
    files: (names, path) => indexesOn(files, names, path),
    contacts: (names, path) => indexesOn(contacts, names, path),
    listFields: (types, path) => indexesOnListFields(contacts, dialect, types, path),
    substrings: (given, path) =>
      given === undefined ? [] : substringIndexes(tables, dialect, given, path),
  });
  const batch = { value: dialect.quote(contacts.batch), type: "int" } as const;
  const id = files.fields.get("id");
  return statements([
    ...(given.only === "indexes"
      ? []
      : [
          ...[files, contacts, lists, shard].map((table) => createStatement(table, dialect)),
          shardRow(shard, part ?? THE_ONLY, dialect),
        ]),
    ...(given.only === "tables"
      ? []
      : [
          ...indexes.files
            .filter(({ value }) => value !== id?.value)
            .map((index) =>
              indexStatement(dialect, files, index.name, [index, onPosition(dialect, files)]),
            ),
          id && indexStatement(dialect, files, id.column, [onField(id)], true),
          ...[...indexes.contacts, ...indexes.listFields].map((index) =>
            indexStatement(dialect, contacts, index.name, [
              batch,
              index,
              onPosition(dialect, contacts),
            ]),
          ),
          ...indexes.substrings,
        ]),
  ]);
}

export interface Cluster {
  /**
   * For PostgreSQL the names of foreign servers, which were made by `CREATE SERVER`; for ClickHouse the name of the
   * cluster in the servers' configuration.
   */
  readonly servers: string | readonly string[];
  /** What is kept together on one server: each Contact by itself, or a Batch. Default `"contact"`. */
  readonly by?: ShardBy | undefined;
  /** The tables of the other servers. Their columns have the same names as here. Default: those of `createTables`. */
  readonly tables?: ServiceTables | undefined;
}

/** A cluster that was read. */
export type ReadCluster = ReturnType<typeof readCluster>;

/**
 * @param own the tables that ask those of the servers
 * @throws InputError where the engine has no such tables, or a member of the cluster is not valid
 */
export function readCluster(dialect: Dialect, input: unknown, own: Tables) {
  const path = "options.cluster";
  if (dialect.spread === undefined) {
    throw new InputError(path, `is not for ${dialect.name}; give createSqlService several drivers`);
  }
  const cluster = readOptions(input, path, {
    servers: (given, place) => readServers(dialect, given, place),
    by: readBy,
    tables: (given, place) => readTables(dialect, given, place),
  });
  for (const name of ["files", "contacts", "lists"] as const) {
    const [here, there] = [own, cluster.tables].map((tables) => tables[name].columns);
    const other = there?.find((column, i) => column.name !== here?.[i]?.name);
    if (other === undefined) continue;
    // An engine queries the servers' columns by their names here.
    const reason = `has the column ${quote(other.name)}, which has another name in options.tables.${name}`;
    throw new InputError(`${path}.tables.${name}`, reason);
  }
  return cluster;
}

/** @throws InputError as {@link readCluster}, and where indexes are given */
function clusterStatements(
  dialect: Dialect,
  tables: Tables,
  input: unknown,
  indexes: unknown,
): string[] {
  const { files, contacts, lists, shard } = tables;
  const { servers, by, tables: remote } = readCluster(dialect, input, tables);
  if (indexes !== undefined) {
    throw new InputError("options.indexes", "are made on the servers of the cluster, not here");
  }
  const spread = (table: Table, there: Table, column: string) =>
    dialect.spread?.(declarations(table, dialect), {
      ...{ name: table.name, path: table.path, remote: there.path, servers, by: column },
    }) ?? [];
  return [
    ...spread(files, remote.files, files.position),
    ...spread(contacts, remote.contacts, by === "batch" ? contacts.batch : contacts.position),
    ...spread(lists, remote.lists, lists.batch),
    ...(dialect.gather?.(declarations(shard, dialect), {
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

const createTablesOptions = {
  dialect: dialectOf,
  tables: anything,
  indexes: anything,
  cluster: anything,
  shard: optional(readShard),
  only: optional(oneOf("tables", "indexes")),
} satisfies OptionReaders<Record<keyof CreateTablesOptions, unknown>>;

/** What an index is on, and what it is called. */
interface Index extends IndexColumn {
  readonly name: string;
  readonly text?: string | undefined;
}

const onField = ({ column: name, value, text, field: { type } }: NamedColumns) => ({
  ...{ name, value, text, type },
});

/** With the position, an index has the whole order of a page (rule P4), and its rows need not be read to skip them. */
const onPosition = ({ quote }: Dialect, { position }: RecordTable): IndexColumn => ({
  ...{ value: quote(position), type: "int", sorted: { order: "ASC", isNotNull: true } },
});

function indexesOn({ fields }: RecordTable, input: unknown, path: string): Index[] {
  if (input === undefined) return [];
  const seen = new Set<NamedColumns>();
  return Array.from(iterate(input, path), (name, i) => {
    const columns = typeof name === "string" ? fields.get(name) : undefined;
    const place = `${path}[${i}]`;
    if (columns === undefined)
      throw new InputError(place, `must be a field, not ${describe(name)}`);
    if (seen.has(columns)) throw new InputError(place, `is ${describe(name)} again`);
    seen.add(columns);
    return onField(requireCompared(columns));
  });
}

function indexesOnListFields(
  { listFields }: Tables["contacts"],
  dialect: Dialect,
  input: unknown,
  path: string,
): Index[] {
  const given = reading(path, () => Object.entries(membersOf(input ?? {}, path)));
  return given.map(([name, type], i) => {
    if (type !== "int" && type !== "string") {
      throw new InputError(member(path, name), `must be "int" or "string", not ${describe(type)}`);
    }
    const key = listFieldKey(name);
    const text = dialect.listField(dialect.quote(listFields), key);
    const value = type === "int" ? dialect.toInt(text) : text;
    // Called by a number: engines fold the case of List Fields, or cut them.
    return { name: `${listFields}_${i}`, value, type, isExpression: true };
  });
}

function substringIndexes(
  tables: Tables,
  { substrings, quote, name: engine }: Dialect,
  input: unknown,
  path: string,
): string[] {
  if (substrings === undefined) throw new InputError(path, `need PostgreSQL, not ${engine}`);
  const read = (table: RecordTable) => (names: unknown, place: string) =>
    indexesOn(table, names, place).map(({ name, value, text }) => {
      const own = quote(`${table.path.at(-1) ?? ""}_${name}_parts`);
      return `CREATE INDEX ${own} ON ${table.name} ${substrings.using(text ?? value)}`;
    });
  const { files, contacts } = readOptions(input, path, {
    files: read(tables.files),
    contacts: read(tables.contacts),
  });
  return [substrings.extension, ...files, ...contacts];
}

const statements = (texts: readonly (string | undefined)[]): Statement[] =>
  texts.filter((text) => text !== undefined).map((text) => ({ text, parameters: [] }));
/** The columns of a table as they are declared. */
export function declarations(table: TableDefinition, dialect: Dialect): string {
  const columns = table.columns.map((column) => {
    const { generated } = column;
    const type = dialect.declare(column);
    const declared = generated === undefined ? type : dialect.generated(type, generated);
    return `${dialect.quote(column.name)} ${declared}`;
  });
  return columns.join(", ");
}

export function createStatement(table: TableDefinition, dialect: Dialect): string {
  return `CREATE TABLE ${table.name} (${declarations(table, dialect)}${dialect.keyOf(table)}`;
}

/** The statement that fills the table of a database whose records are those of generation 0. */
export function shardRow(
  { name }: Table,
  { place, count }: Pick<Part, "place" | "count">,
  { quote }: Dialect,
): string {
  return `INSERT INTO ${name} (${SHARD_COLUMNS.map(quote).join(", ")}) VALUES (${place}, ${count}, 0)`;
}

/** An index for filters and sorts; `undefined` where the engine has none that would help. */
export function indexStatement(
  { quote, indexed }: Dialect,
  { name: table, path }: Pick<Table, "name" | "path">,
  name: string,
  columns: readonly IndexColumn[],
  isUnique = false,
): string | undefined {
  const members = columns.map(indexed);
  if (members.includes(undefined)) return undefined;
  const own = quote(`${path.at(-1) ?? ""}_${name}`);
  return `CREATE ${isUnique ? "UNIQUE " : ""}INDEX ${own} ON ${table} (${members.join(", ")})`;
}
