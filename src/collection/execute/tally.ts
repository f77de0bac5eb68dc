// Counts the rows that criteria select by the value of a field: the basis of `countBy`, `histogram` and `summary`.
// With an index of the field, its codes are counted and no value is read. If an index answers the
// criteria too, its runs are counted directly, since the order of rows does not matter.

import type { WireValue } from "../../schema/field.ts";
import { complement, forEachRange, type CodeSet } from "../index/code-set.ts";
import { bucketsOfCodes, bucketsOfRows } from "../cache/bins.ts";
import type { FieldIndex } from "../index/field-index.ts";
import type { Codes } from "../index/index-parts.ts";
import { costs } from "../pipeline/costs.ts";
import { codesOf, type SelectedCodes } from "../plan/paths.ts";
import type { Plan } from "../plan/plan.ts";
import type { ParsedQuery } from "../plan/query.ts";
import { DeadRows } from "../snapshot/dead-rows.ts";
import type { Segment } from "../snapshot/segment.ts";
import { answerSegment } from "./answer.ts";
import { chargedRows, execute, type SegmentAnswer } from "./execute.ts";

/** How many rows have each value. */
export type ValueCounts = Map<WireValue, number>;

/** Adds how many of the selected rows of a segment have each value of a field. */
export function addValueCounts(
  counts: ValueCounts,
  segment: Segment,
  query: ParsedQuery,
  field: string,
): void {
  const add = (value: WireValue, count: number) =>
    void counts.set(value, (counts.get(value) ?? 0) + count);
  const index = segment.ordered(field, query.deadline);
  if (index === undefined) {
    const before = counts.size;
    try {
      readValues(segment, query, field, (value) => add(value, 1));
    } finally {
      // The values are sorted afterwards.
      segment.charge(field, (counts.size - before) * costs.sortRow);
    }
    return;
  }
  for (const [code, count] of countBuckets(answerSegment(segment, query), { index }).entries()) {
    if (count > 0) add(index.values.at(code) ?? null, count);
  }
}

/** Visits the values of a field in the selected rows, if there is no index. */
export function readValues(
  segment: Segment,
  query: ParsedQuery,
  field: string,
  visit: (value: WireValue) => void,
): void {
  const valueOf = segment.readerOf(field);
  let read = 0;
  let isDone = false;
  try {
    execute(answerSegment(segment, query), (rows, from, to) => {
      for (let i = from; i < to; i++) visit(valueOf(rows[i]!));
      read += to - from;
    });
    isDone = true;
  } finally {
    segment.charge(field, chargedRows(read, isDone) * costs.valueTest);
  }
}

/** The buckets to count: each code of an index, or ranges of codes. */
export interface Buckets {
  readonly index: FieldIndex;
  /**
   * Bucket `i` has the codes from `bounds[i]` up to `bounds[i + 1]`; the first begins at 0, the last
   * ends after the last code; at most 65,536 buckets. Without bounds each code is a bucket.
   */
  readonly bounds?: Uint32Array;
}

/**
 * How many of the rows of an answer are in each bucket.
 *
 * @param most how many buckets with rows are wanted: those after them may be left at 0
 */
export function countBuckets(
  answer: SegmentAnswer,
  buckets: Buckets,
  most = Infinity,
): Uint32Array {
  const { segment, plan } = answer;
  const selection = selectionOf(plan, buckets.index);
  if (selection === undefined) {
    const counter = new Counter(buckets);
    execute(answer, counter.add);
    return counter.counts;
  }
  const { index, set } = selection;
  if (index === buckets.index) return countRuns(segment, set, buckets, most);
  const others = complement(set, index.values.length);
  if (index.count(set) <= index.count(others)) return countRows(segment, index, set, buckets);
  const counts = countRuns(segment, [0, buckets.index.values.length], buckets);
  const removed = countRows(segment, index, others, buckets);
  return counts.map((count, bucket) => count - removed[bucket]!);
}

/** The rows of a plan, if they are those of some codes of one index. */
function selectionOf(
  { source: { step }, filters }: Plan,
  any: FieldIndex,
): SelectedCodes | undefined {
  const selecting = filters.filter((filter) => filter.step.path !== "live");
  const [filter] = selecting;
  if (filter !== undefined) {
    const isAlone = step.path === "scan" && selecting.length === 1;
    return isAlone && filter.step.path === "codes" ? filter.step : undefined;
  }
  return codesOf(step, any);
}

/** Counts the live rows of a set of codes of the buckets' own index, without reading a row. */
function countRuns(
  { dead }: Segment,
  set: CodeSet,
  { index, bounds }: Buckets,
  most = Infinity,
): Uint32Array {
  const { starts } = index;
  const counts = new Uint32Array((bounds ?? starts).length - 1);
  let bucket = 0;
  let wanted = most;
  forEachRange(set, (low, high) => {
    let from = low;
    while (from < high && wanted > 0) {
      if (bounds === undefined) bucket = from;
      else while (bounds[bucket + 1]! <= from) bucket++;
      const to = bounds === undefined ? from + 1 : Math.min(high, bounds[bucket + 1]!);
      const live = dead.liveIn(index, starts[from]!, starts[to]!);
      if (counts[bucket] === 0 && live > 0) wanted--;
      counts[bucket]! += live;
      from = to;
    }
  });
  return counts;
}

/** Counts the live rows of a set of codes of another index, in the order of that index. */
function countRows(
  { dead }: Segment,
  { order, starts }: FieldIndex,
  set: CodeSet,
  buckets: Buckets,
): Uint32Array {
  const counter = new Counter(buckets);
  forEachRange(set, (low, high) => counter.add(order, starts[low]!, starts[high]!, dead));
  return counter.counts;
}

/** Counts rows by the buckets of their codes. */
class Counter {
  readonly counts: Uint32Array;
  /** For each row its code, or its bucket. */
  readonly #codes: Codes;
  /** For each code its bucket; none if each code is its own, or each row has its bucket. */
  readonly #bucketOf: Uint16Array | undefined;

  constructor({ index, bounds }: Buckets) {
    const { length } = index.values;
    this.counts = new Uint32Array(bounds === undefined ? length : bounds.length - 1);
    const buckets = bounds && bucketsOfRows(index, bounds);
    this.#codes = buckets ?? index.codes;
    this.#bucketOf = bounds && !buckets ? bucketsOfCodes(length, bounds) : undefined;
  }

  readonly add = (
    rows: ArrayLike<number>,
    from: number,
    to: number,
    dead = DeadRows.NONE,
  ): void => {
    const [counts, codes, bucketOf] = [this.counts, this.#codes, this.#bucketOf];
    if (dead.count > 0) {
      for (let i = from; i < to; i++) {
        const row = rows[i]!;
        const code = codes[row]!;
        counts[bucketOf?.[code] ?? code]! += dead.has(row) ? 0 : 1;
      }
    } else if (bucketOf === undefined) {
      for (let i = from; i < to; i++) counts[codes[rows[i]!]!]!++;
    } else {
      for (let i = from; i < to; i++) counts[bucketOf[codes[rows[i]!]!]!]!++;
    }
  };
}
