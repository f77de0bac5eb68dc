// The public interface of a collection: records in memory that can be counted, filtered, sorted and paged.

import { distinct } from "../criteria/distinct.ts";
import type { CheckedCriteria } from "../criteria/criteria.ts";
import { readCriteria } from "../criteria/parse.ts";
import { InputError, quote, type Refuse } from "../schema/errors.ts";
import { heldValue, type Field, type WireValue } from "../schema/field.ts";
import { isFunction, isIterable, isMembers, reading } from "../schema/input.ts";
import { readOptions } from "../schema/options.ts";
import type { Place } from "../schema/place.ts";
import {
  numericField,
  requireSchema,
  sortableField,
  type DraftValueOf,
  type FieldName,
  type Flat,
  type InputOf,
  type NameOfType,
  type InputValueOf,
  type RecordOf,
  type Schema,
  type SearchRecordOf,
  type SortableName,
  type UniqueName,
  type Writable,
} from "../schema/schema.ts";
import { answerBy } from "./algorithms/deadline.ts";
import { KeptCounts } from "./cache/counts.ts";
import {
  applyPatches,
  compact,
  insert,
  insertOne,
  remove,
  update,
  updateFields,
  upsert,
} from "./change/change.ts";
import { patchesBetween, type Patch, type Patches } from "./change/patch.ts";
import { readPatches } from "./change/read-patches.ts";
import type { Change, Versioned } from "./change/version.ts";
import {
  countBy,
  readCountByOptions,
  type CountByOptions,
  type ValueCount,
} from "./execute/count-by.ts";
import { countRows } from "./execute/answer.ts";
import {
  histogram,
  readHistogramOptions,
  type Histogram,
  type HistogramOptions,
} from "./execute/histogram.ts";
import { foundBefore, readKey, recordWith } from "./execute/lookup.ts";
import { pageOf } from "./execute/page.ts";
import { summary, type Summary } from "./execute/summary.ts";
import {
  describeCollection,
  printCollection,
  type CollectionDescription,
} from "./explain/describe.ts";
import { explain, explainOptions, type QueryPlan } from "./explain/explain.ts";
import type { IndexReport } from "./index/indexes.ts";
import {
  deadlineOf,
  parseQuery,
  UNLIMITED,
  type CheckedQuery,
  type ParsedQuery,
} from "./plan/query.ts";
import { Codec } from "./records/codec.ts";
import { Loader, RecordSink } from "./records/loader.ts";
import type { Rows } from "./records/rows.ts";
import { readSettings, type CollectionOptions, type CollectionSettings } from "./settings.ts";
import {
  buildDue,
  prepare,
  reportOf,
  type BuildReport,
  type Preparation,
} from "./snapshot/build-indexes.ts";
import { Segment, type Keys } from "./snapshot/segment.ts";
import { Snapshot } from "./snapshot/snapshot.ts";

/**
 * Makes a collection. Every record is checked and copied; the input is not kept.
 * Cost: linear in the records and their fields. No index is built.
 *
 * @param records input records, each as the schema's `InputOf` says; default: none
 * @throws SchemaError if the schema is not one; InputError with the path of the first offending member,
 *   such as `records[3].size` or `options.indexes`
 */
export function createCollection<const S extends Schema>(
  schema: S,
  records: Records<InputOf<S>> = [],
  options: CollectionOptions = {},
): Collection<S> {
  requireSchema(schema);
  const settings = readSettings(options);
  const codec = new Codec(schema, { complete: schema.complete });
  return collect(codec, settings, (loader) => loader.add(records));
}

/** @internal The collection of the records put into a loader. */
export function collect<S extends Schema, Input = InputOf<S>>(
  codec: Codec<S>,
  options: CollectionSettings,
  load: (loader: Loader) => void,
): Collection<S, Input> {
  const sink = new RecordSink(codec);
  load(new Loader(codec, sink));
  return collectionOf(codec, options, sink.finish());
}

/**
 * @internal The collection of rows.
 *
 * @param keys of the rows; default: their numbers
 * @param nextKey greater than any key that a row has or had
 */
export function collectionOf<S extends Schema, Input = InputOf<S>>(
  codec: Codec<S>,
  options: CollectionSettings,
  rows: Rows,
  keys?: Keys,
  nextKey = rows.size,
): Collection<S, Input> {
  const base = Segment.of(codec.schema, rows, keys, options);
  return Collection.of({ codec, options, snapshot: new Snapshot([base], nextKey) });
}

/**
 * A record in a recipe: every field as records hold it, and the other members that its input may have. In
 * wire form, an int field accepts numbers, bigints and texts of integers; to add to it, write
 * `draft.size = Number(draft.size) + 5`. The result of a recipe is checked like an input record.
 */
export type DraftOf<S extends Schema, Input = InputOf<S>> = Flat<
  {
    -readonly [K in FieldName<S>]: "json" extends S["fields"][K]["type"]
      ? Writable<DraftValueOf<S["fields"][K], S["form"]>>
      : DraftValueOf<S["fields"][K], S["form"]>;
  } & {
    -readonly [K in keyof Input as K extends FieldName<S> ? never : K]: Writable<Input[K]>;
  }
>;

/** A collection, whatever its records. */
export type AnyCollection = Pick<Collection, "schema" | "state"> & {
  isRelated(other: unknown): boolean;
};

/** Changes the draft of a record, or returns another record, as Immer's recipes do. */
export type Recipe<S extends Schema, Input = InputOf<S>> = (draft: DraftOf<S, Input>) => unknown;

/** New values of some fields, in any form that an input record may have. `undefined` changes nothing. */
export type ChangesOf<Input> = { readonly [K in keyof Input]?: Input[K] | undefined };

/** Input records. An array is iterable too: naming it lets compilers point at one of its records. */
export type Records<Input> = readonly Input[] | Iterable<Input>;

/** A changed collection, and the patches between it and the one before. */
export interface Changed<S extends Schema, Input = InputOf<S>> extends Patches {
  readonly collection: Collection<S, Input>;
}

/** The names of the int and float fields. */
export type NumericName<S extends Schema> =
  | NameOfType<S["fields"], "int">
  | NameOfType<S["fields"], "float">;

/** What a collection is made of. */
export interface CollectionState<S extends Schema = Schema> extends Versioned {
  readonly codec: Codec<S>;
  readonly options: CollectionSettings;
}

/**
 * What the methods that read a collection are called on. Their types follow from it alone, and so they can be
 * called on one of several collections, too: `db[name]` with `name: "orders" | "customers"`.
 */
export interface HasSchema {
  readonly schema: Schema;
}

/**
 * Records of one schema, in insertion order. Immutable: no query changes it, and neither does anything
 * that the caller does afterwards with its input. A change makes a new collection that shares everything
 * unchanged with this one. Indexes are built as needed and never change an answer.
 */
export class Collection<S extends Schema = Schema, Input = InputOf<S>> implements Iterable<
  RecordOf<S>
> {
  readonly schema: S;
  readonly #state: CollectionState<S>;
  /** The log of changes of this collection and of those made from it, if one was requested. */
  readonly #log: Change[] | undefined;
  readonly #kept = new KeptCounts<ValueCount<unknown>, Histogram, Summary>();

  private constructor(state: CollectionState<S>, log: Change[] | undefined) {
    this.schema = state.codec.schema;
    this.#state = state;
    this.#log = log;
    Object.freeze(this);
  }

  /** @internal @param log gets each change of this collection and of those made from it */
  static of<S extends Schema, Input>(
    state: CollectionState<S>,
    log?: Change[],
  ): Collection<S, Input> {
    return new Collection(state, log);
  }

  /** @internal */
  get state(): CollectionState<S> {
    return this.#state;
  }

  /** @internal Whether a value is a collection. Reads nothing of the value, which may be a proxy. */
  static is(value: unknown): value is Collection {
    return typeof value === "object" && value !== null && #state in value;
  }

  /** @internal Whether a value is a collection that this one could have become. */
  isRelated(other: unknown): other is Collection<S, Input> {
    return Collection.is(other) && other.#state.snapshot.lineage === this.#state.snapshot.lineage;
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
   * The record with a value in a unique field, as `exactly` compares; `undefined` if there is none.
   * Nothing is parsed or planned.
   * Cost: for a record that was found before, that of a map, as long as the same ones are asked for again;
   * otherwise with the field's index constant, plus a step for each of the few segments that changes make;
   * without it, linear in the records. It builds the index when queries would.
   *
   * @throws InputError if the field is not unique, or the value is not a value of a field
   */
  get<This extends HasSchema, const K extends UniqueName<This["schema"]>>(
    this: This,
    field: K,
    value: InputValueOf<This["schema"]["fields"][K]>,
  ): RecordOf<This["schema"]> | undefined;
  get(field: unknown, value: unknown): unknown {
    const { snapshot } = this.#state;
    // What was found before needs no check: nothing else is equal to the value of a record.
    const known = foundBefore(snapshot, field, value);
    if (known !== undefined) return known;
    const { name, field: unique } = this.#uniqueField(field);
    return recordWith(snapshot, name, readKey(unique, value));
  }

  /** Its size and its fields, for `JSON.stringify`; the records are those of `[...collection]`. */
  toJSON(): CollectionDescription {
    return describeCollection(this.size, this.schema);
  }

  /** @internal What Node's `console.log` prints. */
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return printCollection(this.size, this.schema);
  }

  /** All records in insertion order. */
  [Symbol.iterator](): IterableIterator<RecordOf<S>> {
    return (this.#records ?? this.#page(undefined)).values();
  }

  /**
   * Filters, sorts, skips and takes, in this order.
   * Cost: with indexes, mostly that of the selected rows, or of the page alone; without, linear in the
   * records. {@link Collection.explain} estimates it. By default, a query that finds an index due builds
   * it.
   *
   * @returns the records of the page, each frozen and shared with the collection, in a new array
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
  >(
    this: This,
    query?: CheckedQuery<This["schema"], C, SortBy, Order, Limit, Offset, Sorting>,
  ): RecordOf<This["schema"]>[];
  query(query?: unknown): unknown[] {
    return this.#page(query);
  }

  #page(query: unknown): RecordOf<S>[] {
    const { snapshot, options } = this.#state;
    const parsed = parseQuery(this.schema, query, options);
    const { deadline } = parsed;
    const page =
      deadline === undefined
        ? pageOf(snapshot, parsed)
        : deadline.spend(() => pageOf(snapshot, parsed));
    return page as RecordOf<S>[];
  }

  /**
   * How many records the criteria select.
   * Cost: that of the query without sort and limit. If one index answers alone, counting reads no rows,
   * until some of them have changed.
   *
   * @throws CriteriaError
   */
  count(): number;
  count<This extends HasSchema, const C>(
    this: This,
    criteria: CheckedCriteria<This["schema"], C>,
  ): number;
  count(criteria?: unknown): number {
    return this.#ask(criteria, (asked) => countRows(this.#state.snapshot.segments, asked));
  }

  /**
   * The values of a field in the selected records, and the count of each: a facet.
   * Cost: without criteria, or with criteria on the same field only, that of the distinct values, once
   * the field has an index; without criteria and options, and with at most 1,000 values, that of a
   * lookup from the second call on. With other criteria, that of the query and a few nanoseconds for
   * each selected record; if one index answers the criteria, for each selected or each other record,
   * whichever are fewer. No record is read. Without an index, records are read.
   *
   * @param field any field, searchable or not
   * @param criteria omitted or `null`: every record
   * @returns a frozen result, which other calls may share
   * @throws InputError if there is no such field, or an option is not valid; CriteriaError
   */
  countBy<This extends HasSchema, Name extends SortableName<This["schema"]>, const C = null>(
    this: This,
    field: Name,
    criteria?: CheckedCriteria<This["schema"], C>,
    options?: CountByOptions,
  ): readonly ValueCount<SearchRecordOf<This["schema"]>[Name]>[];
  countBy(field: unknown, criteria: unknown, options?: unknown): readonly ValueCount<unknown>[] {
    const ofAll = isEveryRecord(criteria) && options === undefined;
    const kept = ofAll ? this.#kept.values(field) : undefined;
    if (kept !== undefined) return kept;
    const [name, described] = this.#field(field);
    const given = readCountByOptions(options);
    const { snapshot } = this.#state;
    const hold = (wire: WireValue) => heldValue(this.schema.form, described, wire);
    const found = this.#ask(criteria, (asked) =>
      countBy(snapshot, asked, name, described.type, hold, given),
    );
    return ofAll && this.#isIndexed(name) ? this.#kept.keepValues(name, found) : found;
  }

  /**
   * How many of the selected records have a field of numbers in each of several ranges of equal width. The
   * bins do not depend on the criteria, so histograms of one field can be compared.
   * Cost: that of {@link Collection.countBy}, and a search in the index for each bin.
   *
   * @param options `bins`: the largest number of bins; `criteria`: which records, by default all; `from`
   *   and `to`: the lowest and the highest value of the bins, by default those of all records
   * @returns consecutive bins, and how many records are below and above all of them, or have `null`:
   *   together as many as the criteria select; frozen, and possibly shared with other calls
   * @throws InputError if there is no such field of numbers, or an option is not valid;
   *   CriteriaError
   */
  histogram<This extends HasSchema, const C = null>(
    this: This,
    field: NumericName<This["schema"]>,
    options: HistogramOptions<CheckedCriteria<This["schema"], C>>,
  ): Histogram;
  histogram(field: unknown, options: unknown): Histogram {
    const kept = this.#kept.histogram(field, options);
    if (kept !== undefined) return kept;
    const [name, { type }] = numericField(this.schema, field, refuseField);
    const given = readHistogramOptions(options);
    const ofAll = isEveryRecord(given.criteria);
    const { snapshot } = this.#state;
    const found = this.#ask(given.criteria, (asked) =>
      histogram(snapshot, asked, name, type, given),
    );
    return ofAll && this.#isIndexed(name) ? this.#kept.keepHistogram(name, given, found) : found;
  }

  /**
   * The count, sum, minimum, maximum and mean of a field of numbers in the selected records.
   * Cost: that of {@link Collection.countBy}; without criteria that of a lookup from the second call on.
   * No record is read, unless the field has no index.
   *
   * @param field an int or float field
   * @param criteria omitted or `null`: every record
   * @returns a frozen result, which other calls may share
   * @throws InputError if there is no such field of numbers; CriteriaError
   */
  summary<This extends HasSchema, const C = null>(
    this: This,
    field: NumericName<This["schema"]>,
    criteria?: CheckedCriteria<This["schema"], C>,
  ): Summary;
  summary(field: unknown, criteria?: unknown): Summary {
    const ofAll = isEveryRecord(criteria);
    const kept = ofAll ? this.#kept.summary(field) : undefined;
    if (kept !== undefined) return kept;
    const [name] = numericField(this.schema, field, refuseField);
    const { snapshot } = this.#state;
    const found = this.#ask(criteria, (asked) => Object.freeze(summary(snapshot, asked, name)));
    return ofAll && this.#isIndexed(name) ? this.#kept.keepSummary(name, found) : found;
  }

  /**
   * The collection with more records after its own.
   * Cost: that of loading the records.
   *
   * @param records one record, or any number of them
   * @throws InputError with the path of the first offending member, such as `records[3].size`, or
   *   `record.size` for a single record
   */
  insert(records: Records<Input> | Input): Collection<S, Input> {
    return this.change(this.#insert(records));
  }

  /**
   * The collection with the records that the criteria select changed: by a recipe, or to the values of an
   * object, `{ state: "closed" }`. Each record keeps its place. A record whose values stay equal, in
   * whatever form, stays the same object; if all do, the result is this collection.
   * Cost: that of the query, and for each record, with an object, that of copying and freezing it, or of
   * reading the fields if they stay equal; with a recipe that of drafting, checking and freezing it.
   *
   * @param change an Immer recipe, run on each of them, which changes the draft of a record, or returns
   *   another record; or an object of field values in any form that an input record may have. Members that
   *   are `undefined` change nothing. The object is read and checked once, even if no record is selected.
   * @throws CriteriaError; InputError with the path of the first offending member, such as `changes.size`,
   *   or `rows[3].size` of a record after a recipe, where a row has the key that patches use; whatever the
   *   recipe throws
   */
  update<const C>(
    criteria: CheckedCriteria<S, C>,
    change: Recipe<S, Input> | ChangesOf<Input>,
  ): Collection<S, Input> {
    return this.change(this.#update(criteria, change));
  }

  /**
   * The collection with records that replace those with the same value in a unique field; a record with a
   * new value is added at the end. A replaced record keeps only its place: fields left out get their
   * defaults. If its values stay equal, it stays the same object; if nothing changes, the result is this
   * collection.
   * Cost: that of loading the records, and a lookup for each, for which the field gets its index.
   *
   * @param records one record, or any number of them, no two with the same value in a unique field
   * @param field the unique field by which records are found
   * @throws InputError if the field is not unique, or with the path of the first offending member, such as
   *   `records[3].size`, or `record.size` for a single record
   */
  upsert(records: Records<Input> | Input, field: UniqueName<S>): Collection<S, Input> {
    return this.change(this.#upsert(records, field));
  }

  /**
   * The collection without the records that the criteria select; this collection if there are none.
   * Cost: that of the query, and little for each record. When more than one in eight rows have been
   * changed or removed, the rest is merged into one segment, indexes included.
   *
   * @throws CriteriaError
   */
  remove<const C>(criteria: CheckedCriteria<S, C>): Collection<S, Input> {
    return this.change(remove(this.#state, this.#selection(criteria)));
  }

  /** {@link Collection.insert}, with what changed. */
  insertWithPatches(records: Records<Input> | Input): Changed<S, Input> {
    return this.#changed(this.#insert(records));
  }

  /** {@link Collection.update}, with what changed. */
  updateWithPatches<const C>(
    criteria: CheckedCriteria<S, C>,
    change: Recipe<S, Input> | ChangesOf<Input>,
  ): Changed<S, Input> {
    return this.#changed(this.#update(criteria, change));
  }

  /** {@link Collection.upsert}, with what changed. */
  upsertWithPatches(records: Records<Input> | Input, field: UniqueName<S>): Changed<S, Input> {
    return this.#changed(this.#upsert(records, field));
  }

  /** {@link Collection.remove}, with what changed. */
  removeWithPatches<const C>(criteria: CheckedCriteria<S, C>): Changed<S, Input> {
    return this.#changed(remove(this.#state, this.#selection(criteria)));
  }

  /**
   * The collection with patches applied, all of them or none. They may come from any collection that has the
   * records which they name: by the value of the schema's first unique field that can't be null. If the schema has no
   * such field, patches name a record by its key, and the records must have the same insertion numbers in both.
   * This collection if they change no value.
   * Cost: for each record that the patches name, that of finding, checking and freezing it.
   *
   * @throws InputError with the number of a patch that is invalid, whose record is not there, or is not as its
   *   `before` says; or with the path of the first offending member of the result
   */
  applyPatches(patches: Iterable<Patch>): Collection<S, Input> {
    return this.change(applyPatches(this.#state, readPatches(patches)));
  }

  /**
   * The same records with changes merged into one segment, indexes included. It happens automatically
   * once enough has changed; call it to choose the time.
   * Cost: linear in the records for each index, and rebuilding those of substrings.
   */
  compact(): Collection<S, Input> {
    return this.change(compact(this.#state));
  }

  /** @internal The collection that a change of its state makes; this one if nothing changed. */
  change(change: Change): Collection<S, Input> {
    const { codec, options, snapshot: before } = this.#state;
    const { after: snapshot } = change;
    if (snapshot === before) return this;
    this.#log?.push(change);
    return Collection.of({ codec, options, snapshot }, this.#log);
  }

  #changed(change: Change): Changed<S, Input> {
    const collection = this.change(change);
    return { collection, ...patchesBetween(this.#state, collection.#state, change.keys()) };
  }

  #insert(given: unknown): Change {
    return isOneRecord(given) ? insertOne(this.#state, given) : insert(this.#state, given);
  }

  #update(criteria: unknown, change: unknown): Change {
    const selected = this.#selection(criteria);
    return isFunction(change)
      ? update(this.#state, selected, change)
      : updateFields(this.#state, selected, change);
  }

  #upsert(given: unknown, field: unknown): Change {
    const { name: by } = this.#uniqueField(field);
    return upsert(this.#state, given, by, isOneRecord(given));
  }

  /**
   * Builds the given indexes now. Cost: for 1,000,000 records, a fraction of a
   * second for a field of few values or integers, up to a second and a half for one of distinct strings,
   * and as much again for its substrings.
   *
   * @returns the collection itself
   * @throws InputError if there is no such field; nothing is built then
   */
  prepare(preparation: Preparation<S>): this {
    prepare(this.#state.snapshot, this.schema, preparation);
    return this;
  }

  /**
   * Builds the indexes that queries have deferred, with the option `indexes: "deferred"`. The next call
   * continues unfinished ones.
   *
   * @param options `milliseconds`: about how long the call may take. Default: until all are built
   * @throws InputError if an option is not valid
   */
  buildDue(options: { readonly milliseconds?: number | undefined } = {}): BuildReport {
    return buildDue([this.#state.snapshot], options);
  }

  /**
   * How a query is answered: the access path of its criteria and of its sort, with estimated rows, and
   * the cost of changes since the last index build.
   *
   * @param options `analyze`: run it, and report the rows and the time of each step
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
  >(
    this: This,
    query?: CheckedQuery<This["schema"], C, SortBy, Order, Limit, Offset, Sorting>,
    options?: { readonly analyze?: boolean },
  ): QueryPlan;
  explain(query: unknown, options: unknown = {}): QueryPlan {
    const { analyze } = readOptions(options, "options", explainOptions);
    const { snapshot, options: settings } = this.#state;
    return explain(snapshot, parseQuery(this.schema, query, settings), analyze);
  }

  /**
   * The existing indexes, with the bytes of each besides the records' own strings. Fields with the same
   * value in every record share one: its bytes are those of the first.
   */
  indexes(): IndexReport[] {
    return reportOf(this.#state.snapshot);
  }

  /** The records as one array, if they are one. */
  get #records(): readonly RecordOf<S>[] | undefined {
    const { segments } = this.#state.snapshot;
    const [{ rows, dead }] = segments;
    if (segments.length > 1 || dead.count > 0) return undefined;
    return rows.records as readonly RecordOf<S>[] | undefined;
  }

  #field(name: unknown): readonly [name: string, field: Field] {
    return sortableField(this.schema, name, refuseField);
  }

  #uniqueField(given: unknown): Place {
    // A lookup spends its time here: no field is looked for in the schema, and nothing is made.
    const { unique } = this.#state.codec;
    for (let i = 0; i < unique.length; i++) if (unique[i]!.name === given) return unique[i]!;
    const [name] = this.#field(given);
    throw new InputError("field", `must be a unique field, not ${quote(name)}`);
  }

  #isIndexed(field: string): boolean {
    return this.#state.snapshot.segments[0].indexes.there("ordered", field) !== undefined;
  }

  /** What `answer` returns of the records that the criteria select. @throws DeadlineError */
  #ask<Answer>(criteria: unknown, answer: (asked: ParsedQuery) => Answer): Answer {
    const deadline = deadlineOf(this.#state.options);
    return answerBy(deadline, () => answer({ ...this.#selection(criteria), deadline }));
  }

  /** The records of a change, which has no deadline. */
  #selection(criteria: unknown): ParsedQuery {
    return {
      criteria: distinct(readCriteria(this.schema, criteria, this.#state.options)),
      sort: undefined,
      offset: 0,
      limit: UNLIMITED,
      deadline: undefined,
    };
  }
}

/** Whether the input is a single record. */
function isOneRecord(given: unknown): boolean {
  return reading("records", () => isMembers(given) && !isIterable(given));
}

const refuseField: Refuse = (...reason) => new InputError("field", ...reason);

const isEveryRecord = (criteria: unknown) => criteria === undefined || criteria === null;
