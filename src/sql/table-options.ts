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
} from "../schema/options.ts";
import { sortableField, type FieldName, type SortableName } from "../schema/names.ts";
import type { Place } from "../schema/place.ts";
import { requireSchema, type Schema } from "../schema/schema.ts";
import type { DialectName, Run, TextForm } from "./dialect.ts";
import { dialectOf } from "./dialects/index.ts";
import { ask, readRun } from "./driver.ts";
import {
  namedTable,
  readColumns,
  readName,
  readTableName,
  type AskedTable,
  type ColumnName,
  type TableName,
} from "./names.ts";
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
  /** The columns of fields. Default: named after the fields. */
  readonly columns?: Readonly<Partial<Record<FieldName<S>, ColumnName>>> | undefined;
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

/** The readers of the options for the table. */
const tableOptions = {
  schema: (given): Schema => {
    requireSchema(given);
    return given;
  },
  dialect: dialectOf,
  run: readRun,
  table: readTableName,
  columns: optional(anything, {}),
  position: optional(readName),
  order: anything,
  texts: readTextForm,
  maxCriteria,
  maxValues,
} satisfies OptionReaders<Record<keyof SqlCollectionOptions, unknown>>;

/** An existing table, as described by its options. */
export interface Described extends Omit<OptionsOf<typeof tableOptions>, "table" | "order"> {
  readonly table: AskedTable;
  /** The fields whose values identify a record. */
  readonly order: readonly string[];
}

/** @throws SchemaError, InputError with the path of the first option that is not valid */
export function readDescribed(options: unknown): Described {
  const given = readOptions(options, "options", tableOptions);
  const { schema, dialect, table: path, columns, position } = given;
  const order = given.order === undefined ? [] : readOrder(schema, given.order, "options.order");
  if ((position === undefined) === (order.length === 0)) {
    const reason =
      position === undefined
        ? "must name the fields whose values identify a record; or set options.position to a column"
        : "must be omitted if options.position is given";
    throw new InputError("options.order", reason);
  }
  const named = namedTable(dialect, path);
  const own = ({ name }: Place) => name;
  const fields = readColumns(schema, dialect, named.name, columns, "options.columns", own);
  const table = { ...named, position: position ?? "", fields };
  return { ...given, order, table };
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
