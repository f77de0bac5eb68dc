// The statements that create the tables of a service, for Files, Contacts and the Lists of Batches, or
// a table for records of a schema.

import { InputError, member } from "../schema/errors.ts";
import { membersOf, reading } from "../schema/input.ts";
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
import { readCluster, type Cluster, type SpreadBy } from "./cluster.ts";
import type { Dialect, DialectName, Statement, TableDefinition } from "./dialect.ts";
import { dialectOf } from "./dialects/index.ts";
import { listFieldKey } from "./list-fields.ts";
import {
  GENERATION_COLUMN,
  readTable,
  readTables,
  type RecordTable,
  type ServiceTables,
  type Table,
  type TableName,
  type TableNames,
  type Tables,
  VERSION_COLUMN,
} from "./names.ts";
import {
  indexesOn,
  indexNaming,
  indexStatement,
  nameIn,
  namesOf,
  onField,
  orderedIndex,
  substringIndexes,
  type Member,
} from "./table-indexes.ts";
import { uniqueIn } from "./unique-columns.ts";

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

const createTablesOptions = {
  dialect: dialectOf,
  tables: anything,
  indexes: anything,
  cluster: anything,
  only: optional(oneOf("tables", "indexes")),
  textColumns: optional(oneOf("stored", "virtual")),
} satisfies OptionReaders<Record<keyof CreateTablesOptions, unknown>>;

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
