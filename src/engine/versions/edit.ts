// What turns a snapshot into the next: rows that go, and rows that come.

import type { Rows } from "../columns/rows.ts";
import type { Segment } from "./segment.ts";

/** Rows of a snapshot, at least one of each segment; those of a segment ascending. */
export type RowsBySegment = ReadonlyMap<Segment, ArrayLike<number>>;

export interface Edit {
  /** The rows that are removed or replaced. */
  readonly removed: RowsBySegment;
  readonly added: Rows;
  /** The keys of the rows added, ascending. */
  readonly keys: readonly number[];
}
