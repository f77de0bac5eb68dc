// The face of a collection: records in memory that can be counted, filtered, sorted and paged.

import {
  readCriteria,
  readCriteriaOptions,
  type Criteria,
  type CriteriaOptions,
} from "../criteria/parse.ts";
import { describe, InputError } from "../schema/errors.ts";
import { iterate, readMembers } from "../schema/input.ts";
import {
  fieldOf,
  requireSchema,
  type FieldName,
  type InputOf,
  type RecordOf,
  type Schema,
} from "../schema/schema.ts";
import { explain, type QueryPlan } from "./explain.ts";
import { RowList, run } from "./execute.ts";
import { Indexes, type IndexesOptions, type IndexReport } from "./indexes.ts";
import { Loader } from "./load.ts";
import type { Plan, PlanContext } from "./plan.ts";
import { planQuery, plansOf } from "./planner.ts";
import { parseQuery, type ParsedQuery, type Query } from "./query.ts";
import { readerOf, type Rows } from "./rows.ts";

export interface CollectionOptions {
  /** How many criteria a query may have. Default 1,000. */
  readonly maxCriteria?: number;
  /**
   * `"auto"`: an index is built once the scans that it would have saved have cost as much as it
   * costs to build. `"none"`: only what {@link Collection.prepare} names is built. Default `"auto"`.
   */
  readonly indexes?: "auto" | "none";
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
 *
 * @param records input records, each as the schema's `InputOf` says
 * @throws InputError with the path of the first offending member, such as `records[3].size` or
 *   `options.indexes`
 */
export function createCollection<const S extends Schema>(
  schema: S,
  records: Iterable<InputOf<S>>,
  options: CollectionOptions = {},
): Collection<S> {
  requireSchema(schema);
  const settings = readOptions(options);
  const loader = new Loader(schema);
  loader.add(records);
  return Collection.of(schema, loader.finish(), settings);
}

function readOptions(options: unknown): CollectionSettings {
  const { indexes = "auto", ...criteria } = readMembers(options, "options", [
    "maxCriteria",
    "indexes",
  ]);
  if (indexes !== "auto" && indexes !== "none") {
    throw new InputError("options.indexes", `must be "auto" or "none", not ${describe(indexes)}`);
  }
  return { ...readCriteriaOptions(criteria), indexes };
}

/** @internal What a collection is set to. */
export interface CollectionSettings extends Required<CriteriaOptions>, IndexesOptions {}

/**
 * Records of one schema, in insertion order. Immutable: no query changes it, and neither does
 * anything that the caller does afterwards with what it passed in. Indexes are built on the way and
 * change no answer.
 */
export class Collection<S extends Schema = Schema> implements Iterable<RecordOf<S>> {
  readonly schema: S;
  readonly #rows: Rows;
  readonly #indexes: Indexes;
  readonly #context: PlanContext;
  readonly #options: Required<CriteriaOptions>;

  private constructor(schema: S, rows: Rows, options: CollectionSettings) {
    this.schema = schema;
    this.#rows = rows;
    this.#options = options;
    this.#indexes = new Indexes(schema, rows, options);
    this.#context = {
      schema,
      size: rows.records.length,
      rows,
      readerOf: readerOf(schema, rows),
      indexes: this.#indexes,
    };
    Object.freeze(this);
  }

  /** @internal */
  static of<S extends Schema>(schema: S, rows: Rows, options: CollectionSettings): Collection<S> {
    return new Collection(schema, rows, options);
  }

  /** How many records there are. */
  get size(): number {
    return this.#rows.records.length;
  }

  /** The record at a position in insertion order, from the end where it is negative. */
  at(position: number): RecordOf<S> | undefined {
    return this.#records.at(position);
  }

  /** All records in insertion order. */
  [Symbol.iterator](): IterableIterator<RecordOf<S>> {
    return this.#records.values();
  }

  /**
   * Filters, sorts, skips and takes, in this order.
   *
   * @returns the records of the page, each frozen and shared with the collection, in a new array
   * @throws CriteriaError, QueryError
   */
  query(query?: Query<S>): RecordOf<S>[] {
    return this.page(parseQuery(this.schema, query, this.#options));
  }

  /**
   * How many records the criteria select.
   *
   * @throws CriteriaError
   */
  count(criteria?: Criteria<S> | null): number {
    const plan = planQuery(this.#context, {
      criteria: readCriteria(this.schema, criteria, this.#options),
      sort: undefined,
      offset: 0,
      limit: Infinity,
    });
    if (plan.filters.length === 0 && plan.source.path !== "union") return plan.source.rows;
    let count = 0;
    run(this.#context, plan, (_, from, to) => (count += to - from));
    return count;
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
    const uses = readMembers(preparation, "prepare", ["sort", "match", "contains"]);
    const fieldsOf = (use: "sort" | "match" | "contains"): string[] => {
      const names = Array.from(iterate(uses[use] ?? [], `prepare.${use}`));
      return names.map((name) => {
        if (typeof name === "string" && fieldOf(this.schema, name) !== undefined) return name;
        throw new InputError(`prepare.${use}`, `unknown field ${describe(name)}`);
      });
    };
    const [sort, match, contains] = [fieldsOf("sort"), fieldsOf("match"), fieldsOf("contains")];
    for (const field of sort) this.#indexes.buildSort(field);
    for (const field of match) this.#indexes.buildSort(field).prepareLookup();
    for (const field of contains) this.#indexes.buildContains(field);
    return this;
  }

  /**
   * How a query is answered: the access path of its criteria and of its sort, with estimated rows.
   *
   * @param options `analyze`: run it and say how many rows each step had, and how long it took
   * @throws CriteriaError, QueryError
   */
  explain(query?: Query<S>, options: { readonly analyze?: boolean } = {}): QueryPlan {
    const { analyze = false } = readMembers(options, "options", ["analyze"]);
    const plan = planQuery(this.#context, parseQuery(this.schema, query, this.#options));
    return explain(this.#context, plan, analyze === true);
  }

  /** The indexes that there are, with the bytes that each holds besides the records' own strings. */
  indexes(): IndexReport[] {
    return this.#indexes.report();
  }

  /** @internal The records of a page. */
  page(query: ParsedQuery): RecordOf<S>[] {
    const records = this.#records;
    const plan = planQuery(this.#context, query);
    const { source, filters, order, offset, limit } = plan;
    if (source.path === "scan" && filters.length === 0 && order === "source") {
      return records.slice(offset, offset + limit);
    }
    const page = new Array<RecordOf<S>>(knownLength(plan));
    let length = 0;
    run(this.#context, plan, (rows, from, to) => {
      const shift = length - from;
      for (let i = from; i < to; i++) page[i + shift] = records[rows[i]!]!;
      length = to + shift;
    });
    return page;
  }

  /** @internal Visits the records of a page, each with its position in insertion order. */
  forEachSelected(
    query: ParsedQuery,
    visit: (record: RecordOf<S>, position: number) => void,
  ): void {
    const records = this.#records;
    run(this.#context, planQuery(this.#context, query), (rows, from, to) => {
      for (let i = from; i < to; i++) visit(records[rows[i]!]!, rows[i]!);
    });
  }

  /** @internal The answer of every plan that the query has, for tests that they agree. */
  selectByEveryPlan(query: ParsedQuery): { plan: Plan; rows: Uint32Array }[] {
    return plansOf(this.#context, query).map((plan) => {
      const list = new RowList();
      run(this.#context, plan, list.add);
      return { plan, rows: list.rows() };
    });
  }

  get #records(): readonly RecordOf<S>[] {
    return this.#rows.records as readonly RecordOf<S>[];
  }
}

/** How many rows the page of a plan has, where that is known beforehand; else 0. */
function knownLength({ source, filters, offset, limit }: Plan): number {
  if (filters.length > 0 || source.path === "union") return 0;
  return Math.min(limit, Math.max(0, source.rows - offset));
}
