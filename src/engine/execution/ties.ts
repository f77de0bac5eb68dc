// Pages in the order of several fields. A query by the first field makes the page; then its runs, the rows with equal
// values, are put in order. Runs within the page are sorted together by the other fields. A run that goes beyond the
// page, at either end, is a separate query: for its value, in the order of the other fields. So only the runs on the
// page are sorted, and an index of the second field saves even that.

import { equalTo, withAll } from "../../criteria/derived.ts";
import type { ParsedCriteria } from "../../criteria/tree.ts";
import { fieldOf } from "../../schema/names.ts";
import type { Deadline } from "../algorithms/deadline.ts";
import { sortNumbers } from "../algorithms/radix-sort.ts";
import { finish, inSteps, type Steps } from "../algorithms/steps.ts";
import { costs } from "../operators/costs.ts";
import { planQuery, type Choose } from "../optimizer/optimizer.ts";
import { UNLIMITED, type ParsedQuery, type Sort } from "../query.ts";
import type { Segment } from "../versions/segment.ts";
import type { Snapshot } from "../versions/snapshot.ts";
import { Order } from "../versions/sort-order.ts";
import { forEachRow, type Observer, type Visit } from "./merge-segments.ts";
import { buildingIndex } from "../indexes/memory-index.ts";

/** Observes how a query is run, including the ordering of ties. */
export interface PageObserver extends Observer {
  /** Runs the ordering of ties, which returns how many rows are tied. */
  readonly ties: (work: () => number) => number;
}

/**
 * Visits the rows of a query's page, in order.
 *
 * @param choose chooses the plan of each segment for the first field. Default: the cheapest
 * @throws DeadlineError; part of the page may already have been visited
 */
export function forEachInOrder(
  snapshot: Snapshot,
  query: ParsedQuery,
  visit: Visit,
  choose: Choose = planQuery,
  observer?: PageObserver,
): void {
  const { sort } = query;
  if (sort?.ties === undefined) forEachRow(snapshot, query, visit, choose, observer);
  else if (query.limit > 0) forEachTied(snapshot, query, sort, sort.ties, visit, choose, observer);
}

function forEachTied(
  snapshot: Snapshot,
  query: ParsedQuery,
  { field, order }: Sort,
  ties: Sort,
  visit: Visit,
  choose: Choose,
  observer: PageObserver | undefined,
): void {
  const { criteria, offset, limit, deadline } = query;
  const first: Sort = { field, order, ties: undefined };
  // The rows next to the page tell whether its first and last runs continue there.
  const from = Math.min(offset, 1);
  const byField: ParsedQuery = {
    criteria,
    sort: first,
    offset: offset - from,
    limit: Math.min(UNLIMITED, from + limit + 1),
    afterKey: -1,
    deadline,
    select: undefined,
  };
  const page = new SortedRows();
  forEachRow(snapshot, byField, page.add, choose, observer);
  const to = Math.min(page.length, from + limit);
  if (from >= to) return;

  const runs = page.runs(first, deadline);
  const isCutBefore = from > 0 && runs[0] === runs[from];
  const isCutAfter = to < page.length && runs[to - 1] === runs[to];
  /** Visits a part of the run of a row. @param before how many rows of the run come before the part */
  const visitPart = (within: ParsedCriteria, before: number, length: number) => {
    const part = { ...query, criteria: within, sort: ties, offset: before, limit: length };
    forEachInOrder(snapshot, part, visit);
    return length;
  };
  const runAt = (at: number) => withValue(criteria, page.segmentAt(at), field, page.rowAt(at));
  const work = () => {
    let start = from;
    let end = to;
    let tied = 0;
    if (isCutBefore) {
      while (start < to && runs[start] === runs[from]) start++;
      const within = runAt(from);
      // The run is in insertion order, and at most `offset` of its rows come before the page.
      const run = { ...query, criteria: within, sort: undefined, offset: 0, limit: offset + 1 };
      const before = countBefore(snapshot, run, page.segmentAt(from), page.rowAt(from));
      tied += visitPart(within, before, start - from);
    }
    if (isCutAfter) while (end > start && runs[end - 1] === runs[to]) end--;
    tied += page.visitSorted(start, end, runs, ties, visit, deadline);
    if (end < to) tied += visitPart(runAt(end), 0, to - end);
    return tied;
  };
  if (observer === undefined) work();
  else observer.ties(work);
}

/** Criteria that also require the value of a row. */
function withValue(
  criteria: ParsedCriteria,
  { schema, readerOf }: Segment,
  field: string,
  row: number,
): ParsedCriteria {
  const compared = { name: field, field: fieldOf(schema, field)!, value: readerOf(field)(row) };
  return withAll(criteria, [equalTo(compared)]);
}

/** How many of a query's rows come before one of them. */
function countBefore(
  snapshot: Snapshot,
  query: ParsedQuery,
  segment: Segment,
  row: number,
): number {
  let count = 0;
  let isFound = false;
  forEachRow(snapshot, query, (other, rows, from, to) => {
    for (let i = from; i < to && !isFound; i++) {
      if (other === segment && rows[i] === row) isFound = true;
      else count++;
    }
  });
  return count;
}

/** The rows of a page in the order of its first field. */
class SortedRows {
  readonly #rows: number[] = [];
  readonly #segments: Segment[] = [];
  /** The segment of all rows, if there is only one. */
  #only: Segment | undefined;

  readonly add: Visit = (segment, rows, from, to) => {
    if (this.length === 0) this.#only = segment;
    else if (this.#only !== segment) this.#only = undefined;
    for (let i = from; i < to; i++) {
      this.#rows.push(rows[i]!);
      this.#segments.push(segment);
    }
  };

  get length(): number {
    return this.#rows.length;
  }

  rowAt(position: number): number {
    return this.#rows[position]!;
  }

  segmentAt(position: number): Segment {
    return this.#segments[position]!;
  }

  /** The number of each row's run. */
  runs(sort: Sort, deadline: Deadline | undefined): Uint32Array {
    const index = this.#only?.ordered(sort.field, deadline);
    const readerOf = perSegment((segment) => new Order({ sort }).readerOf(segment));
    const read = (position: number) => {
      const row = this.rowAt(position);
      return index === undefined ? readerOf(this.segmentAt(position))(row) : index.codeAt(row);
    };
    const runs = new Uint32Array(this.length);
    let last = read(0);
    let run = 0;
    const count = (from: number, to: number) => {
      for (let position = from; position < to; position++) {
        const value = read(position);
        if (value !== last) run++;
        last = value;
        runs[position] = run;
      }
    };
    finish(inSteps(runs.length, count), deadline);
    return runs;
  }

  /**
   * Visits the rows from one position up to another, each run ordered by the other fields. Returns how many rows are in
   * runs of more than one.
   */
  visitSorted(
    from: number,
    to: number,
    runs: Uint32Array,
    ties: Sort,
    visit: Visit,
    deadline: Deadline | undefined,
  ): number {
    const order = new Uint32Array(to - from);
    for (let i = 0; i < order.length; i++) order[i] = from + i;
    const groups = runs.slice(0, to);
    let tied = 0;
    for (let at = from; at < to; at++) {
      const isTied =
        (at > from && runs[at] === runs[at - 1]) || (at + 1 < to && runs[at] === runs[at + 1]);
      if (isTied) tied++;
    }
    let areTied = tied > 0;
    for (let tie: Sort | undefined = ties; tie !== undefined && areTied; tie = tie.ties) {
      areTied = finish(this.#sorting(order, groups, from, to, tie, deadline), deadline);
    }
    this.#visit(order, visit);
    return tied;
  }

  /**
   * Sorts positions by a field within each group; the positions are in the order of their groups. Then makes each set
   * of equal values a group. Returns whether any group has more than one row.
   */
  *#sorting(
    order: Uint32Array,
    groups: Uint32Array,
    from: number,
    to: number,
    tie: Sort,
    deadline: Deadline | undefined,
  ): Steps<boolean> {
    const { codeAt, count } = yield* this.#coding(tie.field, from, to, deadline);
    // One number holds both group and code, exactly up to 2^53.
    const keys = new Float64Array(to);
    yield* inSteps(order.length, (low, high) => {
      for (let at = from + low; at < from + high; at++) {
        const code = codeAt(at);
        keys[at] = groups[at]! * count + (tie.order === "DESC" ? count - 1 - code : code);
      }
    });
    const repeated = yield* sortNumbers(keys, order, true);
    let areTied = false;
    let group = -1;
    for (let i = 0; i < order.length; i++) {
      if (repeated[i] === 1) areTied = true;
      else group++;
      groups[order[i]!] = group;
    }
    return areTied;
  }

  /** The codes of a field in the order of its values: those of its index, if all rows share one. */
  *#coding(
    field: string,
    from: number,
    to: number,
    deadline: Deadline | undefined,
  ): Steps<{ readonly codeAt: (position: number) => number; readonly count: number }> {
    const index = this.#only?.ordered(field, deadline);
    if (index !== undefined) {
      return {
        codeAt: (position) => index.codeAt(this.rowAt(position)),
        count: index.values.length,
      };
    }
    this.#only?.charge(field, (to - from) * costs.sortRow);
    const { schema } = this.segmentAt(from);
    const readerOf = perSegment((segment) => segment.readerOf(field));
    const numberReaderOf = perSegment(({ rows }) => rows.numberReaderOf(field));
    const { codes, values } = yield* buildingIndex(
      fieldOf(schema, field)!.type,
      to - from,
      (i) => readerOf(this.segmentAt(from + i))(this.rowAt(from + i)),
      (i) => numberReaderOf(this.segmentAt(from + i))(this.rowAt(from + i)),
    );
    return { codeAt: (position) => codes[position - from]!, count: values.length };
  }

  /** Visits positions; consecutive rows of a segment are visited together. */
  #visit(order: Uint32Array, visit: Visit): void {
    const rows = order.map((position) => this.rowAt(position));
    if (this.#only !== undefined && rows.length > 0) {
      visit(this.#only, rows, 0, rows.length);
      return;
    }
    for (let from = 0; from < order.length;) {
      const segment = this.segmentAt(order[from]!);
      let to = from + 1;
      while (to < order.length && this.segmentAt(order[to]!) === segment) to++;
      visit(segment, rows, from, to);
      from = to;
    }
  }
}

/** Calls a function once per segment and caches the result. */
function perSegment<Made>(make: (segment: Segment) => Made): (segment: Segment) => Made {
  const made = new Map<Segment, Made>();
  return (segment) => {
    const known = made.get(segment);
    if (known !== undefined) return known;
    const fresh = make(segment);
    made.set(segment, fresh);
    return fresh;
  };
}
