// The methods of a collection that read: pages, counts and sums.

import type { CheckedCriteria } from "../criteria/criteria.ts";
import type {
  CountByOptions,
  CountedBy,
  CountedValue,
  ValueCount,
} from "../engine/execution/count-by.ts";
import type { Column } from "../engine/execution/columns.ts";
import type { GroupColumns } from "../engine/execution/group-columns.ts";
import type { CountedBin, Histogram, HistogramOptions } from "../engine/execution/histogram.ts";
import type { SummaryOptions, ValueSummary } from "../engine/execution/summary.ts";
import {
  describeCollection,
  printCollection,
  type CollectionDescription,
} from "../engine/explain/describe.ts";
import type { CountQueryPlan } from "../engine/explain/explain-count.ts";
import type { GroupByPlan } from "../engine/explain/explain-group-by.ts";
import { explainOptions, type ExplainOptions, type QueryPlan } from "../engine/explain/explain.ts";
import type {
  CheckedHaving,
  GroupKeys,
  GroupOf,
  GroupQuery,
  Measures,
} from "../engine/group-types.ts";
import type { IndexReport } from "../engine/indexes/index-names.ts";
import type { CheckedPageQuery, CheckedQuery, Page, Selecting } from "../engine/query.ts";
import type { Selected } from "../engine/projection.ts";
import { reportOf } from "../engine/versions/build-indexes.ts";
import type { AnyRecord } from "../schema/field-types.ts";
import type { CountableName, SortableName } from "../schema/names.ts";
import { readOptions } from "../schema/options.ts";
import type { CountedValueOf, RecordOf } from "../schema/record-types.ts";
import type { Schema } from "../schema/schema.ts";
import { methods, planOf, planOfCount, planOfGroups, recordsOf, run } from "./methods.ts";
import { Queryable } from "./queryable.ts";
import type {
  CollectionState,
  ColumnsOf,
  HasSchema,
  NumericName,
  PrefixFor,
  QuantilesFor,
  SummaryOf,
} from "./types.ts";

/** Records with indexes, which answer more questions, and explain how. Read-only. */
export abstract class ReadableCollection<S extends Schema> extends Queryable<S> {
  /** @internal */
  abstract override get state(): CollectionState<S>;

  /** @internal */
  protected override recordsOf(query: unknown): AnyRecord[] {
    return recordsOf(this.state, query);
  }

  /** @internal */
  protected override answerQuery(query: unknown): AnyRecord[] {
    return run(methods.query, this.state, query);
  }

  /** @internal */
  protected override countOf(criteria: unknown): number {
    return run(methods.count, this.state, criteria);
  }

  /** The record at a position in insertion order, from the end if it is negative. */
  at(position: number): RecordOf<S> | undefined {
    const whole = Math.trunc(position) || 0;
    const offset = whole < 0 ? whole + this.size : whole;
    if (offset < 0 || offset >= this.size) return undefined;
    const record = this.stored?.[offset] ?? this.recordsOf({ offset, limit: 1 })[0];
    return record as RecordOf<S> | undefined;
  }

  /** Its size and fields, for `JSON.stringify`. To write the records, use `[...collection]`. */
  toJSON(): CollectionDescription {
    return describeCollection(this.size, this.schema);
  }

  /** @internal Printed by `console.log` of Node.js. */
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return printCollection(this.size, this.schema);
  }

  /**
   * The page after or before a cursor, or the last page, with the cursors of the pages on either side. Going from page to
   * page repeats no record, and misses none that keeps its sort values, whatever changes in between. Cost: after a
   * cursor that of the first page, at any depth; before a cursor that of counting the records before it, and of a page
   * at that offset.
   *
   * @throws CriteriaError; QueryError, with the code `cursor` if `after` or `before` is not a cursor of this query
   */
  page<
    This extends HasSchema,
    const C = null,
    const SortBy = null,
    const Order = null,
    const Limit = null,
    const Sorting = null,
    const Select = null,
  >(
    this: This,
    query?: CheckedPageQuery<This["schema"], C, SortBy, Order, Limit, Sorting> &
      Selecting<This["schema"], Select>,
  ): Page<Selected<This["schema"], Select>>;
  page(query?: unknown): Page<unknown> {
    return run(methods.page, this.state, query);
  }

  /**
   * The values of a field in the selected records, with the count of each: a facet. For a strings field, the elements:
   * a record counts once for each distinct element. With `summarize`, also the sum, the extremes and the mean of a
   * field of numbers in the records of each value. Cost: with indexes, that of the query and a few nanoseconds for each
   * selected record, or of the distinct values without criteria; a lookup if repeated without criteria. Without
   * indexes, records are read.
   *
   * @param field any field except a json field, searchable or not
   * @param criteria omitted or `null`: every record
   * @param options `limit`, `order` and `ascending`: how many values, in which order; `summarize`: a field of numbers;
   *   `prefix`: counts by this many first characters of a string field
   * @returns a frozen result, which other calls may share
   * @throws InputError if there is no such field, or an option is not valid; CriteriaError
   */
  countBy<
    This extends HasSchema,
    Name extends CountableName<This["schema"]>,
    const C = null,
    Summarized extends NumericName<This["schema"]> | undefined = undefined,
    Prefix extends PrefixFor<This["schema"], Name> = undefined,
  >(
    this: This,
    field: Name,
    criteria?: CheckedCriteria<This["schema"], C>,
    options?: CountByOptions<Summarized, Prefix>,
  ): readonly CountedValue<CountedBy<CountedValueOf<This["schema"], Name>, Prefix>, Summarized>[];
  countBy(field: unknown, criteria: unknown, options?: unknown): readonly ValueCount<unknown>[] {
    return run(methods.countBy, this.state, field, criteria, options);
  }

  /**
   * Groups the selected records by one or more keys, and finds counts, sums, extremes and other measures of each group.
   * Cost: with indexes of the keys and the measured fields, that of the query and about 20 nanoseconds for each selected
   * record, key and measure; `quantile` takes about 50 and `distinct` up to 150, and both 12 bytes per record, since they
   * gather the values of each group.
   *
   * @param query `by`: the keys; `measures`: what is found, by name; `summarize`: fields of numbers to sum up;
   *   `criteria`: which records; `having`: criteria on the measures; `sort`, `limit` and `offset`: which groups are
   *   listed, in which order
   * @returns a frozen object for each group, with its keys and measures by name
   * @throws InputError with the path of the member of the query at fault; CriteriaError for those of the records
   */
  groupBy<
    This extends HasSchema,
    const By extends GroupKeys<This["schema"]>,
    const Found extends Measures<This["schema"]> = Record<never, "count">,
    const Summarized extends NumericName<This["schema"]> = never,
    const C = null,
    const Having = null,
  >(
    this: This,
    query: GroupQuery<
      This["schema"],
      By,
      Found,
      Summarized,
      CheckedCriteria<This["schema"], C>,
      CheckedHaving<Found, Having>
    >,
  ): readonly GroupOf<This["schema"], By, Found, Summarized>[];
  groupBy(query: unknown): readonly unknown[] {
    return run(methods.groupBy, this.state, query);
  }

  /**
   * The groups of `groupBy` as columns, for charts, and for tables of very many groups: measures in typed arrays, and
   * each group as an object only when it is read. Cost: that of `groupBy`, without making an object for each group.
   *
   * @throws InputError with the path of the member of the query at fault; CriteriaError for those of the records
   */
  groupColumns<
    This extends HasSchema,
    const By extends GroupKeys<This["schema"]>,
    const Found extends Measures<This["schema"]> = Record<"count", "count">,
    const C = null,
    const Having = null,
  >(
    this: This,
    query: GroupQuery<
      This["schema"],
      By,
      Found,
      never,
      CheckedCriteria<This["schema"], C>,
      CheckedHaving<Found, Having>
    >,
  ): GroupColumns<GroupOf<This["schema"], By, Found, never>, keyof Found & string>;
  groupColumns(query: unknown): GroupColumns {
    return run(methods.groupColumns, this.state, query);
  }

  /**
   * Counts the selected records by ranges of a field of numbers: of equal width, or calendar steps. The bins do not
   * depend on the criteria, so histograms of one field can be compared. With `summarize`, also the sum, the extremes
   * and the mean of a field of numbers in the records of each bin. Cost: that of `countBy`, plus an index search for
   * each bin.
   *
   * @param options `bins`: the maximum number of bins of equal width, or `step`: a `"day"`, `"week"`, `"month"`,
   *   `"quarter"` or `"year"` with the `unit` and the `zone` of the field's times; `criteria`: which records, by default all;
   *   `from` and `to`: the lowest and highest value of the bins, by default those of all records; `summarize`: a field
   *   of numbers
   * @returns consecutive bins, and how many records are below and above all of them, or have `null`: together as many
   *   as the criteria select; frozen, and possibly shared with other calls
   * @throws InputError if there is no such field of numbers, an option is not valid, or more than 10,000 calendar steps
   *   would be needed; CriteriaError
   */
  histogram<
    This extends HasSchema,
    const C = null,
    Summarized extends NumericName<This["schema"]> | undefined = undefined,
  >(
    this: This,
    field: NumericName<This["schema"]>,
    options: HistogramOptions<CheckedCriteria<This["schema"], C>, Summarized>,
  ): Histogram<CountedBin<Summarized>>;
  histogram(field: unknown, options: unknown): Histogram {
    return run(methods.histogram, this.state, field, options);
  }

  /**
   * How many selected records have a value in a field, and how many distinct values; for a field of numbers, also the
   * sum, the extremes, the mean, and quantiles. Cost: that of `countBy`; without criteria and options, a lookup from
   * the second call on; after changes of a few records, at most that of 10,000 distinct values. Records are read only
   * if the field has no index.
   *
   * @param field any field except a json field
   * @param criteria omitted or `null`: every record
   * @param options `quantiles`: for a field of numbers, numbers from 0 to 1
   * @returns a frozen result, which other calls may share
   * @throws InputError if there is no such field, or an option is not valid; CriteriaError
   */
  summary<
    This extends HasSchema,
    Name extends CountableName<This["schema"]>,
    const C = null,
    const Quantiles extends QuantilesFor<This["schema"], Name> = readonly [],
  >(
    this: This,
    field: Name,
    criteria?: CheckedCriteria<This["schema"], C>,
    options?: SummaryOptions<Quantiles>,
  ): SummaryOf<This["schema"], Name, Quantiles>;
  summary(field: unknown, criteria?: unknown, options?: unknown): ValueSummary {
    return run(methods.summary, this.state, field, criteria, options);
  }

  /**
   * The values of some fields in the selected records as columns, for custom statistics and charts. Columns of one
   * collection and the same criteria list the same records in the same order, which is not specified. Cost: with an
   * index of each field, that of the query and a few nanoseconds for each selected record and field. No record is read.
   * Without one, values are read.
   *
   * @param fields any fields except json and strings fields
   * @param criteria omitted or `null`: every record
   * @returns a column for each field, with 4 bytes per record
   * @throws InputError if there is no such field; CriteriaError
   */
  columns<
    This extends HasSchema,
    const Names extends readonly SortableName<This["schema"]>[],
    const C = null,
  >(
    this: This,
    fields: Names,
    criteria?: CheckedCriteria<This["schema"], C>,
  ): ColumnsOf<This["schema"], Names>;
  columns(fields: readonly unknown[], criteria?: unknown): readonly Column[] {
    return run(methods.columns, this.state, fields, criteria);
  }

  /**
   * How a query would run: the access paths of its criteria and sort, with estimated rows, and the cost of changes
   * since the last index build. Without `analyze`, it has no effect. Cost: that of choosing a plan, which for `contains`
   * and `ends_with` on an indexed field may search the distinct values.
   *
   * @throws CriteriaError, QueryError
   */
  explain<
    This extends HasSchema,
    const C = null,
    const SortBy = null,
    const Order = null,
    const Limit = null,
    const Offset = null,
    const Sorting = null,
    const Select = null,
  >(
    this: This,
    query?: CheckedQuery<This["schema"], C, SortBy, Order, Limit, Offset, Sorting> &
      Selecting<This["schema"], Select>,
    options?: ExplainOptions,
  ): QueryPlan;
  explain(query: unknown, options: unknown = {}): QueryPlan {
    const { analyze } = readOptions(options, "options", explainOptions);
    return planOf(this.state, query, analyze);
  }

  /**
   * How {@link Queryable.count | count} counts: by indexes alone, by reading codes, or by the plan of a query,
   * with the estimated cost. Has no effect.
   *
   * @throws CriteriaError
   */
  explainCount(): CountQueryPlan;
  explainCount<This extends HasSchema, const C>(
    this: This,
    criteria: CheckedCriteria<This["schema"], C>,
  ): CountQueryPlan;
  explainCount(criteria?: unknown): CountQueryPlan {
    return planOfCount(this.state, criteria);
  }

  /**
   * How {@link ReadableCollection.groupBy | groupBy} groups: by the runs of an index, or by the codes or the values of
   * records, with the estimated cost. Has no effect. `countBy`, `histogram` and `summary` group in the same way by their
   * field.
   *
   * @throws InputError with the path of the member of the query at fault; CriteriaError for those of the records
   */
  explainGroupBy<
    This extends HasSchema,
    const By extends GroupKeys<This["schema"]>,
    const Found extends Measures<This["schema"]> = Record<never, "count">,
    const Summarized extends NumericName<This["schema"]> = never,
    const C = null,
    const Having = null,
  >(
    this: This,
    query: GroupQuery<
      This["schema"],
      By,
      Found,
      Summarized,
      CheckedCriteria<This["schema"], C>,
      CheckedHaving<Found, Having>
    >,
  ): GroupByPlan;
  explainGroupBy(query: unknown): GroupByPlan {
    return planOfGroups(this.state, query);
  }

  /**
   * The existing indexes, with the size of each in bytes, without the records' own strings. Fields with the same value
   * in every record share one index, whose bytes count for the first.
   */
  indexes(): IndexReport[] {
    return reportOf(this.state.snapshot);
  }
}
