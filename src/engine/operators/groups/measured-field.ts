// Reads the values of a measured field: its numbers, or the numbers that other values have.

import { fieldOf } from "../../../schema/names.ts";
import type { Deadline } from "../../algorithms/deadline.ts";
import { exponentOf, rangeOfFloats, type NumberRange } from "../../algorithms/exact-sum.ts";
import type { FieldIndex } from "../../indexes/field-index.ts";
import { NumberColumn } from "../../indexes/number-column.ts";
import type { Segment } from "../../versions/segment.ts";
import { costs } from "../costs.ts";
import { BLOCK_ROWS, readCodes, readNumbers, rowIn } from "./block.ts";
import { groupReader, type Grouping, type ReadBlock } from "./read-groups.ts";

/** A field to measure; other values than numbers are numbered. */
export interface MeasuredField {
  readonly field: string;
  readonly numbering?: Grouping | undefined;
}

/** The field of numbers to sum up, if there is one. */
export const summing = (field: string | undefined): readonly MeasuredField[] =>
  field === undefined ? [] : [{ field }];

/** Values of a measured field, as {@link GroupState.addEach} takes them, but for nulls. */
export interface FieldBatch {
  /** −Infinity stands for null. */
  readonly values: Float64Array;
  readonly range: NumberRange;
  readonly mayHaveNulls: boolean;
}

/** How to read the values of a measured field. */
interface FieldReader {
  /** −Infinity stands for null. */
  readonly read: ReadBlock<Float64Array>;
  readonly mayHaveNulls: boolean;
  /** Of what was read so far. */
  readonly range: NumberRange;
  /** Whether values are read for lack of an index. */
  readonly isScan: boolean;
}

export function fieldReader(
  segment: Segment,
  { field, numbering }: MeasuredField,
  rows: number,
  deadline: Deadline | undefined,
): FieldReader {
  if (numbering !== undefined) {
    const index = segment.ordered(field, deadline);
    const numberOf = groupReader(segment, field, index, numbering, rows, deadline);
    const nullNumber = numbering.groupOf(null);
    const numbers = new Int32Array(BLOCK_ROWS);
    const read: FieldReader["read"] = (block, into) => {
      numberOf(block, numbers);
      for (let i = 0; i < block.length; i++) {
        into[i] = numbers[i] === nullNumber ? -Infinity : numbers[i]!;
      }
    };
    const isScan = index === undefined;
    return {
      read,
      mayHaveNulls: true,
      isScan,
      get range() {
        return { most: numbering.size, unit: 1 };
      },
    };
  }
  const cost = (ordered: FieldIndex | undefined) =>
    rows * (ordered === undefined ? costs.valueTest : costs.scatteredNumber);
  const numbers = segment.numbers(field, cost, deadline);
  if (numbers === undefined) return numbersRead(segment, field);
  return numbers instanceof NumberColumn
    ? {
        read: (block, into) => readNumbers(numbers.numbers, block, into),
        range: numbers.range,
        mayHaveNulls: numbers.hasNulls,
        isScan: false,
      }
    : { read: readByCode(numbers), range: rangeIn(numbers), mayHaveNulls: true, isScan: false };
}

function readByCode(index: FieldIndex): FieldReader["read"] {
  const { numbers } = index.values;
  const codes = new Int32Array(BLOCK_ROWS);
  return (block, into) => {
    readCodes(index.codes, block, codes);
    const { length } = block;
    if (numbers !== undefined) {
      for (let i = 0; i < length; i++) into[i] = numbers[codes[i]!]!;
      return;
    }
    for (let i = 0; i < length; i++) {
      into[i] = codes[i] === 0 ? -Infinity : index.numberAt(codes[i]!);
    }
  };
}

/** Reads the numbers of a field that has no index. */
function numbersRead({ schema, rows }: Segment, field: string): FieldReader {
  const numberOf = rows.numberReaderOf(field);
  const isInt = fieldOf(schema, field)?.type === "int";
  /** Powers of two, so that they seldom change. */
  let most = 1;
  let least = Infinity;
  let range: NumberRange = { most, unit: 1 };
  return {
    read(block, into) {
      const [mostBefore, leastBefore] = [most, least];
      for (let i = 0; i < block.length; i++) {
        const number = numberOf(rowIn(block, i));
        into[i] = number;
        const size = Math.abs(number);
        if (size > most && number !== -Infinity) most = 2 ** (exponentOf(size) + 1);
        if (size < least && size > 0) least = 2 ** exponentOf(size);
      }
      if (most === mostBefore && least === leastBefore) return;
      range = isInt ? { most, unit: 1 } : rangeOfFloats(least, most);
    },
    get range() {
      return range;
    },
    mayHaveNulls: true,
    // Charged before.
    isScan: false,
  };
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
