// The numbers of an index by row, and those of values in a file by code. Sums read them: by row where there
// are many values, since rows are read in their order and values are not.
//
// Held: for each index that is summed repeatedly, eight bytes for each distinct value in a file, or for each
// row, or both, as long as the index exists. They are made at the second request, so a single one pays only for the
// values that it reads.
//
// Stale: never, since an index doesn't change.

import type { FieldIndex } from "../index/field-index.ts";
import { NumberValues } from "../index/number-values.ts";

interface Kept {
  byCode?: Float64Array;
  byRow?: Float64Array;
}

const numbers = new WeakMap<FieldIndex, Kept>();

/** Reads the number of a code; NaN for that of `null`. */
export function numberReader(index: FieldIndex): (code: number) => number {
  const { values } = index;
  const read = (code: number) => (code === 0 ? NaN : index.numberAt(code));
  const kept = keptOf(index);
  if (kept === undefined || values instanceof NumberValues) return read;
  const known = (kept.byCode ??= Float64Array.from({ length: values.length }, (_, i) => read(i)));
  return (code) => known[code]!;
}

/** Reads the number of a row; NaN for `null`. */
export function rowNumberReader(index: FieldIndex): (row: number) => number {
  const { codes } = index;
  const known = numbers.get(index)?.byRow;
  if (known !== undefined) return (row) => known[row]!;
  const isKept = numbers.has(index);
  const numberOf = numberReader(index);
  if (!isKept) return (row) => numberOf(codes[row]!);
  const byRow = Float64Array.from(codes, numberOf);
  // Those by code are garbage, unless sums of few values ask for them again.
  numbers.set(index, { byRow });
  return (row) => byRow[row]!;
}

/** What is kept of an index; `undefined` where its numbers are asked for the first time. */
function keptOf(index: FieldIndex): Kept | undefined {
  const kept = numbers.get(index);
  if (kept === undefined) numbers.set(index, {});
  return kept;
}
