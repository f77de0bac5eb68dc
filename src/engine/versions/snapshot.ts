// A snapshot: segments without common keys, the oldest and largest first. A change makes a new snapshot: changed and
// new records go to a new segment at the end, and rows that were changed or removed are marked as dead. A segment that
// has grown to a certain fraction of the one before it is merged into that one, so there are few segments, and each row
// moves only a few times.
//
// Source: P. O'Neil et al., "The Log-Structured Merge-Tree", 1996; J. L. Bentley, J. B. Saxe, "Decomposable Searching
// Problems I: Static-to-Dynamic Transformation", 1980.

import type { Cache } from "../cache/cache.ts";
import { ObjectRows } from "../columns/object-rows.ts";
import type { Edit, RowsBySegment } from "./edit.ts";
import { greaterIds, withIdsOf, type LastIds } from "../columns/last-ids.ts";
import { Segment } from "./segment.ts";
import { tuning } from "../tuning.ts";

/** A row of a snapshot. */
export interface Location {
  readonly segment: Segment;
  readonly row: number;
}

const NO_ROWS: readonly number[] = [];

export class Snapshot {
  /** At least one: the first is the base. */
  readonly segments: readonly [Segment, ...Segment[]];
  readonly size: number;
  /** Greater than any key so far. */
  readonly nextKey: number;
  readonly lastIds: LastIds;

  constructor(segments: readonly [Segment, ...Segment[]], nextKey: number, lastIds: LastIds) {
    this.segments = segments;
    let size = 0;
    for (let i = 0; i < segments.length; i++) size += segments[i]!.live;
    this.size = size;
    this.nextKey = nextKey;
    this.lastIds = lastIds;
  }

  /** Shared by all snapshots that changes have made from one another, and by no others. */
  get cache(): Cache {
    return this.segments[0].cache;
  }

  /**
   * The same rows; new rows get keys from this one on, or from `nextKey` if that is higher, and numbers after these, or
   * after its own if they are greater.
   */
  countingFrom(key: number, ids: LastIds): Snapshot {
    const lastIds = greaterIds(this.lastIds, ids);
    if (key <= this.nextKey && lastIds === this.lastIds) return this;
    return new Snapshot(this.segments, Math.max(key, this.nextKey), lastIds);
  }

  /** The live row with a key. */
  find(key: number): Location | undefined {
    const { segments } = this;
    for (let i = 0; i < segments.length; i++) {
      const segment = segments[i]!;
      const row = segment.rowOf(key);
      if (row >= 0) return { segment, row };
    }
    return undefined;
  }

  /** The same records with some of the segments merged into one. */
  merged(from: number, to: number, into: Segment): Snapshot {
    const [first = into, ...others] = this.segments.toSpliced(from, to - from, into);
    return new Snapshot([first, ...others], this.nextKey, this.lastIds);
  }

  with({ removed, added, keys }: Edit): Snapshot {
    const { segments } = this;
    // After a merge, the changes that follow bring indexes up to date, one each, so that none of them takes long.
    for (let i = 0; i < segments.length && !segments[i]!.refreshIndex(); i++);
    const { schema, options, indexNames, cache } = segments[0];
    const last = segments.length > 1 ? segments.at(-1) : undefined;
    const edited = last?.edited(removed.get(last) ?? NO_ROWS, added, keys, indexNames);
    const next: [Segment, ...Segment[]] = [without(segments[0], removed)];
    const end = edited === undefined ? segments.length : segments.length - 1;
    for (let i = 1; i < end; i++) {
      const left = without(segments[i]!, removed);
      if (left.live > 0) next.push(left);
    }
    next.push(edited ?? Segment.ofChanges(schema, added, keys, options, indexNames, cache));
    settle(next);
    const nextKey = Math.max(this.nextKey, (keys.at(-1) ?? -1) + 1);
    return new Snapshot(next, nextKey, withIdsOf(this.lastIds, added));
  }

  /** The same records in one segment. */
  compact(): Snapshot {
    const [base, ...others] = this.segments;
    if (others.length === 0 && base.dead.count === 0) return this;
    const { schema, options } = base;
    const last = Segment.of(schema, new ObjectRows(schema, [], new Map()), [], options);
    return new Snapshot([mergeAll([...this.segments, last])], this.nextKey, this.lastIds);
  }
}

/** Whether so many rows of the base are dead that all segments should be merged. */
export function hasManyDead({ dead, size }: Segment): boolean {
  return dead.count * tuning.sizeRatio > size;
}

/** Whether a segment should be merged with those after it, which have `live` live rows. */
export function isToBeMerged(before: Segment, live: number): boolean {
  return before.live <= tuning.sizeRatio * live;
}

const without = (segment: Segment, removed: RowsBySegment): Segment =>
  segment.without(removed.get(segment) ?? NO_ROWS);

/**
 * Merges segments until each is small enough compared with the previous one; merges all if too many rows of the base
 * are dead.
 */
function settle(segments: [Segment, ...Segment[]]): void {
  const { fewRows } = tuning;
  if (hasManyDead(segments[0]) && !segments.some(({ isApart }) => isApart)) {
    segments.splice(0, segments.length, mergeAll(segments));
  } else if (segments.at(-1)!.live === 0) {
    // That of a change that added nothing.
    segments.pop();
  }
  for (let to = segments.length; to > 1;) {
    let from = to - 1;
    let { live, isSmall } = segments[from]!;
    for (; from > 0; from--) {
      const before = segments[from - 1]!;
      if (before.isApart || segments[from]!.isApart) break;
      // Small segments are merged with small ones first, and with larger ones once they have grown.
      if (!(isSmall ? before.isSmall : isToBeMerged(before, live))) break;
      live += before.live;
      isSmall &&= live <= fewRows;
    }
    if (to - from > 1) segments.splice(from, to - from, mergeAll(segments.slice(from, to)));
    to = from;
  }
}

/** Merges all segments, always the two neighbours with the fewest rows, so that few rows move twice. */
function mergeAll(segments: readonly Segment[]): Segment {
  const merged = [...segments];
  while (merged.length > 1) {
    let first = 0;
    for (let i = 1; i < merged.length - 1; i++) {
      if (merged[i]!.live + merged[i + 1]!.live < merged[first]!.live + merged[first + 1]!.live)
        first = i;
    }
    merged.splice(first, 2, Segment.merge(merged[first]!, merged[first + 1]!));
  }
  return merged[0]!;
}
