// The names of tables: those that tercet assigns, for any schema or for a service, and those of existing tables.

import { isFolded } from "../schema/folding.ts";
import { InputError, member } from "../schema/errors.ts";
import { oneOrMore } from "../schema/input.ts";
import { optional, readOptions, type OptionReaders, type OptionsOf } from "../schema/options.ts";
import type { Place } from "../schema/place.ts";
import type { FieldName } from "../schema/names.ts";
import type { Schema } from "../schema/schema.ts";
import { Contact } from "../service/contact.ts";
import { File } from "../service/file.ts";
import {
  readColumns,
  readName,
  type ColumnName,
  type ColumnNames,
  type NamedColumns,
} from "./columns.ts";
import type { ColumnDefinition, Dialect, TableDefinition } from "./dialect.ts";
import { columnIn } from "./result-columns.ts";

/** The name of a table, or an array that starts with its database or schema. */
export type TableName = string | readonly string[];

/** The names of an existing table. */
export interface TableNames<Name extends string = string> {
  readonly name: TableName;
  /**
   * The columns of fields, or `"fields"`: named after the fields, with `name_folded` for the compared values of a field
   * `name` that ignores case or accents. Default: `c0`, `c1` and so on, in the order of the schema.
   */
  readonly columns?: ColumnNames<Name> | undefined;
  /** The integer column with the insertion order. Default: `position`. */
  readonly position?: string | undefined;
}

/** A table: its own name quoted, the names of columns unquoted. */
export interface Table extends TableDefinition {
  /** Its name unquoted, after those of its database or schema. */
  readonly path: readonly string[];
}

/** The operations on a table of records. */
export type AskedTable = Omit<RecordTable, keyof TableDefinition> & Pick<TableDefinition, "name">;

/** A table of records. */
export interface RecordTable extends Table {
  readonly position: string;
  /** Without a position: the fields whose values identify a record. */
  readonly order?: readonly NamedColumns[] | undefined;
  /** By the name of the field. */
  readonly fields: ReadonlyMap<string, NamedColumns>;
}

/** The tables of a service, if they were not made by `createTables`. */
export interface ServiceTables {
  /** Default: `tercet_files`, with columns named after the fields. */
  readonly files?: TableName | TableNames<FieldName<typeof File>> | undefined;
  /** Default: `tercet_contacts`, with columns named after the fields. */
  readonly contacts?: TableName | ContactTableNames | undefined;
  /** Default: `tercet_lists`. */
  readonly lists?: TableName | ListTableNames | undefined;
  /** The table with one row, the generation of the records. Default: `tercet_state`. */
  readonly state?: TableName | undefined;
}

/** The table of the Contacts of all Batches. */
export interface ContactTableNames extends TableNames<FieldName<typeof Contact>> {
  /** The column of the id of the Batch. Default: `batch_id`. */
  readonly batch?: string | undefined;
  /** The column of the id of the List. Default: `list_id`. */
  readonly list?: string | undefined;
  /** The column of all List Fields. Default: `list_fields`. */
  readonly listFields?: string | undefined;
}

/**
 * The table of the Lists of all Batches: one row for the Batch itself, without a List id, followed by one for each
 * List.
 */
export interface ListTableNames {
  readonly name: TableName;
  /** The column of the id of the Batch. Default: `batch_id`. */
  readonly batch?: string | undefined;
  /** The integer column with the order of the Lists. Default: `position`. */
  readonly position?: string | undefined;
  /** The column of the id of the List. Default: `list_id`. */
  readonly list?: string | undefined;
  /**
   * The column of the List Fields, as JSON: `[["Email","string"],["Age","int"]]`. In the row of the Batch, a string
   * that changes whenever its Lists do. Default: `fields`.
   */
  readonly fields?: string | undefined;
}

/** The name of a table: one, or several of which the last is its own. */
export function readTableName(name: unknown, path: string): readonly string[] {
  const parts = oneOrMore(name, path);
  if (parts.length === 0) throw new InputError(path, "must be a name, not an empty array");
  return parts.map(({ value, path: place }) => readName(value, place));
}

/** The name of a table that was read. */
export const namedTable = ({ quote }: Dialect, path: readonly string[]) => ({
  name: path.map(quote).join("."),
  path,
});

/** The path of an object named after a table. */
export const pathOf = ({ path }: Pick<Table, "path">, what: string | number) => [
  ...path.slice(0, -1),
  `${path.at(-1) ?? ""}_${what}`,
];

export const int = (name: string, nullable = false): ColumnDefinition => ({
  ...{ name, kind: "int", nullable },
});

/** Reads the name of a table, or the names of its parts. */
function readNames<Names extends object>(
  input: unknown,
  path: string,
  readers: OptionReaders<Names>,
): Names {
  const isName = typeof input === "string" || Array.isArray(input);
  return readOptions(isName ? { name: input } : input, path, readers);
}

/** The default column of a field. */
type ColumnOf = (place: Place, table: readonly string[]) => ColumnName;

/** How the names of a table of records are read, starting with its own. */
function recordNames(schema: Schema, dialect: Dialect, columnOf: ColumnOf) {
  let table: readonly string[] = [];
  return {
    name: (given: unknown, path: string) => (table = readTableName(given, path)),
    columns: (given: unknown, path: string) => {
      const { name } = namedTable(dialect, table);
      const columnsBy = readColumns(schema, dialect, given ?? {}, path, (place) =>
        columnOf(place, table),
      );
      return columnsBy((column) => columnIn(name, column, dialect));
    },
    position: optional(readName, "position"),
  };
}

/** @throws InputError with the path of the first member that is not valid */
export function readTable(
  schema: Schema,
  dialect: Dialect,
  input: unknown,
  path: string,
  columnOf: ColumnOf = defaultColumn,
): RecordTable {
  const table = recordTable(
    dialect,
    readNames(input, path, recordNames(schema, dialect, columnOf)),
  );
  requireExpressions(table, dialect, path);
  return table;
}

/** @throws InputError if a computed field has no expression in the engine, and no column is named for it */
function requireExpressions(
  { fields }: RecordTable,
  { name: engine }: Dialect,
  path: string,
): void {
  for (const [name, { computed, columns, isNamed }] of fields) {
    if (computed === undefined || columns[0]?.generated !== undefined || isNamed) continue;
    const what =
      computed.field.path === undefined
        ? "a function, which SQL can't call"
        : `a path, for which ${engine} has no generated column`;
    throw new InputError(
      member(`${path}.columns`, name),
      `must name a column, which insertRecords fills: the field is computed by ${what}`,
    );
  }
}

function recordTable(
  dialect: Dialect,
  { name, columns: fields, position }: OptionsOf<ReturnType<typeof recordNames>>,
): RecordTable {
  const columns = [int(position), ...[...fields.values()].flatMap((field) => field.columns)];
  return { ...namedTable(dialect, name), position, fields, columns, key: [position] };
}

const defaultColumn = ({ position, field }: Place): ColumnName => {
  const column = `c${position}`;
  return isFolded(field) ? { column, folded: `${column}_folded` } : column;
};

/** The columns of the state table: the version of the tables, and the generation of their records. */
export const VERSION_COLUMN = "version";
export const GENERATION_COLUMN = "generation";

/** The tables of a service; names of tables are quoted, names of columns are not. */
export type Tables = ReturnType<typeof readTables>;

/** @throws InputError with the path of the first member that is not valid */
export function readTables(dialect: Dialect, input: unknown, path = "options.tables") {
  // Only tables made by tercet also have integers as strings.
  const columnOf =
    (made: string): ColumnOf =>
    ({ name, field: { type, searchable } }, table) =>
      dialect.hasTextColumns && table.at(-1) === made && type === "int" && searchable
        ? { column: name, text: `${name}_text` }
        : name;
  return readOptions(input ?? {}, path, {
    files: (given: unknown, place: string) =>
      readTable(File, dialect, given ?? "tercet_files", place, columnOf("tercet_files")),
    contacts: (given: unknown, place: string) => {
      const { batch, list, listFields, ...own } = readNames(given ?? "tercet_contacts", place, {
        ...recordNames(Contact, dialect, columnOf("tercet_contacts")),
        batch: optional(readName, "batch_id"),
        list: optional(readName, "list_id"),
        listFields: optional(readName, "list_fields"),
      });
      const { position } = own;
      const table = recordTable(dialect, own);
      const last = { name: listFields, kind: "listFields", nullable: false } as const;
      const columns = [int(batch), int(position), int(list), ...table.columns.slice(1), last];
      return { ...table, batch, list, listFields, columns, key: [batch, position] };
    },
    lists: (given: unknown, place: string) => {
      const { name, ...own } = readNames(given ?? "tercet_lists", place, {
        name: readTableName,
        batch: optional(readName, "batch_id"),
        position: optional(readName, "position"),
        list: optional(readName, "list_id"),
        fields: optional(readName, "fields"),
      });
      const { batch, position, list, fields } = own;
      const last = { name: fields, kind: "string", nullable: false } as const;
      const columns = [int(batch), int(position), int(list, true), last];
      return { ...namedTable(dialect, name), ...own, columns, key: [batch, position] };
    },
    state: (given: unknown, place: string): Table => {
      const named = namedTable(dialect, readTableName(given ?? "tercet_state", place));
      const columns = [VERSION_COLUMN, GENERATION_COLUMN].map((column) => int(column));
      // ClickHouse can't change a column of a key.
      return { ...named, columns, key: [VERSION_COLUMN] };
    },
  });
}
