// The rows of a page, gathered from the segments of a snapshot. Each segment answers the query for its
// own rows, in order. The base is by far the largest, so only its rows around the page are read, and the
// rows of the others are merged into them.

import { execute, rowsOf, type Sink, type Watcher, answerSegment } from "./execute.ts";
import { planQuery, type Choose } from "../optimizer/optimizer.ts";
import type { Deadline } from "../algorithms/deadline.ts";
import type { ParsedQuery } from "../query.ts";
import type { Segment } from "../versions/segment.ts";
import type { Snapshot } from "../versions/snapshot.ts";
import { entryAt, Order, type Answer, type Entry } from "../versions/sort-order.ts";
import { STEP_ROWS } from "../algorithms/steps.ts";

/** Receives rows of a segment: those from position `from` up to `to`, valid during the call. */
export type Visit = (segment: Segment, rows: ArrayLike<number>, from: number, to: number) => void;

/** Observes how a query is answered. */
export interface Observer {
  /** Observes the plan of the base. */
  readonly watcher: Watcher;
  /** Runs the work of the other segments, which returns how many rows they have for the page. */
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
    const ask = () => askOthers(found, segments, first, choose);
    most = observer === undefined ? ask() : observer.changes(ask);
  }
  // Nothing to merge, so nothing is set up for it.
  if (most === 0) {
    const add: Sink = (rows, from, to) => visit(base, rows, from, to);
    execute(answerSegment(base, query, choose, observer?.watcher), add);
    return;
  }
  // At most `most` rows of the others come before the page. It therefore needs no row of the base before
  // offset − most, and from there no more than `most` rows and a page.
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

/** The rows of a segment for the page. */
type Found = Pick<Answer, "segment" | "rows">;

/** Adds the rows of the segments other than the base. Returns how many. */
function askOthers(
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

/** A stretch of the merged rows that contains the page. */
interface Stretch {
  /** How many rows come before it. */
  readonly before: number;
  /** Its part of the rows of the base. */
  readonly from: number;
  readonly to: number;
  /** Its part of the rows of each other segment. */
  readonly froms: readonly number[];
  readonly tos: readonly number[];
}

/**
 * Narrows down the position of the page. Rows of the others that come before a row of the base bound how
 * far up the base the page can start; those that come after one bound where it must have ended. Each
 * bound tightens the other, until neither moves.
 *
 * @param start how many rows of the base come before those in its answer
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
  // The first page starts with the first row of each, and the merge ends when the page is full.
  if (offset === 0) return { before: 0, from, to, froms, tos };
  let least = 0;
  for (;;) {
    // A row after `last` has at least `end` rows before it.
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

/** The position of the merge in the rows of a segment: row `at`, with its place in the order. */
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
 * Merges the remaining rows of several answers, and visits the rows of a page: of the answer with the
 * next row, all rows up to the next one of another answer.
 *
 * @param heads are consumed
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
