// The tables of a service: Files, Contacts, and the Lists of Batches.

import { readMembers } from "../schema/input.ts";
import type { Place } from "../schema/place.ts";
import type { FieldName } from "../schema/schema.ts";
import { Contact } from "../service/contact.ts";
import { File } from "../service/file.ts";
import type { ColumnDefinition, Dialect, IndexColumn, TableDefinition } from "./dialect.ts";
import {
  quoteTable,
  readName,
  readTable,
  readTableName,
  TABLE_MEMBERS,
  tableMembers,
  type ColumnName,
  type NamedColumns,
  type Table,
  type TableName,
  type TableNames,
} from "./names.ts";

/** The tables of a service, where they are not those of `createTables`. */
export interface ServiceTables {
  /** Default: `tercet_files`, whose columns are called as the fields. */
  readonly files?: TableName | TableNames<FieldName<typeof File>> | undefined;
  /** Default: `tercet_contacts`, whose columns are called as the fields. */
  readonly contacts?: TableName | ContactTableNames | undefined;
  /** Default: `tercet_lists`. */
  readonly lists?: TableName | ListTableNames | undefined;
  /** The table of one row that tells which shard the database is, and its generation. Default: `tercet_shard`. */
  readonly shard?: TableName | undefined;
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
 * The table of the Lists of all Batches: a row for each List and, before these, one for the Batch
 * itself, which has no List's id.
 */
export interface ListTableNames {
  readonly name: TableName;
  /** The column of the id of the Batch. Default: `batch_id`. */
  readonly batch?: string | undefined;
  /** The column of integers that tells the order of the Lists. Default: `position`. */
  readonly position?: string | undefined;
  /** The column of the id of the List. Default: `list_id`. */
  readonly list?: string | undefined;
  /**
   * The column of the List Fields, as JSON: `[["Email","string"],["Age","int"]]`. In the row of the Batch itself a
   * text that is another one whenever its Lists are others. Default: `fields`.
   */
  readonly fields?: string | undefined;
}

export interface ContactTable extends Table {
  readonly batch: string;
  readonly list: string;
  readonly listFields: string;
}

export interface ListTable {
  readonly name: string;
  readonly path: readonly string[];
  readonly batch: string;
  readonly position: string;
  readonly list: string;
  readonly fields: string;
}

/** The table that tells which shard a database is. */
export interface ShardTable {
  readonly name: string;
  readonly path: readonly string[];
}

/** The tables of a service; names of tables in quotes, those of columns as they are. */
export interface Tables {
  readonly files: Table;
  readonly contacts: ContactTable;
  readonly lists: ListTable;
  readonly shard: ShardTable;
}

const CONTACT_MEMBERS = [...TABLE_MEMBERS, "batch", "list", "listFields"] as const;
const LIST_MEMBERS = ["batch", "position", "list", "fields"] as const;

/** @throws InputError with the path of the first member that is not valid */
export function readTables(dialect: Dialect, input: unknown, path = "options.tables"): Tables {
  const given = readMembers(input ?? {}, path, ["files", "contacts", "lists", "shard"]);
  const columnOf = ({ name, field }: Place): ColumnName =>
    dialect.hasTextColumns && field.type === "int" && field.searchable
      ? { column: name, text: `${name}_text` }
      : name;
  const files = given.files ?? "tercet_files";
  const shard = readTableName(given.shard ?? "tercet_shard", `${path}.shard`);
  return {
    files: readTable(File, dialect, files, `${path}.files`, columnOf),
    contacts: readContacts(dialect, given.contacts, `${path}.contacts`, columnOf),
    lists: readLists(dialect, given.lists, `${path}.lists`),
    shard: { name: quoteTable(dialect, shard), path: shard },
  };
}

function readContacts(
  dialect: Dialect,
  input: unknown,
  path: string,
  columnOf: (place: Place) => ColumnName,
): ContactTable {
  const given = tableMembers(input ?? "tercet_contacts", path, CONTACT_MEMBERS);
  const { batch = "batch_id", list = "list_id", listFields = "list_fields", ...table } = given;
  return {
    ...readTable(Contact, dialect, table, path, columnOf),
    batch: readName(batch, `${path}.batch`),
    list: readName(list, `${path}.list`),
    listFields: readName(listFields, `${path}.listFields`),
  };
}

function readLists(dialect: Dialect, input: unknown, path: string): ListTable {
  const given = tableMembers(input ?? "tercet_lists", path, LIST_MEMBERS);
  const column = (name: (typeof LIST_MEMBERS)[number], otherwise: string) =>
    readName(given[name] ?? otherwise, `${path}.${name}`);
  const own = readTableName(given.name, `${path}.name`);
  return {
    name: quoteTable(dialect, own),
    path: own,
    batch: column("batch", "batch_id"),
    position: column("position", "position"),
    list: column("list", "list_id"),
    fields: column("fields", "fields"),
  };
}

const int = (name: string): ColumnDefinition => ({ name, kind: "int", nullable: false });

/** The definition of a table of records. */
export function definitionOf({ name, position, fields }: Table, dialect: Dialect): TableDefinition {
  const columns = [int(position), ...columnsOf(fields.values(), dialect)];
  return { name, columns, key: [position] };
}

export function contactDefinition(table: ContactTable, dialect: Dialect): TableDefinition {
  const { name, position, fields, batch, list, listFields } = table;
  const columns: ColumnDefinition[] = [
    ...[batch, position, list].map(int),
    ...columnsOf(fields.values(), dialect),
    { name: listFields, kind: "listFields", nullable: false },
  ];
  return { name, columns, key: [batch, position] };
}

export function listDefinition({ name, ...names }: ListTable): TableDefinition {
  const { batch, position, list, fields } = names;
  const columns: ColumnDefinition[] = [
    ...[batch, position].map(int),
    { name: list, kind: "int", nullable: true },
    { name: fields, kind: "string", nullable: false },
  ];
  return { name, columns, key: [batch, position] };
}

function* columnsOf(
  fields: Iterable<NamedColumns>,
  dialect: Dialect,
): Generator<ColumnDefinition, void> {
  for (const { field, column, textColumn, lowerColumn, value } of fields) {
    const { type: kind, nullable } = field;
    yield { name: column, kind, nullable };
    if (lowerColumn !== undefined) yield { name: lowerColumn, kind, nullable };
    if (textColumn !== undefined) {
      yield { name: textColumn, kind: "string", nullable, generated: dialect.toText(value) };
    }
  }
}

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

/**
 * An index for filters and sorts; `undefined` where the engine has none that would help.
 *
 * @param table in quotes; the index's name is not
 */
export function indexStatement(
  { quote, indexed }: Dialect,
  table: string,
  name: string,
  columns: readonly IndexColumn[],
  isUnique = false,
): string | undefined {
  const members = columns.map(indexed);
  if (members.includes(undefined)) return undefined;
  return `CREATE ${isUnique ? "UNIQUE " : ""}INDEX ${quote(name)} ON ${table} (${members.join(", ")})`;
}
