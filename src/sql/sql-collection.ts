// A collection over a table that tercet did not make. It answers like a collection in memory, with
// promises, and shares its checks and their messages.

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
import { describe, InputError, type Refuse } from "../schema/errors.ts";
import { heldValue, type WireValue } from "../schema/field.ts";
import { iterate } from "../schema/input.ts";
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
  numericField,
  requireSchema,
  sortableField,
  type FieldName,
  type RecordOf,
  type Schema,
  type SearchRecordOf,
  type SortableName,
} from "../schema/schema.ts";
import { checkTellable } from "./condition.ts";
import type { DialectName, Run, Signal, Statement, TextForm } from "./dialect.ts";
import { dialectOf } from "./dialects/index.ts";
import { ConsistencyError, patiently } from "./consistency.ts";
import { ask as askDriver, readRun } from "./driver.ts";
import { nativeColumns, tableAsItIs } from "./native.ts";
import {
  namedTable,
  readColumns,
  readName,
  readTableName,
  type AskedTable,
  type ColumnName,
  type TableName,
} from "./names.ts";
import { columnsIn, readTextForm, sourceOf, wireOf, type RecordSource } from "./records.ts";
import {
  countStatement,
  extremesStatement,
  orderOf,
  pageStatement,
  rangesStatement,
  valuesStatement,
} from "./select.ts";

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

/** How long the caller waits. */
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

const isSignal = (given: unknown): given is AbortSignal => given instanceof AbortSignal;
const { maxCriteria, maxValues } = criteriaOptions;

/** How the options are read that say where the table is. */
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

/** A table that is there, as its options describe it. */
export interface Described extends Omit<OptionsOf<typeof tableOptions>, "table" | "order"> {
  readonly table: AskedTable;
  /** The fields whose values tell one record from all others. */
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
        ? "needs the fields whose values tell one record from all others, or options.position a column"
        : "is not for a table that has a position";
    throw new InputError("options.order", reason);
  }
  const fields = readColumns(schema, dialect, columns, "options.columns", ({ name }) => name);
  const table = { ...namedTable(dialect, path), position: position ?? "", fields };
  return { ...given, order, table };
}

function readOrder(schema: Schema, input: unknown, path: string): string[] {
  const names: string[] = [];
  for (const each of iterate(input, path)) {
    const refuse: Refuse = (...reason) => new InputError(`${path}[${names.length}]`, ...reason);
    const [name] = sortableField(schema, each, refuse);
    if (names.includes(name)) throw refuse(`is ${describe(name)} again`);
    names.push(name);
  }
  return names;
}

/** What the engine says of the columns of a table. */
export async function askForColumns({ dialect, run, table }: Described, signal: AbortSignal) {
  const asked = dialect.catalog.columns(table.path, table.name);
  return nativeColumns(await askDriver(run, asked, 7, signal), dialect);
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
  const { schema, dialect, texts, run, order } = described;
  const criteriaSettings = { ...described, unknownOperator: "error" } as const;
  let known: Promise<RecordSource> | undefined;

  /** Belongs to no caller: if one gives up, the others keep waiting. */
  function ready(): Promise<RecordSource> {
    known ??= askForColumns(described, new AbortController().signal)
      .then((native) => {
        const table = tableAsItIs(described.table, native, dialect);
        const columnsOf = columnsIn(table);
        const key = order.map((name) => orderOf(columnsOf(name), "ASC", dialect)).join(", ");
        return sourceOf(schema, table, dialect, texts, key === "" ? undefined : key);
      })
      .catch((thrown: unknown) => {
        known = undefined;
        throw thrown;
      });
    return known;
  }

  type Ask = (statement: Statement, columns: number) => Promise<(readonly WireValue[])[]>;
  /** Works on the current table, until the caller gives up. */
  const answer = <Result>(
    waiting: AbortSignal | undefined,
    work: (source: RecordSource, ask: Ask, signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> =>
    awaiting(waiting, async (signal) => {
      const ask: Ask = (...asked) => askDriver(run, ...asked, signal);
      return await work(await ready(), ask, signal);
    });

  function parsed(query: unknown): ParsedQuery {
    const checked = parseQuery(schema, query, criteriaSettings);
    checkTellable(checked.criteria, columnsIn(described.table));
    return checked;
  }

  const selection = (criteria: unknown) => parsed({ criteria }).criteria;
  const refuse: Refuse = (...reason) => new InputError("field", ...reason);

  return Object.freeze<SqlCollection>({
    schema,

    async query(query?: unknown, waiting?: unknown) {
      const asked = parsed(query);
      const signal = signalIn(waiting);
      signal?.throwIfAborted();
      if (asked.limit === 0) return [];
      return await answer(signal, async (source, ask) => {
        const rows = await ask(pageStatement(source, asked), source.selected.length);
        return rows.map(source.make) as RecordOf<Schema>[];
      });
    },

    async count(criteria?: unknown, waiting?: unknown) {
      const selected = selection(criteria);
      return await answer(signalIn(waiting), async (source, ask) => {
        const [row] = await ask(countStatement(source, selected), 1);
        return Number(row?.[0]);
      });
    },

    async countBy(given: unknown, criteria?: unknown, options?: unknown) {
      const [name, field] = sortableField(schema, given, refuse);
      const { waiting, others } = apart(options);
      const listing = readCountByOptions(others);
      const selected = selection(criteria);
      return await answer(waiting, async (source, ask) => {
        const columns = source.columnsOf(name);
        const asked = valuesStatement(source, selected, columns, listing);
        return (await ask(asked, 2)).map(([value = null, count]) => ({
          value: heldValue(schema.form, field, wireOf(columns, name, value)) as never,
          count: Number(count),
        }));
      });
    },

    async histogram(given: unknown, options: unknown) {
      const [name, { type }] = numericField(schema, given, refuse);
      const { waiting, others } = apart(options);
      const binning = readHistogramOptions(others);
      checkBinning(type, binning);
      const criteria = selection(binning.criteria);
      const isRanged = binning.from !== undefined && binning.to !== undefined;
      return await answer(waiting, async (source, ask, signal) => {
        const columns = source.columnsOf(name);
        return await patiently(signal, async () => {
          const [extremes = []] = isRanged ? [] : await ask(extremesStatement(source, columns), 2);
          const bins = new Bins(type, binning, () => rangeOf(extremes));
          const asked = rangesStatement(source, criteria, columns, bins.edges);
          for (const [range, count, ...now] of await ask(asked, 4)) {
            if (!isRanged && String(now) !== String(extremes)) {
              const reason = `the values of ${name} changed while they were counted`;
              throw new ConsistencyError(reason);
            }
            bins.counts[range == null ? 0 : 1 + Number(range)] = Number(count);
          }
          return bins.finish();
        });
      });
    },

    async summary(given: unknown, criteria?: unknown, waiting?: unknown) {
      const [name] = numericField(schema, given, refuse);
      const selected = selection(criteria);
      return await answer(signalIn(waiting), async (source, ask) => {
        const total = new Total();
        const columns = source.columnsOf(name);
        const asked = valuesStatement(source, selected, columns);
        for (const [value = null, count] of await ask(asked, 2)) {
          const number = wireOf(columns, name, value);
          if (number === null) total.nulls += Number(count);
          else total.add(parseNumber(number), Number(count));
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

/** Waits for work until the caller gives up, even if the driver ignores that. */
async function awaiting<Result>(
  given: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  if (given === undefined) return await work(new AbortController().signal);
  given.throwIfAborted();
  const done = new AbortController();
  const givenUp = new Promise<never>((_, reject) => {
    const giveUp = () => reject(given.reason as Error);
    given.addEventListener("abort", giveUp, { signal: done.signal });
  });
  return await Promise.race([work(given), givenUp]).finally(() => done.abort());
}
