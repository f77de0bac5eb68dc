// The executor: runs a plan, which gives the row numbers of a page (rule P1: filter, sort, skip, take), and charges its
// cost to the indexes that would have saved it.

import { criteriaIn } from "../../criteria/tree.ts";
import { chargedRows, slowness } from "../indexes/account.ts";
import { addRows, createBitset, highestBit, type Bitset } from "../algorithms/bitset.ts";
import { decidedRows, UndecidedRows, type DecidedRows } from "../operators/decided.ts";
import { RowSet, textOf, type Search } from "../cache/search.ts";
import type { Deadline } from "../algorithms/deadline.ts";
import { costs } from "../operators/costs.ts";
import type { Filter } from "../operators/filter.ts";
import type { FilterPlan, Plan } from "../operators/plan.ts";
import type { List, Opening } from "../operators/operator.ts";
import { knownLength, listOf, openFilter, openSource } from "../operators/table.ts";
import { chargeOrder, chargeReading, chargeCompound, orderedPage } from "./ordered-page.ts";
import type { Segment } from "../versions/segment.ts";
import { planQuery, type Choose } from "../optimizer/optimizer.ts";
import { UNLIMITED, type ParsedQuery } from "../query.ts";
import type { Source } from "../operators/source.ts";
import { tuning } from "../tuning.ts";

/** Observes the run of a plan; may wrap the opened operators. */
export interface Watcher {
  source(source: Source): Source;
  /** @param find finds the rows of a page that need no source */
  list(find: () => List | undefined): List | undefined;
  filter(filter: Filter, position: number): Filter;
  /** @param run runs a part of a union or a complement, and returns how many rows it selects */
  part(part: Plan, run: (watcher: Watcher) => number): void;
}

/** Receives rows: those in `rows` from position `from` up to `to`, valid only during the call. */
export type Sink = (rows: ArrayLike<number>, from: number, to: number) => void;

/** The result of a query in one segment: a plan that has not run yet. Made by {@link answerSegment}. */
export interface SegmentAnswer {
  readonly segment: Segment;
  readonly plan: Plan;
  readonly deadline: Deadline | undefined;
  readonly watcher: Watcher | undefined;
  /** What earlier, late queries with the same criteria found out. */
  readonly decided: DecidedRows | undefined;
}

/**
 * Plans a query in one segment. Nothing is run yet, unless a query with the same criteria was late: then one for all rows
 * first finds out which these are, since what it makes of them begins anew each time.
 *
 * @param choose chooses the plan. Default: the cheapest
 * @throws DeadlineError
 */
export function answerSegment(
  segment: Segment,
  query: ParsedQuery,
  choose: Choose = planQuery,
  watcher?: Watcher,
): SegmentAnswer {
  const { deadline } = query;
  const decided = begin(segment, query);
  const answer = { segment, plan: choose(segment, query), deadline, watcher, decided };
  return decided === undefined ? answer : decidedAnswer({ ...answer, decided }, query, choose);
}

/** The same for a query of which an earlier one was late. @throws DeadlineError */
export function decidedAnswer(
  answer: SegmentAnswer & { readonly decided: DecidedRows },
  query: ParsedQuery,
  choose: Choose = planQuery,
): SegmentAnswer {
  const { segment, plan, deadline, decided } = answer;
  const isSlow = plan.filters.some((filter) => staysSlow(segment, filter));
  if (query.limit < UNLIMITED || !isSlow) return answer;
  decide({ segment, deadline, watcher: undefined, decided, unite }, plan, decided);
  return { ...answer, plan: choose(segment, query) };
}

/** What earlier, late queries with the same criteria found out; what this one finds out is kept if it is late too. */
export function begin(
  segment: Segment,
  { criteria, deadline }: ParsedQuery,
): DecidedRows | undefined {
  const decided = decidedRows(segment, criteria, deadline);
  if (deadline !== undefined) {
    deadline.isRetry = decided !== undefined;
    deadline.postpone(new UndecidedRows(segment, criteria));
  }
  return decided;
}

/** Whether a filter reads values, and no index that is to be built would change that. */
const staysSlow = ({ indexes }: Segment, { perRow, unbuiltIndexes }: FilterPlan): boolean =>
  perRow > costs.codeTest && unbuiltIndexes.every(({ field }) => indexes.isWithheld(field));

/** Runs the filters of a plan for the rows on which no late query has. @throws DeadlineError; the next query goes on */
function decide(run: Run, plan: Plan, decided: DecidedRows): void {
  const source = decided.untested(openSource(plan.source.step, run));
  const batch = new Uint32Array(tuning.largestBatch);
  pullFiltered(run, plan, source, batch, 0, UNLIMITED, () => undefined);
}

/**
 * Passes the row numbers of a result to the sink, in the page's order.
 *
 * @throws DeadlineError; the sink may already have received part of the page
 */
export function execute(answer: SegmentAnswer, sink: Sink): void {
  const { segment, plan, deadline, watcher, decided } = answer;
  if (plan.limit === 0) return;
  const list = listedPage(answer);
  if (list !== undefined) sink(list.rows, list.from, list.to);
  else runPlan({ segment, deadline, watcher, decided, unite }, plan, sink);
}

function runPlan(run: Run, plan: Plan, sink: Sink): void {
  const { order, keeps, offset, limit } = plan;
  if (keeps !== undefined) keepSet(run, plan, keeps, sink);
  else if (order.path === "source") pull(run, plan, offset, limit, sink);
  else {
    const gathering = new Gathering(firstRows);
    let isDone = false;
    try {
      pull(run, plan, 0, UNLIMITED, gathering.add);
      isDone = true;
    } finally {
      chargeOrder(run, plan, order, chargedRows(gathering.rows.length, isDone));
    }
    const page = orderedPage(run, plan, order, gathering.rows);
    sink(page, 0, page.length);
  }
}

/** The row numbers of a result, in the page's order. @throws DeadlineError */
export function rowsOf(answer: SegmentAnswer): ArrayLike<number> {
  if (answer.plan.limit === 0) return [];
  const list = listedPage(answer);
  return list === undefined ? gathered(answer) : copied(list);
}

/**
 * A separate function because it has a closure, which `selectedParts` avoids for the reason given there. Many rows are
 * copied a batch at a time.
 */
function gathered({ segment, plan, deadline, watcher, decided }: SegmentAnswer): ArrayLike<number> {
  const run = { segment, deadline, watcher, decided, unite };
  const known = knownLength(plan, segment);
  if (known > tuning.fewRows) {
    const gathering = new Gathering(new Uint32Array(known));
    runPlan(run, plan, gathering.add);
    return gathering.rows;
  }
  const rows = new Array<number>(known);
  let length = 0;
  runPlan(run, plan, (batch, from, to) => {
    for (let i = from; i < to; i++) rows[length++] = batch[i]!;
  });
  return rows;
}

/**
 * A list as an array: the same array if the list is all of it. It is allocated with its final length, like that of rows
 * in batches.
 */
function copied({ rows, from, to }: List): ArrayLike<number> {
  if (from === 0 && to === rows.length) return rows;
  const copy = new Array<number>(to - from);
  for (let i = from; i < to; i++) copy[i - from] = rows[i]!;
  return copy;
}

/** The page of a result whose rows are a list: no source is opened, and no batch is filled. */
export function listedPage(answer: SegmentAnswer): List | undefined {
  const { watcher } = answer;
  return watcher === undefined ? listed(answer) : watcher.list(() => listed(answer));
}

function listed({ segment, plan, deadline }: SegmentAnswer): List | undefined {
  const { source, filters, order, keeps, offset, limit } = plan;
  if (filters.length > 0 || order.path !== "source" || keeps !== undefined) return undefined;
  deadline?.check();
  const list = listOf(source.step, segment, offset + limit, deadline);
  if (list === undefined) return undefined;
  deadline?.check();
  if (offset === 0 && limit >= list.to - list.from) return list;
  const from = Math.min(list.to, list.from + offset);
  return { rows: list.rows, from, to: Math.min(list.to, from + limit) };
}

/** Passes all rows of a plan to the sink, and caches them as a set. */
function keepSet(run: Run, plan: Plan, search: Search, sink: Sink): void {
  const { segment } = run;
  const bits = createBitset(segment.size);
  let count = 0;
  pull(run, plan, 0, UNLIMITED, (rows, from, to) => {
    addRows(bits, rows, from, to);
    count += to - from;
    sink(rows, from, to);
  });
  segment.cache.put(new RowSet(bits, count), segment.rows, search.field, textOf(search));
}

/** A running plan. */
interface Run extends Opening {
  readonly watcher: Watcher | undefined;
  readonly decided: DecidedRows | undefined;
}

function unite(this: Run, parts: readonly Plan[]): Bitset {
  const { segment, deadline, watcher } = this;
  const bits = createBitset(segment.size);
  for (const part of parts) {
    const run = (within?: Watcher) => {
      let selected = 0;
      const add: Sink = (rows, from, to) => {
        addRows(bits, rows, from, to);
        selected += to - from;
      };
      pull(
        { segment, deadline, watcher: within, decided: undefined, unite },
        part,
        0,
        UNLIMITED,
        add,
      );
      return selected;
    };
    if (watcher === undefined) run();
    else watcher.part(part, run);
  }
  return bits;
}

/** Where small numbers of rows are gathered. */
const firstRows = new Uint32Array(tuning.largestBatch);

/** Gathers rows in an array, which grows as needed. */
class Gathering {
  #rows: Uint32Array;
  #length = 0;

  constructor(rows: Uint32Array) {
    this.#rows = rows;
  }

  get rows(): Uint32Array {
    return this.#rows.subarray(0, this.#length);
  }

  readonly add: Sink = (rows, from, to) => {
    const end = this.#length + to - from;
    if (end > this.#rows.length) {
      const larger = new Uint32Array(2 * end);
      larger.set(this.#rows);
      this.#rows = larger;
    }
    // V8 runs a loop unoptimized at first, and a single large change or page would be over before it is optimized.
    if (to - from > tuning.fewRows && rows instanceof Uint32Array) {
      this.#rows.set(rows.subarray(from, to), this.#length);
      this.#length = end;
    } else for (let i = from; i < to; i++) this.#rows[this.#length++] = rows[i]!;
  };
}

/** Reused between runs; `undefined` while a plan uses it, because the parts of a union run within another plan. */
let spareBatch: Uint32Array | undefined = new Uint32Array(tuning.largestBatch);

function pull(run: Run, plan: Plan, offset: number, limit: number, sink: Sink): void {
  const { deadline, watcher } = run;
  const batch = spareBatch ?? new Uint32Array(tuning.largestBatch);
  spareBatch = undefined;
  try {
    let source = openSource(plan.source.step, run);
    if (watcher !== undefined) source = watcher.source(source);
    if (plan.filters.length === 0) pullAll(source, batch, offset, limit, sink, deadline);
    else pullFiltered(run, plan, source, batch, offset, limit, sink);
  } finally {
    spareBatch = batch.length < tuning.largestBatch ? undefined : batch;
  }
}

function pullAll(
  source: Source,
  batch: Uint32Array,
  offset: number,
  limit: number,
  sink: Sink,
  deadline: Deadline | undefined,
): void {
  deadline?.check();
  if (offset > 0) source.skip(offset);
  for (let left = limit; left > 0;) {
    const length = source.next(batch, Math.min(left, tuning.largestBatch));
    if (length === 0) break;
    sink(batch, 0, length);
    left -= length;
    deadline?.check();
  }
}

/** How many rows to read next: as many as the page still needs, judging by the share kept so far, and a few more. */
function nextBatch(needed: number, checked: number, kept: number, largest: number): number {
  if (kept === 0) return Math.min(largest, 2 * checked);
  return Math.min(
    largest,
    Math.max(tuning.smallestBatch, Math.ceil((needed * checked * 1.05) / kept)),
  );
}

/** Batches that take more milliseconds are made smaller. */
const LONGEST_BATCH = 8;

/** Runs all filters, those of criteria only for rows on which no late query has. */
function keepAll(
  { filters: plans }: Plan,
  filters: readonly Filter[],
  decided: DecidedRows | undefined,
): Filter["keep"] {
  const keepBy = (some: readonly Filter[]) => (batch: Uint32Array, length: number) => {
    for (const filter of some) length = filter.keep(batch, length);
    return length;
  };
  if (decided === undefined) return keepBy(filters);
  // What is after a position, or dead, is not the same in the next query.
  const isOfCriteria = (i: number) => plans[i]!.step.groups.length > 0;
  const keepByOthers = keepBy(filters.filter((_, i) => !isOfCriteria(i)));
  const test = keepBy(filters.filter((_, i) => isOfCriteria(i)));
  return (batch, length) => decided.keep(batch, keepByOthers(batch, length), test);
}

/** Whether a plan that is read to its end has tested each row that its criteria may select. */
const decidesAll = ({ source, filters }: Plan) =>
  source.step.path !== "scan-after" && filters.every(({ step }) => step.path !== "after");

function pullFiltered(
  run: Run,
  plan: Plan,
  source: Source,
  batch: Uint32Array,
  offset: number,
  limit: number,
  sink: Sink,
): void {
  const { segment, deadline, watcher, decided } = run;
  let skip = offset;
  let left = limit;
  let checked = 0;
  let passed = 0;
  // Many criteria make a batch slow: with fewer rows per batch, the deadline is checked just as often.
  const criteria = plan.filters.reduce((sum, { step }) => sum + criteriaIn(step.groups).length, 0);
  let largest = Math.max(
    tuning.smallestBatch,
    tuning.largestBatch >>> highestBit(1 + (criteria >>> 2)),
  );
  let isDone = false;
  const isCharged = plan.filters.some(({ unbuiltIndexes }) => unbuiltIndexes.length > 0);
  const start = isCharged ? tuning.clock() : 0;
  try {
    deadline?.check();
    const filters = plan.filters.map((filter, position) => {
      const opened = openFilter(filter.step, run, plan.scatteredRows);
      deadline?.check();
      return watcher === undefined ? opened : watcher.filter(opened, position);
    });
    if (limit === UNLIMITED) {
      largest = Math.max(largest, ...filters.map(({ batch: suits = 0 }) => suits));
      if (largest > batch.length) batch = new Uint32Array(Math.min(largest, segment.size));
    }
    // With a deadline, the first batch is small: nobody knows yet how long a row takes.
    const isUnhurried = limit === UNLIMITED && deadline === undefined;
    let capacity = isUnhurried ? Math.min(largest, batch.length) : tuning.smallestBatch;
    const keep = keepAll(plan, filters, decided);
    let remaining = deadline?.check() ?? 0;
    while (left > 0) {
      let kept = source.next(batch, capacity);
      if (kept === 0) {
        if (decidesAll(plan)) decided?.complete(segment);
        break;
      }
      checked += kept;
      kept = keep(batch, kept);
      passed += kept;
      const from = Math.min(skip, kept);
      skip -= from;
      const to = Math.min(kept, from + left);
      if (to > from) sink(batch, from, to);
      left -= to - from;
      const next = deadline?.check() ?? 0;
      if (remaining - next > LONGEST_BATCH) {
        largest = Math.max(tuning.smallestBatch, capacity >>> 1);
      }
      remaining = next;
      const most = deadline === undefined ? largest : Math.min(largest, 4 * capacity);
      capacity = nextBatch(skip + left, checked, passed, most);
    }
    isDone = true;
  } finally {
    const rows = chargedRows(checked, isDone);
    const perRow = plan.filters.reduce((sum, filter) => sum + filter.perRow, plan.source.perRow);
    const times = isCharged ? slowness(start, rows * perRow) : 1;
    for (const filter of plan.filters) {
      for (const { kind, field } of filter.unbuiltIndexes) {
        segment.indexes.charge(kind, field, rows * filter.perRow * times);
      }
    }
    chargeCompound(run, plan, rows * perRow);
    if (!isDone) chargeReading(segment, plan, rows * perRow);
  }
}
