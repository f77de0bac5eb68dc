// A collection over an existing table. It has the queries of an in-memory collection, as promises, and shares its
// checks and their messages.

import type { Selected } from "../engine/projection.ts";
import {
  readCountByOptions,
  type CountByOptions,
  type CountedBy,
  type CountedValue,
} from "../engine/execution/count-by.ts";
import { parseGroupQuery } from "../engine/group-query.ts";
import type {
  CheckedHaving,
  GroupKeys,
  GroupOf,
  GroupQuery,
  Measures,
} from "../engine/group-types.ts";
import {
  readHistogramOptions,
  type CountedBin,
  type Histogram,
  type HistogramOptions,
} from "../engine/execution/histogram.ts";
import { readSummaryOptions, type SummaryOptions } from "../engine/execution/summary.ts";
import type { NumericName, PrefixFor, QuantilesFor, SummaryOf } from "../collection/types.ts";
import { pageAtOf, pageWith } from "../engine/cursor.ts";
import {
  parsePageQuery,
  type Selecting,
  parseQuery,
  type CheckedPageQuery,
  type CheckedQuery,
  type Page,
  type ParsedQuery,
  type Sort,
} from "../engine/query.ts";
import type { CheckedCriteria } from "../criteria/criteria.ts";
import { InputError, type Refuse } from "../schema/errors.ts";
import { countableField, numericField, type CountableName } from "../schema/names.ts";
import type { CountedValueOf } from "../schema/record-types.ts";
import type { Schema } from "../schema/schema.ts";
import { count, countBy, histogram, summary, type AskedSource } from "./aggregates.ts";
import { checkTellable, type Asked } from "./condition.ts";
import { ask as askDriver } from "./driver.ts";
import { columnIn } from "./result-columns.ts";
import type { AskedTable } from "./names.ts";
import type { Refer } from "./columns.ts";
import { groupBy } from "./group-by.ts";
import { tableAsItIs, type NativeColumns } from "./native.ts";
import { pageAfterStatement } from "./page-after.ts";
import { columnsIn, sourceOf, type RecordSource } from "./records.ts";
import { orderOf, pageStatement } from "./select.ts";
import {
  fetchColumns,
  readDescribed,
  type Described,
  type SqlCollectionOptions,
} from "./table-options.ts";
import { awaiting, signalIn, splitSignal, type AbortOptions } from "./waiting.ts";

/**
 * The queries of a {@link Collection} on a table, as promises. Invalid queries reject with the errors of a collection,
 * before a statement is sent. Other rejections: DriverError if the driver fails; RowError if the table has a value that
 * its field can't have; InputError if a column is missing or has an unsuitable type.
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
    const Select = null,
  >(
    query?: CheckedQuery<S, C, SortBy, Order, Limit, Offset, Sorting> & Selecting<S, Select>,
    waiting?: AbortOptions,
  ): Promise<Selected<S, Select>[]>;

  /**
   * A cursor is only valid for its table. Cost: one statement; with an index for the order, as proposed by
   * `checkTable`, that of a first page at any depth.
   *
   * @see Collection.page
   */
  page<
    const C = null,
    const SortBy = null,
    const Order = null,
    const Limit = null,
    const Sorting = null,
    const Select = null,
  >(
    query?: CheckedPageQuery<S, C, SortBy, Order, Limit, Sorting> & Selecting<S, Select>,
    waiting?: AbortOptions,
  ): Promise<Page<Selected<S, Select>>>;

  /** @see Collection.count */
  count<const C = null>(criteria?: CheckedCriteria<S, C>, waiting?: AbortOptions): Promise<number>;

  /**
   * With `summarize`, the engine sends each distinct pair of a value and a number once, since its own sums are not
   * exact; with `prefix`, each distinct prefix.
   *
   * @see Collection.countBy
   */
  countBy<
    Name extends CountableName<S>,
    const C = null,
    Summarized extends NumericName<S> | undefined = undefined,
    Prefix extends PrefixFor<S, Name> = undefined,
  >(
    field: Name,
    criteria?: CheckedCriteria<S, C>,
    options?: CountByOptions<Summarized, Prefix> & AbortOptions,
  ): Promise<CountedValue<CountedBy<CountedValueOf<S, Name>, Prefix>, Summarized>[]>;

  /**
   * Cost: the engine sends a row for each group and distinct value of a measured field. The fields of `"count"`,
   * `"minimum"` and `"maximum"` alone need no rows of their own. It is one statement; with several fields of which each
   * value is needed, the table is read once for every one. `having`, `sort`, `limit` and `offset` are applied
   * afterwards. Steps, widths and edges take another statement, for the lowest and highest number; if more than 20,000
   * ranges are between these, or 2,000 of floats, the engine sends each distinct number instead of its range. If values
   * outside of the ranges are added in between, both are sent again, at most three times; then it is a
   * ConsistencyError.
   *
   * @see Collection.groupBy
   */
  groupBy<
    const By extends GroupKeys<S>,
    const Found extends Measures<S> = Record<never, "count">,
    const Summarized extends NumericName<S> = never,
    const C = null,
    const Having = null,
  >(
    query: GroupQuery<
      S,
      By,
      Found,
      Summarized,
      CheckedCriteria<S, C>,
      CheckedHaving<Found, Having>
    >,
    waiting?: AbortOptions,
  ): Promise<readonly GroupOf<S, By, Found, Summarized>[]>;

  /**
   * With `summarize`, the engine sends each distinct number of a bin once.
   *
   * @see Collection.histogram
   */
  histogram<const C = null, Summarized extends NumericName<S> | undefined = undefined>(
    field: NumericName<S>,
    options: HistogramOptions<CheckedCriteria<S, C>, Summarized> & AbortOptions,
  ): Promise<Histogram<CountedBin<Summarized>>>;

  /**
   * For a number field, the engine sends each distinct value once.
   *
   * @see Collection.summary
   */
  summary<
    Name extends CountableName<S>,
    const C = null,
    const Quantiles extends QuantilesFor<S, Name> = readonly [],
  >(
    field: Name,
    criteria?: CheckedCriteria<S, C>,
    options?: SummaryOptions<Quantiles> & AbortOptions,
  ): Promise<SummaryOf<S, Name, Quantiles>>;
}

/** A collection for any schema, with unchecked arguments. */
export interface AnySqlCollection {
  readonly schema: Schema;
  query(query?: unknown, waiting?: unknown): Promise<unknown>;
  page(query?: unknown, waiting?: unknown): Promise<unknown>;
  count(criteria?: unknown, waiting?: unknown): Promise<unknown>;
  countBy(field: unknown, criteria?: unknown, options?: unknown): Promise<unknown>;
  groupBy(query: unknown, waiting?: unknown): Promise<unknown>;
  histogram(field: unknown, options: unknown): Promise<unknown>;
  summary(field: unknown, criteria?: unknown, options?: unknown): Promise<unknown>;
}

/**
 * Makes a collection over an existing table. No statement is sent before the first query, which also reads the types
 * of the columns.
 *
 * @throws SchemaError if the schema is not one; InputError with the path of the first option that is not valid
 */
export function createSqlCollection<const S extends Schema>(
  options: SqlCollectionOptions<S>,
): SqlCollection<S>;
export function createSqlCollection(options: unknown): AnySqlCollection {
  const described = readDescribed(options);
  return queriesOn(described, () => fetchColumns(described, new AbortController().signal));
}

/** The queries of a table. @param fetch its columns */
export function queriesOn(
  described: Described,
  fetch: () => Promise<NativeColumns>,
  where?: string,
): AnySqlCollection {
  const { dialect, table } = described;
  const refer = (column: string) => columnIn(table.name, column, dialect);
  return queriesOf(described, table, refer, async () =>
    tableAsItIs(table, await fetch(), dialect, where),
  );
}

/** A table with the conditions that its statements may have. */
export type ConditionedTable = AskedTable & Pick<Asked, "conditions">;

/**
 * The queries of rows, which may have columns of several tables.
 *
 * @param unread the table before its columns were read
 * @param refer to columns of the table with the order of the rows
 * @param read the table with the types of its columns
 */
export function queriesOf(
  described: Omit<Described, "table" | "columnsBy">,
  unread: AskedTable,
  refer: Refer,
  read: () => Promise<ConditionedTable>,
): AnySqlCollection {
  const { schema, dialect, texts, run, order, position } = described;
  const criteriaSettings = { ...described, unknownOperator: "error" } as const;
  const ownKey = position === undefined ? undefined : refer(position);
  let known: Promise<RecordSource> | undefined;

  /** Takes no signal, so that other callers keep waiting if one aborts. */
  function ready(): Promise<RecordSource> {
    known ??= read()
      .then((table) => {
        const columnsOf = columnsIn(table);
        const key = order.map((name) => orderOf(columnsOf(name), "ASC", dialect)).join(", ");
        return sourceOf(schema, table, dialect, texts, ownKey ?? key);
      })
      .catch((thrown: unknown) => {
        known = undefined;
        throw thrown;
      });
    return known;
  }

  /** Runs on the current table, until the caller aborts. */
  const answer = <Result>(
    waiting: AbortSignal | undefined,
    work: (asked: AskedSource) => Promise<Result>,
  ): Promise<Result> =>
    awaiting(waiting, async (signal) => {
      const source = await ready();
      return await work({ source, ask: (...asked) => askDriver(run, ...asked, signal), signal });
    });

  function parsed(query: unknown): ParsedQuery {
    const checked = parseQuery(schema, query, criteriaSettings);
    checkTellable(checked.criteria, columnsIn(unread));
    return checked;
  }

  const selection = (criteria: unknown) => parsed({ criteria }).criteria;
  const refuse: Refuse = (...reason) => new InputError("field", ...reason);

  return Object.freeze<AnySqlCollection>({
    schema,

    async query(query, waiting) {
      const asked = parsed(query);
      const signal = signalIn(waiting);
      signal?.throwIfAborted();
      if (asked.limit === 0) return [];
      return await answer(signal, async ({ source: all, ask }) => {
        const source = all.selecting(asked);
        const rows = await ask(pageStatement(source, asked), source.selected.length);
        return rows.map(source.make);
      });
    },

    async page(query, waiting) {
      const [checked, request] = parsePageQuery(schema, query, criteriaSettings);
      checkTellable(checked.criteria, columnsIn(unread));
      // Without a position, the fields of the order break ties.
      const asked = { ...checked, sort: decided(checked.sort, order) };
      const at = pageAtOf(schema, asked, request);
      const signal = signalIn(waiting);
      signal?.throwIfAborted();
      if (asked.limit === 0)
        return pageWith(schema, asked, at, [], false, () => {
          throw new RangeError("a page without records has no positions");
        });
      return await answer(signal, async ({ source: all, ask }) => {
        const source = all.selecting(asked);
        const { statement, columns, read } = pageAfterStatement(source, asked, ownKey, at);
        const { rows, hasMore, positionAt } = read(await ask(statement, columns));
        return pageWith(schema, asked, at, rows.map(source.make), hasMore, positionAt);
      });
    },

    async count(criteria, waiting) {
      const selected = selection(criteria);
      return await answer(signalIn(waiting), (asked) => count(asked, selected));
    },

    async countBy(given, criteria, options) {
      const field = countableField(schema, given, refuse);
      const { waiting, others } = splitSignal(options);
      const listing = readCountByOptions(schema, ...field, others);
      const selected = selection(criteria);
      return await answer(waiting, (asked) => countBy(asked, field, selected, listing));
    },

    async groupBy(query, waiting) {
      const [grouping, criteria] = parseGroupQuery(schema, query, criteriaSettings);
      const selected = selection(criteria);
      return await answer(signalIn(waiting), (asked) => groupBy(asked, grouping, selected));
    },

    async histogram(given, options) {
      const field = numericField(schema, given, refuse);
      const { waiting, others } = splitSignal(options);
      const binning = readHistogramOptions(schema, field[1].type, others);
      const selected = selection(binning.criteria);
      return await answer(waiting, (asked) => histogram(asked, field, selected, binning));
    },

    async summary(given, criteria, options) {
      const field = countableField(schema, given, refuse);
      const { waiting, others } = splitSignal(options);
      const quantiles = readSummaryOptions(field[1].type, others);
      const selected = selection(criteria);
      return await answer(waiting, (asked) => summary(asked, field, selected, quantiles));
    },
  });
}

/** A sort with additional ascending fields that break its ties. */
function decided(sort: Sort | undefined, fields: readonly string[]): Sort | undefined {
  if (sort !== undefined) {
    const others = fields.filter((field) => field !== sort.field);
    return { ...sort, ties: decided(sort.ties, others) };
  }
  return fields.reduceRight<Sort | undefined>(
    (ties, field) => ({ field, order: "ASC", ties }),
    undefined,
  );
}
