// The methods of a collection that read: pages, counts and sums.

import { projected, type Selected } from "../engine/projection.ts";
import type { CheckedCriteria } from "../criteria/criteria.ts";
import { InputError, type Refuse } from "../schema/errors.ts";
import type { Field } from "../schema/field.ts";
import { groupValueIn } from "../engine/execution/value-groups.ts";
import { isMembers, reading } from "../schema/input.ts";
import { must, readOptions } from "../schema/options.ts";
import {
  numericField,
  countableField,
  sortableField,
  type CountableName,
  type SortableName,
  type UniqueName,
} from "../schema/names.ts";
import type { InputValueOf } from "../schema/field-types.ts";
import type { RecordOf, CountedValueOf, UniqueValuesOf } from "../schema/record-types.ts";
import type { Schema } from "../schema/schema.ts";
import { asking, refuseField } from "./asking.ts";
import { recordWith } from "./get.ts";
import { answerBy } from "../engine/algorithms/deadline.ts";
import type { Kept, Kind } from "../engine/cache/cache.ts";
import {
  CountedValues,
  countBy,
  readCountByOptions,
  type CountByOptions,
  type CountedBy,
  type CountedValue,
  type ValueCount,
} from "../engine/execution/count-by.ts";
import { columnsOf, type Column } from "../engine/execution/columns.ts";
import { countRows } from "../engine/execution/count.ts";
import {
  Bins,
  histogram,
  readHistogramOptions,
  type CountedBin,
  type Histogram,
  type HistogramOptions,
} from "../engine/execution/histogram.ts";
import { groupBy, groupsIn } from "../engine/execution/group-by.ts";
import { GroupColumns } from "../engine/execution/group-columns.ts";
import { pageAt } from "../engine/execution/page-after.ts";
import { pageOf } from "../engine/execution/page.ts";
import {
  readSummaryOptions,
  summary,
  Summing,
  type SummaryOptions,
  type ValueSummary,
} from "../engine/execution/summary.ts";
import {
  describeCollection,
  printCollection,
  type CollectionDescription,
} from "../engine/explain/describe.ts";
import { explainCount, type CountQueryPlan } from "../engine/explain/explain-count.ts";
import { explainGroupBy, type GroupByPlan } from "../engine/explain/explain-group-by.ts";
import { explain, explainOptions, type QueryPlan } from "../engine/explain/explain.ts";
import { parseGroupQuery } from "../engine/group-query.ts";
import type {
  CheckedHaving,
  GroupKeys,
  GroupOf,
  GroupQuery,
  Measures,
} from "../engine/group-types.ts";
import type { IndexReport } from "../engine/indexes/index-names.ts";
import { pageAtOf } from "../engine/cursor.ts";
import {
  parsePageQuery,
  type Selecting,
  parseQuery,
  type CheckedPageQuery,
  type CheckedQuery,
  type Page,
  type ParsedQuery,
} from "../engine/query.ts";
import { observed, type QueryReport } from "../engine/observer.ts";
import { reportOf } from "../engine/versions/build-indexes.ts";
import {
  type NumericName,
  type PrefixFor,
  type QuantilesFor,
  type SummaryOf,
  type ColumnsOf,
  type CollectionState,
  type HasSchema,
} from "./types.ts";

/** The records of one schema, in insertion order, with methods to count, filter, sort and page them. Read-only. */
export abstract class ReadableCollection<S extends Schema> implements Iterable<RecordOf<S>> {
  readonly schema: S;
  readonly #state: CollectionState<S>;

  protected constructor(state: CollectionState<S>) {
    this.schema = state.codec.schema;
    this.#state = state;
  }

  /** @internal */
  get state(): CollectionState<S> {
    return this.#state;
  }

  /** How many records there are. */
  get size(): number {
    return this.#state.snapshot.size;
  }

  /** The record at a position in insertion order, from the end if it is negative. */
  at(position: number): RecordOf<S> | undefined {
    const records = this.#records;
    if (records !== undefined) return records.at(position);
    const whole = Math.trunc(position) || 0;
    const offset = whole < 0 ? whole + this.size : whole;
    return offset < 0 || offset >= this.size ? undefined : this.#page({ offset, limit: 1 })[0];
  }

  /**
   * The record with a value in a unique field, or with the values of a unique combination, as in `get({ list: 1, email:
   * "ada@example.org" })`. Values are compared like those of `exactly`. `undefined` if there is none, and for `null`,
   * which matches no record. Cost: constant with the field's index, linear without it. The index is built
   * automatically, as for queries.
   *
   * @throws InputError if the field or the combination is not unique, or a field does not accept its value
   */
  get<This extends HasSchema, const K extends UniqueName<This["schema"]>>(
    this: This,
    field: K,
    value: InputValueOf<This["schema"]["fields"][K]>,
  ): RecordOf<This["schema"]> | undefined;
  get<This extends HasSchema>(
    this: This,
    values: UniqueValuesOf<This["schema"]>,
  ): RecordOf<This["schema"]> | undefined;
  get(given: unknown, value?: unknown): unknown {
    return recordWith(this.#state, given, value);
  }

  /** Its size and fields, for `JSON.stringify`. To write the records, use `[...collection]`. */
  toJSON(): CollectionDescription {
    return describeCollection(this.size, this.schema);
  }

  /** @internal Printed by `console.log` of Node.js. */
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return printCollection(this.size, this.schema);
  }

  /** All records in insertion order. */
  [Symbol.iterator](): IterableIterator<RecordOf<S>> {
    return (this.#records ?? this.#page(undefined)).values();
  }

  /**
   * Filters, sorts, skips and takes, in this order. Cost: with indexes, mostly that of the selected rows, or just of
   * the page; without, linear in the records. `explain` estimates it. By default, a query builds any index it uses that
   * is due.
   *
   * @returns the records of the page, each frozen and shared with the collection, in a new array; with `select`, new
   *   records of the selected fields
   * @throws CriteriaError, QueryError
   */
  query<
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
  ): Selected<This["schema"], Select>[];
  query(query?: unknown): unknown[] {
    if (!this.#isObserved) return this.#page(query);
    const plan = () => this.#explain(query);
    return this.#observed(query ?? {}, () => this.#page(query), lengthOf, plan);
  }

  #page(query: unknown): RecordOf<S>[] {
    const { snapshot, options } = this.#state;
    const parsed = parseQuery(this.schema, query, options);
    const { deadline } = parsed;
    const page =
      deadline === undefined
        ? pageOf(snapshot, parsed)
        : deadline.spend(() => pageOf(snapshot, parsed));
    return projected(parsed, page) as RecordOf<S>[];
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
    if (!this.#isObserved) return this.#pageAt(query);
    const plan = () => {
      const { snapshot, options } = this.#state;
      return explain(snapshot, parsePageQuery(this.schema, query, options)[0], false);
    };
    const rowsOf = ({ records }: Page<unknown>) => records.length;
    return this.#observed({ page: query ?? {} }, () => this.#pageAt(query), rowsOf, plan);
  }

  #pageAt(query: unknown): Page<unknown> {
    const { snapshot, options } = this.#state;
    const [parsed, request] = parsePageQuery(this.schema, query, options);
    const at = pageAtOf(this.schema, parsed, request);
    return answerBy(parsed.deadline, () => pageAt(snapshot, parsed, at));
  }

  /**
   * How many records the criteria select. Cost: that of the query without sort and limit. If one index answers all
   * criteria, counting reads no rows, except those that have changed.
   *
   * @throws CriteriaError
   */
  count(): number;
  count<This extends HasSchema, const C>(
    this: This,
    criteria: CheckedCriteria<This["schema"], C>,
  ): number;
  count(criteria?: unknown): number {
    if (!this.#isObserved) return this.#count(criteria);
    const plan = () => this.#explainCount(criteria);
    return this.#observed({ count: criteria ?? null }, () => this.#count(criteria), single, plan);
  }

  #count(criteria: unknown): number {
    return this.#ask(criteria, (asked) => countRows(this.#state.snapshot.segments, asked));
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
    if (!this.#isObserved) return this.#countBy(field, criteria, options);
    const run = () => this.#countBy(field, criteria, options);
    const asked = { countBy: field, criteria, ...membersIn(options) };
    return this.#observed(asked, run, lengthOf, () => this.#explainGroups(field, criteria));
  }

  #countBy(field: unknown, criteria: unknown, options: unknown): readonly ValueCount<unknown>[] {
    const [name, described] = this.#field(field);
    const listing = readCountByOptions(this.schema, name, described, options);
    const { snapshot } = this.#state;
    const toStored = groupValueIn(this.schema.form, described);
    const find = (asked: ParsedQuery) => countBy(snapshot, asked, name, toStored, listing);
    if (options !== undefined || !isEveryRecord(criteria)) return this.#ask(criteria, find);
    const counted = (asked: ParsedQuery) => new CountedValues(find(asked), described, toStored);
    return this.#answer(CountedValues, name, "", criteria, counted).finish();
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
    if (!this.#isObserved) return this.#groupBy(query);
    const plan = () => this.#explainGroupBy(query);
    return this.#observed(groupsAsked(query), () => this.#groupBy(query), lengthOf, plan);
  }

  #groupBy(query: unknown): readonly unknown[] {
    const { snapshot, options } = this.#state;
    const [asked, criteria] = parseGroupQuery(this.schema, query, options);
    return this.#ask(criteria, (selected) => groupBy(snapshot, selected, asked));
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
    if (!this.#isObserved) return this.#groupColumns(query);
    const plan = () => this.#explainGroupBy(query);
    return this.#observed(
      groupsAsked(query),
      () => this.#groupColumns(query),
      ({ size }) => size,
      plan,
    );
  }

  #groupColumns(query: unknown): GroupColumns {
    const { snapshot, options } = this.#state;
    const [asked, criteria] = parseGroupQuery(this.schema, query, options);
    return this.#ask(criteria, (selected) => new GroupColumns(groupsIn(snapshot, selected, asked)));
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
    if (!this.#isObserved) return this.#histogram(field, options);
    const run = () => this.#histogram(field, options);
    const given = membersIn(options);
    const plan = () => this.#explainGroups(field, given.criteria);
    return this.#observed({ histogram: field, ...given }, run, ({ bins }) => bins.length, plan);
  }

  #histogram(field: unknown, options: unknown): Histogram {
    const [name, { type }] = numericField(this.schema, field, refuseField);
    const binning = readHistogramOptions(this.schema, type, options);
    const { bins, step, unit, zone, from, to, criteria, summarize } = binning;
    const { snapshot } = this.#state;
    const find = (asked: ParsedQuery) => histogram(snapshot, asked, name, type, binning);
    // The cached counts do not follow changes of the summarized field.
    if (summarize !== undefined) return this.#ask(criteria, find).finish();
    const asked = JSON.stringify([bins, step, unit, zone.name, from, to]);
    return this.#answer(Bins, name, asked, criteria, find).finish();
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
    if (!this.#isObserved) return this.#summary(field, criteria, options);
    const run = () => this.#summary(field, criteria, options);
    const asked = { summary: field, criteria, ...membersIn(options) };
    return this.#observed(asked, run, single, () => this.#explainGroups(field, criteria));
  }

  #summary(field: unknown, criteria: unknown, options: unknown): ValueSummary {
    const [name, { type }] = this.#field(field);
    const quantiles = readSummaryOptions(type, options);
    const { snapshot } = this.#state;
    const find = (asked: ParsedQuery) => summary(snapshot, asked, name, type, quantiles);
    return this.#answer(Summing, name, quantiles.join(), criteria, find).finish();
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
    if (!this.#isObserved) return this.#columns(fields, criteria);
    const run = () => this.#columns(fields, criteria);
    const rowsOf = ([first]: readonly Column[]) => first?.codes.length ?? 0;
    return this.#observed({ columns: fields, criteria }, run, rowsOf, () =>
      this.#explain({ criteria }),
    );
  }

  #columns(fields: readonly unknown[], criteria: unknown): readonly Column[] {
    const names = reading("fields", () =>
      Array.from(readNames(fields, "fields"), (name, i) => {
        const refuse: Refuse = (...reason) => new InputError(`fields[${i}]`, ...reason);
        return sortableField(this.schema, name, refuse)[0];
      }),
    );
    const { snapshot } = this.#state;
    return this.#ask(criteria, (asked) => columnsOf(snapshot, asked, this.schema, names));
  }

  /**
   * How a query would run: the access paths of its criteria and sort, with estimated rows, and the cost of changes
   * since the last index build. Without `analyze`, it has no effect. Cost: that of choosing a plan, which for `contains`
   * and `ends_with` on an indexed field may search the distinct values.
   *
   * @param options `analyze`: runs it, and reports the rows and the time of each step
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
    options?: { readonly analyze?: boolean },
  ): QueryPlan;
  explain(query: unknown, options: unknown = {}): QueryPlan {
    const { analyze } = readOptions(options, "options", explainOptions);
    return this.#explain(query, analyze);
  }

  #explain(query: unknown, analyze = false): QueryPlan {
    const { snapshot, options } = this.#state;
    return explain(snapshot, parseQuery(this.schema, query, options), analyze);
  }

  /**
   * How {@link ReadableCollection.count | count} counts: by indexes alone, by reading codes, or by the plan of a query,
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
    return this.#explainCount(criteria);
  }

  #explainCount(criteria: unknown): CountQueryPlan {
    return this.#ask(criteria, (asked) => explainCount(this.#state.snapshot, asked));
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
    return this.#explainGroupBy(query);
  }

  #explainGroups(by: unknown, criteria: unknown): GroupByPlan {
    return this.#explainGroupBy({ by, criteria });
  }

  #explainGroupBy(query: unknown): GroupByPlan {
    const { snapshot, options } = this.#state;
    const [asked, criteria] = parseGroupQuery(this.schema, query, options);
    return this.#ask(criteria, (selected) => explainGroupBy(snapshot, selected, asked));
  }

  /**
   * The existing indexes, with the size of each in bytes, without the records' own strings. Fields with the same value
   * in every record share one index, whose bytes count for the first.
   */
  indexes(): IndexReport[] {
    return reportOf(this.#state.snapshot);
  }

  get #isObserved(): boolean {
    return this.#state.options.observer !== undefined;
  }

  /** The result of a query, which is reported if it takes long. @param query as its report has it */
  #observed<Result>(
    query: object,
    run: () => Result,
    rowsOf: (result: Result) => number,
    plan: () => QueryReport["plan"],
  ): Result {
    const { observer, name: collection } = this.#state.options;
    return observer === undefined
      ? run()
      : observed(observer, { collection, query, run, rowsOf, plan });
  }

  /** The records as one array, if they are stored as one. */
  get #records(): readonly RecordOf<S>[] | undefined {
    const { segments } = this.#state.snapshot;
    const [{ rows, dead }] = segments;
    if (segments.length > 1 || dead.count > 0) return undefined;
    return rows.records as readonly RecordOf<S>[] | undefined;
  }

  #field(name: unknown): readonly [name: string, field: Field] {
    return countableField(this.schema, name, refuseField);
  }

  /**
   * Tallies a field of the selected records. The result for all records is cached, unless no index was used: scans must
   * be charged so that an index is eventually built.
   *
   * @param query the tally to compute
   * @throws DeadlineError
   */
  #answer<K extends Kept>(
    kind: Kind<K>,
    field: string,
    query: string,
    criteria: unknown,
    find: (asked: ParsedQuery) => K,
  ): K {
    const { snapshot } = this.#state;
    const { cache, segments } = snapshot;
    if (!isEveryRecord(criteria)) return this.#ask(criteria, find);
    const kept = cache.get(kind, snapshot, field, query);
    if (kept !== undefined) return kept;
    const found = this.#ask(criteria, find);
    const isIndexed = segments[0].indexes.there("ordered", field) !== undefined;
    if (isIndexed) cache.put(found, snapshot, field, query);
    return found;
  }

  /** The result of `answer` for the selected records. @throws DeadlineError */
  #ask<Answer>(criteria: unknown, answer: (asked: ParsedQuery) => Answer): Answer {
    return asking(this.#state, criteria, answer);
  }
}

const readNames = must("an array of names", (given): given is readonly unknown[] =>
  Array.isArray(given),
);

const lengthOf = ({ length }: { readonly length: number }) => length;
const single = () => 1;

/** The members of options, unchecked. */
const membersIn = (options: unknown): Readonly<Record<string, unknown>> =>
  isMembers(options) ? options : {};

/** Groups as their report has them: like a live query. */
function groupsAsked(query: unknown): object {
  const { by, ...others } = membersIn(query);
  return { groupBy: by, ...others };
}

const isEveryRecord = (criteria: unknown) => criteria === undefined || criteria === null;
