// The rows that contain each trigram, in memory. Of a list of rows, only the low halves of their numbers are stored,
// plus the start of each block of rows (`block-list.ts` reads them).

import type { TextValue } from "../../schema/field.ts";
import { forEachDifference, type Bitset } from "../algorithms/bitset.ts";
import { inSteps, type Steps } from "../algorithms/steps.ts";
import { BLOCK_MASK, BLOCK_ROWS, BlockList } from "./block-list.ts";
import { ShortTexts } from "./short-texts.ts";

/** The rows of a trigram: ascending row numbers, or a bitset if they are many. */
export type Posting =
  | {
      readonly count: number;
      /** May be computed on each access: read it once. */
      readonly rows: Uint32Array;
      readonly bits?: undefined;
      /**
       * The given ascending rows that are in the list, written over the input; defined only if it is faster than
       * reading `rows`.
       */
      readonly among?: (rows: Uint32Array) => Uint32Array;
    }
  | { readonly count: number; readonly bits: Bitset; readonly rows?: undefined };

/** The rows of each trigram: in memory, or read on demand. */
export interface Postings {
  readonly rows: number;
  /** How many bytes are in memory. */
  readonly bytes: number;
  posting(trigram: number): Posting;
  /** How many rows contain each shorter string, if they are counted. */
  readonly short?: ShortTexts;
  /** How many bytes the rows of a trigram take, at least one each, if they have to be read and decoded. */
  readonly sizeOf?: (trigram: number) => number;
}

/** Visits the rows of a trigram, ascending. */
export function forEachRow({ rows, bits }: Posting, visit: (row: number) => void): void {
  if (bits !== undefined) forEachDifference(bits, undefined, visit);
  else for (let i = 0; i < rows.length; i++) visit(rows[i]!);
}

/** Characters are distinguished by their low bits only: a collision means one more row to verify. */
const CLASS_BITS = 6;
const CLASS_MASK = (1 << CLASS_BITS) - 1;
/** The number of different trigrams. */
export const TRIGRAMS = 1 << (3 * CLASS_BITS);
const TRIGRAM_MASK = TRIGRAMS - 1;

export const TRIGRAM_LENGTH = 3;

export const NO_ROWS: Posting = { count: 0, rows: new Uint32Array() };

/** Whether this many rows are stored as a bitset: at least one in 32. */
export function isDense(count: number, rows: number): boolean {
  return count > 0 && 32 * count >= rows;
}

export function firstTwo(text: string): number {
  return ((text.charCodeAt(0) & CLASS_MASK) << CLASS_BITS) | (text.charCodeAt(1) & CLASS_MASK);
}

/** The trigrams that contain a string of one or two characters, some perhaps several times. */
export function trigramsWith(text: string): number[] {
  let classes = 0;
  for (let i = 0; i < text.length; i++) {
    classes = (classes << CLASS_BITS) | (text.charCodeAt(i) & CLASS_MASK);
  }
  const bits = text.length * CLASS_BITS;
  const others = 3 * CLASS_BITS - bits;
  const trigrams: number[] = [];
  for (let after = 0; after <= others; after += CLASS_BITS) {
    // All combinations of the characters before and after the string.
    for (let around = 0; around < 1 << others; around++) {
      const before = (around >>> after) << (bits + after);
      trigrams.push(before | (classes << after) | (around & ((1 << after) - 1)));
    }
  }
  return trigrams;
}

/** The trigram that ends at a position, given the one that ends before it. */
export function nextTrigram(trigram: number, text: string, position: number): number {
  return ((trigram << CLASS_BITS) | (text.charCodeAt(position) & CLASS_MASK)) & TRIGRAM_MASK;
}

type Read = (row: number) => TextValue;

/** How many characters make a step, since values may be long. Each row counts as a few, too. */
const STEP_CHARACTERS = 1 << 15;
const ROW_CHARACTERS = 8;

/** Visits a range of rows in steps. @param visit returns how many characters a row has */
function* byCharacters(from: number, to: number, visit: (row: number) => number): Steps<void> {
  for (let row = from; row < to;) {
    for (let left = STEP_CHARACTERS; left > 0 && row < to; row++)
      left -= visit(row) + ROW_CHARACTERS;
    yield;
  }
}

/** For each trigram, how many rows contain it, step by step; the same for shorter strings. */
function* counting(rows: number, read: Read, short: ShortTexts): Steps<Uint32Array> {
  const counts = new Uint32Array(TRIGRAMS);
  // The last row + 1 that contains a trigram, so that each row counts a trigram once.
  const seen = new Uint32Array(TRIGRAMS);
  yield* byCharacters(0, rows, (row) => {
    const value = read(row) ?? "";
    short.add(row, value);
    let trigram = firstTwo(value);
    for (let i = 2; i < value.length; i++) {
      trigram = nextTrigram(trigram, value, i);
      if (seen[trigram] === row + 1) continue;
      seen[trigram] = row + 1;
      counts[trigram]!++;
    }
    return value.length;
  });
  return counts;
}

export class PostingsInMemory implements Postings {
  readonly rows: number;
  readonly short: ShortTexts;
  readonly #blocks: number;
  /** How many words a bitset has. */
  readonly #words: number;
  /** For each trigram, its number among the lists, or the complement of its number among the bitsets. */
  readonly #numbers: Int32Array;
  readonly #dense: readonly Posting[];
  /** The bitsets, consecutively. */
  readonly #bitsets: Bitset;
  /** For each list, by its number, the starts of its blocks in `#lists`; finally the end of all. */
  readonly #starts: Uint32Array;
  /** The low halves of the row numbers of each list. List 0 is for trigrams that no row has. */
  readonly #lists: Uint16Array;

  /** The postings of `rows` values, step by step. Linear in the characters of the values, which are read twice. */
  static *building(rows: number, read: Read): Steps<PostingsInMemory> {
    const short = new ShortTexts();
    const counts = yield* counting(rows, read, short);
    short.finish();
    const postings = new PostingsInMemory(rows, counts, short);
    yield;
    yield* postings.#filling(read, counts);
    return postings;
  }

  private constructor(rows: number, counts: Uint32Array, short: ShortTexts) {
    this.rows = rows;
    this.short = short;
    this.#blocks = Math.ceil(rows / BLOCK_ROWS);
    this.#words = (rows + 31) >>> 5;
    this.#numbers = new Int32Array(TRIGRAMS);
    const dense: number[] = [];
    let lists = 1;
    let length = 0;
    for (let trigram = 0; trigram < TRIGRAMS; trigram++) {
      const count = counts[trigram]!;
      if (count === 0) continue;
      if (isDense(count, rows)) {
        this.#numbers[trigram] = ~(dense.push(count) - 1);
      } else {
        this.#numbers[trigram] = lists++;
        length += count;
      }
    }
    this.#bitsets = new Uint32Array(dense.length * this.#words);
    this.#dense = dense.map((count, i) => {
      const bits = this.#bitsets.subarray(i * this.#words, (i + 1) * this.#words);
      return { count, bits };
    });
    this.#starts = new Uint32Array(lists * this.#blocks + 1);
    this.#lists = new Uint16Array(length);
  }

  *#filling(read: Read, counts: Uint32Array): Steps<void> {
    const blocks = this.#blocks;
    const starts = this.#starts;
    const lists = (starts.length - 1) / Math.max(1, blocks);
    // The position of the next row of each list.
    const next = new Uint32Array(lists);
    let length = 0;
    for (let trigram = 0; trigram < TRIGRAMS; trigram++) {
      const list = this.#numbers[trigram]!;
      if (list <= 0) continue;
      next[list] = length;
      length += counts[trigram]!;
    }
    starts[lists * blocks] = length;
    const seen = new Uint32Array(lists);
    for (let block = 0; block < blocks; block++) {
      yield* inSteps(lists, (from, to) => {
        for (let list = from; list < to; list++) starts[list * blocks + block] = next[list]!;
      });
      const first = block * BLOCK_ROWS;
      yield* byCharacters(first, Math.min(first + BLOCK_ROWS, this.rows), (row) => {
        const value = read(row) ?? "";
        this.#add(row, value, next, seen);
        return value.length;
      });
    }
  }

  /**
   * @param next the position of the next row of each list
   * @param seen the last row + 1 of each list
   */
  #add(row: number, value: string, next: Uint32Array, seen: Uint32Array): void {
    const numbers = this.#numbers;
    const bitsets = this.#bitsets;
    const lists = this.#lists;
    const words = this.#words;
    let trigram = firstTwo(value);
    for (let i = 2; i < value.length; i++) {
      trigram = nextTrigram(trigram, value, i);
      const number = numbers[trigram]!;
      if (number < 0) {
        bitsets[~number * words + (row >>> 5)]! |= 1 << (row & 31);
      } else if (seen[number] !== row + 1) {
        seen[number] = row + 1;
        lists[next[number]!++] = row & BLOCK_MASK;
      }
    }
  }

  get bytes(): number {
    const parts = [this.#numbers, this.#bitsets, this.#starts, this.#lists];
    return parts.reduce((sum, { byteLength }) => sum + byteLength, this.short.bytes);
  }

  posting(trigram: number): Posting {
    const number = this.#numbers[trigram]!;
    if (number < 0) return this.#dense[~number]!;
    if (number === 0) return NO_ROWS;
    const first = number * this.#blocks;
    return new BlockList(this.#lists, this.#starts, first, first + this.#blocks);
  }
}
