// Counts the rows whose codes are in some sets, by reading the codes of all rows in sequence, one column after the
// other, a block of rows at a time.

import { bitAt, type Bitset } from "../algorithms/bitset.ts";
import { inSteps, type Steps } from "../algorithms/steps.ts";
import { bitsOf, onlyRange } from "../indexes/code-set.ts";
import type { Codes } from "../indexes/field-index.ts";
import type { SelectedCodes } from "../operators/operator.ts";
import { DeadRows } from "../versions/dead-rows.ts";

/** How many rows a block has: their marks stay in the first cache of a processor. */
const BLOCK = 1 << 14;

/** How many rows have a code in each of some sets, dead rows included. @param rows how many there are */
export function* countingColumns(sets: readonly SelectedCodes[], rows: number): Steps<number> {
  const marks = new Uint8Array(Math.min(BLOCK, rows));
  const markers = sets.map(markerOf);
  let count = 0;
  yield* inSteps(
    rows,
    (from, to) => {
      marks.fill(1, 0, to - from);
      for (const mark of markers) mark(marks, from, to);
      count += sumOf(marks, to - from);
    },
    BLOCK,
  );
  return count;
}

/** How many dead rows have a code in each of some sets. */
export function countDead(dead: DeadRows, sets: readonly SelectedCodes[]): number {
  if (dead.count === 0) return 0;
  const rows = dead.difference(DeadRows.EMPTY);
  const marks = new Uint8Array(rows.length).fill(1);
  for (const { index, set } of sets) {
    const { codes } = index;
    const bits = bitsOf(set, index.values.length);
    for (let i = 0; i < rows.length; i++) marks[i]! &= bitAt(bits, codes[rows[i]!]!);
  }
  return sumOf(marks, marks.length);
}

/** Clears the marks of the rows from one up to another whose codes are not in a set. */
type Marker = (marks: Uint8Array, from: number, to: number) => void;

function markerOf({ index, set }: SelectedCodes): Marker {
  const { codes } = index;
  const range = onlyRange(set);
  if (range !== undefined) {
    const [low, high] = range;
    return (marks, from, to) => markRange(marks, codes, from, to, low, high);
  }
  const bits = bitsOf(set, index.values.length);
  return (marks, from, to) => markSet(marks, codes, from, to, bits);
}

function markRange(
  marks: Uint8Array,
  codes: Codes,
  from: number,
  to: number,
  low: number,
  high: number,
): void {
  for (let row = from; row < to; row++) {
    const code = codes[row]!;
    marks[row - from]! &= code >= low && code < high ? 1 : 0;
  }
}

function markSet(marks: Uint8Array, codes: Codes, from: number, to: number, bits: Bitset): void {
  for (let row = from; row < to; row++) marks[row - from]! &= bitAt(bits, codes[row]!);
}

function sumOf(marks: Uint8Array, length: number): number {
  let sum = 0;
  for (let i = 0; i < length; i++) sum += marks[i]!;
  return sum;
}
