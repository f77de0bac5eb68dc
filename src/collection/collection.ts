// The face of a collection: records in memory that can be counted, filtered, sorted and paged.

import type { Draft } from "immer";
import { distinct } from "../criteria/distinct.ts";
import {
  readCriteria,
  readCriteriaOptions,
  type CriteriaOptions,
  type WrittenCriteria,
} from "../criteria/parse.ts";
import { alternatives, describe, InputError } from "../schema/errors.ts";
import { isCount, isFunction, iterate, readMembers } from "../schema/input.ts";
import { suggestion } from "../schema/nearest.ts";
import {
  fieldOf,
  requireSchema,
  type FieldName,
  type InputOf,
  type RecordOf,
  type Schema,
  type SearchRecordOf,
  type WireRecord,
} from "../schema/schema.ts";
import { applyPatches, insert, remove, update } from "./change/change.ts";
import { Deadline, DeadlineError } from "./algorithms/deadline.ts";
import {
  describeCollection,
  printCollection,
  type CollectionDescription,
} from "./explain/describe.ts";
import { explain, type QueryPlan } from "./explain/explain.ts";
import { Codec } from "./records/codec.ts";
import { countRows } from "./execute/count.ts";
import { forEachRow } from "./execute/merge-segments.ts";
import { pageOf } from "./execute/page.ts";
import { IndexBudget, type IndexBuilding, type IndexReport } from "./index/indexes.ts";
import { indexKinds, kindNames, type IndexUse } from "./index/kinds.ts";
import { Loader } from "./records/loader.ts";
import {
  locationsIn,
  patchesBetween,
  readPatches,
  versionsBetween,
  type Document,
  type Patch,
  type Patches,
  type PlacedPatch,
} from "./change/patch.ts";
import { parseQuery, UNLIMITED, type ParsedQuery, type Query } from "./plan/query.ts";
import { recode } from "./change/recode.ts";
import type { Rows } from "./records/rows.ts";
import { Segment, type SegmentOptions } from "./snapshot/segment.ts";
import { Snapshot } from "./snapshot/snapshot.ts";

export interface CollectionOptions {
  /** How many criteria a query may have. Default 1,000. */
  readonly maxCriteria?: number;
  /** How many values an `in` may have. Default: as many as are given. */
  readonly maxValues?: number;
  /**
   * `"auto"`: an index is built once the scans that it would have saved have cost as much as it
   * costs to build, by the query that is next to use it. `"deferred"`: it is then built by
   * {@link Collection.buildDue}, so that no query takes the time. `"none"`: only what
   * {@link Collection.prepare} names is built, and what holds unique fields unique in updates.
   * Default `"auto"`.
   */
  readonly indexes?: IndexBuilding;
  /**
   * How many bytes the indexes may take that nobody named, together with the others that there are.
   * One that would take more is not kept. Default: any number.
   */
  readonly indexBytes?: number;
}

/** What {@link Collection.buildDue} did. */
export interface BuildReport {
  /** How many indexes were built. */
  readonly built: number;
  /** How many are left to build, or to be finished. */
  readonly due: number;
}

/** What {@link Collection.prepare} builds. */
export interface Preparation<S extends Schema = Schema> {
  /** Fields that queries sort by. */
  readonly sort?: readonly FieldName<S>[];
  /** Fields that criteria match by `exactly`, `not`, `in`, `starts_with`, `greater_than`, `less_than`. */
  readonly match?: readonly FieldName<S>[];
  /** Fields that criteria search by `contains` and `ends_with`. */
  readonly contains?: readonly FieldName<S>[];
}

/**
 * Makes a collection. Every record is checked and copied into wire form; the input is not kept.
 * Cost: linear in the records and their fields. No index is built.
 *
 * @param records input records, each as the schema's `InputOf` says
 * @throws SchemaError where the schema is none; InputError with the path of the first offending member,
 *   such as `records[3].size` or `options.indexes`
 */
export function createCollection<const S extends Schema>(
  schema: S,
  records: Iterable<InputOf<S>>,
  options: CollectionOptions = {},
): Collection<S> {
  requireSchema(schema);
  const settings = readOptions(options);
  const { complete } = schema;
  const codec = new Codec(schema, complete && { complete });
  const loader = new Loader(codec);
  loader.add(records);
  return Collection.of(schema, codec, loader.finish(), settings);
}

function readOptions(options: unknown): CollectionSettings {
  const { indexes, indexBytes, ...criteria } = readMembers(options, "options", [
    "maxCriteria",
    "maxValues",
    "indexes",
    "indexBytes",
  ]);
  return { ...readCriteriaOptions(criteria), ...readIndexOptions(indexes, indexBytes) };
}

/** @internal The options that say when indexes are built, checked. */
export function readIndexOptions(
  indexes: unknown = "auto",
  indexBytes: unknown,
): Pick<CollectionSettings, "indexes" | "budget"> {
  if (indexes !== "auto" && indexes !== "deferred" && indexes !== "none") {
    throw new InputError(
      "options.indexes",
      `must be ${alternatives(["auto", "deferred", "none"])}, not ${describe(indexes)}`,
    );
  }
  if (indexBytes === undefined) return { indexes };
  if (!isCount(indexBytes)) {
    throw new InputError(
      "options.indexBytes",
      `must be a non-negative integer, not ${describe(indexBytes)}`,
    );
  }
  return { indexes, budget: new IndexBudget(indexBytes) };
}

/** What a collection is set to. */
export interface CollectionSettings extends Required<CriteriaOptions>, SegmentOptions {}

/**
 * A record as recipes see it: every field in wire form, and the other members that its input may
 * have. What a recipe leaves is checked as an input record is.
 */
export type DraftOf<S extends Schema, Input = InputOf<S>> = {
  -readonly [K in keyof SearchRecordOf<S>]: SearchRecordOf<S>[K];
} & { -readonly [K in keyof Input as K extends FieldName<S> ? never : K]: Draft<Input[K]> };

/** A changed collection, and the patches between it and the one before. */
export interface Changed<S extends Schema, Input = InputOf<S>> extends Patches {
  readonly collection: Collection<S, Input>;
}

/** @internal Is told what was made of a traced collection, and by which of its functions. */
export type Trace = (made: object, from: object, by: string) => void;

/**
 * Records of one schema, in insertion order. Immutable: no query changes it, and neither does
 * anything that the caller does afterwards with what it passed in. A change makes a new collection,
 * which shares with this one what did not change. Indexes are built on the way and change no answer.
 */
export class Collection<S extends Schema = Schema, Input = InputOf<S>> implements Iterable<
  RecordOf<S>
> {
  readonly schema: S;
  readonly #snapshot: Snapshot;
  readonly #codec: Codec;
  readonly #options: CollectionSettings;
  readonly #trace: Trace | undefined;

  private constructor(
    schema: S,
    codec: Codec,
    snapshot: Snapshot,
    options: CollectionSettings,
    trace?: Trace,
  ) {
    this.schema = schema;
    this.#codec = codec;
    this.#snapshot = snapshot;
    this.#options = options;
    this.#trace = trace;
    Object.freeze(this);
  }

  /** @internal */
  static of<S extends Schema, Input>(
    schema: S,
    codec: Codec,
    rows: Rows,
    options: CollectionSettings,
  ): Collection<S, Input> {
    const base = Segment.of(schema, rows, undefined, options);
    return new Collection(schema, codec, new Snapshot([base], base.size), options);
  }

  /** How many records there are. */
  get size(): number {
    return this.#snapshot.size;
  }

  /** The record at a position in insertion order, from the end where it is negative. */
  at(position: number): RecordOf<S> | undefined {
    const records = this.#records;
    if (records !== undefined) return records.at(position);
    const whole = Math.trunc(position) || 0;
    const offset = whole < 0 ? whole + this.size : whole;
    return offset < 0 || offset >= this.size ? undefined : this.query({ offset, limit: 1 })[0];
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
    return (this.#records ?? this.query()).values();
  }

  /**
   * Filters, sorts, skips and takes, in this order.
   * Cost: with indexes, mostly that of the rows that the criteria select, or of the page alone;
   * without, linear in the records. {@link Collection.explain} estimates it. A query that finds an
   * index due builds it, unless told otherwise.
   *
   * @returns the records of the page, each frozen and shared with the collection, in a new array
   * @throws CriteriaError, QueryError
   */
  query<const C extends readonly unknown[] | null | undefined = null>(
    query?: Query<S, WrittenCriteria<S, C>>,
  ): RecordOf<S>[] {
    return this.page(parseQuery(this.schema, query, this.#options));
  }

  /**
   * How many records the criteria select.
   * Cost: that of the query without sort and limit. What one index answers alone is counted without
   * reading rows, until some of them have changed.
   *
   * @throws CriteriaError
   */
  count(): number;
  count<const C extends readonly unknown[] | null | undefined>(
    criteria: WrittenCriteria<S, C>,
  ): number;
  count(criteria?: unknown): number {
    return countRows(this.#snapshot.segments, this.#everyRow(criteria));
  }

  /**
   * The collection with more records, after those that it has.
   * Cost: that of loading the records.
   *
   * @throws InputError with the path of the first offending member, such as `records[3].size`
   */
  insert(records: Iterable<Input>): Collection<S, Input> {
    return this.#with(insert(this.#snapshot, this.#codec, records), "insert");
  }

  /**
   * The collection with the records that the criteria select changed by a recipe. Each keeps its
   * place. This collection, if the recipe changes nothing.
   * Cost: that of the query, and for each record that of drafting, checking and freezing it.
   *
   * @param recipe an Immer recipe: changes the draft of a record, or returns another record; run on
   *   each of them
   * @throws CriteriaError; InputError with the path of the first offending member, such as
   *   `rows[3].size`, where a row is called by the key that patches have for it; whatever the recipe
   *   throws
   */
  update<const C extends readonly unknown[] | null | undefined>(
    criteria: WrittenCriteria<S, C>,
    recipe: (draft: DraftOf<S, Input>) => unknown,
  ): Collection<S, Input> {
    if (!isFunction(recipe)) {
      throw new InputError("recipe", `must be a function, not ${describe(recipe)}`);
    }
    return this.#with(
      update(this.#snapshot, this.#codec, this.#everyRow(criteria), recipe),
      "update",
    );
  }

  /**
   * The collection without the records that the criteria select. This collection, if there are none.
   * Cost: that of the query, and little for each record; when more than one in eight rows have been
   * changed or removed, the rest is merged into one whole, indexes included.
   *
   * @throws CriteriaError
   */
  remove<const C extends readonly unknown[] | null | undefined>(
    criteria: WrittenCriteria<S, C>,
  ): Collection<S, Input> {
    return this.#with(remove(this.#snapshot, this.#codec, this.#everyRow(criteria)), "remove");
  }

  /** {@link Collection.insert}, with what changed. */
  insertWithPatches(records: Iterable<Input>): Changed<S, Input> {
    return this.#changed(this.insert(records));
  }

  /** {@link Collection.update}, with what changed. */
  updateWithPatches<const C extends readonly unknown[] | null | undefined>(
    criteria: WrittenCriteria<S, C>,
    recipe: (draft: DraftOf<S, Input>) => unknown,
  ): Changed<S, Input> {
    return this.#changed(this.update(criteria, recipe));
  }

  /** {@link Collection.remove}, with what changed. */
  removeWithPatches<const C extends readonly unknown[] | null | undefined>(
    criteria: WrittenCriteria<S, C>,
  ): Changed<S, Input> {
    return this.#changed(this.remove(criteria));
  }

  /**
   * The collection with patches applied, all of them or none. They may come from any collection
   * whose rows have the same keys: a row has the number of its insertion for life.
   * Cost: for each record that the patches name, that of finding, checking and freezing it.
   *
   * @throws InputError with the number of the patch that is none or does not fit, or with the path of
   *   the first offending member of what the patches make
   */
  applyPatches(patches: Iterable<Patch>): Collection<S, Input> {
    return this.applyPlaced(readPatches(patches));
  }

  /** @internal */
  applyPlaced(patches: Iterable<PlacedPatch>): Collection<S, Input> {
    return this.#with(applyPatches(this.#snapshot, this.#codec, patches), "applyPatches");
  }

  /**
   * The same records with what has changed merged into one whole, indexes included. It happens by
   * itself when enough has changed; this is to choose the time.
   * Cost: linear in the records for each index, and building those of substrings anew.
   */
  compact(): Collection<S, Input> {
    const snapshot = this.#snapshot.compact();
    for (const { indexes } of snapshot.segments) indexes.buildDue();
    return this.#with(snapshot, "compact");
  }

  /** @internal The patches that turn another collection of the same codec into this one. */
  patchesFrom(before: Collection<S, Input>): Patches {
    return patchesBetween(before.#snapshot, this.#snapshot, this.#codec);
  }

  /** @internal {@link Collection.insert} into one group; `name` is that of the records in errors. */
  insertInto(group: number, records: unknown, name: string): Collection<S, Input> {
    const snapshot = insert(this.#snapshot, this.#codec, records, name, group);
    return this.#with(snapshot, "insert");
  }

  /** @internal The same collection; a function is told of what is made of it, and of what of that. */
  traced(trace: Trace | undefined): Collection<S, Input> {
    if (trace === this.#trace) return this;
    return this.#face(this.#snapshot, trace);
  }

  /** @internal The records in another codec; each keeps its key. See {@link recode}. */
  recode(schema: S, codec: Codec, options = this.#options): Collection<S, Input> {
    const snapshot = recode(this.#snapshot, this.#codec, codec, options);
    return new Collection(schema, codec, snapshot, options);
  }

  /** @internal The versions of records that only one of two related collections has. */
  versionsSince(before: unknown): Iterable<WireRecord> | undefined {
    if (!this.isRelated(before)) return undefined;
    return versionsBetween(before.#snapshot, this.#snapshot, this.#codec);
  }

  /** @internal The records as patches carry them, each with its key, in the order of keys. */
  *documents(): Generator<readonly [key: number, document: Document], void> {
    for (const { segment, row } of locationsIn(this.#snapshot)) {
      yield [segment.keyOf(row), this.#codec.write(segment.rows, row)];
    }
  }

  /** @internal Whether a value is a collection that this one could have become. */
  isRelated(other: unknown): other is Collection<S, Input> {
    return other instanceof Collection && #codec in other && other.#codec === this.#codec;
  }

  /**
   * Builds at once the indexes that queries will use. Cost: for 1,000,000 records, a fraction of a
   * second for a field of few values or integers, up to a second and a half for one of distinct
   * strings, and as much again for its substrings.
   *
   * @returns the collection itself
   * @throws InputError where a name is not that of a field; nothing is built then
   */
  prepare(preparation: Preparation<S>): this {
    const given = readMembers(preparation, "prepare", ["sort", "match", "contains"]);
    const fieldsOf = (use: IndexUse): string[] =>
      Array.from(iterate(given[use] ?? [], `prepare.${use}`), (name) => {
        if (typeof name === "string" && fieldOf(this.schema, name) !== undefined) return name;
        const near =
          typeof name === "string" ? suggestion(name, Object.keys(this.schema.fields)) : "";
        throw new InputError(`prepare.${use}`, `unknown field ${describe(name)}${near}`);
      });
    const fields = {
      sort: fieldsOf("sort"),
      match: fieldsOf("match"),
      contains: fieldsOf("contains"),
    };
    const [base, ...others] = this.#snapshot.segments;
    for (const { indexes } of [base, ...others.filter(({ isSmall }) => !isSmall)]) {
      for (const kind of kindNames) {
        for (const use of indexKinds[kind].uses) {
          for (const field of fields[use]) indexes.buildNamed(kind, field);
        }
      }
      for (const field of fields.match) indexes.buildOrdered(field).prepareLookup();
    }
    return this;
  }

  /**
   * Builds the indexes that queries would have built, had they had the time: with the option
   * `indexes: "deferred"`. What is not finished goes on at the next call.
   *
   * @param options `milliseconds`: ends soon after so long, a few at most. Default: when all are built
   * @throws InputError where an option is not valid
   */
  buildDue(options: { readonly milliseconds?: number | undefined } = {}): BuildReport {
    return buildDue([this], readBuildOptions(options));
  }

  /** @internal What the collection holds at this moment of its history. */
  get snapshot(): Snapshot {
    return this.#snapshot;
  }

  /**
   * How a query is answered: the access path of its criteria and of its sort, with estimated rows,
   * and what changes since the indexes were built add to that.
   *
   * @param options `analyze`: run it and say how many rows each step had, and how long it took
   * @throws CriteriaError, QueryError
   */
  explain<const C extends readonly unknown[] | null | undefined = null>(
    query?: Query<S, WrittenCriteria<S, C>>,
    options: { readonly analyze?: boolean } = {},
  ): QueryPlan {
    const { analyze = false } = readMembers(options, "options", ["analyze"]);
    const parsed = parseQuery(this.schema, query, this.#options);
    return explain(this.#snapshot, parsed, analyze === true);
  }

  /** The indexes that there are, with the bytes that each holds besides the records' own strings. */
  indexes(): IndexReport[] {
    const reports = this.#snapshot.segments.flatMap(({ indexes }) => indexes.report());
    return kindNames.flatMap((kind) => {
      const bytesOf = new Map<string, number>();
      for (const { field, bytes } of reports.filter((report) => report.kind === kind)) {
        bytesOf.set(field, (bytesOf.get(field) ?? 0) + bytes);
      }
      return Array.from(bytesOf, ([field, bytes]) => ({ field, kind, bytes }));
    });
  }

  /** @internal The records of a page. */
  page(query: ParsedQuery): RecordOf<S>[] {
    return pageOf(this.#snapshot, query) as RecordOf<S>[];
  }

  /** @internal Visits the records of a page, each with the number of its group. */
  forEachSelected(query: ParsedQuery, visit: (record: RecordOf<S>, group: number) => void): void {
    forEachRow(this.#snapshot, query, ({ rows: { records, groups } }, rows, from, to) => {
      const own = records as readonly RecordOf<S>[];
      for (let i = from; i < to; i++) {
        const row = rows[i]!;
        visit(own[row]!, groups === undefined ? 0 : groups[row]!);
      }
    });
  }

  /** The records as one array, where they are. */
  get #records(): readonly RecordOf<S>[] | undefined {
    const { segments } = this.#snapshot;
    const [{ rows, dead }] = segments;
    if (segments.length > 1 || dead.count > 0) return undefined;
    return rows.records as readonly RecordOf<S>[];
  }

  #everyRow(criteria: unknown): ParsedQuery {
    return {
      criteria: distinct(readCriteria(this.schema, criteria, this.#options)),
      sort: undefined,
      offset: 0,
      limit: UNLIMITED,
    };
  }

  #with(snapshot: Snapshot, by: string): Collection<S, Input> {
    if (snapshot === this.#snapshot) return this;
    const made = this.#face(snapshot, this.#trace);
    this.#trace?.(made, this, by);
    return made;
  }

  #face(snapshot: Snapshot, trace: Trace | undefined): Collection<S, Input> {
    return new Collection(this.schema, this.#codec, snapshot, this.#options, trace);
  }

  #changed(collection: Collection<S, Input>): Changed<S, Input> {
    return { collection, ...collection.patchesFrom(this) };
  }
}

/** @internal */
export function readBuildOptions(options: unknown): Deadline | undefined {
  const { milliseconds } = readMembers(options, "options", ["milliseconds"]);
  if (milliseconds === undefined) return undefined;
  if (typeof milliseconds !== "number" || !(milliseconds >= 0)) {
    throw new InputError(
      "options.milliseconds",
      `must be a non-negative number, not ${describe(milliseconds)}`,
    );
  }
  return new Deadline(milliseconds);
}

/** @internal Builds what is due in some collections, one after the other, as long as there is time. */
export function buildDue(
  collections: readonly { readonly snapshot: Snapshot }[],
  deadline: Deadline | undefined,
): BuildReport {
  const all = collections.flatMap(({ snapshot }) =>
    snapshot.segments.map(({ indexes }) => indexes),
  );
  const count = () => all.reduce((sum, indexes) => sum + indexes.count, 0);
  const before = count();
  try {
    for (const indexes of all) indexes.buildDue(deadline);
  } catch (error) {
    if (!(error instanceof DeadlineError)) throw error;
  }
  const due = all.reduce((sum, each) => sum + each.due().length + each.dueLookups, 0);
  return Object.freeze({ built: count() - before, due });
}
