// The substring index of a field in a file: for each trigram, how many rows contain it, and which. Rows are written as
// a list of differences or as a bitset, whichever is smaller.
//
// Numbers are written in LEB128: seven bits per byte, lowest first; the highest bit means that more follow.

import { TRIGRAMS } from "../engine/indexes/postings.ts";

/** The postings of all trigrams as bytes, and the start of each trigram's postings. */
export interface TrigramBytes {
  readonly starts: Uint32Array;
  readonly bytes: Uint8Array;
}

/** The size of `starts` in a file, in bytes. */
export const TRIGRAM_STARTS_BYTES = 4 * (TRIGRAMS + 1);

/** From one row in eight on, a bitset is smaller than differences, which take at least a byte each. */
export function areBits(count: number, rows: number): boolean {
  return 8 * count >= rows;
}
