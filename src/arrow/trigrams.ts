// The substring index of a field in a file: for each trigram, how many rows contain it, and which. Rows are written as
// a list of differences or as a bitset, whichever is smaller.
//
// Numbers are written in LEB128: seven bits per byte, lowest first; the highest bit means that more follow.

import { TRIGRAMS } from "../engine/indexes/postings.ts";

/** How many starts of postings there are: that of each trigram, and the end of the last. */
export const TRIGRAM_STARTS = TRIGRAMS + 1;

/** From one row in eight on, a bitset is smaller than differences, which take at least a byte each. */
export function areBits(count: number, rows: number): boolean {
  return 8 * count >= rows;
}
