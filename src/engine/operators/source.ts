// The sources of a plan's rows. Each produces rows in batches, in a fixed order: a page can stop early, and a filter
// can process many rows at a time.
//
// Source: P. Boncz, M. Zukowski, N. Nes, "MonetDB/X100: Hyper-Pipelining Query Execution", 2005.

import { lowestRow, type Bitset } from "../algorithms/bitset.ts";
import { holdHiddenClassOf } from "../algorithms/hidden-class.ts";

export interface Source {
  /** Writes the next rows to the batch, at most `capacity`. Returns how many; 0 at the end. */
  next(batch: Uint32Array, capacity: number): number;
  /** Skips the next rows. */
  skip(count: number): void;
}

/** Rows in a list. */
export class ListSource implements Source {
  readonly #rows: ArrayLike<number>;
  #position = 0;
  readonly #end: number;

  constructor(rows: ArrayLike<number>) {
    this.#rows = rows;
    this.#end = rows.length;
  }

  next(batch: Uint32Array, capacity: number): number {
    const rows = this.#rows;
    const from = this.#position;
    const length = Math.min(capacity, this.#end - from);
    for (let i = 0; i < length; i++) batch[i] = rows[from + i]!;
    this.#position = from + length;
    return length;
  }

  skip(count: number): void {
    this.#position = Math.min(this.#end, this.#position + count);
  }
}

/** The rows that are in all of several bitsets, in insertion order. */
export class BitsetSource implements Source {
  readonly #sets: readonly Bitset[];
  readonly #words: number;
  #word = 0;
  /** The remainder of the word before `#word`. */
  #rest = 0;

  constructor(sets: readonly [Bitset, ...Bitset[]]) {
    this.#sets = sets;
    this.#words = sets[0].length;
  }

  next(batch: Uint32Array, capacity: number): number {
    let length = 0;
    while (length < capacity) {
      if (this.#rest === 0) {
        if (this.#word === this.#words) break;
        this.#rest = this.#readWord();
        continue;
      }
      batch[length++] = lowestRow(this.#word - 1, this.#rest);
      this.#rest &= this.#rest - 1;
    }
    return length;
  }

  skip(count: number): void {
    while (count > 0) {
      if (this.#rest === 0) {
        if (this.#word === this.#words) return;
        this.#rest = this.#readWord();
      } else {
        this.#rest &= this.#rest - 1;
        count--;
      }
    }
  }

  #readWord(): number {
    let bits = -1;
    for (const set of this.#sets) bits &= set[this.#word]!;
    this.#word++;
    return bits;
  }
}

holdHiddenClassOf(new ListSource(new Uint32Array()), new BitsetSource([new Uint32Array()]));
