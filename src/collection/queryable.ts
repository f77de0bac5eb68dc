// What every collection can be asked, with indexes or without.

import type { CheckedCriteria } from "../criteria/criteria.ts";
import type { Versioned } from "../engine/changes/delta.ts";
import type { Selected } from "../engine/projection.ts";
import type { CheckedQuery, Selecting } from "../engine/query.ts";
import type { AnyRecord, InputValueOf } from "../schema/field-types.ts";
import type { UniqueName } from "../schema/names.ts";
import type { RecordOf, UniqueValuesOf } from "../schema/record-types.ts";
import type { Schema } from "../schema/schema.ts";
import { recordWith } from "./get.ts";
import type { HasSchema } from "./types.ts";

/** The records of one schema, in insertion order, with methods to find, sort and count them. Read-only. */
export abstract class Queryable<S extends Schema> implements Iterable<RecordOf<S>> {
  readonly schema: S;

  protected constructor(schema: S) {
    this.schema = schema;
  }

  /** @internal */
  abstract get state(): Versioned;

  /** @internal The records of a query, which is not checked yet. */
  protected abstract recordsOf(query: unknown): AnyRecord[];

  /** @internal How many records the criteria select, which are not checked yet. */
  protected abstract countOf(criteria: unknown): number;

  /** @internal As {@link recordsOf}, for {@link query}. */
  protected answerQuery(query: unknown): AnyRecord[] {
    return this.recordsOf(query);
  }

  /** How many records there are. */
  get size(): number {
    return this.state.snapshot.size;
  }

  /** All records in insertion order. */
  [Symbol.iterator](): IterableIterator<RecordOf<S>> {
    // Records of no selected fields are those of the schema.
    return ((this.stored ?? this.recordsOf(undefined)) as readonly RecordOf<S>[]).values();
  }

  /** @internal All records as one array, if they are stored as one. */
  protected get stored(): readonly AnyRecord[] | undefined {
    const { segments } = this.state.snapshot;
    const [{ rows, dead }] = segments;
    return segments.length > 1 || dead.count > 0 ? undefined : rows.records;
  }

  /**
   * The record with a value in a unique field, or with the values of a unique combination, as in `get({ list: 1, email:
   * "ada@example.org" })`. Values are compared like those of `exactly`. `undefined` if there is none, and for `null`,
   * which matches no record. Cost: constant once the field has its index, which is built automatically; linear before.
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
    return recordWith(this.state, given, value);
  }

  /**
   * Filters, sorts, skips and takes, in this order. Cost: with indexes, mostly that of the selected rows, or just of
   * the page; without, linear in the records. Where there are indexes, `explain` estimates it, and by default a query
   * builds any index it uses that is due.
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
    return this.answerQuery(query);
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
    return this.countOf(criteria);
  }
}
