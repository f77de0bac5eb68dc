// The statements that create the tables of a service, for Files, Contacts and the Lists of Batches, or
// a table for records of a schema.

import { describe, InputError, member, quote } from "../schema/errors.ts";
import { iterate, membersOf, oneOrMore, reading } from "../schema/input.ts";
import {
  anything,
  must,
  oneOf,
  optional,
  readOptions,
  type OptionReaders,
} from "../schema/options.ts";
import type { FieldName } from "../schema/names.ts";
import { requireSchema, type Schema } from "../schema/schema.ts";
import type { Contact, ListFieldType } from "../service/contact.ts";
import type { File } from "../service/file.ts";
import { readListFieldType } from "../service/lists.ts";
import type {
  ColumnDefinition,
  Dialect,
  DialectName,
  IndexColumn,
  Statement,
  TableDefinition,
} from "./dialect.ts";
import { dialectOf } from "./dialects/index.ts";
import { byteLength } from "./dialects/standard.ts";
import { listFieldKey } from "./list-fields.ts";
import {
  GENERATION_COLUMN,
  readName,
  readTable,
  readTables,
  requireCompared,
  unqualified,
  type NamedColumns,
  type RecordTable,
  type ServiceTables,
  type Table,
  type TableName,
  type TableNames,
  type Tables,
  VERSION_COLUMN,
} from "./names.ts";
import { comparedColumn, uniqueIn } from "./unique-columns.ts";

/** The options of `createTable`. */
export interface CreateTableOptions<Name extends string = string> {
  readonly dialect: DialectName;
  readonly table: TableName | TableNames<Name>;
  /**
   * The fields to index. An array of names makes one index on several fields; put those that criteria compare by
   * `exactly` first. ClickHouse and DuckDB have no suitable indexes.
   */
  readonly indexes?: readonly Several<Name>[] | undefined;
}

/** The fields of one index. */
export type Several<Member> = Member | readonly Member[];

/**
 * The statements that create a table for records of a schema, with strings collated by code point. Unique fields and
 * combinations get a UNIQUE constraint, except in ClickHouse, which has none.
 *
 * @throws SchemaError if the schema is not one; InputError with the path of an option that is not valid
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
  return statements(newTable(schema, dialect, table, [], given.indexes, "options.indexes"));
}

/**
 * The statements that create a table for records of a schema, and its indexes.
 *
 * @param foreignKeys the declarations of its foreign keys
 * @param path of the indexes
 * @throws InputError if the indexes are not valid
 */
export function newTable(
  schema: Schema,
  dialect: Dialect,
  table: RecordTable,
  foreignKeys: readonly string[],
  given: unknown,
  path: string,
): (string | undefined)[] {
  const indexes = indexesOn(dialect, table, given, path);
  const key = JSON.stringify(table.key);
  const unique = dialect.hasUnique
    ? uniqueIn(schema, table).filter((columns) => JSON.stringify(columns) !== key)
    : [];
  const newName = indexNaming([
    ...namesOf(table),
    // PostgreSQL and MariaDB name constraints like this.
    ...unique.flatMap((columns) => [nameIn(table, columns, "_key"), ...columns.slice(0, 1)]),
  ]);
  const constraints = unique.map(
    (columns) => `UNIQUE (${columns.map(dialect.quoteColumn).join(", ")})`,
  );
  return [
    createStatement(table, dialect, [...constraints, ...foreignKeys]),
    ...indexes.map((columns) => orderedIndex(dialect, table, newName, columns)),
  ];
}

/** The options of `createTables`. */
export interface CreateTablesOptions {
  readonly dialect: DialectName;
  readonly tables?: ServiceTables | undefined;
  readonly indexes?: ServiceIndexes | undefined;
  /** Makes tables that contain no rows themselves and query those of other servers. */
  readonly cluster?: Cluster | undefined;
  /** Only the statements for tables, or only those for indexes: rows load faster without indexes. Default: both. */
  readonly only?: "tables" | "indexes" | undefined;
  /**
   * How PostgreSQL stores integers as strings, in additional columns. `"virtual"`, from version 18 on, takes no space
   * and computes them when read. Default `"stored"`.
   */
  readonly textColumns?: "stored" | "virtual" | undefined;
}

/** The fields to index, as in {@link CreateTableOptions}. */
export interface ServiceIndexes {
  readonly files?: readonly Several<FieldName<typeof File>>[] | undefined;
  /** Each within its Batch. */
  readonly contacts?: readonly Several<FieldName<typeof Contact> | ListFieldIndex>[] | undefined;
  /** List Fields with their types, within their Batches. MariaDB has no such indexes. */
  readonly listFields?: Readonly<Record<string, ListFieldType>> | undefined;
  /**
   * Fields with a substring index: PostgreSQL only, with the extension `pg_trgm`. A service uses them with the option
   * `substrings`.
   */
  readonly substrings?:
    | {
        readonly files?: readonly FieldName<typeof File>[] | undefined;
        readonly contacts?: readonly FieldName<typeof Contact>[] | undefined;
      }
    | undefined;
}

/** A List Field as an item of an index. MariaDB has no such indexes. */
export interface ListFieldIndex {
  readonly listField: string;
  /** Default `"string"`. */
  readonly type?: ListFieldType | undefined;
}

/**
 * The statements that create the tables of a service: for Files, Contacts, the Lists of Batches, and the generation of
 * the records.
 *
 * @throws InputError with the path of an option that is not valid
 */
export function createTables(options: CreateTablesOptions): Iterable<Statement> {
  const given = readOptions(options, "options", createTablesOptions);
  const { textColumns } = given;
  const { virtual } = given.dialect;
  const isVirtual = textColumns === "virtual";
  if (isVirtual && virtual === undefined) {
    const reason = `can be "virtual" in PostgreSQL, not in ${given.dialect.name}`;
    throw new InputError("options.textColumns", reason);
  }
  const dialect = isVirtual ? { ...given.dialect, ...virtual } : given.dialect;
  const tables = readTables(dialect, given.tables);
  if (given.cluster !== undefined) {
    if (textColumns !== undefined) {
      throw new InputError("options.textColumns", "applies only to the servers of a cluster");
    }
    const made = clusterStatements(dialect, tables, given.cluster, given.indexes);
    return statements(given.only === "indexes" ? [] : made);
  }
  return statements([
    ...(given.only === "indexes" ? [] : tableStatements(dialect, tables)),
    ...(given.only === "tables" ? [] : indexesOf(dialect, tables, given.indexes)),
  ]);
}

function tableStatements(dialect: Dialect, tables: Tables): string[] {
  const { files, contacts, lists } = tables;
  return [
    ...[files, contacts, lists].map((table) => createStatement(table, dialect)),
    ...stateStatements(dialect, tables),
  ];
}

/** The statements that create the state table, and its row, with generation 0. */
function stateStatements(dialect: Dialect, { state }: Tables): string[] {
  const columns = [VERSION_COLUMN, GENERATION_COLUMN].map(dialect.quoteColumn).join(", ");
  return [
    createStatement(state, dialect),
    `INSERT INTO ${state.name} (${columns}) VALUES (${TABLES_VERSION}, 0)`,
  ];
}

const listFieldOptions = {
  listField: must("the name of a List Field", (given) => typeof given === "string"),
  type: optional(readListFieldType, "string"),
};

/** The statements that create the indexes; `undefined` for an index that the engine does not support. */
function indexesOf(dialect: Dialect, tables: Tables, input: unknown): (string | undefined)[] {
  const { files, contacts } = tables;
  const newName = indexNaming(Object.values(tables).flatMap(namesOf));
  const onListField = (listField: string, type: ListFieldType): Member => {
    const { listFields: name } = contacts;
    const text = dialect.listField(dialect.quoteColumn(name), listFieldKey(listField));
    return { name, value: type === "int" ? dialect.toInt(text) : text, type, isExpression: true };
  };
  const given = readOptions(input ?? {}, "options.indexes", {
    files: (names, path) => indexesOn(dialect, files, names, path),
    contacts: (names, path) =>
      indexesOn(dialect, contacts, names, path, (given, place) => {
        const { listField, type } = readOptions(given, place, listFieldOptions);
        return onListField(listField, type);
      }),
    listFields: (types, path) =>
      reading(path, () => Object.entries(membersOf(types ?? {}, path))).map(([name, type]) =>
        onListField(name, readListFieldType(type, member(path, name))),
      ),
    substrings: (given, path) =>
      given === undefined ? [] : substringIndexes(tables, dialect, newName, given, path),
  });
  const batch = { value: dialect.quoteColumn(contacts.batch), type: "int" } as const;
  const id = files.fields.get("id");
  const ofFiles = given.files.filter((columns) => columns.some(({ name }) => name !== id?.column));
  const ofContacts = [...given.contacts, ...given.listFields.map((column) => [column])];
  return [
    ...ofFiles.map((columns) => orderedIndex(dialect, files, newName, columns)),
    id && indexStatement(dialect, files, newName(files, [id.column]), [onField(dialect, id)], true),
    ...ofContacts.map((columns) => orderedIndex(dialect, contacts, newName, columns, [batch])),
    ...given.substrings,
  ];
}

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

/**
 * The statements that create the tables which query the servers of a cluster, and the state table, which exists only
 * here.
 *
 * @throws InputError like {@link readCluster}, and if indexes are given
 */
function clusterStatements(
  dialect: Dialect,
  tables: Tables,
  input: unknown,
  indexes: unknown,
): string[] {
  const { files, contacts, lists } = tables;
  const { servers, by, tables: remote } = readCluster(dialect, input, tables);
  if (indexes !== undefined) {
    throw new InputError(
      "options.indexes",
      "are made on the servers of the cluster; omit them here",
    );
  }
  const spread = (table: Table, there: Table, columns: readonly string[]) =>
    dialect.spread?.(declarations(table, dialect), {
      ...{ name: table.name, path: table.path, remote: there.path, servers, by: columns },
    }) ?? [];
  return [
    ...spread(files, remote.files, [files.position]),
    ...spread(contacts, remote.contacts, spreadBy(contacts, by)),
    ...spread(lists, remote.lists, [lists.batch]),
    ...stateStatements(dialect, tables),
  ];
}

/** The columns that determine the server of a Contact. */
const spreadBy = ({ batch, position }: Tables["contacts"], by: SpreadBy): string[] => [
  ...(by === "contact" ? [] : [batch]),
  ...(by === "batch" ? [] : [position]),
];

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

const createTablesOptions = {
  dialect: dialectOf,
  tables: anything,
  indexes: anything,
  cluster: anything,
  only: optional(oneOf("tables", "indexes")),
  textColumns: optional(oneOf("stored", "virtual")),
} satisfies OptionReaders<Record<keyof CreateTablesOptions, unknown>>;

/** An item of an index, and its part of the index's name. */
interface Member extends IndexColumn {
  readonly name: string;
}

/** An index on columns for pages in the order of the table. */
function orderedIndex(
  dialect: Dialect,
  table: RecordTable,
  newName: IndexNaming,
  columns: readonly Member[],
  within: readonly IndexColumn[] = [],
): string | undefined {
  const names = columns.map(({ name }) => name);
  const known = new Set(columns.map(({ value }) => value));
  const ends = table.order
    ?.map((each) => ({
      ...onField(dialect, each),
      sorted: { order: "ASC", isNotNull: true } as const,
    }))
    .filter(({ value }) => !known.has(value));
  const all = [...within, ...columns, ...(ends ?? [onPosition(dialect, table)])];
  return indexStatement(dialect, table, newName(table, names), all);
}

const onField = ({ quoteColumn }: Dialect, columns: NamedColumns): Member => ({
  name: columns.column,
  value: quoteColumn(comparedColumn(columns)),
  type: columns.field.type,
});

/**
 * Including the position, an index covers the whole order of a page (rule P4), so rows can be skipped without reading
 * them.
 */
const onPosition = ({ quoteColumn }: Dialect, { position }: RecordTable): IndexColumn => ({
  ...{ value: quoteColumn(position), type: "int", sorted: { order: "ASC", isNotNull: true } },
});

/** @throws InputError if it is not one */
function readFieldName({ fields }: RecordTable, name: unknown, path: string): NamedColumns {
  const columns = typeof name === "string" ? fields.get(name) : undefined;
  if (columns === undefined) throw new InputError(path, `must be a field, not ${describe(name)}`);
  return requireCompared(columns);
}

/** @param readOther reads items that are not names of fields */
function indexesOn(
  dialect: Dialect,
  table: RecordTable,
  input: unknown,
  path: string,
  readOther?: (member: object, path: string) => Member,
) {
  const indexes = new Map<string, readonly Member[]>();
  for (const [i, entry] of Array.from(iterate(input ?? [], path)).entries()) {
    const place = `${path}[${i}]`;
    const members = new Map<string, Member>();
    for (const { value, path: memberPlace } of oneOrMore(entry, place)) {
      const isOther = readOther !== undefined && typeof value === "object" && value !== null;
      const own = isOther
        ? readOther(value, memberPlace)
        : onField(dialect, readFieldName(table, value, memberPlace));
      if (members.has(own.value)) throw new InputError(memberPlace, `repeats ${describe(value)}`);
      members.set(own.value, own);
    }
    if (members.size === 0) throw new InputError(place, "needs at least one field");
    const key = JSON.stringify([...members.keys()]);
    if (indexes.has(key)) throw new InputError(place, "repeats an earlier index");
    indexes.set(key, [...members.values()]);
  }
  return [...indexes.values()];
}

function substringIndexes(
  tables: Tables,
  dialect: Dialect,
  newName: IndexNaming,
  input: unknown,
  path: string,
) {
  const { substrings, quote, name: engine } = dialect;
  if (substrings === undefined) throw new InputError(path, `need PostgreSQL, not ${engine}`);
  const read = (table: RecordTable) => (names: unknown, place: string) =>
    Array.from(iterate(names ?? [], place), (name, i) => {
      const columns = readFieldName(table, name, `${place}[${i}]`);
      const { column, value, text = value } = columns;
      const own = quote(newName(table, [column, "parts"]));
      const made = columns.columns.at(-1)?.generated;
      // A virtual column can't be indexed, but its expression can.
      const indexed =
        dialect.isVirtual === true && made
          ? dialect.ordered(made, "string")
          : unqualified(text, columns, table.name, dialect);
      return `CREATE INDEX ${own} ON ${table.name} ${substrings.using(indexed)}`;
    });
  const { files, contacts } = readOptions(input, path, {
    files: read(tables.files),
    contacts: read(tables.contacts),
  });
  return [substrings.extension, ...files, ...contacts];
}

export const statements = (texts: readonly (string | undefined)[]): Statement[] =>
  texts.filter((text) => text !== undefined).map((text) => ({ text, parameters: [] }));

/** The declarations of a table's columns. */
function declarations(table: TableDefinition, dialect: Dialect): string {
  const columns = table.columns.map((column) => {
    const { generated } = column;
    const type = dialect.declare(column);
    const declared = generated === undefined ? type : dialect.generated(type, generated);
    return `${dialect.quoteColumn(column.name)} ${declared}`;
  });
  return columns.join(", ");
}

/** @param constraints the declarations of constraints on the columns */
export function createStatement(
  table: TableDefinition,
  dialect: Dialect,
  constraints: readonly string[] = [],
): string {
  const declared = [declarations(table, dialect), ...constraints].join(", ");
  return `CREATE TABLE ${table.name} (${declared}${dialect.keyOf(table)}`;
}

/** The version of the tables that `createTables` makes. */
const TABLES_VERSION = 1;

/** An index for filters and sorts; `undefined` if the engine has no suitable index. */
export function indexStatement(
  dialect: Dialect,
  table: Pick<Table, "name" | "path">,
  name: string,
  columns: readonly IndexColumn[],
  isUnique = false,
): string | undefined {
  const members = columns.map((column) => dialect.indexed?.(column, columns));
  if (members.includes(undefined)) return undefined;
  const own = dialect.quote(name);
  return `CREATE ${isUnique ? "UNIQUE " : ""}INDEX ${own} ON ${table.name} (${members.join(", ")})`;
}

/** The most bytes of a name in all engines: PostgreSQL drops the others. */
const LONGEST_NAME = 63;

/** A name that starts with the table's. @param end what follows if the name is too long */
function nameIn(table: Pick<Table, "path">, parts: readonly string[], end = ""): string {
  const points = Array.from([table.path.at(-1), ...parts].join("_"));
  while (byteLength(points.join("") + end) > LONGEST_NAME) points.pop();
  return points.join("") + end;
}

/** The names of a table and of its key in PostgreSQL, which no index can have. */
const namesOf = (table: Table) => [nameIn(table, []), nameIn(table, [], "_pkey")];

/** Names an index after its table and columns, differently from all others in any case. */
export type IndexNaming = (table: Pick<Table, "path">, columns: readonly string[]) => string;

/** @param names that no index can have */
export function indexNaming(names: Iterable<string>): IndexNaming {
  const taken = new Set(Array.from(names, (name) => name.toLowerCase()));
  return (table, columns) => {
    for (let number = 1; ; number++) {
      const name = nameIn(table, columns, number === 1 ? "" : `_${number}`);
      if (taken.has(name.toLowerCase())) continue;
      taken.add(name.toLowerCase());
      return name;
    }
  };
}
