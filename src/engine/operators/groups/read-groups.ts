// Reads the groups of rows: by their codes if the field has an index, otherwise by their values.

import { isNumeric, type TextValue } from "../../../schema/field.ts";
import { fieldOf } from "../../../schema/names.ts";
import type { Deadline } from "../../algorithms/deadline.ts";
import { grown } from "../../algorithms/exact-sum.ts";
import type { Codes, FieldIndex } from "../../indexes/field-index.ts";
import { codesTypeFor } from "../../indexes/memory-index.ts";
import { NumberColumn } from "../../indexes/number-column.ts";
import { tuning } from "../../tuning.ts";
import type { Segment } from "../../versions/segment.ts";
import type { SortValue } from "../../versions/sort-order.ts";
import { costs } from "../costs.ts";
import { BLOCK_ROWS, readCodes, readNumbers, rowIn, type Block } from "./block.ts";

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

/** Reads something of each row of a block into an array. */
export type ReadBlock<Into> = (block: Block, into: Into) => void;

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
): ReadBlock<Int32Array> {
  if (index === undefined) return groupsRead(segment, field, grouping, rows, deadline);
  return isFew(rows, index) ? groupsFound(index, grouping) : groupsOfAll(index, grouping);
}

/** Whether the rows are few compared with the values of an index. */
export const isFew = (rows: number, { values }: FieldIndex): boolean =>
  rows * tuning.sparsePart < values.length;

/** The groups of rows by their codes, when few codes occur: only those are looked at. */
function groupsFound(index: FieldIndex, grouping: Grouping): ReadBlock<Int32Array> {
  const { codes } = index;
  const groups = new Map<number, number>();
  const find = (code: number) => {
    const group = grouping.groupOf(valueOfCode(index, code));
    groups.set(code, group);
    return group;
  };
  return (block, into) => {
    readCodes(codes, block, into);
    for (let i = 0; i < block.length; i++) {
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
function groupsOfAll(index: FieldIndex, grouping: Grouping): ReadBlock<Int32Array> {
  const { codes } = index;
  const { bounds, groupOf } = grouping.bucketsOf(index);
  const bucketOf = bounds && bucketsOfCodes(index.values.length, bounds);
  if (groupOf !== undefined) {
    const groups = new Int32Array((bounds?.length ?? index.values.length + 1) - 1).fill(-1);
    const find = (bucket: number) => (groups[bucket] = groupOf(bucket));
    return (block, into) => {
      readCodes(codes, block, into);
      for (let i = 0; i < block.length; i++) {
        const bucket = bucketOf === undefined ? into[i]! : bucketOf[into[i]!]!;
        const group = groups[bucket]!;
        into[i] = group < 0 ? find(bucket) : group;
      }
    };
  }
  return (block, into) => {
    readCodes(codes, block, into);
    if (bucketOf === undefined) return;
    for (let i = 0; i < block.length; i++) into[i] = bucketOf[into[i]!]!;
  };
}

/** The bucket of each code below `length`. */
export function bucketsOfCodes(length: number, bounds: Uint32Array): Codes {
  const bucketOf = new (codesTypeFor(bounds.length))(length);
  for (let i = 0; i < bounds.length - 1; i++) bucketOf.fill(i, bounds[i], bounds[i + 1]);
  return bucketOf;
}

/** The groups of rows by their values. */
function groupsRead(
  segment: Segment,
  field: string,
  grouping: Grouping,
  rows: number,
  deadline: Deadline | undefined,
): ReadBlock<Int32Array> {
  const numbers = numbersOf(segment, field, rows, deadline);
  if (numbers !== undefined) return groupsOfNumbers(numbers, grouping);
  const valueOf = valueReader(segment, field);
  return (block, into) => {
    for (let i = 0; i < block.length; i++) into[i] = grouping.groupOf(valueOf(rowIn(block, i)));
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

/** How many cells there are; how many each range of numbers has at first, and those of a unit if each has a group. */
const CELLS = 1 << 16;
const CELLS_PER_RANGE = 64;
const CELLS_PER_UNIT = 1;

/**
 * The groups of numbers. Each number is first looked for in the range with one group that was last found for a number of
 * its cell. Most cells are within a single range, unless there are very many of these.
 */
function groupsOfNumbers(numbers: Float64Array, grouping: Grouping): ReadBlock<Int32Array> {
  /** By range: where it begins and ends, and its group. The first has no number. */
  const starts = [NaN];
  const ends = [NaN];
  const groups = [0];
  const rangeAt = new Map<number, number>();
  const cells = new Uint32Array(CELLS);
  let scale = CELLS_PER_UNIT;
  let isByRange = false;
  const contains = (range: number, number: number): boolean => {
    const start = starts[range]!;
    return number === start || (number > start && number < ends[range]!);
  };
  const find = (number: number, cell: number): number => {
    // Where one range ends and the next begins, cells have numbers of both.
    for (let near = cell + CELLS - 1; near <= cell + CELLS + 1; near += 2) {
      const range = cells[near & (CELLS - 1)]!;
      if (contains(range, number)) return groups[(cells[cell] = range)]!;
    }
    const group = grouping.groupOf(number);
    const [from, end] = rangeOf(grouping, number);
    const width = end - from;
    // A number of its own is here again only if it shares its cell with others.
    let range = width > 0 ? rangeAt.get(from) : undefined;
    if (range === undefined) {
      if (starts.length > CELLS) return group;
      range = starts.push(from) - 1;
      ends.push(end);
      groups.push(group);
      if (width > 0) rangeAt.set(from, range);
      const isFirst = !isByRange && width > 0 && width < Infinity;
      // Otherwise ranges from all over would share cells.
      if (isFirst || (isByRange && range * width * scale > CELLS)) {
        scale = isFirst ? CELLS_PER_RANGE / width : scale / 2;
        isByRange = true;
        cells.fill(0);
        return group;
      }
    }
    cells[cell] = range;
    return group;
  };
  let own: Float64Array = new Float64Array(BLOCK_ROWS);
  return (block, into) => {
    const { length } = block;
    own = grown(own, length);
    readNumbers(numbers, block, own);
    for (let i = 0; i < length; i++) {
      const number = own[i]!;
      const cell = (number * scale) & (CELLS - 1);
      const range = cells[cell]!;
      into[i] = contains(range, number) ? groups[range]! : find(number, cell);
    }
  };
}

/** The numbers with one group that contain a number; only that one if no others are known. */
function rangeOf(grouping: Grouping, number: number): readonly [from: number, end: number] {
  const range = grouping.rangeOf?.(number);
  return range !== undefined && range[1] > range[0] ? range : [number, number];
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
