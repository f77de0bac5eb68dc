// The options of an existing table, for `createSqlCollection` and `checkTable`.

import { criteriaOptions, type CriteriaOptions } from "../criteria/parse.ts";
import { describe, InputError, type Refuse } from "../schema/errors.ts";
import { iterate } from "../schema/input.ts";
import {
  anything,
  optional,
  readOptions,
  type OptionReaders,
  type OptionsOf,
  type ReadOption,
} from "../schema/options.ts";
import { sortableField, type FieldName, type SortableName } from "../schema/names.ts";
import type { Place } from "../schema/place.ts";
import { requireSchema, type Schema } from "../schema/schema.ts";
import type { Dialect, DialectName, Run, TextForm } from "./dialect.ts";
import { dialectOf } from "./dialects/index.ts";
import { ask, readRun } from "./driver.ts";
import { columnIn } from "./result-columns.ts";
import { namedTable, readTableName, type AskedTable, type TableName } from "./names.ts";
import { readColumns, readName, type ColumnNames, type ColumnsBy } from "./columns.ts";
import { nativeColumns } from "./native.ts";
import { readTextForm } from "./records.ts";

/** An existing table, and how to query it. */
export interface SqlCollectionOptions<S extends Schema = Schema> extends Pick<
  CriteriaOptions,
  "maxCriteria" | "maxValues"
> {
  readonly schema: S;
  readonly dialect: DialectName;
  /** The caller's driver. */
  readonly run: Run;
  /** The table, or a view. */
  readonly table: TableName;
  /**
   * The columns of fields. Default: named after the fields. `"fields"` also has the columns of folded values, such as
   * `name_folded`, with which `createTable` makes tables.
   */
  readonly columns?: ColumnNames<FieldName<S>> | undefined;
  /** The integer column with the insertion order, without duplicates. Use either this or `order`. */
  readonly position?: string | undefined;
  /**
   * Instead of a position: the fields whose values identify a record. Their ascending order is the default order and
   * breaks ties.
   */
  readonly order?: readonly SortableName<S>[] | undefined;
  /** See {@link CompileOptions.texts}. */
  readonly texts?: TextForm | undefined;
}

const { maxCriteria, maxValues } = criteriaOptions;

/** The readers of the options of one table. */
const ownOptions = {
  schema: (given: unknown): Schema => {
    requireSchema(given);
    return given;
  },
  table: readTableName,
  columns: optional(anything, {}),
  position: optional(readName),
  order: anything,
} satisfies Readonly<Record<string, ReadOption<unknown>>>;

/** The readers of the options that tables of a database share. */
export const sharedOptions = {
  dialect: dialectOf,
  run: readRun,
  texts: readTextForm,
  maxCriteria,
  maxValues,
} satisfies Readonly<Record<string, ReadOption<unknown>>>;

const tableOptions = { ...ownOptions, ...sharedOptions } satisfies OptionReaders<
  Record<keyof SqlCollectionOptions, unknown>
>;

/** A table, as described by its options. */
export interface DescribedTable extends Pick<OptionsOf<typeof ownOptions>, "schema" | "position"> {
  readonly table: AskedTable;
  readonly columnsBy: ColumnsBy;
  /** The fields whose values identify a record. */
  readonly order: readonly string[];
}

/** An existing table, and how to query it. */
export interface Described extends DescribedTable, OptionsOf<typeof sharedOptions> {}

/** @throws SchemaError, InputError with the path of the first option that is not valid */
export function readDescribed(options: unknown): Described {
  const given = readOptions(options, "options", tableOptions);
  return { ...given, ...described(given, "options", given.dialect) };
}

/**
 * @param where the path of the options
 * @throws SchemaError, InputError with the path of the first option that is not valid
 */
export const readTableOptions = (options: unknown, where: string, dialect: Dialect) =>
  described(readOptions(options, where, ownOptions), where, dialect);

function described(
  { schema, table: path, columns, position, order: given }: OptionsOf<typeof ownOptions>,
  where: string,
  dialect: Dialect,
): DescribedTable {
  const order = given === undefined ? [] : readOrder(schema, given, `${where}.order`);
  if ((position === undefined) === (order.length === 0)) {
    const reason =
      position === undefined
        ? `must name the fields whose values identify a record; or set ${where}.position to a column`
        : `must be omitted if ${where}.position is given`;
    throw new InputError(`${where}.order`, reason);
  }
  const named = namedTable(dialect, path);
  const own = ({ name }: Place) => name;
  const columnsBy = readColumns(schema, dialect, columns, `${where}.columns`, own);
  const fields = columnsBy((column) => columnIn(named.name, column, dialect));
  return {
    schema,
    position,
    order,
    table: { ...named, position: position ?? "", fields },
    columnsBy,
  };
}

function readOrder(schema: Schema, input: unknown, path: string): string[] {
  const names: string[] = [];
  for (const each of iterate(input, path)) {
    const refuse: Refuse = (...reason) => new InputError(`${path}[${names.length}]`, ...reason);
    const [name] = sortableField(schema, each, refuse);
    if (names.includes(name)) throw refuse(`repeats ${describe(name)}`);
    names.push(name);
  }
  return names;
}

/** The columns of a table, from the engine's catalog. */
export async function fetchColumns({ dialect, run, table }: Described, signal: AbortSignal) {
  const asked = dialect.catalog.columns(table.path, table.name);
  return nativeColumns(await ask(run, asked, 8, signal), dialect);
}
