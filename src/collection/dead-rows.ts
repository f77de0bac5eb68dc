// Which rows of a segment are dead: removed, or replaced by a later version in another segment.
// Sets of them are persistent: one with more rows shares all but the chunks that change.

import type { FieldIndex } from "./field-index.ts";
import { filledIn, mergeGaps, NO_GAPS, type Gaps } from "./gaps.ts";

/** A chunk is a bitset of 512 rows: the largest that V8 makes without a memory block of its own. */
const CHUNK_BITS = 9;
const CHUNK_WORDS = (1 << CHUNK_BITS) >>> 5;
const CHUNK_MASK = (1 << CHUNK_BITS) - 1;

/** A block is 64 chunks. */
const BLOCK_BITS = 6;
const BLOCK_MASK = (1 << BLOCK_BITS) - 1;

type Chunk = Uint32Array | undefined;
type Block = Chunk[] | undefined;

/** An order of a segment's rows: that of an index, or `undefined` for insertion order. */
type Order = FieldIndex | undefined;

/** So few rows are looked at one by one: to count the dead, and to add them to what is known. */
const FEW = 64;

export class DeadRows {
  static readonly NONE = new DeadRows([], 0, new Map());

  /** How many rows are dead. */
  readonly count: number;
  readonly #blocks: readonly Block[];
  readonly #gaps: Map<Order, Gaps>;

  private constructor(blocks: readonly Block[], count: number, gaps: Map<Order, Gaps>) {
    this.#blocks = blocks;
    this.count = count;
    this.#gaps = gaps;
  }

  has(row: number): boolean {
    const chunk = this.#chunk(row >>> CHUNK_BITS);
    return chunk !== undefined && ((chunk[(row & CHUNK_MASK) >>> 5]! >>> (row & 31)) & 1) === 1;
  }

  /**
   * These rows and more, none of which is among them.
   * Cost: that of the chunks and blocks of the new rows, and a pointer for each block.
   */
  with(rows: Uint32Array): DeadRows {
    const blocks = this.#blocks.slice();
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i]!;
      const number = row >>> CHUNK_BITS;
      const place = number >>> BLOCK_BITS;
      while (blocks.length <= place) blocks.push(undefined);
      let block = blocks[place];
      if (block === undefined || block === this.#blocks[place]) {
        block = block?.slice() ?? new Array<Chunk>(1 << BLOCK_BITS).fill(undefined);
        blocks[place] = block;
      }
      let chunk = block[number & BLOCK_MASK];
      if (chunk === undefined || chunk === this.#chunk(number)) {
        chunk = chunk?.slice() ?? new Uint32Array(CHUNK_WORDS);
        block[number & BLOCK_MASK] = chunk;
      }
      chunk[(row & CHUNK_MASK) >>> 5]! |= 1 << (row & 31);
    }
    const gaps = new Map<Order, Gaps>();
    if (rows.length <= FEW) {
      for (const [order, known] of this.#gaps) {
        gaps.set(order, mergeGaps(known, sorted(order, rows)));
      }
    }
    return new DeadRows(blocks, this.count + rows.length, gaps);
  }

  /** How many rows are alive in a stretch of an order. */
  liveIn(order: FieldIndex, from: number, to: number): number {
    if (this.count === 0) return to - from;
    if (to - from === order.rows) return to - from - this.count;
    if (to - from > FEW) return filledIn(this.gaps(order), from, to);
    let live = 0;
    for (let i = from; i < to; i++) live += this.has(order.order[i]!) ? 0 : 1;
    return live;
  }

  /** Where the dead rows stand in an order of the rows, ascending. */
  gaps(order: Order): Gaps {
    if (this.count === 0) return NO_GAPS;
    let gaps = this.#gaps.get(order);
    if (gaps === undefined) {
      gaps = sorted(order, this.but(DeadRows.NONE));
      this.#gaps.set(order, gaps);
    }
    return gaps;
  }

  /** The rows that are in this set and not in another one, ascending. */
  but(other: DeadRows): Uint32Array {
    const rows: number[] = [];
    for (let place = 0; place < this.#blocks.length; place++) {
      const block = this.#blocks[place];
      const otherBlock = other.#blocks[place];
      if (block === undefined || block === otherBlock) continue;
      for (let i = 0; i < block.length; i++) {
        const first = ((place << BLOCK_BITS) + i) << CHUNK_BITS;
        forEachBit(block[i], otherBlock?.[i], (bit) => rows.push(first + bit));
      }
    }
    return Uint32Array.from(rows);
  }

  #chunk(number: number): Chunk {
    return this.#blocks[number >>> BLOCK_BITS]?.[number & BLOCK_MASK];
  }
}

/** Visits the bits that are set in a chunk and not in another one, ascending. */
function forEachBit(chunk: Chunk, other: Chunk, visit: (bit: number) => void): void {
  if (chunk === undefined || chunk === other) return;
  for (let word = 0; word < CHUNK_WORDS; word++) {
    let bits = chunk[word]! & ~(other?.[word] ?? 0);
    for (; bits !== 0; bits &= bits - 1) visit((word << 5) + 31 - Math.clz32(bits & -bits));
  }
}

function sorted(order: Order, rows: Uint32Array): Gaps {
  return (order === undefined ? rows.slice() : rows.map((row) => order.positionOf(row))).sort();
}
