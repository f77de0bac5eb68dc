// Compiles criteria, sort and page to SQL: the third target for parsed criteria, after the predicate and query plans.

import type { Selected } from "../engine/projection.ts";
import { parseQuery, type Query, type Selecting } from "../engine/query.ts";
import type { CheckedCriteria } from "../criteria/criteria.ts";
import { criteriaOptions, type CriteriaOptions } from "../criteria/parse.ts";
import { anything, readOptions, type OptionReaders } from "../schema/options.ts";
import type { FieldName } from "../schema/names.ts";
import { requireSchema, type Schema } from "../schema/schema.ts";
import type { Dialect, DialectName, Row, Statement, TextForm } from "./dialect.ts";
import { dialectOf } from "./dialects/index.ts";
import { readTable, type TableName, type TableNames } from "./names.ts";
import { readRow, readTextForm, sourceOf, type RecordSource } from "./records.ts";
import { pageStatement } from "./select.ts";

/** The options of `compileSql`. */
export interface CompileOptions<Name extends string = string> extends CriteriaOptions {
  readonly dialect: DialectName;
  /** The table, whose columns are named `c0`, `c1`, … and `position` by default. */
  readonly table: TableName | TableNames<Name>;
  /**
   * `"bytes"` selects strings as UTF-8 bytes, for drivers that decode strings wrongly, as `checkDriver` reports. Not
   * for ClickHouse. Default `"texts"`.
   */
  readonly texts?: TextForm | undefined;
}

/** A statement that selects records. */
export interface QueryStatement<Record> extends Statement {
  /**
   * Makes the frozen record of a result row.
   *
   * @throws RowError if the row is not from this statement
   */
  readonly toRecord: (row: Row) => Record;
}

/**
 * Compiles a query to a statement. Everything is checked first. Values become parameters; only limit, offset and
 * substring lengths are part of the statement. Cost: linear in the fields of the schema and in the criteria.
 *
 * @param query as for {@link Collection.query}
 * @throws CriteriaError, QueryError like `query` of a collection; SchemaError if the schema is not one; InputError with
 *   the path of an option that is not valid
 */
export function compileSql<S extends Schema, const C = null, const Select = null>(
  schema: S,
  query: Query<S, CheckedCriteria<S, C>> & Selecting<S, Select>,
  options: CompileOptions<FieldName<S>>,
): QueryStatement<Selected<S, Select>> {
  requireSchema(schema);
  const { dialect, table, texts, ...criteria } = readOptions(options, "options", compileOptions);
  const parsed = parseQuery(schema, query, criteria);
  const source = knownSource(schema, table, dialect, texts).selecting(parsed);
  const { text, parameters } = pageStatement(source, parsed);
  const columns = source.selected.length;
  const toRecord = (row: Row) => source.make(readRow(row, columns)) as Selected<S, Select>;
  return { text, parameters, toRecord };
}

/**
 * Cached, because writing the columns of a table takes longer than compiling a query. Tables with columns named by the
 * caller are not cached, since the caller may change the object.
 */
const known = new WeakMap<Schema, Map<string, RecordSource>>();
const MOST_KNOWN = 100;

function knownSource(schema: Schema, input: unknown, dialect: Dialect, texts: TextForm) {
  const make = () =>
    sourceOf(schema, readTable(schema, dialect, input, "options.table"), dialect, texts);
  if (typeof input !== "string") return make();
  const sources = known.get(schema) ?? new Map<string, RecordSource>();
  known.set(schema, sources);
  const key = `${dialect.name} ${texts} ${input}`;
  const kept = sources.get(key);
  if (kept !== undefined) return kept;
  if (sources.size >= MOST_KNOWN) sources.clear();
  const source = make();
  sources.set(key, source);
  return source;
}

const compileOptions = {
  dialect: dialectOf,
  table: anything,
  texts: readTextForm,
  ...criteriaOptions,
} satisfies OptionReaders<Record<keyof CompileOptions, unknown>>;
