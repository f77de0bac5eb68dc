// Filters remove rows from a batch. Each moves the rows it keeps to the front, in order, and returns how many there
// are.

import { bitAt, type Bitset } from "../algorithms/bitset.ts";

export interface Filter {
  /** How many rows at once suit it best, if all are wanted and that is more than usual. */
  readonly batch?: number;
  keep(batch: Uint32Array, length: number): number;
}

/** Keeps the rows that are in a set. */
export function bitsetFilter(bits: Bitset): Filter {
  return {
    keep(batch, length) {
      let kept = 0;
      for (let i = 0; i < length; i++) {
        const row = batch[i]!;
        batch[kept] = row;
        kept += bitAt(bits, row);
      }
      return kept;
    },
  };
}

/** Keeps the rows that a predicate accepts. */
export function predicateFilter(predicate: (row: number) => boolean): Filter {
  return {
    keep(batch, length) {
      let kept = 0;
      for (let i = 0; i < length; i++) {
        const row = batch[i]!;
        if (predicate(row)) batch[kept++] = row;
      }
      return kept;
    },
  };
}
