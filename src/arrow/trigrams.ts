// The index of substrings of a field in a file: for each trigram how many rows have it, and which. A list
// of rows is written as differences, a set as bits, whichever is smaller.
//
// Numbers are written seven bits a byte, the lowest first; the highest bit says that more follow (LEB128).

import { TRIGRAMS } from "../engine/indexes/postings.ts";

/** The postings of all trigrams as bytes, and the start of each trigram's. */
export interface TrigramBytes {
  readonly starts: Uint32Array;
  readonly bytes: Uint8Array;
}

/** How many bytes `starts` has in a file. */
export const TRIGRAM_STARTS_BYTES = 4 * (TRIGRAMS + 1);

/** From one row in eight on, bits are smaller than differences, which take at least a byte. */
export function areBits(count: number, rows: number): boolean {
  return 8 * count >= rows;
}
