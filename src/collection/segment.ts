// A segment: rows that were put together at one time, with their indexes, and which of them are
// dead in the snapshot that holds the segment. Snapshots share rows and indexes; each has its own
// set of dead rows.
//
// Every row has a key that it keeps for life, in whatever segment it is: keys are given in the
// order of insertion, so that the order of keys is the order of records.

import type { WireValue } from "../schema/field.ts";
import type { Schema, WireRecord } from "../schema/schema.ts";
import { bisect } from "./bisect.ts";
import { DeadRows } from "./dead-rows.ts";
import { Indexes, type IndexesOptions } from "./indexes.ts";
import { DEAD } from "./merge-index.ts";
import { readerOf, type Rows } from "./rows.ts";

/** The keys of a segment's rows, ascending; `undefined` where each key is the row's own number. */
export type Keys = Float64Array | undefined;

/** Up to this many rows the predicate judges each: no plan is better. */
const FEW_ROWS = 64;

export interface SegmentOptions extends IndexesOptions {
  /** How many rows are few. For tests with few records. */
  readonly fewRows?: number | undefined;
  /** How many times the rows of the next a segment has at least. For measuring other shares. */
  readonly share?: number | undefined;
}

export class Segment {
  readonly schema: Schema;
  readonly rows: Rows;
  readonly keys: Keys;
  readonly indexes: Indexes;
  readonly readerOf: (field: string) => (row: number) => WireValue;
  readonly dead: DeadRows;
  readonly options: SegmentOptions;

  private constructor(
    schema: Schema,
    rows: Rows,
    keys: Keys,
    indexes: Indexes,
    dead: DeadRows,
    options: SegmentOptions,
  ) {
    this.schema = schema;
    this.rows = rows;
    this.keys = keys;
    this.indexes = indexes;
    this.readerOf = readerOf(schema, rows);
    this.dead = dead;
    this.options = options;
  }

  static of(schema: Schema, rows: Rows, keys: Keys, options: SegmentOptions): Segment {
    const indexes = new Indexes(schema, rows, options);
    return new Segment(schema, rows, keys, indexes, DeadRows.NONE, options);
  }

  /** The live rows of two segments as one; the second is the smaller. */
  static merge(...parts: readonly [Segment, Segment]): Segment {
    const [a, b] = parts;
    const length = a.live + b.live;
    const records = new Array<WireRecord>(length);
    const keys = new Float64Array(length);
    const columns = Array.from(a.rows.columns, ([name, values]) => ({
      name,
      of: [values, b.rows.columns.get(name) ?? []],
      merged: new Array<WireValue>(length),
    }));
    const groups = a.rows.groups === undefined ? undefined : new Array<number>(length);
    const rowOf = parts.map(({ size }) => new Uint32Array(size).fill(DEAD));
    const next = [0, 0] as [number, number];
    let isOwnNumber = true;
    for (let row = 0; row < length; row++) {
      for (const side of [0, 1] as const) {
        const { size, dead } = parts[side];
        while (next[side] < size && dead.has(next[side])) next[side]++;
      }
      const side =
        next[1] === b.size || (next[0] < a.size && a.keyOf(next[0]) < b.keyOf(next[1])) ? 0 : 1;
      const { rows } = parts[side];
      const from = next[side]++;
      records[row] = rows.records[from]!;
      for (const { of, merged } of columns) merged[row] = of[side]![from]!;
      if (groups !== undefined) groups[row] = rows.groups![from]!;
      keys[row] = parts[side].keyOf(from);
      rowOf[side]![from] = row;
      isOwnNumber &&= keys[row] === row;
    }
    const rows: Rows = {
      records,
      columns: new Map(columns.map(({ name, merged }) => [name, merged])),
      groups,
    };
    const indexes = Indexes.merged(
      [
        { indexes: a.indexes, rowOf: rowOf[0]! },
        { indexes: b.indexes, rowOf: rowOf[1]! },
      ],
      rows,
      a.options,
    );
    const ownKeys = isOwnNumber ? undefined : keys;
    return new Segment(a.schema, rows, ownKeys, indexes, DeadRows.NONE, a.options);
  }

  /** Whether there are so few rows that the predicate judges each. */
  get isSmall(): boolean {
    return this.size <= (this.options.fewRows ?? FEW_ROWS);
  }

  /** How many rows there are, dead ones included. */
  get size(): number {
    return this.rows.records.length;
  }

  get live(): number {
    return this.size - this.dead.count;
  }

  /** The segment with some of its live rows dead. */
  without(rows: Uint32Array): Segment {
    if (rows.length === 0) return this;
    const { schema, rows: all, keys, indexes, dead, options } = this;
    return new Segment(schema, all, keys, indexes, dead.with(rows), options);
  }

  keyOf(row: number): number {
    return this.keys === undefined ? row : this.keys[row]!;
  }

  /** The live row with a key, or −1. */
  rowOf(key: number): number {
    const row = this.keys === undefined ? key : bisect(this.keys, key);
    return row < this.size && this.keyOf(row) === key && !this.dead.has(row) ? row : -1;
  }
}
