// A set of positions with fast counts: how many members come before a position (rank), and which member is the k-th
// (select), each in time that hardly grows with the set. A number beside each block of 512 bits says how many members
// come before it.
//
// Source: G. Jacobson, "Space-efficient Static Trees and Graphs", 1989.

import { bitAt, highestBit, lowestRow, ones, type Bitset } from "./bitset.ts";

/** A block is 16 words. Together with its count it spans one or two cache lines. */
const BLOCK_BITS = 9;
const BLOCK_WORDS = 1 << (BLOCK_BITS - 5);

export class RankBitmap {
  readonly #bits: Bitset;
  /** How many members come before each block; finally the total. */
  readonly #before: Uint32Array;

  /** @param bits not copied; must not change */
  constructor(bits: Bitset) {
    const blocks = Math.ceil(bits.length / BLOCK_WORDS);
    this.#bits = bits;
    this.#before = new Uint32Array(blocks + 1);
    let count = 0;
    for (let word = 0; word < bits.length; word++) {
      if (word % BLOCK_WORDS === 0) this.#before[word / BLOCK_WORDS] = count;
      count += ones(bits[word]!);
    }
    this.#before[blocks] = count;
  }

  /** How many bytes a set over this many positions takes. */
  static bytesFor(positions: number): number {
    return 4 * (Math.ceil(positions / 32) + Math.ceil(positions / (1 << BLOCK_BITS)) + 1);
  }

  get bytes(): number {
    return this.#bits.byteLength + this.#before.byteLength;
  }

  has(position: number): boolean {
    return bitAt(this.#bits, position) === 1;
  }

  /** How many members are lower than a position. */
  rank(position: number): number {
    const bits = this.#bits;
    const block = position >>> BLOCK_BITS;
    const last = position >>> 5;
    let rank = this.#before[block]!;
    for (let word = block * BLOCK_WORDS; word < last; word++) rank += ones(bits[word]!);
    const rest = position & 31;
    return rest === 0 ? rank : rank + ones(bits[last]! & ((1 << rest) - 1));
  }

  /** The member with a rank below the number of members. */
  select(rank: number): number {
    const bits = this.#bits;
    const before = this.#before;
    let low = 0;
    let high = before.length - 1;
    // Invariant: at most `rank` members come before block `low`, and more than `rank` before block `high`.
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if (before[middle]! <= rank) low = middle;
      else high = middle;
    }
    let left = rank - before[low]!;
    let word = low * BLOCK_WORDS;
    for (let count = ones(bits[word]!); count <= left; count = ones(bits[word]!)) {
      left -= count;
      word++;
    }
    let rest = bits[word]!;
    for (; left > 0; left--) rest &= rest - 1;
    return lowestRow(word, rest);
  }

  /** The first member in `[position, end)`; `end` if there is none. */
  next(position: number, end: number): number {
    if (position >= end) return end;
    const bits = this.#bits;
    const last = (end - 1) >>> 5;
    let word = position >>> 5;
    let rest = bits[word]! & (-1 << (position & 31));
    while (rest === 0 && word < last) rest = bits[++word]!;
    return rest === 0 ? end : Math.min(end, lowestRow(word, rest));
  }

  /** The last member before a position; −1 if there is none. */
  previous(position: number): number {
    const bits = this.#bits;
    let word = position >>> 5;
    let rest = (position & 31) === 0 ? 0 : bits[word]! & ((1 << (position & 31)) - 1);
    while (rest === 0 && word > 0) rest = bits[--word]!;
    return rest === 0 ? -1 : (word << 5) + highestBit(rest);
  }
}
