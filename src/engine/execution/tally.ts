// Counts the selected rows by groups of a field's values, and measures other fields in each group: the basis of `groupBy`,
// `countBy`, `histogram` and `summary`. With an index of the field, its codes are counted without reading values.

import type { GroupState } from "../aggregates/aggregate.ts";
import { Totaling } from "../aggregates/totals.ts";
import { slowness } from "../indexes/account.ts";
import { costs } from "../operators/costs.ts";
import type { ParsedQuery } from "../query.ts";
import { tuning } from "../tuning.ts";
import type { Segment } from "../versions/segment.ts";
import { countBuckets } from "./count-buckets.ts";
import { answerSegment, chargedRows, execute, type SegmentAnswer, type Sink } from "./execute.ts";
import { makeshiftIndex } from "./makeshift-index.ts";
import { fieldReader, TALLIED, type FieldBatch, type MeasuredField } from "./measured-field.ts";
import { groupReader, isFew, type Grouping, type ReadRows } from "./read-groups.ts";

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

  /** Adds rows to the first groups. */
  addCounts(rows: Uint32Array): void {
    const counts = this.#counts;
    for (let group = 0; group < rows.length; group++) counts[group]! += rows[group]!;
  }

  /**
   * Adds one row to each of `length` groups.
   *
   * @param fields their values of the measured fields
   */
  addRows(groups: Int32Array, fields: readonly FieldBatch[], length: number): void {
    const counts = this.#counts;
    for (let i = 0; i < length; i++) counts[groups[i]!]!++;
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
  if (isFew(answer.plan.rows, index) || measured.length > 0) {
    const groups = groupReader(segment, field, index, grouping, answer.plan.rows);
    tallyRows(answer, tally, groups, measured, []);
    return;
  }
  const buckets = grouping.bucketsOf(index);
  const counts = countBuckets(answer, buckets, most);
  const { groupOf } = buckets;
  if (groupOf === undefined) tally.addCounts(counts);
  else {
    for (let bucket = 0; bucket < counts.length; bucket++) {
      const count = counts[bucket]!;
      if (count > 0) tally.add(groupOf(bucket), count);
    }
  }
}

/**
 * Adds the rows of a result to a tally.
 *
 * @param read the fields of the groups whose values are read for lack of an index
 */
export function tallyRows(
  answer: SegmentAnswer,
  tally: Tally,
  groupsOf: ReadRows<Int32Array>,
  measured: readonly MeasuredField[],
  read: readonly string[],
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
      tally.addRows(groups, fields, end - at);
    }
  });
}

/**
 * Visits the rows of a result.
 *
 * @param read the fields whose values are read for lack of an index; the cost is charged to these
 * @throws DeadlineError
 */
export function visitRows(answer: SegmentAnswer, read: readonly string[], visit: Sink): void {
  let visited = 0;
  let isDone = false;
  const start = tuning.clock();
  try {
    execute(answer, (rows, from, to) => {
      visit(rows, from, to);
      visited += to - from;
    });
    isDone = true;
  } finally {
    const cost = chargedRows(visited, isDone) * costs.valueTest;
    const times = slowness(start, answer.plan.cost + cost * Math.max(1, read.length));
    for (const field of read) answer.segment.charge(field, cost * times);
  }
}
