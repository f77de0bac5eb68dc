// The rows of a page, gathered from the segments of a snapshot. Each segment runs the query on its own rows and returns
// them in order. The base is by far the largest, so only its rows around the page are read, and the rows of the others
// are merged into them.

import { execute, rowsOf, type Sink, type Watcher, answerSegment } from "./execute.ts";
import { planQuery, type Choose } from "../optimizer/optimizer.ts";
import type { Deadline } from "../algorithms/deadline.ts";
import type { ParsedQuery } from "../query.ts";
import type { Segment } from "../versions/segment.ts";
import type { Snapshot } from "../versions/snapshot.ts";
import { entryAt, Order, type Answer, type Entry } from "../versions/sort-order.ts";
import { STEP_ROWS } from "../algorithms/steps.ts";

/** Receives rows of a segment: those from position `from` up to `to`, valid only during the call. */
export type Visit = (segment: Segment, rows: ArrayLike<number>, from: number, to: number) => void;

/** Observes how a query is run. */
export interface Observer {
  /** Observes the plan of the base. */
  readonly watcher: Watcher;
  /** Runs the work of the other segments, which returns how many rows they contribute to the page. */
  readonly changes: (work: () => number) => number;
}

/**
 * Visits the rows of the page of a query, in the page's order.
 *
 * @param choose chooses the plan of each segment. Default: the cheapest
 */
export function forEachRow(
  snapshot: Snapshot,
  query: ParsedQuery,
  visit: Visit,
  choose: Choose = planQuery,
  observer?: Observer,
): void {
  if (query.limit === 0) return;
  const { segments } = snapshot;
  const base = segments[0];
  const { offset, limit, deadline } = query;
  const end = offset + limit;
  const found: Found[] = [];
  let most = 0;
  if (segments.length > 1) {
    const first = offset === 0 ? query : { ...query, offset: 0, limit: end };
    const ask = () => queryOthers(found, segments, first, choose);
    most = observer === undefined ? ask() : observer.changes(ask);
  }
  // There is nothing to merge, so nothing is set up.
  if (most === 0) {
    const add: Sink = (rows, from, to) => visit(base, rows, from, to);
    execute(answerSegment(base, query, choose, observer?.watcher), add);
    return;
  }
  // At most `most` rows of the others come before the page. So the page needs no row of the base before offset − most,
  // and from there at most `most` rows plus a page.
  const start = Math.max(0, offset - most);
  const near = offset === 0 ? query : { ...query, offset: start, limit: end - start };
  const rows = rowsOf(answerSegment(base, near, choose, observer?.watcher));
  if (rows.length === 0 && (start > 0 || found.length === 1)) {
    const { segment, rows } = found[0]!;
    const to = Math.min(end, rows.length);
    if (start === 0 && offset < to) visit(segment, rows, offset, to);
    return;
  }
  const order = new Order(query);
  const answerOf = ({ segment, rows }: Found): Answer => ({
    segment,
    rows,
    read: order.readerOf(segment),
  });
  const own = answerOf({ segment: base, rows });
  const others = found.map(answerOf);
  const { before, from, to, froms, tos } = narrow(own, others, order, query, start);
  const heads = from < to ? [headOf(own, from, to)] : [];
  for (const [i, other] of others.entries()) {
    if (froms[i]! < tos[i]!) heads.push(headOf(other, froms[i]!, tos[i]!));
  }
  merge(heads, order, offset - before, limit, visit, deadline);
}

/** A segment's rows for the page. */
type Found = Pick<Answer, "segment" | "rows">;

/** Adds the rows of all segments except the base. Returns how many. */
function queryOthers(
  found: Found[],
  segments: readonly Segment[],
  query: ParsedQuery,
  choose: Choose,
): number {
  let count = 0;
  for (let i = 1; i < segments.length; i++) {
    const segment = segments[i]!;
    const rows = rowsOf(answerSegment(segment, query, choose));
    if (rows.length === 0) continue;
    found.push({ segment, rows });
    count += rows.length;
  }
  return count;
}

/** A range of the merged rows that contains the page. */
interface Stretch {
  /** How many merged rows come before it. */
  readonly before: number;
  /** The range within the rows of the base. */
  readonly from: number;
  readonly to: number;
  /** The range within the rows of each other segment. */
  readonly froms: readonly number[];
  readonly tos: readonly number[];
}

/**
 * Narrows down where the page is. How many rows of the others come before a row of the base bounds where in the base
 * the page can start; how many come after bounds where it must end. Each bound tightens the other, until neither moves.
 *
 * @param start how many rows of the base come before those in its result
 */
function narrow(
  base: Answer,
  others: readonly Answer[],
  order: Order,
  { offset, limit }: ParsedQuery,
  start: number,
): Stretch {
  const end = offset + limit;
  const froms = others.map(() => 0);
  const tos = others.map(({ rows }) => rows.length);
  let from = 0;
  let to = base.rows.length;
  // The first page starts with the first row of each segment, and the merge ends when the page is full.
  if (offset === 0) return { before: 0, from, to, froms, tos };
  let least = 0;
  for (;;) {
    // A row after `last` comes after at least `end` rows.
    const first = start + from > 0 ? entryAt(base, from) : undefined;
    const last = start + to + least >= end ? entryAt(base, to - 1) : undefined;
    let most = 0;
    least = 0;
    for (let i = 0; i < others.length; i++) {
      const other = others[i]!;
      if (first !== undefined) froms[i] = order.before(other, froms[i]!, tos[i]!, first);
      if (last !== undefined) tos[i] = order.before(other, froms[i]!, tos[i]!, last);
      least += froms[i]!;
      most += tos[i]!;
    }
    const nextFrom = Math.max(from, Math.min(to - 1, offset - most - start));
    const nextTo = Math.min(to, end - least - start);
    if (nextFrom === from && nextTo === to) {
      return { before: start + from + least, from, to, froms, tos };
    }
    from = nextFrom;
    to = nextTo;
  }
}

/** The position of the merge in the rows of a segment: row `at`, with its sort values. */
interface Head extends Entry {
  readonly answer: Answer;
  readonly at: number;
  readonly to: number;
}

/** @param at less than `to` */
function headOf(answer: Answer, at: number, to: number): Head {
  const { segment, rows, read } = answer;
  const row = rows[at]!;
  return { answer, at, to, value: read(row), key: segment.keyOf(row) };
}

/**
 * Merges the remaining rows of several results, and visits the rows of a page: from the result with the next row, all
 * rows up to the next row of another result.
 *
 * @param heads consumed
 * @param skip how many rows come before the page
 */
function merge(
  heads: Head[],
  order: Order,
  skip: number,
  limit: number,
  visit: Visit,
  deadline: Deadline | undefined,
): void {
  let steps = 0;
  let before = skip;
  let left = limit;
  while (left > 0 && heads.length > 0) {
    let at = 0;
    let second: Head | undefined;
    for (let i = 1; i < heads.length; i++) {
      const head = heads[i]!;
      if (order.compare(head, heads[at]!) < 0) {
        second = heads[at];
        at = i;
      } else if (second === undefined || order.compare(head, second) < 0) second = head;
    }
    const first = heads[at]!;
    const { answer, to } = first;
    const next = second === undefined ? to : order.before(answer, first.at + 1, to, second);
    const from = Math.min(next, first.at + before);
    before -= from - first.at;
    const end = Math.min(next, from + left);
    left -= end - from;
    if (end > from) visit(answer.segment, answer.rows, from, end);
    if (next < to) heads[at] = headOf(answer, next, to);
    else heads.splice(at, 1);
    if (++steps % STEP_ROWS === 0) deadline?.check();
  }
}
