// A set of positions that counts quickly how many members come before a position (rank). A number beside each block of
// 64 bits says how many members come before it.
//
// Source: G. Jacobson, "Space-efficient Static Trees and Graphs", 1989.

import { ones, type Bitset } from "./bitset.ts";

/** A block is two words: with more, a rank took longer, up to four times with 16 (1,000,000 positions). */
const BLOCK_BITS = 6;
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

  get bytes(): number {
    return this.#bits.byteLength + this.#before.byteLength;
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
}
