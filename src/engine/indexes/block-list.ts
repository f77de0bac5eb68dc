// Ascending row numbers in two bytes each: only the low halves are stored, plus the start of each block of 65,536 rows.
// Source: the blocks are those of S. Chambi et al., "Better bitmap performance with Roaring bitmaps", 2016.

import { holdHiddenClassOf } from "../algorithms/hidden-class.ts";
import { bisect } from "../algorithms/bisect.ts";

const BLOCK_BITS = 16;
/** How many rows share the high half of their numbers. */
export const BLOCK_ROWS = 1 << BLOCK_BITS;
/** The low half of a number. */
export const BLOCK_MASK = BLOCK_ROWS - 1;

export class BlockList {
  readonly #lists: Uint16Array;
  readonly #starts: Uint32Array;
  readonly #first: number;
  readonly #end: number;
  readonly count: number;

  /**
   * @param lists the low halves of this list and of others
   * @param starts the starts of blocks in `lists`: those of this list from position `first` up to `end`
   */
  constructor(lists: Uint16Array, starts: Uint32Array, first: number, end: number) {
    this.#lists = lists;
    this.#starts = starts;
    this.#first = first;
    this.#end = end;
    this.count = starts[end]! - starts[first]!;
  }

  /** The row numbers, computed on each access. */
  get rows(): Uint32Array {
    const lists = this.#lists;
    const rows = new Uint32Array(this.count);
    let length = 0;
    for (let block = this.#first; block < this.#end; block++) {
      const end = this.#starts[block + 1]!;
      const high = (block - this.#first) << BLOCK_BITS;
      for (let i = this.#starts[block]!; i < end; i++) rows[length++] = high | lists[i]!;
    }
    return rows;
  }

  /** The given rows that are in the list, written over the input. The rows ascend. */
  among(rows: Uint32Array): Uint32Array {
    let length = 0;
    for (let from = 0; from < rows.length;) {
      const block = rows[from]! >>> BLOCK_BITS;
      const to = bisect(rows, (block + 1) * BLOCK_ROWS);
      const start = this.#starts[this.#first + block]!;
      const end = this.#starts[this.#first + block + 1]!;
      length = intersect(rows, from, to, this.#lists, start, end, length);
      from = to;
    }
    return rows.subarray(0, length);
  }
}

/** If the list is this much longer than the rows, its next element is usually lower than the next row. */
const MUCH_LONGER = 4;

/**
 * Moves the rows that are in a block of a list to position `length` and on.
 * @returns the next position
 */
function intersect(
  rows: Uint32Array,
  from: number,
  to: number,
  lists: Uint16Array,
  start: number,
  end: number,
  length: number,
): number {
  if (end - start > MUCH_LONGER * (to - from)) {
    for (; from < to; from++) {
      const row = rows[from]!;
      const low = row & BLOCK_MASK;
      while (start < end && lists[start]! < low) start++;
      if (start < end && lists[start] === low) rows[length++] = row;
    }
    return length;
  }
  // Without branches, since which of the two is lower can't be predicted.
  while (from < to && start < end) {
    const row = rows[from]!;
    const difference = lists[start]! - (row & BLOCK_MASK);
    const isLower = difference >>> 31;
    const isHigher = (0 - difference) >>> 31;
    rows[length] = row;
    length += 1 - (isLower | isHigher);
    from += 1 - isLower;
    start += 1 - isHigher;
  }
  return length;
}

holdHiddenClassOf(new BlockList(new Uint16Array(), new Uint32Array(1), 0, 0));
