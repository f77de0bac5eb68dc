// The rows of a page, gathered from the segments of a snapshot. Each segment answers the query for
// its own rows, in order. The base is by far the largest: of it only the rows around the page are
// read, and what the others have to add there is merged in.

import { predicateOf } from "../criteria/compile.ts";
import type { FieldType, WireValue } from "../schema/field.ts";
import { compareCodePoints } from "../schema/order.ts";
import { fieldOf } from "../schema/schema.ts";
import { RowList, run } from "./execute.ts";
import type { Plan } from "./plan.ts";
import { planQuery } from "./planner.ts";
import type { ParsedQuery } from "./query.ts";
import type { Segment } from "./segment.ts";
import type { Location, Snapshot } from "./snapshot.ts";

/** Receives rows of a segment: those from position `from` up to `to`, which are valid during the call. */
export type Visit = (segment: Segment, rows: Uint32Array, from: number, to: number) => void;

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
  const [base, ...others] = segments;
  if (others.length === 0) {
    run(base, choose(base, query), (rows, from, to) => visit(base, rows, from, to));
    return;
  }
  // No more rows of the others can come before the page than they have. So the row of the base that
  // stands that much before it comes before the page too, and so many rows of the base from there
  // on, and a page more, are all that the page can need.
  const end = query.offset + query.limit;
  const selected = others.map((segment) => ({
    segment,
    rows: answer(segment, { ...query, offset: 0, limit: end }, choose),
  }));
  const most = selected.reduce((sum, { rows }) => sum + rows.length, 0);
  const start = Math.max(0, query.offset - most);
  const limit = end - start;
  const rows = answer(base, { ...query, offset: start, limit }, choose);
  if (start > 0 && rows.length === 0) return;

  const order = new Order(base, query);
  const stretch = narrow(base, rows, selected, order, query, start);
  const entries: Entry[] = [];
  selected.forEach(({ segment, rows: own }, i) => {
    for (let at = stretch.froms[i]!; at < stretch.tos[i]!; at++) {
      entries.push(order.entry(segment, own[at]!));
    }
  });
  if (selected.length > 1) entries.sort(order.compare);
  const pager = new Pager(query.offset - stretch.before, query.limit, visit);
  mergeInto(base, rows.subarray(stretch.from, stretch.to), entries, order, pager);
}

/** Rows of a segment, in the order of a query. */
interface Selected {
  readonly segment: Segment;
  readonly rows: Uint32Array;
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
 */
function narrow(
  base: Segment,
  rows: Uint32Array,
  others: readonly Selected[],
  order: Order,
  { offset, limit }: ParsedQuery,
  start: number,
): Stretch {
  const end = offset + limit;
  const sum = (ends: readonly number[]) => ends.reduce((total, each) => total + each, 0);
  let [from, to] = [0, rows.length];
  let froms = others.map(() => 0);
  let tos = others.map((other) => other.rows.length);
  for (;;) {
    // A row after `last` has at least `end` rows before it.
    const first = start + from > 0 ? order.entry(base, rows[from]!) : undefined;
    const last = start + to + sum(froms) >= end ? order.entry(base, rows[to - 1]!) : undefined;
    const before = (entry: Entry, from: readonly number[]) =>
      others.map(({ segment, rows: own }, i) => order.before(segment, own, from[i]!, entry));
    if (first !== undefined) froms = before(first, froms);
    if (last !== undefined) tos = before(last, froms);
    const nextFrom = Math.max(from, Math.min(to - 1, offset - sum(tos) - start));
    const nextTo = Math.min(to, end - sum(froms) - start);
    if (nextFrom === from && nextTo === to) {
      return { before: start + from + sum(froms), from, to, froms, tos };
    }
    [from, to] = [nextFrom, nextTo];
  }
}

/** How many rows of some segments the criteria of a query select. */
export function countRows(segments: readonly Segment[], query: ParsedQuery): number {
  return segments.reduce((sum, segment) => sum + countIn(segment, query), 0);
}

function countIn(segment: Segment, query: ParsedQuery): number {
  if (segment.isSmall) return judge(segment, query).length;
  const plan = planQuery(segment, query);
  if (plan.filters.length === 0 && plan.source.path !== "union") return plan.source.rows;
  let count = 0;
  run(segment, plan, (_, from, to) => (count += to - from));
  return count;
}

/** The rows of a segment that a query selects, in its order. */
function answer(segment: Segment, query: ParsedQuery, choose: Choose): Uint32Array {
  if (segment.isSmall) {
    const order = new Order(segment, query);
    const entries = judge(segment, query).map((row) => order.entry(segment, row));
    if (query.sort !== undefined) entries.sort(order.compare);
    const { offset, limit } = query;
    return Uint32Array.from(entries.slice(offset, offset + limit), ({ row }) => row);
  }
  const list = new RowList();
  run(segment, choose(segment, query), list.add);
  return list.rows();
}

/** The rows of a segment that the predicate accepts, in insertion order. */
function judge({ size, dead, readerOf }: Segment, { criteria }: ParsedQuery): number[] {
  const predicate = predicateOf(criteria, readerOf);
  const rows: number[] = [];
  for (let row = 0; row < size; row++) if (!dead.has(row) && predicate(row)) rows.push(row);
  return rows;
}

/** A row with what its place in the order depends on. */
interface Entry extends Location {
  readonly value: WireValue;
  readonly key: number;
}

/** The order of a query: by value, then by key; by key alone where it does not sort. */
class Order {
  readonly #field: string | undefined;
  readonly #type: FieldType;
  readonly #sign: number;

  constructor({ schema }: Segment, { sort }: ParsedQuery) {
    this.#field = sort?.field;
    this.#type = (sort === undefined ? undefined : fieldOf(schema, sort.field)?.type) ?? "string";
    this.#sign = sort?.order === "DESC" ? -1 : 1;
  }

  entry(segment: Segment, row: number): Entry {
    const value = this.#field === undefined ? null : segment.readerOf(this.#field)(row);
    return { segment, row, value, key: segment.keyOf(row) };
  }

  readonly compare = (a: Entry, b: Entry): number =>
    this.#sign * compareValues(this.#type, a.value, b.value) || a.key - b.key;

  /** The position from `from` on of the first of some rows, which are in order, after an entry. */
  before(segment: Segment, rows: Uint32Array, from: number, entry: Entry): number {
    let low = from;
    let step = 1;
    // Rows left of `low` come before the entry. The next one after it is near more often than not.
    while (low + step <= rows.length && this.#isBefore(segment, rows[low + step - 1]!, entry)) {
      low += step;
      step *= 2;
    }
    let high = Math.min(rows.length, low + step - 1);
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#isBefore(segment, rows[middle]!, entry)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #isBefore(segment: Segment, row: number, entry: Entry): boolean {
    return this.compare(this.entry(segment, row), entry) < 0;
  }
}

function compareValues(type: FieldType, a: WireValue, b: WireValue): number {
  if (a === b) return 0;
  if (a === null) return -1;
  if (b === null) return 1;
  return type === "int" ? Number(a) - Number(b) : compareCodePoints(a, b);
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

  add(segment: Segment, rows: Uint32Array, from: number, to: number): void {
    const first = Math.min(to, from + this.#skip);
    this.#skip -= first - from;
    const end = Math.min(to, first + this.#left);
    this.#left -= end - first;
    if (end > first) this.#visit(segment, rows, first, end);
  }
}

function mergeInto(
  base: Segment,
  rows: Uint32Array,
  entries: readonly Entry[],
  order: Order,
  pager: Pager,
): void {
  let position = 0;
  for (const entry of entries) {
    if (pager.isFull) return;
    const to = order.before(base, rows, position, entry);
    pager.add(base, rows, position, to);
    pager.add(entry.segment, Uint32Array.of(entry.row), 0, 1);
    position = to;
  }
  pager.add(base, rows, position, rows.length);
}
