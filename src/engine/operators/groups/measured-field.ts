// Reads the values of a measured field: its numbers, or the numbers that other values have.

import { fieldOf } from "../../../schema/names.ts";
import type { Deadline } from "../../algorithms/deadline.ts";
import { ANY_NUMBERS, rangeOfFloats, type NumberRange } from "../../algorithms/exact-sum.ts";
import type { FieldIndex } from "../../indexes/field-index.ts";
import { NumberColumn } from "../../indexes/number-column.ts";
import type { Segment } from "../../versions/segment.ts";
import { costs } from "../costs.ts";
import { groupReader, readCodes, type Grouping, type ReadRows } from "./read-groups.ts";

/** A field to measure; other values than numbers are numbered. */
export interface MeasuredField {
  readonly field: string;
  readonly numbering?: Grouping | undefined;
}

/** The field of numbers to sum up, if there is one. */
export const summing = (field: string | undefined): readonly MeasuredField[] =>
  field === undefined ? [] : [{ field }];

/** Values of a measured field, as {@link GroupState.addEach} takes them. */
export interface FieldBatch {
  readonly values: Float64Array;
  readonly range: NumberRange;
}

/** How many rows are tallied at once. */
export const TALLIED = 1024;

/** How to read the values of a measured field. */
interface FieldReader {
  /** −Infinity stands for null. */
  readonly read: ReadRows<Float64Array>;
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
    const numbers = new Int32Array(TALLIED);
    const read: FieldReader["read"] = (some, from, to, into) => {
      numberOf(some, from, to, numbers);
      for (let i = 0; i < to - from; i++) {
        into[i] = numbers[i] === nullNumber ? -Infinity : numbers[i]!;
      }
    };
    const isScan = index === undefined;
    return {
      read,
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
    ? { read: readByRow(numbers.numbers), range: numbers.range, isScan: false }
    : { read: readByCode(numbers), range: rangeIn(numbers), isScan: false };
}

const readByRow =
  (numbers: Float64Array): FieldReader["read"] =>
  (rows, from, to, into) => {
    if (rows === undefined) into.set(numbers.subarray(from, to));
    else for (let i = from; i < to; i++) into[i - from] = numbers[rows[i]!]!;
  };

function readByCode(index: FieldIndex): FieldReader["read"] {
  const { numbers } = index.values;
  const codes = new Int32Array(TALLIED);
  return (rows, from, to, into) => {
    readCodes(index.codes, rows, from, to, codes);
    const length = to - from;
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
  /** A power of two, so that it seldom changes. */
  let most = 1;
  return {
    read(some, from, to, into) {
      for (let i = from; i < to; i++) {
        const number = numberOf(some?.[i] ?? i);
        into[i - from] = number;
        if (Math.abs(number) > most && number !== -Infinity) {
          most = 2 ** Math.ceil(Math.log2(Math.abs(number)));
        }
      }
    },
    get range() {
      return isInt ? { most, unit: 1 } : ANY_NUMBERS;
    },
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
