// Reads the groups of rows: by their codes if the field has an index, otherwise by their values.

import { isNumeric, type TextValue } from "../../../schema/field.ts";
import { fieldOf } from "../../../schema/names.ts";
import type { Deadline } from "../../algorithms/deadline.ts";
import type { Codes, FieldIndex } from "../../indexes/field-index.ts";
import { codesTypeFor } from "../../indexes/memory-index.ts";
import { NumberColumn } from "../../indexes/number-column.ts";
import { tuning } from "../../tuning.ts";
import type { Segment } from "../../versions/segment.ts";
import type { SortValue } from "../../versions/sort-order.ts";
import { costs } from "../costs.ts";

/** How the values of a field are grouped. */
export interface Grouping {
  /** How many groups there are so far. */
  readonly size: number;
  /** The group of a value. */
  groupOf(value: SortValue): number;
  /** The range of numbers with one group that contains a number; an empty one if it is not known. */
  rangeOf?(number: number): readonly [from: number, end: number];
  /** All codes of an index by group. */
  bucketsOf(index: FieldIndex): GroupedBuckets;
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

export interface GroupedBuckets extends Buckets {
  /** The group of a bucket. Default: the groups are the buckets. */
  readonly groupOf?: ((bucket: number) => number) | undefined;
}

/** Rows at positions of an array; `undefined` stands for an array of all rows in their order. */
export type Rows = ArrayLike<number> | undefined;

/** Reads something of each of some rows into an array. */
export type ReadRows<Into> = (rows: Rows, from: number, to: number, into: Into) => void;

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
  deadline: Deadline | undefined,
): ReadRows<Int32Array> {
  if (index === undefined) return groupsRead(segment, field, grouping, rows, deadline);
  return isFew(rows, index) ? groupsFound(index, grouping) : groupsOfAll(index, grouping);
}

/** Whether the rows are few compared with the values of an index. */
export const isFew = (rows: number, { values }: FieldIndex): boolean =>
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
    readCodes(codes, rows, from, to, into);
    for (let i = 0; i < to - from; i++) {
      const code = into[i]!;
      into[i] = groups.get(code) ?? find(code);
    }
  };
}

/** The group of each code of an index; `undefined` if groups are found by values, or if there are few rows. */
export function groupsByCode(
  index: FieldIndex | undefined,
  grouping: Grouping,
  rows: number,
): { readonly codes: Codes; readonly groupOf: Codes | undefined } | undefined {
  if (index === undefined || isFew(rows, index)) return undefined;
  const { bounds, groupOf } = grouping.bucketsOf(index);
  if (groupOf !== undefined) return undefined;
  return { codes: index.codes, groupOf: bounds && bucketsOfCodes(index.values.length, bounds) };
}

/** The groups of rows by their codes, when many codes occur. */
function groupsOfAll(index: FieldIndex, grouping: Grouping): ReadRows<Int32Array> {
  const { codes } = index;
  const { bounds, groupOf } = grouping.bucketsOf(index);
  const bucketOf = bounds && bucketsOfCodes(index.values.length, bounds);
  if (groupOf !== undefined) {
    const groups = new Int32Array((bounds?.length ?? index.values.length + 1) - 1).fill(-1);
    const find = (bucket: number) => (groups[bucket] = groupOf(bucket));
    return (rows, from, to, into) => {
      readCodes(codes, rows, from, to, into);
      for (let i = 0; i < to - from; i++) {
        const bucket = bucketOf === undefined ? into[i]! : bucketOf[into[i]!]!;
        const group = groups[bucket]!;
        into[i] = group < 0 ? find(bucket) : group;
      }
    };
  }
  return (rows, from, to, into) => {
    readCodes(codes, rows, from, to, into);
    if (bucketOf === undefined) return;
    for (let i = 0; i < to - from; i++) into[i] = bucketOf[into[i]!]!;
  };
}

/** The bucket of each code below `length`. */
export function bucketsOfCodes(length: number, bounds: Uint32Array): Codes {
  const bucketOf = new (codesTypeFor(bounds.length))(length);
  for (let i = 0; i < bounds.length - 1; i++) bucketOf.fill(i, bounds[i], bounds[i + 1]);
  return bucketOf;
}

export function readCodes(
  codes: Codes,
  rows: Rows,
  from: number,
  to: number,
  into: Int32Array,
): void {
  if (rows === undefined) into.set(codes.subarray(from, to));
  else for (let i = from; i < to; i++) into[i - from] = codes[rows[i]!]!;
}

/** The groups of rows by their values. */
function groupsRead(
  segment: Segment,
  field: string,
  grouping: Grouping,
  rows: number,
  deadline: Deadline | undefined,
): ReadRows<Int32Array> {
  const numbers = numbersOf(segment, field, rows, deadline);
  if (numbers !== undefined) return groupsOfNumbers(numbers, grouping);
  const valueOf = valueReader(segment, field);
  return (rows, from, to, into) => {
    for (let i = from; i < to; i++) into[i - from] = grouping.groupOf(valueOf(rows?.[i] ?? i));
  };
}

/** The value with a code, as it is sorted by. */
export function valueOfCode(index: FieldIndex, code: number): SortValue {
  if (!isNumeric(index.type)) return index.values.at(code) ?? null;
  return code === 0 ? -Infinity : index.numberAt(code);
}

/** The numbers of a field of which about so many are read, if it has a column of them, or gets one. */
function numbersOf(
  segment: Segment,
  field: string,
  rows: number,
  deadline: Deadline | undefined,
): Float64Array | undefined {
  if (!isNumeric(fieldOf(segment.schema, field)!.type)) return undefined;
  const found = segment.numbers(field, () => rows * costs.valueTest, deadline);
  return found instanceof NumberColumn ? found.numbers : undefined;
}

/** How many ranges of numbers are remembered, and how many of them are as long as the first one. */
const CELLS = 1 << 12;
const CELLS_PER_RANGE = 8;

/** The groups of numbers. Where ranges of them have one group, each number is first looked for in a range found before. */
function groupsOfNumbers(numbers: Float64Array, grouping: Grouping): ReadRows<Int32Array> {
  const [starts, ends] = [new Float64Array(CELLS), new Float64Array(CELLS)];
  const groups = new Int32Array(CELLS);
  let scale = 0;
  const find = (number: number, cell: number): number => {
    const group = grouping.groupOf(number);
    const [from, end] = grouping.rangeOf?.(number) ?? [0, 0];
    if (!(end > from)) return group;
    if (scale === 0) scale = CELLS_PER_RANGE / (end - from);
    else [starts[cell], ends[cell], groups[cell]] = [from, end, group];
    return group;
  };
  return (rows, from, to, into) => {
    for (let i = from; i < to; i++) {
      const number = numbers[rows === undefined ? i : rows[i]!]!;
      // Any cell will do, as long as numbers of a range seldom share it with others.
      const cell = (number * scale) & (CELLS - 1);
      const isKnown = number >= starts[cell]! && number < ends[cell]!;
      into[i - from] = isKnown ? groups[cell]! : find(number, cell);
    }
  };
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
