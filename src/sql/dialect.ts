// Statements and rows, which are the whole interface to drivers, and the SQL that differs between engines. A dialect
// contains only the differences; SQL that all engines share stays where it is used.

import type { SortOrder } from "../engine/query.ts";
import type { FieldType } from "../schema/field.ts";
import type { OnRemove } from "../schema/references.ts";

/** The value of a placeholder. Lists are arrays for engines that have them, and JSON for the others. */
export type Parameter = string | number | readonly string[] | readonly number[];

/** How strings are selected. */
export type TextForm = "texts" | "bytes";

/** A statement, and the parameters for its placeholders, in order. */
export interface Statement {
  readonly text: string;
  readonly parameters: readonly Parameter[];
  /** The input to send with a `COPY … FROM STDIN`. */
  readonly data?: string | undefined;
}

/** A row of a result: its values in order, or by column name. */
export type Row = object;

/** The platform's AbortSignal, if it has one. */
export type Signal = typeof globalThis extends { AbortSignal: { prototype: infer Known } }
  ? Known
  : { readonly aborted: boolean };

/**
 * The caller's driver: sends a statement to an engine. For an integer it may return a bigint, a number or a decimal
 * string; for a string, also its UTF-8 bytes.
 *
 * @param signal aborted once the result is no longer needed; cancel the statement then if you can
 * @returns the rows, in order; ignored for statements without rows
 */
export type Run = (
  text: string,
  parameters: readonly Parameter[],
  options: { readonly signal: Signal },
) => PromiseLike<readonly Row[]>;

/** The name of a supported engine. */
export type DialectName = "postgres" | "clickhouse" | "duckdb" | "sqlite" | "mariadb";

/** How numbers are bound: as integers, as doubles, or as decimals if the engine's indexes require it. */
export type NumberForm = "int" | "float" | "decimal";

/** The type of field whose columns, comparisons and order fit the values of each type. */
export const storedAs = {
  int: "int",
  float: "float",
  boolean: "boolean",
  string: "string",
  strings: "strings",
  json: "json",
  time: "string",
} as const satisfies Readonly<Record<FieldType, FieldType>>;

export type StoredType = (typeof storedAs)[FieldType];

/** The content of a column: values of a field, or the values of all List Fields of a Contact. */
export type ColumnKind = StoredType | "listFields";

export interface ColumnDefinition {
  readonly name: string;
  readonly kind: ColumnKind;
  readonly nullable: boolean;
  /** The expression of a generated column. */
  readonly generated?: string;
}

export interface TableDefinition {
  /** Quoted; the names of columns are not. */
  readonly name: string;
  readonly columns: readonly ColumnDefinition[];
  /** The key: the columns that identify a row. Rows are best stored in key order. */
  readonly key: readonly string[];
}

/** The values of List Fields by key. */
export type ListFieldValues = Readonly<Record<string, string>>;

/** The value of a column, or `null`. */
export type Cell = string | null | ListFieldValues;

/** Tests whether a string has a non-empty part, given as a placeholder and its value. */
type PartTest = (text: string, part: string, value: string) => string;

export interface Dialect extends Readonly<Record<"substring" | "suffix", PartTest>> {
  /** Whether a string begins with a part. Default: as a range of strings, so that indexes are used. */
  readonly prefix?: PartTest;
  readonly name: DialectName;
  /** Whether strings may contain U+0000. */
  readonly hasNul: boolean;
  /** Whether the tables created by tercet have additional columns with integers as strings. */
  readonly hasTextColumns: boolean;
  /** Whether the engine has transactions. */
  readonly hasTransactions: boolean;
  /** Whether tables can have unique columns, in which null equals nothing, as in rule V13. */
  readonly hasUnique: boolean;

  /** The name of a table or an index in quotes. */
  readonly quote: (name: string) => string;
  /** The name of a column in quotes. */
  readonly quoteColumn: (name: string) => string;
  /** Adds a parameter, and returns its placeholder. Numbers are safe integers by default. */
  readonly bind: (value: Parameter, parameters: Parameter[], form?: NumberForm) => string;
  /** `false` and `true`. */
  readonly booleans: Booleans;
  /**
   * How to bind numbers that are compared with decimals, so that indexes are used; `undefined` if decimal columns hold
   * integers and doubles.
   */
  readonly decimals: NumberForm | undefined;

  /** Whether a value is among those of a list. */
  isIn(value: string, list: string, type: StoredType): string;
  /**
   * Whether a column equals one of some strings by its own collation; `true` if that can't be expressed. Default: like
   * `isIn`.
   */
  readonly isAlike?: (
    column: string,
    texts: readonly string[],
    parameters: Parameter[],
  ) => string | true;
  /** Whether a value is among the rows of a query, possibly on the same table. */
  readonly isSelected: (value: string, query: string) => string;
  /** An integer as its canonical string. */
  readonly toText: (int: string) => string;
  /** The integer of such a string; any value, but no error, for other strings. */
  toInt(text: string): string;
  /** The first characters of a string, by code point; the whole string if the engine can't count code points. */
  readonly start: (text: string, characters: number) => string;
  /** A string as UTF-8 bytes; unchanged if the engine has no bytes. */
  toBytes(text: string): string;
  /** The value of a List Field; `null` if the column has none for the key. */
  listField(column: string, key: string): string;
  /** The column with a new value for a key; the value is a placeholder, and `null` stores null. */
  setListField(column: string, key: string, text: string | null): string;
  readonly strings: StringsForm;
  /** Columns with the JSON of arrays, for an engine whose arrays can't be null. Default: converted to arrays. */
  readonly stringsInTexts?: StringsForm;
  /** A number of any type as a double. */
  readonly toFloat: (number: string) => string;
  /** A value as an ORDER BY key: strings by code point. */
  ordered(value: string, type: StoredType): string;
  /** The lowest or highest of some values, `null` without values. */
  readonly extreme: (which: "min" | "max", value: string) => string;
  /** An ORDER BY item that puts nulls below every value. */
  orderBy(ordered: string, type: StoredType, order: SortOrder, isNotNull?: boolean): string;
  /**
   * The query for the rows of a page with one more column for a value: in each row, or in one additional row that has
   * nothing else. If the page is empty, that row is the only one.
   */
  withValue(page: string, columns: number, value: string): string;
  /** The statement for a query, if it needs a prefix or suffix. */
  query(select: string): string;
  /** What is different in queries that join tables. */
  readonly joining?: Pick<Dialect, "query">;
  /** Whether a subquery may name columns of the query around it. */
  readonly correlates: boolean;

  /**
   * Statements that change or remove rows, from assignments and a condition.
   *
   * @param rows the text of {@link Dialect.rows}, whose columns both may use
   */
  update(table: string, assignments: string, where: string, rows?: string): string;
  remove(table: string, where: string): string;
  /** The types of columns, and their collations. */
  readonly types: Readonly<Record<ColumnKind, string>>;
  /** The type of a column, its collation, and whether it may be null. */
  declare(column: ColumnDefinition): string;
  /** The declaration of a generated column. */
  generated(type: string, expression: string): string;
  /**
   * The value of a field in a column of JSON, or NULL if it is missing or of another type; `undefined` if a generated
   * column can't have it.
   *
   * @param path the names of the members that lead to it
   */
  atPath(
    json: string,
    path: readonly string[],
    type: StoredType,
    nullable: boolean,
  ): string | undefined;
  /** The declaration of a generated column that is added to a table. Default: that of a new table; `null`: none. */
  readonly addGenerated?: ((type: string, expression: string) => string) | null;
  /** The differences for virtual generated columns, if the engine has them. */
  readonly virtual?: Pick<Dialect, "generated" | "isVirtual">;
  readonly isVirtual?: true;
  /** The end of CREATE TABLE after the columns: the key, if any, the closing parenthesis and options. */
  keyOf(table: TableDefinition): string;
  /** Whether columns of such a type can be in the key of a table. */
  readonly isKey: (type: StoredType) => boolean;
  /** Foreign keys, if the engine has them. */
  readonly foreignKeys?: ForeignKeys;
  /**
   * The statements for a table that only queries those of other servers; `undefined` if the engine has no equivalent.
   *
   * @param declared the declarations of its columns
   */
  spread?(declared: string, table: SpreadTable): readonly string[];
  /**
   * The table of each server of a cluster, for statements that change or remove rows; `undefined` if rows are changed
   * through the distributing tables.
   */
  readonly onServers?: (table: string, cluster: string) => string;
  /** The engine's catalog, for existing tables. */
  readonly catalog: Catalog;
  /** Substring indexes, if the engine has them, and conditions that use them. */
  readonly substrings?: Pick<Dialect, "substring" | "suffix"> & {
    /** The statement that enables them. */
    readonly extension: string;
    /** The clause of `CREATE INDEX` for texts. */
    readonly using: (text: string) => string;
  };
  /** An item of an index; `undefined` if the engine has no suitable index. */
  readonly indexed?: (column: IndexColumn, columns: readonly IndexColumn[]) => string | undefined;
  /**
   * A query that returns the rows bound as its first parameter, in columns named like result columns; `undefined` if an
   * `update` can't use it.
   *
   * @param first the number of the first column. Default: 0
   */
  readonly rows?:
    | ((
        columns: readonly ColumnDefinition[],
        rows: readonly (readonly Cell[])[],
        first?: number,
      ) => Statement)
    | undefined;
  /** The maximum number of rows of an INSERT. */
  readonly mostRows: number;
  /** A statement that inserts rows, given as cells in the order of the columns. */
  insert(table: TableDefinition, rows: readonly (readonly Cell[])[]): Statement;
  /** The same for the engine's bulk loader; `undefined` if it has none that reads text. */
  readonly copy?: Dialect["insert"];
}

/** Foreign keys. */
export interface ForeignKeys {
  /** What follows FOREIGN KEY and its column; `undefined` if the engine has none between such columns. */
  references(reference: Referred): string | undefined;
  /** Whether a table may refer to one that is made later. */
  readonly areForward: boolean;
  /** Whether they can be added to a table, and rows of one statement may refer to each other. */
  readonly areAdded: boolean;
}

/** The column to which a column refers. */
export interface Referred {
  /** The names of the table with the reference, and of the other one. */
  readonly from: readonly string[];
  readonly to: readonly string[];
  /** Of the other table, unquoted. */
  readonly column: string;
  readonly type: StoredType;
  readonly onRemove: OnRemove;
}

/** Arrays of strings: the engine's own type, or JSON. */
export interface StringsForm {
  /** Whether an array has one of the strings in a list parameter. */
  readonly has: (array: string, list: string) => string;
  /** Whether it has all of the strings in a list parameter, which are distinct. */
  readonly hasAll: (array: string, list: string, count: number) => string;
  /** Whether it has no elements. */
  readonly isEmpty: (array: string) => string;
  /** Converts an array to JSON, and JSON to an array. Default: unchanged. */
  readonly toJson?: (array: string) => string;
  readonly fromJson?: (text: string) => string;
}

/** Literals for `false` and `true`. */
export type Booleans = readonly [no: string, yes: string];

/** The name of a table: its parts, and in quotes. */
export interface TablePath {
  readonly path: readonly string[];
  readonly name: string;
}

/** Catalog queries, and how columns of existing tables are selected. */
export interface Catalog {
  /**
   * Selects the columns of a table or a view: name, type, `1` if not null, the {@link Collation} of strings, `1` if a
   * view, the labels of an enumeration as a JSON array unless the type has them, `1` if the column's text can be
   * indexed, and the {@link TypeFamily} unless the name of the type says it. No rows if there is no such table.
   *
   * @param name in quotes
   */
  columns(path: readonly string[], name: string): Statement;
  /**
   * Selects the items of indexes, in order: the index's name, `1` if unique unless null (`2`: also with null; `3`:
   * unused by queries), the column or `null` for an expression, `1` if descending, `1` if nulls come first, the
   * collation, and the expression for {@link Catalog.expression}. `undefined` if indexes would not help.
   */
  indexes?(path: readonly string[], name: string): Statement;
  /**
   * Selects the foreign keys from a table to another one: the column, that of the other table or `null` for its key, and
   * the action when a row is removed.
   */
  foreignKeys?(from: TablePath, to: TablePath): Statement;
  /** Selects the names that a new index of the table can't have. */
  indexNames?(path: readonly string[], name: string): Statement;
  /**
   * Normalises the engine's spelling of an index expression. Default: unchanged.
   * @param place of the item in its index
   */
  expression?(text: string, place: number): string;
  /** The family of a type whose name means something else than in other engines. */
  family?(type: string): TypeFamily;
  /** An expression that compares a string column by code point; the column itself if it already does. */
  text(column: string, native: NativeType): string;
  /** How values of an engine-specific type are compared and returned. Default: as their text. */
  own?(native: NativeType): OwnForm | undefined;
  /** How a column with arrays of strings is compared. Default: like the dialect's arrays. */
  strings?(column: string, native: NativeType): StringsForm & { readonly value: string };
  /**
   * How to compare a string column by its own indexes if its collation may equate different strings. Default: like a
   * column of the family `text`. `undefined` if that is impossible.
   */
  likeness?(native: NativeType): Partial<Pick<OwnForm, "bind" | "bindList">> | undefined;
  /** The text form of a decimal that is an integer; some other string for other decimals. Default: `toText`. */
  wholeText?(column: string, native: NativeType): string;
  /**
   * The expression that selects a number column that may also contain strings. Default: the column.
   *
   * @param number the column's number in another type
   */
  readonly numeric?: (column: string, number?: string) => string;
  /** An integer column as its string has it. Default: the column. */
  integer?(column: string, native: NativeType): string;
  /** An integer column as it is compared with numbers. Default: the column. */
  number?(column: string, native: NativeType): string;
  /** What an index can have of a column. Default: the whole value. */
  indexable?(native: NativeType): Indexable;
  /** The engine-specific condition that a column's value is invalid for a field. */
  fault?(column: string, type: StoredType, native: NativeType): string | undefined;
  /** Whether the string form of a column, or its number as a double, can be indexed. */
  isIndexable?(native: NativeType): boolean;
  /** The statement that makes a column NOT NULL and changes nothing else. */
  require?(table: string, column: ColumnDefinition): string;
}

/** How values of an engine-specific type map to strings, one to one. */
export interface OwnForm {
  /** The canonical string of a value; some other string if it has none. */
  readonly text: (column: string) => string;
  /** The compared value. Default: the column. */
  readonly value?: ((column: string) => string) | undefined;
  readonly isCanonical: (text: string) => boolean;
  /** Converts a placeholder for a canonical string to the type, and one for a list, if the engine has lists. */
  readonly bind: (placeholder: string) => string;
  readonly bindList?: ((placeholder: string) => string) | undefined;
  /** Whether the values sort like their strings. */
  readonly isOrdered: boolean;
  /** The lowest canonical string, and the lengths at which one may be truncated: see `lowestFrom`. */
  readonly lowest?: string | undefined;
  readonly cuts?: readonly number[] | undefined;
  /** The condition that a value has no canonical string. */
  readonly fault?: ((column: string) => string) | undefined;
}

/**
 * How a column compares strings: `points` by code point; `equality` in its own order, but without equating different
 * strings; `other` in any other way. `null`: unknown.
 */
export type Collation = "points" | "equality" | "other" | null;

/** The type of a column. */
export interface NativeType {
  /** The engine's name for it. */
  readonly type: string;
  readonly family: TypeFamily;
  /** The precision of a decimal, or the number of fractional digits of seconds; `undefined` if unknown. */
  readonly precision: number | undefined;
  readonly scale: number | undefined;
  readonly isNotNull: boolean;
  readonly collation: Collation;
  /** Whether it is a column of a view, or of another table without indexes of its own. */
  readonly isView: boolean;
  /** The labels of an enumeration, in order. */
  readonly labels: readonly string[] | undefined;
  /** Whether the engine declares the text of a value immutable. */
  readonly isTextImmutable: boolean;
}

/** `strings`: arrays of strings. `untyped`: a column that may hold values of any type. */
export type TypeFamily =
  | "integer"
  | "decimal"
  | "float"
  | "boolean"
  | "text"
  | "citext"
  | "json"
  | "strings"
  | "uuid"
  | "enum"
  | "date"
  | "time"
  | "timestamp"
  | "timestamptz"
  | "untyped"
  | "other";

/** A table whose rows are distributed over the tables of other servers. */
export interface SpreadTable {
  /** In quotes. */
  readonly name: string;
  readonly path: readonly string[];
  /** The names of the tables on the other servers. */
  readonly remote: readonly string[];
  /** The names of the servers; for ClickHouse, just the cluster. */
  readonly servers: readonly string[];
  /** The integer columns that determine the server of a row. */
  readonly by: readonly string[];
}

/** How many characters of a column an index can have, 0 for other values, and whether that is the whole value. */
export interface Indexable {
  readonly characters: number;
  readonly isWhole: boolean;
}

/** What an index covers: a quoted column, or an expression. */
export interface IndexColumn {
  readonly value: string;
  readonly type: StoredType;
  /** `undefined` for a column made by tercet. */
  readonly indexable?: Indexable | undefined;
  readonly isExpression?: boolean | undefined;
  /** Its sort order. Default: the dialect's order for nullable values. */
  readonly sorted?: { readonly order: SortOrder; readonly isNotNull: boolean } | undefined;
  /** Only for comparisons, by the column's own collation. */
  readonly isCompared?: boolean | undefined;
  /**
   * Whether the column's own collation is by code point: queries name no other, and an index with another collation
   * would not be used.
   */
  readonly isByPoint?: boolean | undefined;
}
