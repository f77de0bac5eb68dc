// The rows that criteria select, in key order: the input of changes and aggregates.

import { onlyCriterion, onlyValueOf } from "../../criteria/tree.ts";
import { fieldOf } from "../../schema/names.ts";
import type { ParsedQuery } from "../query.ts";
import type { Segment } from "../versions/segment.ts";
import type { RowsBySegment } from "../versions/edit.ts";
import type { Location, Snapshot } from "../versions/snapshot.ts";
import { locationWith } from "./lookup.ts";

/** The remaining rows of a segment. */
interface Part {
  readonly segment: Segment;
  readonly rows: ArrayLike<number>;
  at: number;
}

/**
 * Every live row that a query without sort and page selects, in key order: the rows to change.
 *
 * @throws DeadlineError
 */
export function selectedRows(snapshot: Snapshot, query: ParsedQuery): readonly Location[] {
  return rowOfKey(snapshot, query) ?? rowsInOrder(snapshot, query);
}

function rowsInOrder(snapshot: Snapshot, query: ParsedQuery): Location[] {
  let parts = selectedParts(snapshot, query);
  const found: Location[] = [];
  while ((parts = parts.filter(hasMore)).length > 0) {
    let first = parts[0]!;
    let next = Infinity;
    for (let i = 1; i < parts.length; i++) {
      const part = parts[i]!;
      if (keyAt(part) < keyAt(first)) {
        next = Math.min(next, keyAt(first));
        first = part;
      } else next = Math.min(next, keyAt(part));
    }
    take(found, first, next);
  }
  return found;
}

/** The same rows by segment. @throws DeadlineError */
export function selectedBySegment(snapshot: Snapshot, query: ParsedQuery): RowsBySegment {
  const found = rowOfKey(snapshot, query);
  if (found !== undefined) return new Map(found.map(({ segment, row }) => [segment, [row]]));
  const parts = selectedParts(snapshot, query).filter(hasMore);
  return new Map(parts.map(({ segment, rows }) => [segment, rows]));
}

/** No page has to be found among the rows, so segments are independent. */
function selectedParts(snapshot: Snapshot, query: ParsedQuery): Part[] {
  const parts: Part[] = [];
  const { segments } = snapshot;
  // Neither a closure nor an iterator: V8 optimizes them away until it first meets a segment of another shape. Then it
  // does allocate them, after sweeping the whole heap if the last garbage collection has not.
  for (let i = 0; i < segments.length; i++) {
    const segment = segments[i]!;
    parts.push({ segment, rows: segment.options.finder.rows(segment, query), at: 0 });
  }
  return parts;
}

/** The row with a value of a unique field, if that is all a query requires: it is found without a plan. */
function rowOfKey(
  snapshot: Snapshot,
  { criteria, deadline }: ParsedQuery,
): readonly Location[] | undefined {
  const criterion = onlyCriterion(criteria.groups);
  const value = criterion && onlyValueOf(criterion);
  // Many rows may have null.
  if (criterion === undefined || value == null || deadline !== undefined) return undefined;
  const { field } = criterion;
  if (fieldOf(snapshot.segments[0].schema, field)?.unique !== true) return undefined;
  const found = locationWith(snapshot, field, value);
  return found === undefined ? [] : [found];
}

/**
 * Adds the rows of a part up to a key. A separate function so that updates let V8 compile it before a change of many
 * rows needs it.
 */
function take(found: Location[], part: Part, lastKey: number): void {
  const { segment, rows } = part;
  let { at } = part;
  for (; at < rows.length && segment.keyOf(rows[at]!) <= lastKey; at++) {
    found.push({ segment, row: rows[at]! });
  }
  part.at = at;
}

const hasMore = ({ rows, at }: Part) => at < rows.length;

const keyAt = ({ segment, rows, at }: Part) => segment.keyOf(rows[at]!);
