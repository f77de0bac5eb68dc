// The dead rows of a segment: removed, or replaced by a later version in another segment. Sets of them are persistent
// data structures: a larger set shares all but the changed chunks. A segment caches the positions of its dead rows in
// an order for the most recent set; the next set applies the difference between the two, so updates do not copy them.

import {
  addRow,
  bitAt,
  createBitset,
  forEachDifference,
  type Bitset,
} from "../algorithms/bitset.ts";
import type { FieldIndex } from "../indexes/field-index.ts";
import { tuning } from "../tuning.ts";
import { filledIn, mergeGaps, NO_GAPS, withoutGaps, type Gaps } from "../algorithms/gaps.ts";

/** A chunk is a bitset of 512 rows: the largest that V8 allocates without a separate memory block. */
const CHUNK_BITS = 9;
const CHUNK_ROWS = 1 << CHUNK_BITS;
const CHUNK_MASK = CHUNK_ROWS - 1;

/** A block is 64 chunks. */
const BLOCK_BITS = 6;
const BLOCK_MASK = 0x3f;

type Chunk = Bitset | undefined;
type Block = Chunk[] | undefined;

/** An order of a segment's rows: that of an index, or `undefined` for insertion order. */
type Order = FieldIndex | undefined;

/** The key of insertion order. */
const INSERTION = {};

/** The positions of a set's rows in an order. */
interface Known {
  readonly dead: DeadRows;
  readonly gaps: Gaps;
  /** How many rows have been examined since, for counts without positions. */
  looked: number;
}

/** How many rows can be examined in the time it takes to find the position of one dead row. */
const LOOKS = 8;

export class DeadRows {
  static readonly EMPTY = new DeadRows([], 0, new WeakMap());

  /** How many rows are dead. */
  readonly count: number;
  readonly #blocks: readonly Block[];
  /**
   * Shared by all sets of a segment: for each order, the positions of the most recent set.
   */
  readonly #known: WeakMap<object, Known>;

  private constructor(blocks: readonly Block[], count: number, known: WeakMap<object, Known>) {
    this.#blocks = blocks;
    this.count = count;
    this.#known = known;
  }

  has(row: number): boolean {
    const chunk = this.#chunk(row >>> CHUNK_BITS);
    return chunk !== undefined && bitAt(chunk, row & CHUNK_MASK) === 1;
  }

  /** The first row from one on that is not dead; rows after the last of the segment are not. */
  liveFrom(row: number): number {
    for (let at = row; ;) {
      const chunk = this.#chunk(at >>> CHUNK_BITS);
      if (chunk === undefined) return at;
      const live = ~chunk[(at & CHUNK_MASK) >>> 5]! >>> (at & 31);
      // The lowest bit that is set, counted from the row.
      if (live !== 0) return at + 31 - Math.clz32(live & -live);
      at = (at | 31) + 1;
    }
  }

  /** Where a stretch of rows ends, at most at `most`, and whether all its rows are certainly live. */
  stretchFrom(row: number, most: number): readonly [end: number, areLive: boolean] {
    if (this.count === 0) return [most, true];
    const number = row >>> CHUNK_BITS;
    return [Math.min(most, (number + 1) << CHUNK_BITS), this.#chunk(number) === undefined];
  }

  /**
   * A set with more rows; none of them is in this set. Cost: that of the chunks and blocks of the new rows, and one
   * pointer per block.
   */
  with(rows: ArrayLike<number>): DeadRows {
    const blocks = this.#blocks.slice();
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i]!;
      const number = row >>> CHUNK_BITS;
      const place = number >>> BLOCK_BITS;
      let block = blocks[place];
      if (block === undefined || block === this.#blocks[place]) {
        block = block?.slice() ?? new Array<Chunk>(1 << BLOCK_BITS).fill(undefined);
        blocks[place] = block;
      }
      let chunk = block[number & BLOCK_MASK];
      if (chunk === undefined || chunk === this.#chunk(number)) {
        chunk = chunk?.slice() ?? createBitset(CHUNK_ROWS);
        block[number & BLOCK_MASK] = chunk;
      }
      addRow(chunk, row & CHUNK_MASK);
    }
    const known = this === DeadRows.EMPTY ? new WeakMap<object, Known>() : this.#known;
    return new DeadRows(blocks, this.count + rows.length, known);
  }

  /** How many rows are live in a range of an order. */
  liveIn(order: FieldIndex, from: number, to: number): number {
    if (this.count === 0) return to - from;
    if (to - from === order.rows) return to - from - this.count;
    if (!this.#looksAt(to - from, order)) return filledIn(this.gaps(order), from, to);
    let live = 0;
    if (order.isInPieces) {
      const some = new Uint32Array(to - from);
      order.copyRows(from, to, some);
      for (const row of some) live += this.has(row) ? 0 : 1;
      return live;
    }
    const rows = order.order;
    for (let i = from; i < to; i++) live += this.has(rows[i]!) ? 0 : 1;
    return live;
  }

  /**
   * Whether to count by examining this many rows: they are few, or all examined so far take less time than computing
   * the missing positions, which a single count would not pay for.
   */
  #looksAt(rows: number, order: FieldIndex): boolean {
    if (rows <= tuning.fewRows) return true;
    const known = this.#known.get(order) ?? { dead: DeadRows.EMPTY, gaps: NO_GAPS, looked: 0 };
    const unknown = Math.abs(this.count - known.dead.count);
    if (known.looked + rows > unknown * LOOKS) return false;
    known.looked += rows;
    this.#known.set(order, known);
    return true;
  }

  /**
   * The positions of the dead rows in an order, ascending. Cost: constant if this set was the most recent; otherwise
   * that of finding the difference from that set, and of copying the gaps.
   */
  gaps(order: Order): Gaps {
    if (this.count === 0) return NO_GAPS;
    const key = order ?? INSERTION;
    const known = this.#known.get(key);
    if (known?.dead === this) return known.gaps;
    const { dead, gaps: before } = known ?? { dead: DeadRows.EMPTY, gaps: NO_GAPS };
    const rest = withoutGaps(before, placesOf(order, dead.difference(this)));
    const gaps = mergeGaps(rest, placesOf(order, this.difference(dead)));
    this.#known.set(key, { dead: this, gaps, looked: 0 });
    return gaps;
  }

  /** Whether all rows of another set are in this one. */
  includes(other: DeadRows): boolean {
    return other.difference(this).length === 0;
  }

  /** The rows in this set but not in another one, ascending. */
  difference(other: DeadRows): Uint32Array {
    const rows: number[] = [];
    for (let place = 0; place < this.#blocks.length; place++) {
      const block = this.#blocks[place];
      const otherBlock = other.#blocks[place];
      if (block === undefined || block === otherBlock) continue;
      for (let i = 0; i < block.length; i++) {
        const first = ((place << BLOCK_BITS) + i) << CHUNK_BITS;
        const chunk = block[i];
        const otherChunk = otherBlock?.[i];
        if (chunk === undefined || chunk === otherChunk) continue;
        forEachDifference(chunk, otherChunk, (row) => rows.push(first + row));
      }
    }
    return Uint32Array.from(rows);
  }

  #chunk(number: number): Chunk {
    return this.#blocks[number >>> BLOCK_BITS]?.[number & BLOCK_MASK];
  }
}

/** The positions of rows in an order, ascending. @param rows ascending */
const placesOf = (order: Order, rows: Uint32Array): Gaps =>
  order === undefined ? rows : rows.map((row) => order.positionOf(row)).sort();
