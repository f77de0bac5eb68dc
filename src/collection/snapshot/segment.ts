// A segment: rows that were put together at one time, with their indexes, and which of them are dead in
// the snapshot that holds the segment. Snapshots share rows and indexes; each has its own set of dead
// rows.
//
// Every row has a key that it keeps for life, in any segment. Keys are assigned in the order of
// insertion, so the order of keys is the order of records.

import type { WireValue } from "../../schema/field.ts";
import type { Schema } from "../../schema/schema.ts";
import { bisect } from "../algorithms/bisect.ts";
import type { Deadline } from "../algorithms/deadline.ts";
import type { FieldIndex } from "../index/field-index.ts";
import { Results } from "../cache/results.ts";
import { RowSets } from "../cache/row-sets.ts";
import { TopRows } from "../cache/top-rows.ts";
import { DeadRows } from "./dead-rows.ts";
import { Indexes, type IndexesOptions, type IndexNames } from "../index/indexes.ts";
import { interleave, isAppended, type Origins } from "../algorithms/interleave.ts";
import { spliceByKeys, spliced, type Splice } from "../algorithms/splice.ts";
import type { Rows } from "../records/rows.ts";
import { tuning } from "../tuning.ts";

/** The keys of a segment's rows, ascending; `undefined` if each key is the row number. */
export type Keys = readonly number[] | undefined;

/** What was sorted before some rows were removed and others added. */
export interface Before {
  readonly topRows: TopRows;
  readonly splice: Splice;
}

/** Shared by the versions of a segment: it holds for all its rows, dead or not. */
interface Shared {
  /** Whether changes made it, beside existing segments. */
  readonly isYoung: boolean;
  indexes: Indexes | undefined;
  /** The indexes that it builds at a fraction of the price, since others have them. */
  readonly wanted: IndexNames | undefined;
  readonly topRows: TopRows;
  results: Results | undefined;
  rowSets: RowSets | undefined;
  readonly before: Before | undefined;
}

export class Segment {
  readonly schema: Schema;
  readonly rows: Rows;
  readonly keys: Keys;
  readonly readerOf: (field: string) => (row: number) => WireValue;
  readonly dead: DeadRows;
  readonly options: IndexesOptions;
  readonly #shared: Shared;
  /** Whether there are few rows. */
  readonly isSmall: boolean;
  /**
   * Whether it gets neither an index nor charges: the rows are few, and made again by each update, so each is
   * checked with the predicate.
   */
  readonly isNeverIndexed: boolean;

  private constructor(
    schema: Schema,
    rows: Rows,
    keys: Keys,
    shared: Shared,
    dead: DeadRows,
    options: IndexesOptions,
  ) {
    this.schema = schema;
    this.rows = rows;
    this.keys = keys;
    this.#shared = shared;
    this.readerOf = (field) => rows.readerOf(field);
    this.dead = dead;
    this.options = options;
    this.isSmall = rows.size <= tuning.fewRows;
    this.isNeverIndexed = this.isSmall && shared.isYoung;
  }

  /**
   * @param keys ascending; `undefined` if each key is the row number
   * @param wanted the indexes that it builds at a fraction of the price, since others have them
   */
  static of(
    schema: Schema,
    rows: Rows,
    keys: Keys,
    options: IndexesOptions,
    wanted?: IndexNames,
  ): Segment {
    const shared = sharedBy(false, undefined, wanted);
    return new Segment(schema, rows, unlessOwn(keys), shared, DeadRows.NONE, options);
  }

  /** A segment made by changes. @param before for few rows made from others */
  static young(
    schema: Schema,
    rows: Rows,
    keys: Keys,
    options: IndexesOptions,
    wanted: IndexNames,
    before?: Before,
  ): Segment {
    const shared = sharedBy(true, undefined, wanted, before);
    return new Segment(schema, rows, unlessOwn(keys), shared, DeadRows.NONE, options);
  }

  /** The live rows of two segments as one. */
  static merge(a: Segment, b: Segment): Segment {
    const { schema, options } = a;
    const origins = interleave(a, b);
    const rows = a.rows.mergedWith(b.rows, origins);
    const keys = mergeKeys(origins, a, b);
    const indexes = Indexes.merged(a.indexes, b.indexes, origins, rows);
    const shared = sharedBy(a.#shared.isYoung, indexes);
    return new Segment(schema, rows, unlessOwn(keys), shared, DeadRows.NONE, options);
  }

  /** The ordered index of a field, if it exists or is due. @throws DeadlineError */
  ordered(field: string, deadline?: Deadline): FieldIndex | undefined {
    return this.isNeverIndexed ? undefined : this.indexes.ordered(field, deadline);
  }

  /** Charges the cost of reading rows for lack of the ordered index of a field. */
  charge(field: string, nanoseconds: number): void {
    if (!this.isNeverIndexed) this.indexes.charge("ordered", field, nanoseconds);
  }

  /** Its indexes and the account of them. */
  get indexes(): Indexes {
    const { schema, rows, options } = this;
    const shared = this.#shared;
    return (shared.indexes ??= new Indexes(schema, rows, options, shared.wanted));
  }

  /** The rows sorted so far. */
  get topRows(): TopRows {
    return this.#shared.topRows;
  }

  /** The first rows found by searches. */
  get results(): Results {
    return (this.#shared.results ??= new Results());
  }

  /** All rows found by searches. */
  get rowSets(): RowSets {
    return (this.#shared.rowSets ??= new RowSets());
  }

  /** What was sorted of the few rows that it was made from. */
  get before(): Before | undefined {
    return this.#shared.before;
  }

  /**
   * Keeps digests of the fields that others have indexes of: they serve look-ups and sorting until the
   * segment has its own indexes. Few rows are read directly.
   */
  keepDigests(others: Indexes): void {
    if (this.isSmall) return;
    for (const field of others.fieldsToDigest) this.rows.keepDigests(field);
  }

  /**
   * Its rows without some and with others, if one copy can do both; otherwise `undefined`.
   *
   * @param removed rows of the segment, ascending
   * @param keys those of the added rows, ascending
   * @param wanted the indexes that it builds at a fraction of the price
   */
  edited(
    removed: ArrayLike<number>,
    added: Rows,
    keys: readonly number[],
    wanted: IndexNames,
  ): Segment | undefined {
    const { schema, rows, dead, options, topRows } = this;
    if (removed.length + added.size === 0) return undefined;
    const isFew = this.isSmall && added.size <= tuning.fewRows && dead.count === 0;
    if (!isFew) return undefined;
    const own = this.keys ?? Array.from({ length: rows.size }, (_, row) => row);
    const splice = spliceByKeys(own, removed, keys);
    const left = rows.spliced(splice, added);
    if (left === undefined) return undefined;
    const before = topRows.isEmpty ? undefined : { topRows, splice };
    return Segment.young(schema, left, spliced(splice, own, keys), options, wanted, before);
  }

  /** How many rows there are, including dead ones. */
  get size(): number {
    return this.rows.size;
  }

  get live(): number {
    return this.size - this.dead.count;
  }

  /** The segment with some of its live rows dead. */
  without(rows: ArrayLike<number>): Segment {
    if (rows.length === 0) return this;
    const { schema, rows: all, keys, dead, options } = this;
    return new Segment(schema, all, keys, this.#shared, dead.with(rows), options);
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
  isYoung: boolean,
  indexes: Indexes | undefined,
  wanted?: IndexNames,
  before?: Before,
): Shared {
  const topRows = new TopRows();
  return { isYoung, indexes, wanted, topRows, results: undefined, rowSets: undefined, before };
}

/** A loop of its own: V8 would let one that also moves records turn keys into an array of objects. */
function mergeKeys(origins: Origins, a: Segment, b: Segment): readonly number[] {
  if (a.keys !== undefined && b.keys !== undefined && isAppended(origins, a.size, b.size)) {
    return a.keys.concat(b.keys);
  }
  const keys: number[] = [];
  for (let row = 0; row < origins.length; row++) {
    const origin = origins[row]!;
    keys.push(origin >= 0 ? a.keyOf(origin) : b.keyOf(~origin));
  }
  return keys;
}

/** The keys, unless the last is the last row number: each is then its row number. */
function unlessOwn(keys: Keys): Keys {
  return keys !== undefined && (keys.at(-1) ?? -1) === keys.length - 1 ? undefined : keys;
}
