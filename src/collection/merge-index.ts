// The index of merged segments, from the indexes of its parts: their values are sorted already, so
// that nothing has to be sorted again.

import type { WireValue } from "../schema/field.ts";
import { FieldIndex, type Codes } from "./field-index.ts";

/** In place of a row's number in the merged segment: the row is dead. */
export const DEAD = 0xffffffff;

/** A part: its index, and for each of its rows the number in the merged segment. */
export interface IndexPart {
  readonly index: FieldIndex;
  readonly rowOf: Uint32Array;
}

/** Merges the index of a large part and that of a small one. Linear in the rows and values. */
export function mergeIndexes(large: IndexPart, small: IndexPart, rows: number): FieldIndex {
  const { type } = large.index;
  const values: WireValue[] = [null];
  const largeCodes = liveCodes(large);
  const smallCodes = liveCodes(small);
  let next = 1;
  const takeLarge = (to: number) => {
    for (; next < to; next++) {
      if (largeCodes[next] !== 0) largeCodes[next] = values.push(large.index.values[next]!) - 1;
    }
  };
  for (let code = 1; code < smallCodes.length; code++) {
    if (smallCodes[code] === 0) continue;
    const value = small.index.values[code]!;
    takeLarge(large.index.firstCodeOf(value, next));
    smallCodes[code] = values.push(value) - 1;
    if (large.index.values[next] === value) largeCodes[next++] = values.length - 1;
  }
  takeLarge(largeCodes.length);

  const codes = new Uint32Array(rows);
  setCodes(codes, large, largeCodes);
  setCodes(codes, small, smallCodes);
  return FieldIndex.ofCodes(type, values, codes);
}

/** For each code 1 where a live row has it, else 0. */
function liveCodes({ index: { codes, values }, rowOf }: IndexPart): Uint32Array {
  const live = new Uint32Array(values.length);
  for (let row = 0; row < codes.length; row++) if (rowOf[row] !== DEAD) live[codes[row]!] = 1;
  // Null has code 0 everywhere.
  live[0] = 0;
  return live;
}

function setCodes(codes: Uint32Array, { index, rowOf }: IndexPart, newCodes: Uint32Array): void {
  const old: Codes = index.codes;
  for (let row = 0; row < rowOf.length; row++) {
    const newRow = rowOf[row]!;
    if (newRow !== DEAD) codes[newRow] = newCodes[old[row]!]!;
  }
}
