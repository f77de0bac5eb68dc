// Criteria, sort and page as SQL: the third compilation of parsed criteria, beside the predicate and
// the plan over indexes.

import { parseQuery, type Query } from "../collection/plan/query.ts";
import type { CheckedCriteria } from "../criteria/criteria.ts";
import { criteriaOptions, type CriteriaOptions } from "../criteria/parse.ts";
import { anything, readOptions, type OptionReaders } from "../schema/options.ts";
import { requireSchema, type FieldName, type RecordOf, type Schema } from "../schema/schema.ts";
import type { Writing } from "./condition.ts";
import type { Dialect, DialectName } from "./dialect.ts";
import { dialectOf } from "./dialects/index.ts";
import { readTable, type TableName, type TableNames } from "./names.ts";
import { pageStatement, type PageSource } from "./page.ts";
import { readRow } from "./read-row.ts";
import { columnsIn, readTextForm, selectRecords, type TextForm } from "./records.ts";
import type { Row, Statement } from "./statement.ts";

export interface CompileOptions<Name extends string = string> extends CriteriaOptions {
  readonly dialect: DialectName;
  /** The table; columns are called `c0`, `c1` and so on, and `position`, unless told. */
  readonly table: TableName | TableNames<Name>;
  /**
   * `"bytes"`: texts are asked for as their bytes in UTF-8, for drivers that read texts wrong;
   * `checkDriver` tells which do. ClickHouse has no bytes. Default `"texts"`.
   */
  readonly texts?: TextForm | undefined;
}

/** A statement that asks for records. */
export interface QueryStatement<Record> extends Statement {
  /**
   * The record of a row of its result, frozen.
   *
   * @throws RowError where the row is another's
   */
  readonly toRecord: (row: Row) => Record;
}

/**
 * Compiles a query to a statement. Everything is checked before; nothing that came with the query is in the
 * text, but the length of parts of texts, limit and offset.
 * Cost: linear in the fields of the schema and in the criteria.
 *
 * @param query as {@link Collection.query} takes it
 * @throws CriteriaError, QueryError as `query` of a collection; SchemaError where the schema is none; InputError
 *   with the path of an option that is not valid
 */
export function compileSql<S extends Schema, const C = null>(
  schema: S,
  query: Query<S, CheckedCriteria<S, C>>,
  options: CompileOptions<FieldName<S>>,
): QueryStatement<RecordOf<S>>;
export function compileSql(
  schema: Schema,
  query: unknown,
  options: unknown,
): QueryStatement<unknown> {
  requireSchema(schema);
  const { dialect, table, texts, ...criteria } = readOptions(options, "options", compileOptions);
  const { source, writing, toRecord } = sourceOf(schema, table, dialect, texts);
  const statement = pageStatement(source, parseQuery(schema, query, criteria), writing);
  return { ...statement, toRecord };
}

/** What does not depend on the query. */
interface Source {
  readonly source: PageSource;
  readonly writing: Omit<Writing, "parameters">;
  readonly toRecord: (row: Row) => object;
}

/**
 * Those that were made, by what they were made for: writing the columns of a table takes longer than compiling a
 * query. Tables whose columns the caller names are not kept, for he may change what he gave.
 */
const known = new WeakMap<Schema, Map<string, Source>>();
const MOST_KNOWN = 100;

function sourceOf(schema: Schema, table: unknown, dialect: Dialect, texts: TextForm): Source {
  if (typeof table !== "string") return makeSource(schema, table, dialect, texts);
  let sources = known.get(schema);
  if (sources === undefined) {
    sources = new Map<string, Source>();
    known.set(schema, sources);
  }
  const key = `${dialect.name} ${texts} ${table}`;
  const kept = sources.get(key);
  if (kept !== undefined) return kept;
  const source = makeSource(schema, table, dialect, texts);
  if (sources.size >= MOST_KNOWN) sources.clear();
  sources.set(key, source);
  return source;
}

function makeSource(schema: Schema, input: unknown, dialect: Dialect, texts: TextForm): Source {
  const table = readTable(schema, dialect, input, "options.table");
  const { selected, names, make } = selectRecords(schema, table, dialect, texts);
  return {
    source: { table: table.name, position: dialect.quote(table.position), selected },
    writing: { dialect, columnsOf: columnsIn(table) },
    toRecord: (row) => make(readRow(row, names)),
  };
}

const compileOptions = {
  dialect: dialectOf,
  table: anything,
  texts: readTextForm,
  ...criteriaOptions,
} satisfies OptionReaders<Record<keyof CompileOptions, unknown>>;
