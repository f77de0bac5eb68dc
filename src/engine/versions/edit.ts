// The difference between a snapshot and the next one: removed rows and added rows.

import type { Rows } from "../columns/rows.ts";
import type { Segment } from "./segment.ts";

/** Rows of a snapshot, by segment: at least one per segment, ascending. */
export type RowsBySegment = ReadonlyMap<Segment, ArrayLike<number>>;

export interface Edit {
  /** The rows that are removed or replaced. */
  readonly removed: RowsBySegment;
  readonly added: Rows;
  /** The keys of the added rows, ascending. */
  readonly keys: readonly number[];
}
