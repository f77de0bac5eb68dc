// A segment: rows that were added or merged together, with their indexes, and the set of rows that are dead in the
// snapshot that holds the segment. Snapshots share rows and indexes; each has its own set of dead rows.
//
// Every row has a key that it keeps for life, in any segment. Keys are assigned in the order of insertion, so the order
// of keys is the order of records.

import type { TextValue } from "../../schema/field.ts";
import type { Schema } from "../../schema/schema.ts";
import { bisect } from "../algorithms/bisect.ts";
import type { Deadline } from "../algorithms/deadline.ts";
import type { FieldIndex } from "../indexes/field-index.ts";
import { Cache } from "../cache/cache.ts";
import { DeadRows } from "./dead-rows.ts";
import type { Indexes } from "../indexes/indexes.ts";
import type { NumberColumn } from "../indexes/number-column.ts";
import type { Indexable } from "../indexes/column.ts";
import type { IndexesOptions, IndexNames } from "../indexes/index-names.ts";
import { interleave, isAppended, type Origins } from "../algorithms/interleave.ts";
import { spliceByKeys } from "../algorithms/splice.ts";
import type { Rows } from "../columns/rows.ts";
import type { ParsedQuery } from "../query.ts";
import { tuning } from "../tuning.ts";

/** The keys of a segment's rows, ascending; `undefined` if each key is the row number. */
export type Keys = readonly number[] | undefined;

/**
 * How the rows of segments are found: a collection has indexes and plans; a light one has neither, and its bundle does
 * not have their code.
 */
export interface Finder {
  /** Makes the indexes of some rows; `undefined`: rows have none, and nothing is charged. */
  readonly indexes:
    | ((
        schema: Schema,
        rows: Indexable,
        options: IndexesOptions,
        inherited: IndexNames | undefined,
      ) => Indexes)
    | undefined;
  /** The live rows of a segment that a query without sort and page selects, ascending. @throws DeadlineError */
  readonly rows: (segment: Segment, query: ParsedQuery) => ArrayLike<number>;
  /** The live row with a value of a unique field or combination, or −1. May first build what finds it fast. */
  readonly row: (segment: Segment, name: string, value: TextValue) => number;
  /** The same for a single question, which need not pay for others. */
  readonly lookedUp: Finder["row"];
}

/** The options of segments. */
export interface SegmentOptions extends IndexesOptions {
  readonly finder: Finder;
}

/** Shared by the versions of a segment: holds for all its rows, dead or not. */
interface Shared {
  /** Whether changes made it, in addition to existing segments. */
  readonly isDelta: boolean;
  /** Whether changes leave it as it is, because the owner of its file merges it. */
  isApart: boolean;
  indexes: Indexes | undefined;
  /** The indexes that other segments have: it builds them at a fraction of the price. */
  readonly inheritedIndexes: IndexNames | undefined;
  /** Shared by all segments of all versions. */
  readonly cache: Cache;
}

const NO_FIELDS: ReadonlySet<string> = new Set();

export class Segment {
  readonly schema: Schema;
  readonly rows: Rows;
  readonly keys: Keys;
  readonly readerOf: (field: string) => (row: number) => TextValue;
  readonly dead: DeadRows;
  /** How many rows there are, including dead ones. */
  readonly size: number;
  /** How many of them are live. */
  readonly live: number;
  readonly options: SegmentOptions;
  /** The cache of its rows and indexes, and of all versions that contain it. */
  readonly cache: Cache;
  readonly #shared: Shared;
  /** Whether there are few rows. */
  readonly isSmall: boolean;
  /**
   * Whether it gets neither indexes nor charges, so each row is checked with the predicate: the rows are few and replaced
   * by each update, or the collection is a light one.
   */
  readonly isTiny: boolean;

  private constructor(
    schema: Schema,
    rows: Rows,
    keys: Keys,
    shared: Shared,
    dead: DeadRows,
    options: SegmentOptions,
  ) {
    this.schema = schema;
    this.rows = rows;
    this.keys = keys;
    this.#shared = shared;
    this.readerOf = (field) => rows.readerOf(field);
    this.dead = dead;
    this.size = rows.size;
    this.live = rows.size - dead.count;
    this.options = options;
    this.cache = shared.cache;
    this.isSmall = rows.size <= tuning.fewRows;
    this.isTiny = (this.isSmall && shared.isDelta) || options.finder.indexes === undefined;
  }

  /**
   * @param keys ascending; `undefined` if each key is the row number
   * @param inheritedIndexes the indexes that other segments have: it builds them at a fraction of the price
   */
  static of(
    schema: Schema,
    rows: Rows,
    keys: Keys,
    options: SegmentOptions,
    inheritedIndexes?: IndexNames,
  ): Segment {
    const shared = sharedBy(false, new Cache(options.budget), undefined, inheritedIndexes);
    return new Segment(schema, rows, unlessOwn(keys), shared, DeadRows.EMPTY, options);
  }

  /** A segment made by changes, in addition to others. */
  static ofChanges(
    schema: Schema,
    rows: Rows,
    keys: Keys,
    options: SegmentOptions,
    inheritedIndexes: IndexNames | undefined,
    cache: Cache,
  ): Segment {
    const shared = sharedBy(true, cache, undefined, inheritedIndexes);
    return new Segment(schema, rows, unlessOwn(keys), shared, DeadRows.EMPTY, options);
  }

  /** The live rows of two segments as one. */
  static merge(a: Segment, b: Segment): Segment {
    const { schema, options } = a;
    const origins = interleave(a, b);
    const rows = a.rows.mergedWith(b.rows, origins);
    const keys = mergeKeys(origins, a, b);
    const { isDelta, inheritedIndexes, indexes: own } = a.#shared;
    const indexes = own?.mergedWith(b.#shared.indexes, origins, rows);
    const shared = sharedBy(isDelta, a.cache, indexes, inheritedIndexes);
    return new Segment(schema, rows, unlessOwn(keys), shared, DeadRows.EMPTY, options);
  }

  /** The ordered index of a field, if it exists or is due. @throws DeadlineError */
  ordered(field: string, deadline?: Deadline): FieldIndex | undefined {
    return this.isTiny ? undefined : this.indexes.ordered(field, deadline);
  }

  /** {@link Indexes.numbers}. */
  numbers(
    field: string,
    cost: (ordered: FieldIndex | undefined) => number,
    deadline: Deadline | undefined,
  ): NumberColumn | FieldIndex | undefined {
    return this.isTiny ? undefined : this.indexes.numbers(field, cost, deadline);
  }

  /** Whether there is a column of the numbers of a field. */
  hasNumbers(field: string): boolean {
    return this.#shared.indexes?.names.numbers.has(field) === true;
  }

  /** Charges the cost of reading rows for lack of the ordered index of a field. */
  charge(field: string, nanoseconds: number): void {
    if (!this.isTiny) this.indexes.charge("ordered", field, nanoseconds);
  }

  /** The fields that have an ordered index. */
  get indexed(): ReadonlySet<string> {
    return this.#shared.indexes?.names.ordered ?? NO_FIELDS;
  }

  /** {@link Indexes.refreshOne}. */
  refreshIndex(): boolean {
    return this.#shared.indexes?.refreshOne() === true;
  }

  /** Its indexes and their accounts. */
  get indexes(): Indexes {
    const { schema, rows, options } = this;
    const shared = this.#shared;
    const { indexes: make } = options.finder;
    if (make === undefined) throw new RangeError("a light collection has no indexes");
    return (shared.indexes ??= make(schema, rows, options, shared.inheritedIndexes));
  }

  /** The names of its indexes, which segments beside it get too. */
  get indexNames(): IndexNames | undefined {
    return this.options.finder.indexes && this.indexes.names;
  }

  /**
   * Removes and inserts rows, if a single copy can do both; otherwise returns `undefined`.
   *
   * @param removed rows of the segment, ascending
   * @param keys those of the added rows, ascending
   * @param inheritedIndexes the indexes that other segments have
   */
  edited(
    removed: ArrayLike<number>,
    added: Rows,
    keys: readonly number[],
    inheritedIndexes: IndexNames | undefined,
  ): Segment | undefined {
    const { schema, rows, dead, options } = this;
    if (removed.length + added.size === 0) return undefined;
    const isFew = this.isSmall && added.size <= tuning.fewRows && dead.count === 0;
    if (!isFew) return undefined;
    const own = this.keys ?? Array.from({ length: rows.size }, (_, row) => row);
    const splice = spliceByKeys(own, removed, keys);
    const left = rows.spliced(splice, added);
    if (left === undefined) return undefined;
    return Segment.ofChanges(schema, left, splice.keys, options, inheritedIndexes, this.cache);
  }

  /** The segment with more dead rows; the given rows are live. */
  without(rows: ArrayLike<number>): Segment {
    if (rows.length === 0) return this;
    const { schema, rows: all, keys, dead, options } = this;
    return new Segment(schema, all, keys, this.#shared, dead.with(rows), options);
  }

  /** The same rows as a delta segment alongside the given one. */
  beside({ options, indexNames, cache }: Segment): Segment {
    const { schema, rows, keys } = this;
    return Segment.ofChanges(schema, rows, keys, options, indexNames, cache).without(
      this.dead.difference(DeadRows.EMPTY),
    );
  }

  /** The same rows, replacing a segment that had them along with others. */
  inPlaceOf({ options, indexNames, cache, isDelta }: Segment): Segment {
    const { schema, rows, keys } = this;
    const shared = sharedBy(isDelta, cache, undefined, indexNames);
    return new Segment(schema, rows, keys, shared, DeadRows.EMPTY, options);
  }

  /** The same rows with fields of other records. @param indexes of these rows */
  joined(schema: Schema, rows: Rows, indexes: Indexes, cache: Cache): Segment {
    const shared = sharedBy(this.isDelta, cache, indexes);
    return new Segment(schema, rows, this.keys, shared, this.dead, this.options);
  }

  /** Leaves merging it with others to the owner of its file. */
  keepApart(): void {
    this.#shared.isApart = true;
  }

  get isApart(): boolean {
    return this.#shared.isApart;
  }

  get isDelta(): boolean {
    return this.#shared.isDelta;
  }

  keyOf(row: number): number {
    return this.keys === undefined ? row : this.keys[row]!;
  }

  /** The live rows, ascending. */
  *locations(): Generator<{ readonly segment: Segment; readonly row: number }, void> {
    for (let row = 0; row < this.size; row++) if (!this.dead.has(row)) yield { segment: this, row };
  }

  /** The live row with a key, or −1. */
  rowOf(key: number): number {
    const row = this.keys === undefined ? key : bisect(this.keys, key);
    return row < this.size && this.keyOf(row) === key && !this.dead.has(row) ? row : -1;
  }
}

function sharedBy(
  isDelta: boolean,
  cache: Cache,
  indexes: Indexes | undefined,
  inheritedIndexes?: IndexNames,
): Shared {
  return { isDelta, isApart: false, indexes, inheritedIndexes, cache };
}

/** A separate loop: V8 would let one that also moves records turn keys into an array of objects. */
function mergeKeys(origins: Origins, a: Segment, b: Segment): Keys {
  if (a.keys !== undefined && b.keys !== undefined && isAppended(origins, a.size, b.size)) {
    return a.keys.concat(b.keys);
  }
  if (lastKey(origins, a, b) === origins.length - 1) return undefined;
  const keys: number[] = [];
  for (let row = 0; row < origins.length; row++) {
    const origin = origins[row]!;
    keys.push(origin >= 0 ? a.keyOf(origin) : b.keyOf(~origin));
  }
  return keys;
}

function lastKey(origins: Origins, a: Segment, b: Segment): number {
  const last = origins[origins.length - 1];
  if (last === undefined) return -1;
  return last >= 0 ? a.keyOf(last) : b.keyOf(~last);
}

/** The keys; `undefined` if each key is its row number, which is the case if the last one is. */
function unlessOwn(keys: Keys): Keys {
  return keys !== undefined && (keys.at(-1) ?? -1) === keys.length - 1 ? undefined : keys;
}
