// The numbers of a field by row, for aggregates: they read all or many of them in sequence, and need neither an order nor
// the distinct ones. Making it takes a fraction of the time of the ordered index.

import { rangeOfFloats, type NumberRange } from "../algorithms/exact-sum.ts";
import { inSteps, type Steps } from "../algorithms/steps.ts";
import type { Column } from "./column.ts";
import { numberIn } from "./field-index.ts";
import type { Structure } from "./index-budget.ts";
import type { MovedRows } from "./merge.ts";

export class NumberColumn implements Structure {
  lastUsed = 0;
  /** By row; −Infinity stands for null. */
  readonly numbers: Float64Array;
  readonly range: NumberRange;
  readonly hasNulls: boolean;

  constructor(numbers: Float64Array, range: NumberRange, hasNulls: boolean) {
    this.numbers = numbers;
    this.range = range;
    this.hasNulls = hasNulls;
  }

  get bytes(): number {
    return this.numbers.byteLength;
  }

  /** From the ordered index of the field if there is one, otherwise from its rows. */
  static building({ type, rows, readNumber = noNumber, own }: Column): Steps<NumberColumn> {
    const read = own === undefined ? readNumber : (row: number) => numberIn(own, row);
    return filling(type === "int", rows, read);
  }

  /** The column of merged rows. If each has the number that the row of its place had before, it is the same. */
  *merging(
    { type, readNumber = noNumber }: Column,
    { origins, added, areInPlace }: MovedRows,
  ): Steps<NumberColumn> {
    const before = this.numbers;
    if (areInPlace && added.every((row) => readNumber(row) === before[row])) return this;
    return yield* filling(type === "int", origins.length, (row) => {
      const origin = origins[row]!;
      return origin >= 0 ? before[origin]! : readNumber(row);
    });
  }
}

/** Fields of other values have no numbers. */
const noNumber = () => -Infinity;

function* filling(
  areIntegers: boolean,
  rows: number,
  read: (row: number) => number,
): Steps<NumberColumn> {
  const numbers = new Float64Array(rows);
  let most = 0;
  let least = Infinity;
  let hasNulls = false;
  yield* inSteps(rows, (from, to) => {
    for (let row = from; row < to; row++) numbers[row] = read(row);
    for (let row = from; row < to; row++) {
      const number = numbers[row]!;
      const size = Math.abs(number);
      if (number === -Infinity) hasNulls = true;
      if (number === -Infinity || size === 0) continue;
      if (size > most) most = size;
      if (size < least) least = size;
    }
  });
  const range = areIntegers ? { most, unit: 1 } : rangeOfFloats(least, most);
  return new NumberColumn(numbers, range, hasNulls);
}
