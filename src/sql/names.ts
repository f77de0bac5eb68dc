// The names of tables and columns: those that tercet assigns, for any schema or for a service, and those of existing
// tables.

import { foldingInWords, isFolded } from "../schema/folding.ts";
import { describe, InputError, member } from "../schema/errors.ts";
import type { Field, FieldType } from "../schema/field.ts";
import type { ComputedPlace } from "../schema/computed.ts";
import { membersOf, oneOrMore } from "../schema/input.ts";
import { optional, readOptions, type OptionReaders, type OptionsOf } from "../schema/options.ts";
import type { Place } from "../schema/place.ts";
import { fieldOf, type FieldName } from "../schema/names.ts";
import type { Schema } from "../schema/schema.ts";
import { Contact } from "../service/contact.ts";
import { File } from "../service/file.ts";
import type {
  Booleans,
  ColumnDefinition,
  Dialect,
  NumberForm,
  OwnForm,
  TableDefinition,
  StoredType,
  StringsForm,
} from "./dialect.ts";
import { storedAs } from "./dialect.ts";

/** The name of a table, or an array that starts with its database or schema. */
export type TableName = string | readonly string[];

/**
 * A column, optionally with a second one: for an int field, its values as strings; for a field that ignores case or
 * accents, its values as they are compared: in lower case, computed like `text.toLowerCase().replaceAll("ς", "σ")`,
 * without accents, like `text.normalize("NFD").replace(/\p{M}/gu, "").normalize()`, or without accents and then in
 * lower case.
 */
export type ColumnName =
  | string
  | {
      readonly column: string;
      readonly text?: string | undefined;
      readonly folded?: string | undefined;
    };

/** The columns of fields; `"fields"`: named after these. */
export type ColumnNames<Name extends string = string> =
  | Readonly<Partial<Record<Name, ColumnName>>>
  | "fields";

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

/** The columns of a field, quoted. */
export interface FieldColumns {
  readonly field: Field<StoredType>;
  /** The compared expression: numbers, booleans, or strings by code point. */
  readonly value: string;
  /** The text form; `undefined` for a float, which engines format differently. */
  readonly text: string | undefined;
  /** The ORDER BY expression. Default: that of the dialect for the value. */
  readonly ordered?: string | undefined;
  /** For a strings field: how its arrays are stored. Default: as the engine's arrays. */
  readonly strings?: StringsForm | undefined;
  /** How the value, or the lowest of several, is selected. Default: unchanged. */
  readonly select?: ((value: string) => string) | undefined;
  /** A column that must match by its own indexes as well, which is necessary but not sufficient. */
  readonly necessary?: Necessary | undefined;
  /** The mapping between values and the strings of the field, if they differ. */
  readonly own?: OwnForm | undefined;
  /** The column that is null if and only if the value is, for its indexes. Default: the value. */
  readonly presence?: string | undefined;
  /** The condition that a number is none that the field can have. */
  readonly fault?: string | undefined;
  /** The engine's name of the column's type, once it was read. */
  readonly native?: string | undefined;
  /** Whether the column is NOT NULL. */
  readonly isNotNull?: boolean | undefined;
  /** How operands are written: booleans as literals, numbers as parameters. */
  readonly booleans?: Booleans | undefined;
  readonly numbers?: NumberForm | undefined;
}

/** The expression to order a field by, and to compare ranges of strings. */
export const orderedOf = ({ field, value, ordered }: FieldColumns, dialect: Dialect): string =>
  ordered ?? dialect.ordered(value, field.type);

/** A column, and how to bind strings that are compared with it. */
export interface Necessary extends Partial<Pick<OwnForm, "bind" | "bindList">> {
  readonly column: string;
}

/** The columns of a field of a table, with their names. */
export interface NamedColumns extends FieldColumns {
  /** The type of the field itself. */
  readonly declared: FieldType;
  readonly column: string;
  /** The column to select for a field whose `value` is another column. */
  readonly returned: string;
  /** Whether the value, if it is an expression, can be indexed. */
  readonly isIndexable?: boolean | undefined;
  /** How the values are computed, if they are (rule V16). */
  readonly computed: ComputedPlace | undefined;
  /** Whether the caller named the column. */
  readonly isNamed: boolean;
  /** The path of the option for the missing column of folded values. */
  readonly missing: string | undefined;
  /** The column, and its folded or string form. */
  readonly columns: readonly ColumnDefinition[];
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

/** @throws InputError if it is not one */
export function readName(name: unknown, path: string): string {
  if (typeof name === "string" && name !== "" && !name.includes("\0") && name.isWellFormed()) {
    return name;
  }
  throw new InputError(path, `must be a name, not ${describe(name)}`);
}

/** @throws InputError if criteria, an order or an index need a column that was not named */
export function requireCompared(columns: NamedColumns): NamedColumns {
  if (columns.missing === undefined) return columns;
  const { ignored, expression } = foldingInWords(columns.field);
  throw new InputError(
    columns.missing,
    `must be { column, folded }: the field ignores ${ignored}, and \`folded\` holds its values as they are compared, as ${expression} in JavaScript computes them`,
  );
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

/** A column named after its field. */
const columnAfter = ({ name, field }: Place): ColumnName =>
  isFolded(field) ? { column: name, folded: `${name}_folded` } : name;

/** How statements refer to a column. */
export type Refer = (column: string) => string;

/** The columns of fields by the names of these, as statements refer to them. */
export type ColumnsBy = (refer: Refer) => ReadonlyMap<string, NamedColumns>;

/** @throws InputError with the path of the first name that is not valid */
export function readColumns(
  schema: Schema,
  dialect: Dialect,
  input: unknown,
  where: string,
  columnOf: (place: Place) => ColumnName,
): ColumnsBy {
  const given = input === "fields" ? {} : membersOf(input, where);
  const defaultOf = input === "fields" ? columnAfter : columnOf;
  for (const each of Object.keys(given)) {
    if (fieldOf(schema, each) === undefined) {
      throw new InputError(member(where, each), "is not a field", { code: "unknown_field" });
    }
  }
  const named = schema.places.map((place) => {
    const { name, field } = place;
    const own = Object.hasOwn(given, name) ? given[name] : undefined;
    const columnsBy = readColumn(field, dialect, own ?? defaultOf(place), member(where, name));
    return { name, columnsBy, isNamed: own !== undefined };
  });
  return (refer) => {
    const all = new Map<string, NamedColumns>(
      named.map(({ name, columnsBy, isNamed }) => {
        const computed = schema.computed.get(name);
        return [name, { ...columnsBy(refer), computed, isNamed }];
      }),
    );
    for (const [name, columns] of all) {
      if (columns.computed !== undefined) all.set(name, generatedFrom(all, columns, dialect));
    }
    return all;
  };
}

/** The columns of a computed field. If it has a path for which the engine has an expression, its value is generated. */
function generatedFrom(
  all: ReadonlyMap<string, NamedColumns>,
  columns: NamedColumns,
  dialect: Dialect,
): NamedColumns {
  const [source = "", ...path] = columns.field.path ?? [];
  const json = all.get(source)?.column;
  const { type, nullable } = columns.field;
  const generated =
    json === undefined
      ? undefined
      : dialect.atPath(dialect.quoteColumn(json), path, type, nullable);
  const [first, ...others] = columns.columns;
  if (generated === undefined || first === undefined) return columns;
  // Engines differ in whether such a column can be NOT NULL.
  return { ...columns, columns: [{ ...first, nullable: isNullable(first), generated }, ...others] };
}

/** Whether a generated column may be null: arrays of ClickHouse can't. */
const isNullable = ({ kind, nullable }: ColumnDefinition) => nullable || kind !== "strings";

const columnReaders = {
  column: readName,
  text: optional(readName),
  folded: optional(readName),
} satisfies OptionReaders<Record<keyof Exclude<ColumnName, string>, unknown>>;

function readColumn(
  declared: Field,
  dialect: Dialect,
  input: unknown,
  path: string,
): (refer: Refer) => Omit<NamedColumns, "computed" | "isNamed"> {
  const field: Field<StoredType> = { ...declared, type: storedAs[declared.type] };
  const { type, nullable } = field;
  const isCompared = isFolded(field);
  const { column, text, folded } =
    typeof input === "string"
      ? { column: readName(input, path), text: undefined, folded: undefined }
      : readOptions(input, path, columnReaders);
  if (folded !== undefined && !isCompared) {
    throw new InputError(`${path}.folded`, "is for a field that ignores case or accents");
  }
  if (text !== undefined && type !== "int" && type !== "float") {
    throw new InputError(`${path}.text`, "is for an int or float field");
  }
  const { toText } = dialect;
  const inTexts = type === "strings" && nullable ? dialect.stringsInTexts : undefined;
  const kind = inTexts === undefined ? type : "json";
  const columns: ColumnDefinition[] = [{ name: column, kind, nullable }];
  if (folded !== undefined) columns.push({ name: folded, kind: type, nullable });
  if (text !== undefined) {
    columns.push({
      name: text,
      kind: "string",
      nullable,
      generated: toText(dialect.quoteColumn(column)),
    });
  }
  const missing = isCompared && folded === undefined ? path : undefined;
  const strings = type === "strings" ? (inTexts ?? dialect.strings) : undefined;
  const select = strings?.toJson;
  const names = { column, missing, columns };
  return (refer) => {
    const returned = refer(column);
    const value = isCompared ? refer(folded ?? "") : returned;
    // Engines do not format floats like their text forms.
    const own = type === "string" ? value : type === "int" ? toText(value) : undefined;
    const written = text === undefined ? own : refer(text);
    const values = { returned, value, text: written, select, strings };
    return { field, declared: declared.type, ...names, ...values };
  };
}

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

/** The names of result columns, in order: short, and in lower case. */
export const nameOf = (place: number) => `tercet_${place}`;

/**
 * How a query refers to a column of a table: a result column would hide one of its name, in any case, that is not
 * qualified.
 *
 * @param table in quotes
 */
export const columnIn = (table: string, column: string, { quoteColumn }: Dialect) =>
  /^tercet_\d+$/i.test(column) ? `${table}.${quoteColumn(column)}` : quoteColumn(column);

/** An expression on columns of a table as the definition of an index has it, where no column is qualified. */
export const unqualified = (
  expression: string,
  { columns }: Pick<NamedColumns, "columns">,
  table: string,
  dialect: Dialect,
) =>
  columns.reduce(
    (text, { name }) => text.replaceAll(columnIn(table, name, dialect), dialect.quoteColumn(name)),
    expression,
  );

/** A selected value. */
export const named = (value: string, place: number) => `${value} AS ${nameOf(place)}`;

/** @param from the number of the first */
export const namedAll = (values: readonly string[], from = 0): string =>
  values.map((value, i) => named(value, from + i)).join(", ");
