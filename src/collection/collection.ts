// The face of a collection: records in memory that can be counted, filtered, sorted and paged.

import { parseCriteria, type Criteria, type CriteriaOptions } from "../criteria/parse.ts";
import type { InputOf, RecordOf, Schema } from "../schema/schema.ts";
import { countRows, selectRows } from "./execute.ts";
import { Loader } from "./load.ts";
import { parseQuery, type ParsedQuery, type Query } from "./query.ts";
import type { Rows } from "./rows.ts";

export interface CollectionOptions {
  /** How many criteria a query may have. Default 1,000. */
  readonly maxCriteria?: number;
}

/**
 * Makes a collection. Every record is checked and copied into wire form; the input is not kept.
 *
 * @param records input records, each as the schema's `InputOf` says
 * @throws RecordError with the path of the first offending member, such as `records[3].size`
 */
export function createCollection<const S extends Schema>(
  schema: S,
  records: Iterable<InputOf<S>>,
  options: CollectionOptions = {},
): Collection<S> {
  const loader = new Loader(schema);
  loader.add(records);
  return Collection.of(schema, loader.finish(), options);
}

/**
 * Records of one schema, in insertion order. Immutable: no query changes it, and neither does
 * anything that the caller does afterwards with what it passed in.
 */
export class Collection<S extends Schema = Schema> implements Iterable<RecordOf<S>> {
  readonly schema: S;
  readonly #rows: Rows;
  readonly #options: CriteriaOptions;

  private constructor(schema: S, rows: Rows, options: CriteriaOptions) {
    this.schema = schema;
    this.#rows = rows;
    this.#options = options;
    Object.freeze(this);
  }

  /** @internal */
  static of<S extends Schema>(schema: S, rows: Rows, options: CriteriaOptions): Collection<S> {
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

  /** @internal The records of a page. */
  page(query: ParsedQuery): RecordOf<S>[] {
    const records = this.#records;
    const page: RecordOf<S>[] = [];
    for (const row of this.select(query)) {
      const record = records[row];
      if (record !== undefined) page.push(record);
    }
    return page;
  }

  /**
   * How many records the criteria select.
   *
   * @throws CriteriaError
   */
  count(criteria?: Criteria<S> | null): number {
    return countRows(this.#rows, parseCriteria(this.schema, criteria, this.#options));
  }

  /** @internal The positions of the records of a page. */
  select(query: ParsedQuery): readonly number[] {
    return selectRows(this.schema, this.#rows, query);
  }

  get #records(): readonly RecordOf<S>[] {
    return this.#rows.records as readonly RecordOf<S>[];
  }
}
