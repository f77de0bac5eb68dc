// The substring index of a field: for each run of three characters, the rows whose value has it. A
// text of three characters or more can only be in rows that have all of its trigrams; whether it
// is, the predicate says.
//
// Source: R. Cox, "Regular Expression Matching with a Trigram Index", 2012.

import type { WireValue } from "../../schema/field.ts";
import { addRow, bitAt, createBitset, type Bitset } from "../algorithms/bitset.ts";
import type { Deadline } from "../algorithms/deadline.ts";
import { inSteps, type Steps } from "../algorithms/steps.ts";

/** The rows of a trigram: ascending row numbers, or a bitset where they are many. */
export type Posting =
  | { readonly count: number; readonly rows: Uint32Array; readonly bits?: undefined }
  | { readonly count: number; readonly bits: Bitset; readonly rows?: undefined };

/** Characters are told apart by their low bits only: a collision is one more row to verify. */
const CLASS_BITS = 6;
const CLASS_MASK = (1 << CLASS_BITS) - 1;
/** How many trigrams are told apart. */
export const TRIGRAMS = 1 << (3 * CLASS_BITS);
const TRIGRAM_MASK = TRIGRAMS - 1;

export const NO_ROWS: Posting = { count: 0, rows: new Uint32Array() };

/** The rows of each trigram: in memory, or where they are read from. */
export interface Postings {
  readonly rows: number;
  /** How many bytes are in memory. */
  readonly bytes: number;
  posting(trigram: number): Posting;
}

/** Whether so many of some rows are held as a bitset: from one in 32 on, that is smaller than a list. */
export function isDense(count: number, rows: number): boolean {
  return count > 0 && 32 * count >= rows;
}

export const TRIGRAM_LENGTH = 3;

/** Rows that have so many trigrams of a text have it, or nearly: more would narrow nothing. */
const MOST_POSTINGS = 64;

export class TrigramIndex {
  /** The rows of each trigram. */
  readonly all: Postings;

  constructor(all: Postings) {
    this.all = all;
  }

  /** Indexes a field of `rows` rows, step by step. Linear in the characters of its values, read twice. */
  static *building(rows: number, read: (row: number) => WireValue): Steps<TrigramIndex> {
    const counts = new Uint32Array(TRIGRAMS);
    // The last row + 1 in which a trigram was seen: a trigram counts once a row.
    const seen = new Uint32Array(TRIGRAMS);
    yield* inSteps(rows, (from, to) => {
      for (let row = from; row < to; row++) {
        const value = read(row);
        if (value === null || value.length < TRIGRAM_LENGTH) continue;
        let trigram = firstTwo(value);
        for (let i = 2; i < value.length; i++) {
          trigram = nextTrigram(trigram, value, i);
          if (seen[trigram] !== row + 1) {
            seen[trigram] = row + 1;
            counts[trigram]!++;
          }
        }
      }
    });

    const dense = new Map<number, { count: number; bits: Bitset }>();
    const starts = new Uint32Array(TRIGRAMS + 1);
    for (let trigram = 0; trigram < TRIGRAMS; trigram++) {
      const count = counts[trigram]!;
      const areBits = isDense(count, rows);
      if (areBits) dense.set(trigram, { count, bits: createBitset(rows) });
      starts[trigram + 1] = starts[trigram]! + (areBits ? 0 : count);
    }

    const list = new Uint32Array(starts[TRIGRAMS]!);
    const next = starts.slice();
    const bitsOf = new Array<Bitset | undefined>(TRIGRAMS).fill(undefined);
    for (const [trigram, { bits }] of dense) bitsOf[trigram] = bits;
    seen.fill(0);
    yield* inSteps(rows, (from, to) => {
      for (let row = from; row < to; row++) {
        const value = read(row);
        if (value === null || value.length < TRIGRAM_LENGTH) continue;
        let trigram = firstTwo(value);
        for (let i = 2; i < value.length; i++) {
          trigram = nextTrigram(trigram, value, i);
          if (seen[trigram] === row + 1) continue;
          seen[trigram] = row + 1;
          const bits = bitsOf[trigram];
          if (bits === undefined) list[next[trigram]!++] = row;
          else addRow(bits, row);
        }
      }
    });
    return new TrigramIndex(new PostingsInMemory(rows, starts, list, dense));
  }

  get bytes(): number {
    return this.all.bytes;
  }

  /**
   * The postings of the text's trigrams, the shortest first. The text has at least three characters;
   * of a long one only as many trigrams are looked up as tell its rows apart.
   */
  postings(text: string): Posting[] {
    const postings: Posting[] = [];
    const trigrams = new Set<number>();
    let trigram = firstTwo(text);
    for (let i = 2; i < text.length && postings.length < MOST_POSTINGS; i++) {
      trigram = nextTrigram(trigram, text, i);
      if (trigrams.has(trigram)) continue;
      trigrams.add(trigram);
      const posting = this.all.posting(trigram);
      if (posting.count === 0) return [posting];
      postings.push(posting);
    }
    return postings.sort((a, b) => a.count - b.count);
  }
}

class PostingsInMemory implements Postings {
  readonly rows: number;
  readonly #starts: Uint32Array;
  readonly #list: Uint32Array;
  readonly #dense: ReadonlyMap<number, Posting>;

  constructor(
    rows: number,
    starts: Uint32Array,
    list: Uint32Array,
    dense: ReadonlyMap<number, Posting>,
  ) {
    this.rows = rows;
    this.#starts = starts;
    this.#list = list;
    this.#dense = dense;
  }

  get bytes(): number {
    let bytes = this.#starts.byteLength + this.#list.byteLength;
    for (const { bits } of this.#dense.values()) bytes += bits?.byteLength ?? 0;
    return bytes;
  }

  posting(trigram: number): Posting {
    const start = this.#starts[trigram]!;
    const end = this.#starts[trigram + 1]!;
    const dense = start === end ? this.#dense.get(trigram) : undefined;
    return dense ?? { count: end - start, rows: this.#list.subarray(start, end) };
  }
}

function firstTwo(text: string): number {
  return ((text.charCodeAt(0) & CLASS_MASK) << CLASS_BITS) | (text.charCodeAt(1) & CLASS_MASK);
}

/** The trigram that ends at a position, from the one that ends before it. */
function nextTrigram(trigram: number, text: string, position: number): number {
  return ((trigram << CLASS_BITS) | (text.charCodeAt(position) & CLASS_MASK)) & TRIGRAM_MASK;
}

/**
 * The rows in all postings, ascending, and perhaps more: a list that removes few is passed over. The
 * shortest must be a list.
 *
 * @throws DeadlineError
 */
export function intersectLists(postings: readonly Posting[], deadline?: Deadline): Uint32Array {
  const [shortest, ...others] = postings;
  let rows = shortest?.rows ?? new Uint32Array();
  for (const { rows: list, bits } of others) {
    deadline?.check();
    if (rows.length === 0) break;
    // A longer list that removes little costs more than verifying what it would remove.
    if (list !== undefined && list.length > 64 * rows.length) continue;
    const kept = new Uint32Array(rows.length);
    let length = 0;
    if (bits !== undefined) {
      for (const row of rows) if (bitAt(bits, row)) kept[length++] = row;
    } else {
      let i = 0;
      // Invariant: list[0..i) is below the row that is looked for.
      for (const row of rows) {
        while (i < list.length && list[i]! < row) i++;
        if (list[i] === row) kept[length++] = row;
      }
    }
    rows = kept.subarray(0, length);
  }
  return rows;
}

/** The postings of several texts as one list, the shortest first. Each list is in that order. */
export function joinPostings(lists: readonly (readonly Posting[])[]): readonly Posting[] {
  const [only] = lists;
  return only !== undefined && lists.length === 1
    ? only
    : lists.flat().sort((a, b) => a.count - b.count);
}

/** The bitsets among postings. */
export function bitsetsOf(postings: readonly Posting[]): readonly Bitset[] {
  return postings.flatMap(({ bits }) => (bits === undefined ? [] : [bits]));
}
