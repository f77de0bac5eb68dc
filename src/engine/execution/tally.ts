// Counts the selected rows by groups of a field's values, and measures other fields in each group: the basis of `groupBy`,
// `countBy`, `histogram` and `summary`. With an index of the field, its codes are counted without reading values.

import type { GroupState } from "../aggregates/aggregate.ts";
import { Totaling } from "../aggregates/totals.ts";
import { finish, inSteps } from "../algorithms/steps.ts";
import { slowness } from "../indexes/account.ts";
import { costs } from "../operators/costs.ts";
import type { ParsedQuery } from "../query.ts";
import { tuning } from "../tuning.ts";
import type { Segment } from "../versions/segment.ts";
import { countBuckets } from "./count-buckets.ts";
import { answerSegment, chargedRows, execute, type SegmentAnswer } from "./execute.ts";
import { makeshiftIndex } from "./makeshift-index.ts";
import {
  fieldReader,
  TALLIED,
  type FieldBatch,
  type MeasuredField,
} from "../operators/groups/measured-field.ts";
import {
  groupReader,
  isFew,
  type GroupedBuckets,
  type Grouping,
  type ReadRows,
  type Rows,
} from "../operators/groups/read-groups.ts";

/** What is to be known of a measured field in each group. */
export interface Measuring {
  /** The position of the field among those that are measured. */
  readonly place: number;
  readonly make: () => GroupState;
}

interface Measured extends Measuring {
  readonly state: GroupState;
}

/** How many rows each group has, and what is known of other fields in them. Groups are numbered from 0. */
export class Tally {
  readonly measured: readonly Measured[];
  #size = 0;
  #counts = new Float64Array(0);

  constructor(measuring: readonly Measuring[] = []) {
    this.measured = measuring.map((each) => ({ ...each, state: each.make() }));
  }

  /** Sums up one field of numbers. */
  static ofTotals(isSummed: boolean): Tally {
    return new Tally(isSummed ? [{ place: 0, make: () => new Totaling() }] : []);
  }

  /** A tally of the same fields without groups. */
  empty(): Tally {
    return new Tally(this.measured);
  }

  /** The totals of the field, if one is summed up. */
  get totaling(): Totaling | undefined {
    const state = this.measured[0]?.state;
    return state instanceof Totaling ? state : undefined;
  }

  /** How many groups there are. */
  get size(): number {
    return this.#size;
  }

  /** How many rows each group has; the array may be longer than the number of groups. */
  get counts(): Float64Array {
    return this.#counts;
  }

  /** Adds empty groups. @returns the first of them */
  addGroups(more: number): number {
    const first = this.#size;
    this.#size += more;
    if (this.#size > this.#counts.length) {
      const capacity = first === 0 ? more : 2 * this.#size;
      const counts = new Float64Array(capacity);
      counts.set(this.#counts);
      this.#counts = counts;
      for (const { state } of this.measured) state.reserve(capacity);
    }
    return first;
  }

  add(group: number, rows: number): void {
    this.#counts[group]! += rows;
  }

  /** Adds the rows of a group of another tally of the same fields, and what is known of these. */
  addGroup(group: number, others: Tally, other: number): void {
    this.#counts[group]! += others.#counts[other]!;
    this.measured.forEach(({ state }, i) => {
      state.addGroup(group, others.measured[i]!.state, other);
    });
  }

  /** A tally of one group: the rows of some of these groups. */
  together(groups: ArrayLike<number>): Tally {
    const found = this.empty();
    found.addGroups(1);
    for (let i = 0; i < groups.length; i++) found.add(0, this.#counts[groups[i]!]!);
    found.measured.forEach(({ state }, place) => {
      const others = this.measured[place]!.state;
      for (let i = 0; i < groups.length; i++) state.addGroup(0, others, groups[i]!);
    });
    return found;
  }

  /** Adds rows to the first groups. */
  addCounts(rows: Uint32Array): void {
    const counts = this.#counts;
    for (let group = 0; group < rows.length; group++) counts[group]! += rows[group]!;
  }

  /**
   * Adds one row to each of `length` groups.
   *
   * @param fields their values of the measured fields
   * @param areCounted whether these rows were counted before
   */
  addRows(
    groups: Int32Array,
    fields: readonly FieldBatch[],
    length: number,
    areCounted = false,
  ): void {
    const counts = this.#counts;
    if (!areCounted) for (let i = 0; i < length; i++) counts[groups[i]!]!++;
    for (const { place, state } of this.measured) {
      const { values, range } = fields[place]!;
      state.addEach(groups, values, length, range);
    }
  }
}

/** What to count. */
export interface Tallying {
  readonly field: string;
  readonly grouping: Grouping;
  readonly tally: Tally;
  /** The fields of the tally's places: their values are read. */
  readonly measured?: readonly MeasuredField[];
  /** How many groups are needed, the first ones in the order of the field. Default: all. */
  readonly most?: number;
}

/**
 * Adds the selected rows of a segment to a tally.
 *
 * @throws DeadlineError
 */
export function tallySegment(segment: Segment, query: ParsedQuery, tallying: Tallying): void {
  const { field, grouping, tally, measured = [], most } = tallying;
  const index =
    segment.ordered(field, query.deadline) ?? makeshiftIndex(segment, field, query.deadline);
  if (index === undefined) {
    const before = tally.size;
    const groups = groupReader(segment, field, index, grouping, 0);
    try {
      tallyRows(answerSegment(segment, query), tally, groups, measured, [field]);
    } finally {
      // The values are sorted afterwards.
      segment.charge(field, (tally.size - before) * costs.sortRow);
    }
    return;
  }
  const answer = answerSegment(segment, query);
  const { rows } = answer.plan;
  const areFew = isFew(rows, index);
  const isMeasured = measured.length > 0;
  const isCounted = !areFew && (!isMeasured || isEveryRow(answer));
  if (isCounted) addBuckets(tally, grouping.bucketsOf(index), answer, most);
  if (!isMeasured && isCounted) return;
  const groups = groupReader(segment, field, index, grouping, rows);
  tallyRows(answer, tally, groups, measured, [], isCounted);
}

/** Counts the rows of a result by the codes of an index. */
function addBuckets(
  tally: Tally,
  buckets: GroupedBuckets,
  answer: SegmentAnswer,
  most: number | undefined,
): void {
  const areAll = most === undefined && isEveryRow(answer);
  const counts = areAll ? allIn(buckets) : countBuckets(answer, buckets, most);
  const { groupOf } = buckets;
  if (groupOf === undefined) {
    tally.addCounts(counts);
    return;
  }
  for (let bucket = 0; bucket < counts.length; bucket++) {
    const count = counts[bucket]!;
    if (count > 0) tally.add(groupOf(bucket), count);
  }
}

/** How many rows each bucket has in a segment without dead rows. */
function allIn({ index: { starts }, bounds }: GroupedBuckets): Uint32Array {
  const counts = new Uint32Array((bounds ?? starts).length - 1);
  for (let i = 0; i < counts.length; i++) {
    counts[i] =
      bounds === undefined
        ? starts[i + 1]! - starts[i]!
        : starts[bounds[i + 1]!]! - starts[bounds[i]!]!;
  }
  return counts;
}

/**
 * Adds the rows of a result to a tally.
 *
 * @param read the fields of the groups whose values are read for lack of an index
 * @param areCounted whether the rows of each group were counted before
 */
export function tallyRows(
  answer: SegmentAnswer,
  tally: Tally,
  groupsOf: ReadRows<Int32Array>,
  measured: readonly MeasuredField[],
  read: readonly string[],
  areCounted = false,
): void {
  const { segment, plan, deadline } = answer;
  const groups = new Int32Array(TALLIED);
  const fields = measured.map((each) => {
    const reader = fieldReader(segment, each, plan.rows, deadline);
    return {
      ...reader,
      values: new Float64Array(TALLIED),
      get range() {
        return reader.range;
      },
    };
  });
  const scanned = measured.flatMap(({ field }, i) => (fields[i]!.isScan ? [field] : []));
  visitRows(answer, [...read, ...scanned], (rows, from, to) => {
    for (let at = from; at < to; at += TALLIED) {
      const end = Math.min(to, at + TALLIED);
      groupsOf(rows, at, end, groups);
      for (const { read: readValues, values } of fields) readValues(rows, at, end, values);
      tally.addRows(groups, fields, end - at, areCounted);
    }
  });
}

/**
 * Visits the rows of a result.
 *
 * @param read the fields whose values are read for lack of an index; the cost is charged to these
 * @throws DeadlineError
 */
export function visitRows(answer: SegmentAnswer, read: readonly string[], visit: Visit): void {
  let visited = 0;
  let isDone = false;
  const start = tuning.clock();
  const visitAll: Visit = (rows, from, to) => {
    visit(rows, from, to);
    visited += to - from;
  };
  try {
    if (isEveryRow(answer)) {
      finish(
        inSteps(answer.segment.size, (from, to) => visitAll(undefined, from, to)),
        answer.deadline,
      );
    } else execute(answer, visitAll);
    isDone = true;
  } finally {
    const cost = chargedRows(visited, isDone) * costs.valueTest;
    const times = slowness(start, answer.plan.cost + cost * Math.max(1, read.length));
    for (const field of read) answer.segment.charge(field, cost * times);
  }
}

/** Receives the rows of a result. */
type Visit = (rows: Rows, from: number, to: number) => void;

/** Whether a result has every row of its segment, in order: none has to be looked up then. */
function isEveryRow({ segment, plan, watcher, decided }: SegmentAnswer): boolean {
  const { source, filters, order, offset, limit, keeps } = plan;
  const isScan = source.step.path === "scan" && filters.length === 0 && segment.dead.count === 0;
  const isWhole = order.path === "source" && offset === 0 && limit >= segment.size;
  return isScan && isWhole && keeps === undefined && watcher === undefined && decided === undefined;
}
