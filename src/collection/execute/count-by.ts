// How many selected records have each value of a field.

import { isNumeric, type FieldType, type FieldValue, type WireValue } from "../../schema/field.ts";
import { parseNumber } from "../../schema/numbers.ts";
import { count, oneOf, optional, readOptions, type OptionReaders } from "../../schema/options.ts";
import { compareCodePoints } from "../../schema/order.ts";
import { selectingRange } from "../algorithms/quickselect.ts";
import type { Deadline } from "../algorithms/deadline.ts";
import { finish, STEP_ROWS } from "../algorithms/steps.ts";
import type { FieldIndex } from "../index/field-index.ts";
import type { ParsedQuery } from "../plan/query.ts";
import type { Snapshot } from "../snapshot/snapshot.ts";
import { answerSegment } from "./answer.ts";
import { addValueCounts, countBuckets, type ValueCounts } from "./tally.ts";

export interface CountByOptions {
  /** The largest number of values. Default: all. */
  readonly limit?: number | undefined;
  /**
   * `"value"`: in the order of the values, lowest first. `"count"`: the most frequent first, those
   * that are equally frequent in the order of the values. Default `"value"`.
   */
  readonly order?: "value" | "count" | undefined;
}

/** How many records have a value. */
export interface ValueCount<Value = FieldValue> {
  readonly value: Value;
  readonly count: number;
}

/** The options, resolved: without a limit, any number of values. */
interface Page {
  readonly limit: number;
  readonly order: "value" | "count";
}

/** @throws InputError */
export function readCountByOptions(options: unknown = {}): Page {
  return readOptions(options, "options", countByOptions);
}

const countByOptions: OptionReaders<Page> = {
  limit: optional(count, Infinity),
  order: optional(oneOf("value", "count"), "value"),
};

/**
 * The values of a field that selected rows have, and how many rows have each.
 *
 * @param hold turns the wire text of a value into what records hold
 */
export function countBy(
  { segments }: Snapshot,
  query: ParsedQuery,
  field: string,
  type: FieldType,
  hold: (wire: WireValue) => FieldValue,
  { limit, order }: Page,
): ValueCount[] {
  const [base, ...others] = segments;
  const { deadline } = query;
  const index = base.ordered(field, deadline);
  const rest: ValueCounts = new Map();
  for (const segment of index === undefined ? segments : others) {
    addValueCounts(rest, segment, query, field);
  }
  const most = order === "value" ? limit : Infinity;
  const { counts, valueAt } =
    index === undefined
      ? tallyOf(rest, type, deadline)
      : mergedTally(index, countBuckets(answerSegment(base, query), { index }, most), rest, most);
  const positions = order === "count" ? mostFrequent(counts, limit, deadline) : counts.keys();
  const found: ValueCount[] = [];
  for (const position of positions) {
    if (found.length === limit) break;
    found.push({ value: hold(valueAt(position)), count: counts[position]! });
  }
  return found;
}

/** Values and how many rows have each, in the order of the values. No count is 0. */
interface Tally {
  readonly counts: readonly number[];
  readonly valueAt: (position: number) => WireValue;
}

/** @throws DeadlineError */
function tallyOf(counts: ValueCounts, type: FieldType, deadline: Deadline | undefined): Tally {
  let steps = 0;
  const sorted = [...counts].sort(([a], [b]) => {
    if (++steps % STEP_ROWS === 0) deadline?.check();
    return compareValues(type, a, b);
  });
  return {
    counts: sorted.map(([, count]) => count),
    valueAt: (position) => sorted[position]![0],
  };
}

/** Compares two values that are not the same: `null` first. */
export function compareValues(type: FieldType, a: WireValue, b: WireValue): number {
  if (a === null) return -1;
  if (b === null) return 1;
  return isNumeric(type) ? parseNumber(a) - parseNumber(b) : compareCodePoints(a, b);
}

/**
 * @param counts how many rows have each code of the index
 * @param rest other counts, of values that may or may not be in the index
 * @param most how many values are enough
 */
function mergedTally(
  index: FieldIndex,
  counts: Uint32Array,
  rest: ValueCounts,
  most: number,
): Tally {
  const { values, type } = index;
  /** The values that are not in the index, by the first code whose value is higher. */
  const strangers: { readonly before: number; readonly value: WireValue; count: number }[] = [];
  for (const [value, count] of rest) {
    const code = value === null ? 0 : index.firstCodeOf(value);
    if (code < counts.length && values.at(code) === value) counts[code]! += count;
    else strangers.push({ before: code, value, count });
  }
  strangers.sort((a, b) => compareValues(type, a.value, b.value));
  /** A code each, or the complement of the number of a value outside the index. */
  const places: number[] = [];
  let next = 0;
  for (let code = 0; code < counts.length && places.length < most; code++) {
    while (strangers[next]?.before === code) places.push(~next++);
    if (counts[code]! > 0) places.push(code);
  }
  while (next < strangers.length) places.push(~next++);
  return {
    counts: places.map((place) => (place < 0 ? strangers[~place]!.count : counts[place]!)),
    valueAt(position) {
      const place = places[position]!;
      return place < 0 ? strangers[~place]!.value : (values.at(place) ?? null);
    },
  };
}

/**
 * The positions of the largest counts, the largest first; equal ones in order of position.
 *
 * @throws DeadlineError
 */
function mostFrequent(
  counts: readonly number[],
  limit: number,
  deadline: Deadline | undefined,
): Iterable<number> {
  const most = counts.reduce((most, count) => Math.max(most, count), 0);
  // One number holds both, so equal counts keep their order. It is exact up to 2^53.
  const keys = Float64Array.from(counts, (count, i) => (most - count) * counts.length + i);
  finish(selectingRange(keys, 0, limit), deadline);
  return keys.subarray(0, limit).map((key) => key % counts.length);
}
