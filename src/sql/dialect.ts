// What an engine says in its own way. A dialect holds only what differs between engines; what is the
// same for all of them stands where it is used.

import type { SortOrder } from "../collection/plan/query.ts";
import type { TextBounds } from "../criteria/operators.ts";
import type { FieldType } from "../schema/field.ts";
import type { Parameter, Statement } from "./statement.ts";

export type DialectName =
  "postgres" | "clickhouse" | "clickhouse18" | "duckdb" | "sqlite" | "mariadb";

/** A value that is bound: a text, a safe integer, or a list of one or the other. */
export type Bound = string | number | readonly string[] | readonly number[];

/** What a column holds: values of a field, or the values of all List Fields of a Contact. */
export type ColumnKind = FieldType | "listFields";

export interface ColumnDefinition {
  readonly name: string;
  readonly kind: ColumnKind;
  readonly nullable: boolean;
  /** The expression that gives its value, where the engine makes it itself. */
  readonly generated?: string;
}

export interface TableDefinition {
  /** In quotes; the names of columns are not. */
  readonly name: string;
  readonly columns: readonly ColumnDefinition[];
  /** The columns that tell one row from all others; rows are best stored in their order. */
  readonly key: readonly string[];
}

/** The values of List Fields by key. */
export type ListFieldValues = Readonly<Record<string, string>>;

/** The value of a column, or `null`. */
export type Cell = string | null | ListFieldValues;

/** Whether a text has a part that is not empty: a placeholder, and its value. */
type PartTest = (text: string, part: string, value: string) => string;

export interface Dialect extends Readonly<Record<TextBounds["kind"], PartTest>> {
  readonly name: DialectName;
  /** Whether texts may hold U+0000. */
  readonly hasNul: boolean;
  /** Whether the tables that tercet makes hold integers as texts, too. */
  readonly hasTextColumns: boolean;
  /** Whether several statements are one change, or none. */
  readonly hasTransactions: boolean;
  /** Whether the servers that a table asks have one name together, and not one each. */
  readonly namesClusters: boolean;

  /** A name in quotes. */
  readonly quote: (name: string) => string;
  /** Adds a parameter, and gives the placeholder for it. */
  readonly bind: (value: Bound, parameters: Parameter[]) => string;

  /** Whether a value is among those of a list. */
  isIn(value: string, list: string, type: FieldType): string;
  /** An integer as its canonical text. */
  toText(int: string): string;
  /** Such a text as an integer; of any other text, whatever it is, no error. */
  toInt(text: string): string;
  /** A text as its bytes in UTF-8; as it is, where the engine has no bytes. */
  toBytes(text: string): string;
  /** The text of a List Field, `null` where the column has none for the key. */
  listField(column: string, key: string): string;
  /** The column with another text for a key, which is a placeholder; `null` where there is to be none. */
  setListField(column: string, key: string, text: string | null): string;
  /** A member of ORDER BY in which `null` is lower than every value, and texts are in the order of code points. */
  orderBy(value: string, type: FieldType, order: SortOrder): string;
  /**
   * The query for the rows of a page, and behind their columns the values of a table of one row: in each of them, or in
   * a row that has no others. The latter is there where the page has no rows.
   */
  beside(page: string, columns: number, table: string, values: readonly string[]): string;
  /** The statement for a query, where it needs more than the query. */
  query(select: string): string;

  /** Statements that change or remove rows: assignments and a condition. */
  update(table: string, assignments: string, where: string): string;
  remove(table: string, where: string): string;
  /** The type of a column, its collation, and whether it may be null. */
  declare(column: ColumnDefinition): string;
  /** What a column is declared as whose values the engine makes. */
  generated(type: string, expression: string): string;
  /** What stands behind the columns in CREATE TABLE: the key within the parentheses, and what follows them. */
  keyOf(table: TableDefinition): { readonly within: string; readonly after: string };
  /**
   * The statements for a table that holds nothing but asks those of other servers; `undefined` where the
   * engine has none such.
   *
   * @param declared its columns, as they are declared
   */
  spread?(declared: string, table: SpreadTable): readonly string[];
  /**
   * The statements for what stands in the place of a shard's table where other servers have one each: a view of one
   * row, which is the only shard to whoever asks. Its generation is `NULL` where the servers are not all there is,
   * each in its place, and of one generation.
   *
   * @param declared the columns of the shards' tables, as they are declared
   */
  gather?(declared: string, table: Omit<SpreadTable, "by">): readonly string[];
  /**
   * Where the rows of each server are within the tables that ask them; `undefined` where rows are changed on the
   * servers that hold them, and not through such tables.
   */
  readonly parts?: {
    /** What stands for the table of one server, in quotes. */
    nameOf(path: readonly string[], server: number): string;
    /** Whether a row of an `insert` goes to a server, by the value of one of its columns. */
    holds(table: string, servers: number, server: number, column: number): string;
  };
  /** An index for filters and sorts by a value; `undefined` where the engine has none that would help. */
  index(definition: IndexDefinition): string | undefined;
  /** A statement that inserts rows: their cells in the order of the columns. */
  insert(table: TableDefinition, rows: readonly (readonly Cell[])[]): Statement;
}

/** A table whose rows are spread over the tables of other servers. */
export interface SpreadTable {
  /** In quotes. */
  readonly name: string;
  readonly path: readonly string[];
  /** What the tables of the other servers are called. */
  readonly remote: readonly string[];
  /** The servers by name; for ClickHouse the cluster alone. */
  readonly servers: readonly string[];
  /** The column of integers that tells to which of them a row goes. */
  readonly by: string;
}

export interface IndexDefinition {
  /** In quotes, as that of the table is. */
  readonly name: string;
  readonly table: string;
  readonly columns: readonly IndexColumn[];
  readonly isUnique: boolean;
}

/** What an index is on: a column in quotes, or an expression. */
export interface IndexColumn {
  readonly value: string;
  readonly type: FieldType;
  readonly isExpression: boolean;
}
