// Counts the selected rows by ranges of the codes of an index. If an index answers the criteria too, its runs are counted
// directly, since the order of rows does not matter.

import { complement, forEachRange, type CodeSet } from "../indexes/code-set.ts";
import type { FieldIndex, Codes } from "../indexes/field-index.ts";
import { bucketsOfCodes, type Buckets } from "../operators/groups/read-groups.ts";
import type { SelectedCodes } from "../operators/operator.ts";
import type { Plan } from "../operators/plan.ts";
import { codesOf } from "../operators/table.ts";
import { DeadRows } from "../versions/dead-rows.ts";
import type { Segment } from "../versions/segment.ts";
import { execute, type SegmentAnswer } from "./execute.ts";

/**
 * How many rows of a result are in each bucket.
 *
 * @param most how many non-empty buckets are needed: those after them may be left at 0
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

/** The codes that select exactly the rows of a plan, if codes of one index do. */
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

/** Counts the live rows with some codes of the counted index itself, without reading a row. */
function countRuns(
  { dead }: Segment,
  set: CodeSet,
  { index, bounds }: Buckets,
  most = Infinity,
): Uint32Array {
  const { starts } = index;
  const counts = new Uint32Array((bounds ?? starts).length - 1);
  let bucket = 0;
  let remaining = most;
  forEachRange(set, (low, high) => {
    let from = low;
    while (from < high && remaining > 0) {
      if (bounds === undefined) bucket = from;
      else while (bounds[bucket + 1]! <= from) bucket++;
      const to = bounds === undefined ? from + 1 : Math.min(high, bounds[bucket + 1]!);
      const live = dead.liveIn(index, starts[from]!, starts[to]!);
      if (counts[bucket] === 0 && live > 0) remaining--;
      counts[bucket]! += live;
      from = to;
    }
  });
  return counts;
}

/** Counts the live rows with some codes of another index, in the order of that index. */
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
  /** The code of each row. */
  readonly #codes: Codes;
  /** The bucket of each code; none if each code is its own. */
  readonly #bucketOf: Codes | undefined;

  constructor({ index, bounds }: Buckets) {
    const { length } = index.values;
    this.counts = new Uint32Array(bounds === undefined ? length : bounds.length - 1);
    this.#codes = index.codes;
    this.#bucketOf = bounds && bucketsOfCodes(length, bounds);
  }

  readonly add = (
    rows: ArrayLike<number>,
    from: number,
    to: number,
    dead = DeadRows.EMPTY,
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
