// A collection over a table that tercet did not make: what a collection in memory answers, by promises. What is
// checked, and with which words, is the same code; only what is answered from is another.

import {
  readCountByOptions,
  type CountByOptions,
  type ValueCount,
} from "../collection/execute/count-by.ts";
import {
  Bins,
  checkBinning,
  readHistogramOptions,
  type Histogram,
  type HistogramOptions,
  type Range,
} from "../collection/execute/histogram.ts";
import { Total, type Summary } from "../collection/execute/summary.ts";
import type { NumericName } from "../collection/collection.ts";
import { parseQuery, type CheckedQuery, type ParsedQuery } from "../collection/plan/query.ts";
import type { CheckedCriteria } from "../criteria/criteria.ts";
import { criteriaOptions, type CriteriaOptions } from "../criteria/parse.ts";
import { describe, InputError, quote } from "../schema/errors.ts";
import { heldValue, isNumeric, type Field } from "../schema/field.ts";
import { iterate, isFunction } from "../schema/input.ts";
import { parseNumber } from "../schema/numbers.ts";
import {
  anything,
  must,
  optional,
  readOptions,
  type OptionReaders,
  type OptionsOf,
} from "../schema/options.ts";
import {
  requireSchema,
  sortableField,
  type FieldName,
  type RecordOf,
  type Schema,
  type SearchRecordOf,
  type SortableName,
} from "../schema/schema.ts";
import {
  countStatement,
  extremesStatement,
  rangesStatement,
  valuesStatement,
} from "./aggregates.ts";
import type { Dialect, DialectName } from "./dialect.ts";
import { checkTellable } from "./condition.ts";
import { dialectOf } from "./dialects/index.ts";
import { Drivers } from "./drivers.ts";
import { NativeColumns, tableAsItIs } from "./native.ts";
import {
  namedTable,
  readColumns,
  readName,
  readTableName,
  type ColumnName,
  type AskedTable,
  type TableName,
} from "./names.ts";
import { orderOf, pageStatement } from "./page.ts";
import { patiently } from "./patiently.ts";
import {
  columnsIn,
  readTextForm,
  selectedOf,
  selectRecords,
  wireOf,
  type TextForm,
} from "./records.ts";
import { ConsistencyError } from "./shard.ts";
import type { Run, Statement, Signal } from "./statement.ts";

/** A table that is there, and how to ask for it. */
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
  /** The columns of fields. Default: each is called as its field. */
  readonly columns?: Readonly<Partial<Record<FieldName<S>, ColumnName>>> | undefined;
  /** The column of integers that tells the order of insertion, no two of them the same. Not with `order`. */
  readonly position?: string | undefined;
  /**
   * Instead of a position, the fields whose values tell one record from all others. Their order, lowest first,
   * stands for the order of insertion: records are in it unless they are sorted, and so are ties.
   */
  readonly order?: readonly SortableName<S>[] | undefined;
  /** As {@link CompileOptions.texts}. */
  readonly texts?: TextForm | undefined;
}

/** How long somebody waits. */
export interface AbortOptions {
  /** When it is aborted, the promise is rejected with its reason, and the driver's signal is aborted. */
  readonly signal?: Signal | undefined;
}

/**
 * The questions of a {@link Collection}, answered by promises from a table: as a collection answers of the table's
 * records, loaded in the order of the position or the key. All reject with a CriteriaError, QueryError or InputError
 * as those of a collection throw, before a statement is sent; with a DriverError where the driver fails; with a
 * RowError where the table holds what a field can't; and with an InputError where the table lacks a column, or one is
 * of a type that its field can't be of.
 */
export interface SqlCollection<S extends Schema = Schema> {
  readonly schema: S;

  /** @see Collection.query */
  query<
    const C = null,
    const SortBy = null,
    const Order = null,
    const Limit = null,
    const Offset = null,
    const Sorting = null,
  >(
    query?: CheckedQuery<S, C, SortBy, Order, Limit, Offset, Sorting>,
    waiting?: AbortOptions,
  ): Promise<RecordOf<S>[]>;

  /** @see Collection.count */
  count<const C = null>(criteria?: CheckedCriteria<S, C>, waiting?: AbortOptions): Promise<number>;

  /** @see Collection.countBy */
  countBy<Name extends SortableName<S>, const C = null>(
    field: Name,
    criteria?: CheckedCriteria<S, C>,
    options?: CountByOptions & AbortOptions,
  ): Promise<ValueCount<SearchRecordOf<S>[Name]>[]>;

  /** @see Collection.histogram */
  histogram<const C = null>(
    field: NumericName<S>,
    options: HistogramOptions<CheckedCriteria<S, C>> & AbortOptions,
  ): Promise<Histogram>;

  /**
   * The engine sends each distinct number once.
   *
   * @see Collection.summary
   */
  summary<const C = null>(
    field: NumericName<S>,
    criteria?: CheckedCriteria<S, C>,
    waiting?: AbortOptions,
  ): Promise<Summary>;
}

const isRun = (given: unknown): given is Run => isFunction(given);
const isSignal = (given: unknown): given is AbortSignal => given instanceof AbortSignal;
const { maxCriteria, maxValues } = criteriaOptions;

/** How the options are read that say where the table is. */
const tableOptions = {
  schema: (given): Schema => {
    requireSchema(given);
    return given;
  },
  dialect: dialectOf,
  run: must("a function", isRun),
  table: readTableName,
  columns: optional(anything, {}),
  position: optional(readName),
  order: anything,
  texts: readTextForm,
  maxCriteria,
  maxValues,
} satisfies OptionReaders<Record<keyof SqlCollectionOptions, unknown>>;

/** A table that is there, as its options describe it. */
export interface Described extends Omit<OptionsOf<typeof tableOptions>, "table" | "order"> {
  readonly table: AskedTable;
  /** The fields whose values tell one record from all others. */
  readonly order: readonly string[];
  readonly drivers: Drivers;
}

/** @throws SchemaError, InputError with the path of the first option that is not valid */
export function readDescribed(options: unknown): Described {
  const given = readOptions(options, "options", tableOptions);
  const { schema, dialect, table: path, columns, position } = given;
  const order = given.order === undefined ? [] : readOrder(schema, given.order, "options.order");
  if ((position === undefined) === (order.length === 0)) {
    const reason =
      position === undefined
        ? "needs the fields whose values tell one record from all others, or options.position a column"
        : "is not for a table that has a position";
    throw new InputError("options.order", reason);
  }
  const fields = readColumns(schema, dialect, columns, "options.columns", ({ name }) => name);
  const table = { ...namedTable(dialect, path), position: position ?? "", fields };
  return { ...given, order, table, drivers: new Drivers(given.run, "options.run") };
}

function readOrder(schema: Schema, input: unknown, path: string): string[] {
  const names = Array.from(
    iterate(input, path),
    (each, i) =>
      sortableField(schema, each, (reason) => new InputError(`${path}[${i}]`, reason))[0],
  );
  names.forEach((name, i) => {
    if (names.indexOf(name) < i)
      throw new InputError(`${path}[${i}]`, `is ${describe(name)} again`);
  });
  return names;
}

/** The table as its columns are, and what statements are written with. */
interface Ready {
  readonly table: AskedTable;
  readonly writing: ReturnType<typeof writingOf>;
  readonly position: string;
}

const writingOf = (dialect: Dialect, table: AskedTable) => ({
  dialect,
  columnsOf: columnsIn(table),
});

/** What the engine says of the columns of a table. */
export async function askForColumns(
  { dialect, drivers, table }: Described,
  signal: AbortSignal,
): Promise<NativeColumns> {
  const asked = dialect.catalog.columns(table.path, table.name);
  const [rows = []] = await drivers.rows(asked, 5, signal);
  return new NativeColumns(rows, dialect);
}

/**
 * Makes a collection over a table that is there. Nothing is sent before something is asked; the first question also
 * asks once of which types the columns are.
 *
 * @throws SchemaError where the schema is none; InputError with the path of the first option that is not valid
 */
export function createSqlCollection<const S extends Schema>(
  options: SqlCollectionOptions<S>,
): SqlCollection<S>;
export function createSqlCollection(options: unknown): SqlCollection {
  const described = readDescribed(options);
  const { schema, dialect, texts, drivers, order } = described;
  const criteriaSettings = { ...described, unknownOperator: "error" } as const;
  let known: Promise<Ready> | undefined;

  async function ask(statement: Statement, columns: number, signal: AbortSignal) {
    const [rows = []] = await drivers.rows(statement, columns, signal);
    return rows;
  }

  /** Of no caller's own: who gives up leaves the others waiting. */
  function ready(): Promise<Ready> {
    known ??= askForColumns(described, new AbortController().signal)
      .then((native): Ready => {
        const table = tableAsItIs(schema, described.table, native, dialect);
        const writing = writingOf(dialect, table);
        const key = order.map((name) => orderOf(writing.columnsOf(name), "ASC", dialect));
        const position = key.length > 0 ? key.join(", ") : dialect.quote(table.position);
        return { table, writing, position };
      })
      .catch((thrown: unknown) => {
        known = undefined;
        throw thrown;
      });
    return known;
  }

  function parsed(query: unknown): ParsedQuery {
    const checked = parseQuery(schema, query, criteriaSettings);
    checkTellable(checked.criteria, columnsIn(described.table));
    return checked;
  }

  const selection = (criteria: unknown) => parsed({ criteria }).criteria;

  function sortable(given: unknown): readonly [name: string, field: Field] {
    return sortableField(schema, given, (reason) => new InputError("field", reason));
  }

  function numeric(given: unknown): readonly [name: string, field: Field] {
    const [name, field] = sortable(given);
    if (isNumeric(field.type)) return [name, field];
    throw new InputError("field", `must be an int or float field, not ${quote(name)}`);
  }

  /** The values of a field, each once, with how many of the selected rows have it. */
  async function valuesOf(
    name: string,
    field: Field,
    criteria: ReturnType<typeof selection>,
    signal: AbortSignal,
    listing?: Parameters<typeof valuesStatement>[3],
  ) {
    const { table, writing } = await ready();
    const columns = writing.columnsOf(name);
    const counted = { table: table.name, criteria, writing };
    const selected = selectedOf(columns, dialect, texts);
    const rows = await ask(valuesStatement(counted, columns, selected, listing), 2, signal);
    return rows.map(([value = null, count]) => ({
      value: wireOf(field, name, value),
      count: Number(count),
    }));
  }

  return Object.freeze<SqlCollection>({
    schema,

    async query(query?: unknown, waiting?: unknown) {
      const asked = parsed(query);
      return await awaiting(signalIn(waiting), async (signal) => {
        if (asked.limit === 0) return [];
        const { table, writing, position } = await ready();
        const { selected, names, make } = selectRecords(schema, table, dialect, texts);
        const source = { table: table.name, position, selected };
        const rows = await ask(pageStatement(source, asked, writing), names.length, signal);
        return rows.map(make) as RecordOf<Schema>[];
      });
    },

    async count(criteria?: unknown, waiting?: unknown) {
      const selected = selection(criteria);
      return await awaiting(signalIn(waiting), async (signal) => {
        const { table, writing } = await ready();
        const asked = countStatement({ table: table.name, criteria: selected, writing });
        const [row] = await ask(asked, 1, signal);
        return Number(row?.[0]);
      });
    },

    async countBy(given: unknown, criteria?: unknown, options?: unknown) {
      const [name, field] = sortable(given);
      const { waiting, others } = apart(options);
      const listing = readCountByOptions(others);
      const selected = selection(criteria);
      return await awaiting(waiting, async (signal) => {
        const counts = await valuesOf(name, field, selected, signal, listing);
        return counts.map(({ value, count }) => ({
          value: heldValue(schema.form, field, value) as never,
          count,
        }));
      });
    },

    async histogram(given: unknown, options: unknown) {
      const [name, { type }] = numeric(given);
      const { waiting, others } = apart(options);
      const binning = readHistogramOptions(others);
      checkBinning(type, binning);
      const criteria = selection(binning.criteria);
      const isRanged = binning.from !== undefined && binning.to !== undefined;
      return await awaiting(waiting, async (signal) => {
        const { table, writing } = await ready();
        const columns = writing.columnsOf(name);
        const counted = { table: table.name, criteria, writing };
        return await patiently(signal, async () => {
          const [extremes = []] = isRanged
            ? []
            : await ask(extremesStatement(counted, columns), 2, signal);
          const bins = new Bins(type, binning, () => rangeOf(extremes));
          const rows = await ask(rangesStatement(counted, columns, bins.edges), 4, signal);
          for (const [range, count, ...now] of rows) {
            if (!isRanged && String(now) !== String(extremes)) {
              throw new ConsistencyError(
                `the values of ${name} changed while they were counted`,
                true,
              );
            }
            bins.counts[range == null ? 0 : 1 + Number(range)] = Number(count);
          }
          return bins.finish();
        });
      });
    },

    async summary(given: unknown, criteria?: unknown, waiting?: unknown) {
      const [name, field] = numeric(given);
      const selected = selection(criteria);
      return await awaiting(signalIn(waiting), async (signal) => {
        const total = new Total();
        for (const { value, count } of await valuesOf(name, field, selected, signal)) {
          if (value === null) total.nulls += count;
          else total.add(parseNumber(value), count);
        }
        return total.finish();
      });
    },
  });
}

function rangeOf([low = null, high = null]: readonly (string | null)[]): Range {
  return low === null || high === null ? [Infinity, -Infinity] : [Number(low), Number(high)];
}

const waitingOptions = { signal: optional(must("an AbortSignal", isSignal)) };

const signalIn = (waiting: unknown) =>
  waiting === undefined ? undefined : readOptions(waiting, "options", waitingOptions).signal;

/** The signal, and the other options; what can't have members is left to who reads these. */
function apart(options: unknown): { waiting: AbortSignal | undefined; others: unknown } {
  if (typeof options !== "object" || options === null || !("signal" in options)) {
    return { waiting: undefined, others: options };
  }
  const { signal, ...others } = options;
  return { waiting: signalIn({ signal }), others };
}

/** Waits for work until somebody gives up, whether the driver heeds it or not. */
async function awaiting<Result>(
  given: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  if (given === undefined) return await work(new AbortController().signal);
  given.throwIfAborted();
  let giveUp = (): void => undefined;
  const givenUp = new Promise<never>((_, reject) => {
    giveUp = () => reject(given.reason as Error);
    given.addEventListener("abort", giveUp);
  });
  try {
    return await Promise.race([work(given), givenUp]);
  } finally {
    given.removeEventListener("abort", giveUp);
  }
}
