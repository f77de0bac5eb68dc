// The tables of a service, Files, Contacts and the Lists of Batches, and what they are made by.

import { readMembers } from "../schema/input.ts";
import type { Place } from "../schema/place.ts";
import type { FieldName } from "../schema/schema.ts";
import { Contact } from "../service/contact.ts";
import { File } from "../service/file.ts";
import type { Dialect, IndexColumn, TableDefinition } from "./dialect.ts";
import {
  int,
  namedTable,
  readName,
  readTable,
  readTableName,
  TABLE_MEMBERS,
  tableMembers,
  type ColumnName,
  type RecordTable,
  type Table,
  type TableName,
  type TableNames,
} from "./names.ts";
import { SHARD_COLUMNS } from "./shard.ts";

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

/** The tables of a service; names of tables in quotes, those of columns as they are. */
export interface Tables {
  readonly files: RecordTable;
  readonly contacts: ContactTable;
  readonly lists: Table & Readonly<Record<(typeof LIST_MEMBERS)[number], string>>;
  /** The table that tells which shard a database is. */
  readonly shard: Table;
}

export interface ContactTable extends RecordTable {
  readonly batch: string;
  readonly list: string;
  readonly listFields: string;
}

const LIST_MEMBERS = ["batch", "position", "list", "fields"] as const;

/** @throws InputError with the path of the first member that is not valid */
export function readTables(dialect: Dialect, input: unknown, path = "options.tables"): Tables {
  const given = readMembers(input ?? {}, path, ["files", "contacts", "lists", "shard"]);
  const columnOf = ({ name, field }: Place): ColumnName =>
    dialect.hasTextColumns && field.type === "int" && field.searchable
      ? { column: name, text: `${name}_text` }
      : name;
  const shard = readTableName(given.shard ?? "tercet_shard", `${path}.shard`);
  return {
    files: readTable(File, dialect, given.files ?? "tercet_files", `${path}.files`, columnOf),
    contacts: readContacts(dialect, given.contacts, `${path}.contacts`, columnOf),
    lists: readLists(dialect, given.lists, `${path}.lists`),
    shard: {
      ...namedTable(dialect, shard),
      columns: SHARD_COLUMNS.map((column) => int(column)),
      key: ["place"],
    },
  };
}

function readContacts(
  dialect: Dialect,
  input: unknown,
  path: string,
  columnOf: (place: Place) => ColumnName,
): ContactTable {
  const members = [...TABLE_MEMBERS, "batch", "list", "listFields"] as const;
  const given = tableMembers(input ?? "tercet_contacts", path, members);
  const { batch = "batch_id", list = "list_id", listFields = "list_fields", ...own } = given;
  const table = readTable(Contact, dialect, own, path, columnOf);
  const names = {
    batch: readName(batch, `${path}.batch`),
    list: readName(list, `${path}.list`),
    listFields: readName(listFields, `${path}.listFields`),
  };
  const [position = int(table.position), ...fields] = table.columns;
  const columns = [
    ...[int(names.batch), position, int(names.list), ...fields],
    { name: names.listFields, kind: "listFields", nullable: false } as const,
  ];
  return { ...table, ...names, columns, key: [names.batch, table.position] };
}

function readLists(dialect: Dialect, input: unknown, path: string): Tables["lists"] {
  const given = tableMembers(input ?? "tercet_lists", path, LIST_MEMBERS);
  const named = namedTable(dialect, readTableName(given.name, `${path}.name`));
  const batch = readName(given.batch ?? "batch_id", `${path}.batch`);
  const position = readName(given.position ?? "position", `${path}.position`);
  const list = readName(given.list ?? "list_id", `${path}.list`);
  const fields = readName(given.fields ?? "fields", `${path}.fields`);
  const columns = [
    ...[int(batch), int(position), int(list, true)],
    { name: fields, kind: "string", nullable: false } as const,
  ];
  return { ...named, batch, position, list, fields, columns, key: [batch, position] };
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
