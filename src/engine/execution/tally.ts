// Counts the selected rows by groups of a field's values, and sums another field in each group: the basis of `countBy`,
// `histogram` and `summary`. With an index of the field, its codes are counted without reading values. If an index
// answers the criteria too, its runs are counted directly, since the order of rows does not matter.

import { slowness } from "../indexes/account.ts";
import { isNumeric, type TextValue } from "../../schema/field.ts";
import { fieldOf } from "../../schema/names.ts";
import type { Deadline } from "../algorithms/deadline.ts";
import { ANY_NUMBERS, rangeOfFloats, type NumberRange } from "../algorithms/exact-sum.ts";
import { complement, forEachRange, type CodeSet } from "../indexes/code-set.ts";
import type { FieldIndex, Codes } from "../indexes/field-index.ts";
import { codesTypeFor } from "../indexes/memory-index.ts";
import { costs } from "../operators/costs.ts";
import type { SelectedCodes } from "../operators/operator.ts";
import { codesOf } from "../operators/table.ts";
import type { Plan } from "../operators/plan.ts";
import type { ParsedQuery } from "../query.ts";
import { tuning } from "../tuning.ts";
import { DeadRows } from "../versions/dead-rows.ts";
import type { Segment } from "../versions/segment.ts";
import type { SortValue } from "../versions/sort-order.ts";
import { chargedRows, execute, type SegmentAnswer, type Sink, answerSegment } from "./execute.ts";
import { makeshiftIndex } from "./makeshift-index.ts";
import type { GroupState } from "../aggregates/aggregate.ts";
import { Totaling } from "../aggregates/totals.ts";

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

/** Values of a measured field, as {@link GroupState.addEach} takes them. */
export interface FieldBatch {
  readonly values: Float64Array;
  readonly range: NumberRange;
}

/** How the values of a field are grouped. */
export interface Grouping {
  /** The group of a value. */
  groupOf(value: SortValue): number;
  /** All codes of an index by group. */
  bucketsOf(index: FieldIndex): GroupedBuckets;
}

export interface GroupedBuckets extends Buckets {
  /** The group of a bucket. Default: the groups are the buckets. */
  readonly groupOf?: ((bucket: number) => number) | undefined;
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

/** A field to measure; other values than numbers are numbered. */
export interface MeasuredField {
  readonly field: string;
  readonly numbering?: Grouping | undefined;
}

/** The field of numbers to sum up, if there is one. */
export const summing = (field: string | undefined): readonly MeasuredField[] =>
  field === undefined ? [] : [{ field }];

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

/** Reads something of each of some rows into an array. */
export type ReadRows<Into> = (
  rows: ArrayLike<number>,
  from: number,
  to: number,
  into: Into,
) => void;

/** How to read the values of a measured field. */
interface FieldReader {
  /** −Infinity stands for null. */
  readonly read: ReadRows<Float64Array>;
  readonly range: NumberRange;
  /** Whether values are read for lack of an index. */
  readonly isScan: boolean;
}

function fieldReader(
  segment: Segment,
  { field, numbering }: MeasuredField,
  rows: number,
  deadline: Deadline | undefined,
): FieldReader {
  const index = segment.ordered(field, deadline);
  if (numbering !== undefined) {
    const numberOf = groupReader(segment, field, index, numbering, rows);
    const nullNumber = numbering.groupOf(null);
    const numbers = new Int32Array(TALLIED);
    const read: FieldReader["read"] = (some, from, to, into) => {
      numberOf(some, from, to, numbers);
      for (let i = 0; i < to - from; i++) {
        into[i] = numbers[i] === nullNumber ? -Infinity : numbers[i]!;
      }
    };
    return { read, range: ANY_NUMBERS, isScan: index === undefined };
  }
  if (index === undefined) {
    const numberOf = segment.rows.numberReaderOf(field);
    const read: FieldReader["read"] = (some, from, to, into) => {
      for (let i = from; i < to; i++) into[i - from] = numberOf(some[i]!);
    };
    return { read, range: ANY_NUMBERS, isScan: true };
  }
  const { codes, values } = index;
  const { numbers } = values;
  const byRow = index.numbersByRow ?? numbersByRow(segment, index, rows, deadline);
  const read: FieldReader["read"] = (some, from, to, into) => {
    if (byRow !== undefined) {
      for (let i = from; i < to; i++) into[i - from] = byRow[some[i]!]!;
      return;
    }
    if (numbers !== undefined) {
      for (let i = from; i < to; i++) into[i - from] = numbers[codes[some[i]!]!]!;
      return;
    }
    for (let i = from; i < to; i++) {
      const code = codes[some[i]!]!;
      into[i - from] = code === 0 ? -Infinity : index.numberAt(code);
    }
  };
  return { read, range: rangeIn(index), isScan: false };
}

/** About what making a number of {@link numbersByRow} takes, in nanoseconds. */
const NUMBER_BY_ROW = 20;

/** The numbers of all rows, made if most are read anyway, and there is room and time for it. */
function numbersByRow(
  { options: { budget } }: Segment,
  index: FieldIndex,
  rows: number,
  deadline: Deadline | undefined,
): Float64Array | undefined {
  if (index.values.length <= tuning.fewNumbers || 2 * rows < index.rows) return undefined;
  if (index.isInPieces || (budget?.left ?? Infinity) < 8 * index.rows) return undefined;
  if (deadline?.hasTimeFor(NUMBER_BY_ROW * index.rows) === false) return undefined;
  return index.makeNumbersByRow();
}

/** The range of the numbers of an index. */
function rangeIn(index: FieldIndex): NumberRange {
  const { length } = index.values;
  if (length === 1) return { most: 0, unit: 1 };
  const most = Math.max(Math.abs(index.numberAt(1)), Math.abs(index.numberAt(length - 1)));
  if (index.type === "int") return { most, unit: 1 };
  const near = index.firstCodeOf("0");
  const atOrAbove = near < length && index.numberAt(near) === 0 ? near + 1 : near;
  const least = Math.min(
    near > 1 ? -index.numberAt(near - 1) : Infinity,
    atOrAbove < length ? index.numberAt(atOrAbove) : Infinity,
  );
  return rangeOfFloats(least, most);
}

/** How many rows are tallied at once. */
export const TALLIED = 1024;

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
  const fields = measured.map((each) => ({
    ...fieldReader(segment, each, plan.rows, deadline),
    values: new Float64Array(TALLIED),
  }));
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

/**
 * Reads the groups of rows.
 *
 * @param index of the field, if it has one
 * @param rows about how many there are
 */
export function groupReader(
  segment: Segment,
  field: string,
  index: FieldIndex | undefined,
  grouping: Grouping,
  rows: number,
): ReadRows<Int32Array> {
  if (index === undefined) return groupsRead(segment, field, grouping);
  return isFew(rows, index) ? groupsFound(index, grouping) : groupsOfAll(index, grouping);
}

/** Whether the rows are few compared with the values of an index. */
const isFew = (rows: number, { values }: FieldIndex): boolean =>
  rows * tuning.sparsePart < values.length;

/** The groups of rows by their codes, when few codes occur: only those are looked at. */
function groupsFound(index: FieldIndex, grouping: Grouping): ReadRows<Int32Array> {
  const { codes } = index;
  const groups = new Map<number, number>();
  const find = (code: number) => {
    const group = grouping.groupOf(valueOfCode(index, code));
    groups.set(code, group);
    return group;
  };
  return (rows, from, to, into) => {
    for (let i = from; i < to; i++) {
      const code = codes[rows[i]!]!;
      into[i - from] = groups.get(code) ?? find(code);
    }
  };
}

/** The groups of rows by their codes, when many codes occur. */
function groupsOfAll(index: FieldIndex, grouping: Grouping): ReadRows<Int32Array> {
  const { codes } = index;
  const { bounds, groupOf } = grouping.bucketsOf(index);
  const bucketOf = bounds && bucketsOfCodes(index.values.length, bounds);
  if (groupOf === undefined) {
    return (rows, from, to, into) => {
      for (let i = from; i < to; i++) {
        const code = codes[rows[i]!]!;
        into[i - from] = bucketOf === undefined ? code : bucketOf[code]!;
      }
    };
  }
  const groups = new Int32Array(index.values.length).fill(-1);
  const find = (code: number) => (groups[code] = groupOf(bucketOf?.[code] ?? code));
  return (rows, from, to, into) => {
    for (let i = from; i < to; i++) {
      const code = codes[rows[i]!]!;
      const group = groups[code]!;
      into[i - from] = group < 0 ? find(code) : group;
    }
  };
}

/** The groups of rows by their values. */
function groupsRead(segment: Segment, field: string, grouping: Grouping): ReadRows<Int32Array> {
  const valueOf = valueReader(segment, field);
  return (rows, from, to, into) => {
    for (let i = from; i < to; i++) into[i - from] = grouping.groupOf(valueOf(rows[i]!));
  };
}

/** The value with a code, as it is sorted by. */
export function valueOfCode(index: FieldIndex, code: number): SortValue {
  if (!isNumeric(index.type)) return index.values.at(code) ?? null;
  return code === 0 ? -Infinity : index.numberAt(code);
}

/** Reads the values of rows, as they are sorted by. */
function valueReader({ schema, rows }: Segment, field: string): (row: number) => SortValue {
  const isNumber = isNumeric(fieldOf(schema, field)!.type);
  return isNumber ? rows.numberReaderOf(field) : rows.readerOf(field);
}

/** The text form of a value as it is sorted by. */
export function textFormOfValue(value: SortValue): TextValue {
  return value === -Infinity || value === null ? null : String(value);
}

/** The buckets to count: single codes of an index, or ranges of codes. */
export interface Buckets {
  readonly index: FieldIndex;
  /**
   * Bucket `i` has the codes from `bounds[i]` up to `bounds[i + 1]`; the first begins at 0, the last ends after the
   * last code. Without bounds, each code is a bucket.
   */
  readonly bounds?: Uint32Array | undefined;
}

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

/** The bucket of each code below `length`. */
function bucketsOfCodes(length: number, bounds: Uint32Array): Codes {
  const bucketOf = new (codesTypeFor(bounds.length))(length);
  for (let i = 0; i < bounds.length - 1; i++) bucketOf.fill(i, bounds[i], bounds[i + 1]);
  return bucketOf;
}
