// Opens the steps of a plan: data become a source that produces rows, and filters that keep some of them.

import { predicateOf } from "../../criteria/compile.ts";
import { addRows, createBitset, intersectInto, type Bitset } from "../algorithms/bitset.ts";
import type { Deadline } from "../algorithms/deadline.ts";
import type { Posting } from "../index/postings.ts";
import { bitsetsOf, intersectLists } from "../index/trigram-index.ts";
import {
  bitsetFilter,
  codeFilter,
  predicateFilter,
  testFilter,
  type Filter,
} from "../pipeline/filter.ts";
import {
  BitsetSource,
  bitsetOfCodes,
  DescendingSource,
  ListSource,
  openBitmapScan,
  ScanSource,
  StretchSource,
  type Source,
} from "../pipeline/source.ts";
import { SelectedSource } from "../pipeline/selected-source.ts";
import { UNLIMITED } from "../plan/query.ts";
import type { FilterStep, Plan, SourcePlan } from "../plan/plan.ts";
import type { DeadRows } from "../snapshot/dead-rows.ts";
import type { Segment } from "../snapshot/segment.ts";
import { Order } from "../snapshot/sort-order.ts";
import { judge, lookUpByDigest, sortByDigest } from "./few.ts";
import { tuning } from "../tuning.ts";

/** What opening a step needs. */
export interface Opening {
  readonly segment: Segment;
  readonly deadline: Deadline | undefined;
  /** Runs the parts of a union: the rows of all of them, as a set. */
  unite(parts: readonly Plan[]): Bitset;
}

/** Rows in an array, from one position up to another. */
export interface List {
  readonly rows: ArrayLike<number>;
  readonly from: number;
  readonly to: number;
}

const NOTHING: List = { rows: [], from: 0, to: 0 };

/**
 * The rows of a step with few rows, or with rows already in an array; `undefined` if they come in
 * batches.
 *
 * @param wanted how many rows are needed at most
 */
export function listOf(
  { step, rows }: SourcePlan,
  segment: Segment,
  wanted: number,
  deadline: Deadline | undefined,
): List | undefined {
  switch (step.path) {
    case "index-lookup": {
      const { index, code } = step;
      const from = index.startOf(code);
      const to = index.startOf(code + 1);
      if (index.isInPieces || to - from > tuning.largestBatch) return undefined;
      if (rows === to - from) return { rows: index.order, from, to };
      // In a long run the position of a page is found without reading the rows before it.
      if (to - from > tuning.fewRows && wanted < UNLIMITED) return undefined;
      return whole(liveRows(index.order, from, to, segment.dead));
    }
    case "nothing":
      return NOTHING;
    case "kept-rows":
      return whole(step.rows);
    case "resorted-rows":
      return whole(new Order(step).resorted(segment, step.rows, step.splice));
    case "digest-sort":
      return whole(sortByDigest(segment, step, wanted, deadline));
    case "judge":
      return whole(judge(segment, step.criteria, wanted));
    case "digest-lookup":
      return whole(lookUpByDigest(segment, step.field, step.value, wanted));
    case "scan":
    case "bitmap-scan":
    case "trigrams":
    case "index-scan":
    case "selected-scan":
    case "union":
      return undefined;
  }
}

function liveRows(order: Uint32Array, from: number, to: number, dead: DeadRows): number[] {
  const rows: number[] = [];
  for (let at = from; at < to; at++) {
    const row = order[at]!;
    if (!dead.has(row)) rows.push(row);
  }
  return rows;
}

const whole = (rows: ArrayLike<number>): List => ({ rows, from: 0, to: rows.length });

/** @throws DeadlineError */
export function openSource(plan: SourcePlan, opening: Opening): Source {
  const { step } = plan;
  const { segment } = opening;
  const { size, dead } = segment;
  switch (step.path) {
    case "scan":
      return new ScanSource(size, dead);
    case "index-lookup": {
      const { index, code } = step;
      return new StretchSource(index, index.startOf(code), index.startOf(code + 1), dead);
    }
    case "bitmap-scan":
      return openBitmapScan(step.index, step.set, step.rows);
    case "trigrams": {
      const { bits } = step.postings[0]!;
      return bits === undefined
        ? new ListSource(intersectLists(step.postings, opening.deadline))
        : new BitsetSource([bits, ...bitsetsOf(step.postings.slice(1))]);
    }
    case "index-scan": {
      const { index, low, high, descending } = step;
      return descending
        ? new DescendingSource(index, low, high, dead)
        : new StretchSource(index, index.startOf(low), index.startOf(high), dead);
    }
    case "selected-scan": {
      const { index, selected, low, high, descending } = step;
      return new SelectedSource(index, selected, low, high, descending, dead);
    }
    case "union":
      return new BitsetSource([opening.unite(step.parts)]);
    case "nothing":
    case "kept-rows":
    case "resorted-rows":
    case "digest-sort":
    case "judge":
    case "digest-lookup":
      return new ListSource(listOf(plan, segment, UNLIMITED, opening.deadline)!.rows);
  }
}

/**
 * @param scatteredRows how many rows from all over the collection it will judge
 * @throws DeadlineError
 */
export function openFilter(step: FilterStep, scatteredRows: number, opening: Opening): Filter {
  const { segment } = opening;
  switch (step.path) {
    case "codes":
      // A bitset fits in the nearest cache when the codes of all rows do not.
      return scatteredRows > step.rows
        ? bitsetFilter(bitsetOfCodes(step.index, step.set))
        : codeFilter(step.index, step.set);
    case "trigrams":
      return bitsetFilter(candidates(segment, step.postings, opening.deadline));
    case "test":
      return testFilter(segment.schema, segment.rows, step.criterion);
    case "predicate":
      return predicateFilter(predicateOf(step.criteria, segment.readerOf));
    case "union":
      return bitsetFilter(opening.unite(step.parts));
    case "live": {
      const { dead } = segment;
      return predicateFilter((row) => !dead.has(row));
    }
  }
}

/** The rows in all postings, and perhaps a few more, as a set. */
function candidates(
  { size }: Segment,
  postings: readonly Posting[],
  deadline: Deadline | undefined,
): Bitset {
  const { bits } = postings[0]!;
  const set = bits?.slice() ?? createBitset(size);
  if (bits === undefined) addRows(set, intersectLists(postings, deadline));
  else for (const other of bitsetsOf(postings)) intersectInto(set, other);
  return set;
}
