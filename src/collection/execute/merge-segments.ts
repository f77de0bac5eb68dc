// The rows of a page, gathered from the segments of a snapshot. Each segment answers the query for
// its own rows, in order. The base is by far the largest: of it only the rows around the page are
// read, and what the others have to add there is merged in.

import { execute, rowsOf, type Sink, type Watcher } from "./execute.ts";
import { planQuery, type Choose } from "../plan/planner.ts";
import type { Deadline } from "../algorithms/deadline.ts";
import type { ParsedQuery } from "../plan/query.ts";
import type { Segment } from "../snapshot/segment.ts";
import type { Snapshot } from "../snapshot/snapshot.ts";
import { entryAt, Order, type Answer, type Entry } from "../snapshot/sort-order.ts";
import { STEP_ROWS } from "../algorithms/steps.ts";

/** Receives rows of a segment: those from position `from` up to `to`, which are valid during the call. */
export type Visit = (segment: Segment, rows: ArrayLike<number>, from: number, to: number) => void;

/** Watches a query being answered. */
export interface Observer {
  /** Watches the plan of the base run. */
  readonly watcher: Watcher;
  /** Runs what the other segments have to do: answers with how many rows they have for the page. */
  readonly changes: (work: () => number) => number;
}

/**
 * Visits the rows of the page that a query asks for, in the page's order.
 *
 * @param choose chooses the plan by which each segment answers. Default: the cheapest
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
  const { criteria, sort, offset, limit, deadline } = query;
  const end = offset + limit;
  const found: Found[] = [];
  let most = 0;
  if (segments.length > 1) {
    const first = offset === 0 ? query : { criteria, sort, offset: 0, limit: end, deadline };
    const ask = () => askOthers(found, segments, first, choose);
    most = observer === undefined ? ask() : observer.changes(ask);
  }
  // Nothing to merge: nothing is set up for it.
  if (most === 0) {
    const add: Sink = (rows, from, to) => visit(base, rows, from, to);
    execute(base, choose(base, query), add, deadline, observer?.watcher);
    return;
  }
  // At most `most` rows of the others come before the page. So it needs no row of the base before
  // offset − most, and from there on no more than `most` rows and a page.
  const start = Math.max(0, offset - most);
  const near =
    offset === 0 ? query : { criteria, sort, offset: start, limit: end - start, deadline };
  const rows = rowsOf(base, choose(base, near), deadline, observer?.watcher);
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

/** What a segment has for the page. */
type Found = Pick<Answer, "segment" | "rows">;

/** Adds what the segments but the base have, where they have any. Returns how many rows that is. */
function askOthers(
  found: Found[],
  segments: readonly Segment[],
  query: ParsedQuery,
  choose: Choose,
): number {
  let count = 0;
  for (let i = 1; i < segments.length; i++) {
    const segment = segments[i]!;
    const rows = rowsOf(segment, choose(segment, query), query.deadline);
    if (rows.length === 0) continue;
    found.push({ segment, rows });
    count += rows.length;
  }
  return count;
}

/** A stretch of the merged rows that holds the page. */
interface Stretch {
  /** How many rows come before it. */
  readonly before: number;
  /** Its part of the rows of the base. */
  readonly from: number;
  readonly to: number;
  /** Its part of the rows of each of the others. */
  readonly froms: readonly number[];
  readonly tos: readonly number[];
}

/**
 * Narrows down where the page is. Of the others' rows, those that come before a row of the base say
 * how far up the base the page can start at most; those that come after one say where it must have
 * ended. Each bound makes the other tighter, until neither moves.
 *
 * @param start how many rows of the base come before its answer
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
  // The first page starts with the first row of each, and the merge ends where the page is full.
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

/** Where the merge stands in the rows of a segment: at row `at`, whose place in the order it has. */
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
 * Merges what is left of several answers, and visits the rows of a page: of the answer whose row is next,
 * all rows up to the next of another.
 *
 * @param heads are used up
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
