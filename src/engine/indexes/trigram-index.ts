// The substring index of a field: for each sequence of three characters, the rows whose value contains it. A string of
// three characters or more can occur only in rows with all of its trigrams; the predicate then checks those rows.
//
// Source: R. Cox, "Regular Expression Matching with a Trigram Index", 2012.

import type { TextValue } from "../../schema/field.ts";
import {
  addRows,
  bitAt,
  createBitset,
  forEachDifference,
  ones,
  uniteInto,
  type Bitset,
} from "../algorithms/bitset.ts";
import type { Deadline } from "../algorithms/deadline.ts";
import type { Steps } from "../algorithms/steps.ts";
import type { Structure } from "./index-budget.ts";
import {
  firstTwo,
  isDense,
  nextTrigram,
  PostingsInMemory,
  TRIGRAM_LENGTH,
  trigramsWith,
  type Posting,
  type Postings,
} from "./postings.ts";

/** Rows with this many trigrams of a string almost certainly contain it: more would not narrow the search. */
const MOST_POSTINGS = 64;

export class TrigramIndex implements Structure {
  lastUsed = 0;
  /** The rows of each trigram. */
  readonly all: Postings;

  constructor(all: Postings) {
    this.all = all;
  }

  /** Indexes a field of `rows` rows, step by step. Linear in the characters of its values, which are read twice. */
  static *building(rows: number, read: (row: number) => TextValue): Steps<TrigramIndex> {
    return new TrigramIndex(yield* PostingsInMemory.building(rows, read));
  }

  get bytes(): number {
    return this.all.bytes;
  }

  /** How many rows contain a string of one or two characters, if that is known. */
  countOf(text: string): number | undefined {
    return this.all.short?.countOf(text);
  }

  /** The rows of all trigrams that contain a string of one or two characters, and those whose values are as short. */
  #candidates(text: string): Posting {
    const { all } = this;
    const bits = createBitset(all.rows);
    for (const trigram of trigramsWith(text)) {
      const posting = all.posting(trigram);
      if (posting.bits !== undefined) uniteInto(bits, posting.bits);
      else if (posting.count > 0) addRows(bits, posting.rows);
    }
    addRows(bits, all.short?.rows ?? []);
    return postingOf(bits);
  }

  /**
   * The postings of the string's trigrams, shortest first; or the rows that some of them share, as one. Of a long string,
   * only as many trigrams are looked up as are needed to distinguish its rows. A string of one or two characters must be
   * one that is counted.
   */
  postings(text: string): Posting[] {
    if (text.length < TRIGRAM_LENGTH) return [this.#candidates(text)];
    const trigrams = trigramsOf(text);
    const { sizeOf } = this.all;
    if (sizeOf !== undefined) return this.#shared(trigrams, sizeOf);
    const postings: Posting[] = [];
    for (const trigram of trigrams) {
      const posting = this.all.posting(trigram);
      if (posting.count === 0) return [posting];
      // Inserted in ascending order of length, since there are few.
      let at = postings.length;
      for (; at > 0 && postings[at - 1]!.count > posting.count; at--) {
        postings[at] = postings[at - 1]!;
      }
      postings[at] = posting;
    }
    return postings;
  }

  /**
   * The same for postings that have to be decoded: the smallest first, and no more once testing the rows that are left
   * takes less time. If all are bitsets, these.
   */
  #shared(trigrams: readonly number[], sizeOf: (trigram: number) => number): Posting[] {
    const sized = trigrams.map((trigram) => ({ trigram, size: sizeOf(trigram) }));
    sized.sort((a, b) => a.size - b.size);
    const bitsets: Posting[] = [];
    let rows: Uint32Array | undefined;
    for (const { trigram, size } of sized) {
      if (rows !== undefined && size > rows.length * BYTES_PER_TEST) break;
      const posting = this.all.posting(trigram);
      if (posting.count === 0) return [posting];
      if (rows !== undefined) rows = rowsAmong(posting, rows);
      else if (posting.bits === undefined) rows = posting.rows.slice();
      else bitsets.push(posting);
    }
    if (rows === undefined) return bitsets.sort((a, b) => a.count - b.count);
    for (const posting of bitsets) rows = rowsAmong(posting, rows);
    return [{ count: rows.length, rows }];
  }
}

/**
 * How many bytes of postings are decoded in the time it takes to test the value of a row: in a file, this reads three
 * pages.
 */
const BYTES_PER_TEST = 256;

/** The first distinct trigrams of a string. */
function trigramsOf(text: string): number[] {
  const trigrams: number[] = [];
  let trigram = firstTwo(text);
  for (let i = 2; i < text.length && trigrams.length < MOST_POSTINGS; i++) {
    trigram = nextTrigram(trigram, text, i);
    if (!trigrams.includes(trigram)) trigrams.push(trigram);
  }
  return trigrams;
}

/**
 * The rows in all postings, ascending, and perhaps others: a list that would remove few rows is skipped. The shortest
 * must be a list.
 *
 * @throws DeadlineError
 */
export function intersectLists(postings: readonly Posting[], deadline?: Deadline): Uint32Array {
  const [shortest, ...others] = postings;
  // A copy, which the remaining rows overwrite.
  let rows: Uint32Array = shortest?.rows?.slice() ?? new Uint32Array();
  // A bitset costs one lookup per remaining row, a list also one per row of its own.
  const isBitset = ({ bits }: Posting) => bits !== undefined;
  const lists = others.filter((posting) => !isBitset(posting));
  for (const posting of [...others.filter(isBitset), ...lists]) {
    deadline?.check();
    if (rows.length === 0) break;
    // A longer list that removes little costs more than verifying the rows it would remove.
    if (posting.bits === undefined && posting.count > 64 * rows.length) continue;
    rows = rowsAmong(posting, rows);
  }
  return rows;
}

/**
 * The rows in all postings, and perhaps a few others, as one posting. The shortest must come first.
 *
 * @throws DeadlineError
 */
export function intersection(postings: readonly Posting[], deadline?: Deadline): Posting {
  const shortest = postings[0]!;
  if (postings.length === 1) return shortest;
  if (shortest.bits === undefined) {
    const rows = intersectLists(postings, deadline);
    return { count: rows.length, rows };
  }
  const bits = shortest.bits.slice();
  const others = bitsetsOf(postings.slice(1));
  for (let word = 0; word < bits.length; word++) {
    let both = bits[word]!;
    for (let i = 0; both !== 0 && i < others.length; i++) both &= others[i]![word]!;
    bits[word] = both;
  }
  deadline?.check();
  return postingOf(bits);
}

/** The rows of a set: as a list if they are few. */
function postingOf(bits: Bitset): Posting {
  let count = 0;
  for (let word = 0; word < bits.length; word++) count += ones(bits[word]!);
  if (isDense(count, 32 * bits.length)) return { count, bits };
  const rows = new Uint32Array(count);
  let length = 0;
  forEachDifference(bits, undefined, (row) => (rows[length++] = row));
  return { count, rows };
}

/** The given ascending rows that are in a posting, written over the input. */
function rowsAmong(posting: Posting, rows: Uint32Array): Uint32Array {
  const { bits } = posting;
  if (bits === undefined && posting.among !== undefined) return posting.among(rows);
  let length = 0;
  if (bits !== undefined) {
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i]!;
      rows[length] = row;
      length += bitAt(bits, row);
    }
  } else {
    const list = posting.rows;
    let i = 0;
    // Invariant: list[0..i) is below the row searched for.
    for (const row of rows) {
      while (i < list.length && list[i]! < row) i++;
      if (list[i] === row) rows[length++] = row;
    }
  }
  return rows.subarray(0, length);
}

/** The postings of several strings as one list, shortest first. Each input list is in that order. */
export function joinPostings(lists: readonly (readonly Posting[])[]): readonly Posting[] {
  const [only] = lists;
  return only !== undefined && lists.length === 1
    ? only
    : lists.flat().sort((a, b) => a.count - b.count);
}

/** The bitsets among postings. */
export function bitsetsOf(postings: readonly Posting[]): readonly Bitset[] {
  const bitsets: Bitset[] = [];
  for (const { bits } of postings) if (bits !== undefined) bitsets.push(bits);
  return bitsets;
}
