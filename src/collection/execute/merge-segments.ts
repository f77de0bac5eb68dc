// The rows of a page, gathered from the segments of a snapshot. Each segment answers the query for
// its own rows, in order. The base is by far the largest: of it only the rows around the page are
// read, and what the others have to add there is merged in.

import { predicateOf } from "../../criteria/compile.ts";
import type { ParsedCriteria } from "../../criteria/parse.ts";
import { parseCanonicalInteger } from "../../schema/integer.ts";
import { compareCodePoints } from "../../schema/order.ts";
import { fieldOf } from "../../schema/schema.ts";
import { run, type Sink } from "./execute.ts";
import { knownLength, type Plan } from "../plan/plan.ts";
import { planQuery } from "../plan/planner.ts";
import type { Deadline } from "../algorithms/deadline.ts";
import type { ParsedQuery } from "../plan/query.ts";
import type { Segment } from "../snapshot/segment.ts";
import type { Snapshot } from "../snapshot/snapshot.ts";
import { STEP_ROWS } from "../algorithms/steps.ts";

/** Receives rows of a segment: those from position `from` up to `to`, which are valid during the call. */
export type Visit = (segment: Segment, rows: ArrayLike<number>, from: number, to: number) => void;

/** Chooses the plan by which a segment answers. */
export type Choose = (segment: Segment, query: ParsedQuery) => Plan;

/** Visits the rows of the page that a query asks for, in the page's order. */
export function forEachRow(
  { segments }: Snapshot,
  query: ParsedQuery,
  visit: Visit,
  choose: Choose = planQuery,
): void {
  if (query.limit === 0) return;
  const base = segments[0];
  const end = query.offset + query.limit;
  const order = new Order(base, query);
  const others: Answer[] = [];
  let most = 0;
  for (let i = 1; i < segments.length; i++) {
    const rows = answer(segments[i]!, query, 0, end, order, choose);
    if (rows.length === 0) continue;
    others.push({ segment: segments[i]!, rows, read: order.readerOf(segments[i]!) });
    most += rows.length;
  }
  if (most === 0) {
    const plan = choose(base, query);
    run(base, plan, (rows, from, to) => visit(base, rows, from, to), query.deadline);
    return;
  }
  // No more rows of the others can come before the page than they have. So the row of the base that
  // stands that much before it comes before the page too, and so many rows of the base from there
  // on, and a page more, are all that the page can need.
  const start = Math.max(0, query.offset - most);
  const rows = answer(base, query, start, end - start, order, choose);
  if (start > 0 && rows.length === 0) return;
  const own = { segment: base, rows, read: order.readerOf(base) };
  const { before, from, to, froms, tos } = narrow(own, others, order, query, start);
  const heads = from < to ? [new Head(own, from, to)] : [];
  for (let i = 0; i < others.length; i++) {
    if (froms[i]! < tos[i]!) heads.push(new Head(others[i]!, froms[i]!, tos[i]!));
  }
  merge(heads, order, new Pager(query.offset - before, query.limit, visit), query.deadline);
}

/** How many rows of some segments the criteria of a query select. */
export function countRows(segments: readonly Segment[], query: ParsedQuery): number {
  return segments.reduce((sum, segment) => sum + countIn(segment, query), 0);
}

function countIn(segment: Segment, query: ParsedQuery): number {
  if (segment.isSmall) return judge(segment, query.criteria).length;
  const plan = planQuery(segment, query);
  if (plan.filters.length === 0 && plan.source.path !== "union") return plan.source.rows;
  let count = 0;
  run(segment, plan, (_, from, to) => (count += to - from), query.deadline);
  return count;
}

/**
 * The rows of a segment that a query selects, in its order; of these, those of a page. A small segment
 * answers all of them: it is never the base of others, so that its page begins at the first.
 */
function answer(
  segment: Segment,
  { criteria, sort, deadline }: ParsedQuery,
  offset: number,
  limit: number,
  order: Order,
  choose: Choose,
): ArrayLike<number> {
  if (segment.isSmall) {
    const rows = judge(segment, criteria);
    return sort === undefined ? rows : order.sorted(segment, rows);
  }
  const plan = choose(segment, { criteria, sort, offset, limit, deadline });
  const page = new Array<number>(knownLength(plan));
  let length = 0;
  const add: Sink = (rows, from, to) => {
    for (let i = from; i < to; i++) page[length++] = rows[i]!;
  };
  run(segment, plan, add, deadline);
  return page;
}

/** The rows of a segment that the predicate accepts, in insertion order. */
function judge({ size, dead, readerOf }: Segment, criteria: ParsedCriteria): number[] {
  const predicate = predicateOf(criteria, readerOf);
  const rows: number[] = [];
  for (let row = 0; row < size; row++) if (!dead.has(row) && predicate(row)) rows.push(row);
  return rows;
}

/** What a segment answers: rows in the order of the query, and how the value they are sorted by is read. */
interface Answer {
  readonly segment: Segment;
  readonly rows: ArrayLike<number>;
  readonly read: Reader;
}

/** A value to sort by: an integer is a number. */
type SortValue = string | number | null;

type Reader = (row: number) => SortValue;

/** What a row's place in the order depends on. */
interface Entry {
  readonly value: SortValue;
  readonly key: number;
}

function entryAt({ segment, rows, read }: Answer, at: number): Entry {
  const row = rows[at]!;
  return { value: read(row), key: segment.keyOf(row) };
}

const readNothing: Reader = () => null;

/** The order of a query: by value, then by key; by key alone where it does not sort. */
class Order {
  readonly #field: string | undefined;
  readonly #isInt: boolean;
  readonly #sign: number;

  constructor({ schema }: Segment, { sort }: ParsedQuery) {
    this.#field = sort?.field;
    this.#isInt = sort !== undefined && fieldOf(schema, sort.field)?.type === "int";
    this.#sign = sort?.order === "DESC" ? -1 : 1;
  }

  /** How the value of a row is read that it is sorted by: an integer as a number. */
  readerOf(segment: Segment): Reader {
    if (this.#field === undefined) return readNothing;
    const read = segment.readerOf(this.#field);
    if (!this.#isInt) return read;
    return (row) => {
      const value = read(row);
      return value === null ? null : parseCanonicalInteger(value);
    };
  }

  compare(a: Entry, b: Entry): number {
    return this.#compare(a.value, a.key, b.value, b.key);
  }

  /** The rows of a segment, given in insertion order, in this one. */
  sorted(segment: Segment, rows: readonly number[]): number[] {
    const answer = { segment, rows, read: this.readerOf(segment) };
    return rows
      .map((row, at) => ({ row, ...entryAt(answer, at) }))
      .sort((a, b) => this.compare(a, b))
      .map(({ row }) => row);
  }

  /** The position from `from` up to `to` of the first of some rows, which are in order, after an entry. */
  before({ segment, rows, read }: Answer, from: number, to: number, entry: Entry): number {
    const isBefore = (at: number) => {
      const row = rows[at]!;
      return this.#compare(read(row), segment.keyOf(row), entry.value, entry.key) < 0;
    };
    let low = from;
    let step = 1;
    // Rows left of `low` come before the entry. The next one after it is near more often than not.
    while (low + step <= to && isBefore(low + step - 1)) {
      low += step;
      step *= 2;
    }
    let high = Math.min(to, low + step - 1);
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isBefore(middle)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #compare(a: SortValue, aKey: number, b: SortValue, bKey: number): number {
    return a === b ? aKey - bKey : this.#sign * compareValues(a, b);
  }
}

/** Compares two values of one field that are not the same: `null` first (rules P3, P4). */
function compareValues(a: SortValue, b: SortValue): number {
  if (a === null) return -1;
  if (b === null) return 1;
  if (typeof a === "number" && typeof b === "number") return a - b;
  return compareCodePoints(String(a), String(b));
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

/** Passes on the page of the rows that go through it. */
class Pager {
  #skip: number;
  #left: number;
  readonly #visit: Visit;

  constructor(skip: number, limit: number, visit: Visit) {
    this.#skip = skip;
    this.#left = limit;
    this.#visit = visit;
  }

  get isFull(): boolean {
    return this.#left === 0;
  }

  add(segment: Segment, rows: ArrayLike<number>, from: number, to: number): void {
    const first = Math.min(to, from + this.#skip);
    this.#skip -= first - from;
    const end = Math.min(to, first + this.#left);
    this.#left -= end - first;
    if (end > first) this.#visit(segment, rows, first, end);
  }
}

/** Where the merge stands in the rows of a segment. */
class Head implements Entry {
  readonly answer: Answer;
  at: number;
  readonly to: number;
  /** Of the row that is next. */
  value: SortValue = null;
  key = 0;

  constructor(answer: Answer, from: number, to: number) {
    this.answer = answer;
    this.at = from;
    this.to = to;
    this.moveTo(from);
  }

  /** @param at the number of a row, not of the end */
  moveTo(at: number): void {
    this.at = at;
    const { segment, rows, read } = this.answer;
    const row = rows[at]!;
    this.value = read(row);
    this.key = segment.keyOf(row);
  }
}

/** Merges what is left of several answers: of the one whose row is next, all rows up to the next of another. */
function merge(heads: Head[], order: Order, pager: Pager, deadline: Deadline | undefined): void {
  let steps = 0;
  while (!pager.isFull && heads.length > 0) {
    let first = heads[0]!;
    let second: Head | undefined;
    for (let i = 1; i < heads.length; i++) {
      const head = heads[i]!;
      if (order.compare(head, first) < 0) {
        second = first;
        first = head;
      } else if (second === undefined || order.compare(head, second) < 0) second = head;
    }
    const { answer, at, to } = first;
    const next = second === undefined ? to : order.before(answer, at + 1, to, second);
    pager.add(answer.segment, answer.rows, at, next);
    if (next < to) first.moveTo(next);
    else heads.splice(heads.indexOf(first), 1);
    if (++steps % STEP_ROWS === 0) deadline?.check();
  }
}
