// The dead rows of a segment: removed, or replaced by a later version in another segment. Sets of them are persistent
// data structures: a larger set shares all but the changed chunks. Each order keeps the positions of dead rows
// for the most recent set; the next set applies the difference between the two, so updates do not copy them.

import {
  addRow,
  bitAt,
  createBitset,
  forEachDifference,
  type Bitset,
} from "../algorithms/bitset.ts";
import type { Derivation, Derived } from "../indexes/derived.ts";
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

/** An order of a segment's rows: that of an index, or of the rows themselves. */
export interface Order {
  readonly derived: Derived;
  /** Missing where the position of a row is its number. */
  positionOf?(row: number): number;
}

/** The positions of dead rows in an order, for the most recent set. */
class DeadPositions implements Derivation {
  dead = DeadRows.EMPTY;
  gaps: Gaps = NO_GAPS;
  /** How many rows have been examined since, for counts without positions. */
  looked = 0;

  get bytes(): number {
    return this.gaps.byteLength;
  }

  clear(): void {
    this.know(DeadRows.EMPTY, NO_GAPS);
  }

  know(dead: DeadRows, gaps: Gaps): void {
    this.dead = dead;
    this.gaps = gaps;
    this.looked = 0;
  }
}

/** How many rows can be examined in the time it takes to find the position of one dead row. */
const LOOKS = 8;

export class DeadRows {
  static readonly EMPTY = new DeadRows([], 0);

  /** How many rows are dead. */
  readonly count: number;
  readonly #blocks: readonly Block[];
  /** All rows, once they were asked for: a question does so several times. */
  #rows: Uint32Array | undefined;

  private constructor(blocks: readonly Block[], count: number) {
    this.#blocks = blocks;
    this.count = count;
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
    return new DeadRows(blocks, this.count + rows.length);
  }

  /** How many rows are live in a range of an order. */
  liveIn(order: FieldIndex, from: number, to: number): number {
    if (this.count === 0) return to - from;
    if (to - from === order.rows) return to - from - this.count;
    // Where codes are in memory, they are found sooner than positions.
    const isByCodes = order.isInPieces && (!order.isInFile || this.count <= tuning.fewDead);
    if (isByCodes) return this.#liveByCodes(order, from, to);
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

  /** {@link DeadRows.liveIn} by the codes of the dead rows, whose positions are far to find. */
  #liveByCodes(order: FieldIndex, from: number, to: number): number {
    let live = to - from;
    for (const row of this.difference(DeadRows.EMPTY)) {
      const code = order.codeAt(row);
      const start = order.startOf(code);
      const end = order.startOf(code + 1);
      if (end <= from || start >= to) continue;
      const isWithin = start >= from && end <= to;
      const at = isWithin ? from : order.positionOf(row);
      if (at >= from && at < to) live--;
    }
    return live;
  }

  /**
   * Whether to count by examining this many rows: they are few, or all examined so far take less time than computing
   * the missing positions, which a single count would not pay for.
   */
  #looksAt(rows: number, order: FieldIndex): boolean {
    if (rows <= tuning.fewRows) return true;
    const known = order.derived.of(DeadPositions);
    const unknown = Math.abs(this.count - known.dead.count);
    if (known.looked + rows > unknown * LOOKS) return false;
    known.looked += rows;
    return true;
  }

  /**
   * The positions of the dead rows in an order, ascending. Cost: constant if this set was the most recent; otherwise
   * that of finding the difference from that set, and of copying the gaps.
   */
  gaps(order: Order): Gaps {
    if (this.count === 0) return NO_GAPS;
    const known = order.derived.of(DeadPositions);
    const { dead, gaps: before } = known;
    if (dead === this) return before;
    const rest = withoutGaps(before, placesOf(order, dead.difference(this)));
    const gaps = mergeGaps(rest, placesOf(order, this.difference(dead)));
    known.know(this, gaps);
    return gaps;
  }

  /** Whether all rows of another set are in this one. */
  includes(other: DeadRows): boolean {
    return other.difference(this).length === 0;
  }

  /** The rows in this set but not in another one, ascending. */
  difference(other: DeadRows): Uint32Array {
    if (other.count > 0) return this.#difference(other);
    return (this.#rows ??= this.#difference(other));
  }

  #difference(other: DeadRows): Uint32Array {
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
  order.positionOf === undefined ? rows : rows.map((row) => order.positionOf!(row)).sort();
