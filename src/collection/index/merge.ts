// The index of merged segments, from the indexes of its parts: their values are sorted already, so
// that nothing has to be sorted again.

import type { WireValue } from "../../schema/field.ts";
import { FieldIndex } from "./field-index.ts";
import type { Origins } from "../algorithms/interleave.ts";

/** Merges the index of a large part and that of a small one. Linear in the rows and values. */
export function mergeIndexes(large: FieldIndex, small: FieldIndex, origins: Origins): FieldIndex {
  const values: WireValue[] = [null];
  const { largeCodes, smallCodes } = codesInUse(large, small, origins);
  let next = 1;
  const takeLarge = (to: number) => {
    for (; next < to; next++) {
      if (largeCodes[next] !== 0) largeCodes[next] = values.push(large.values.at(next) ?? null) - 1;
    }
  };
  for (let code = 1; code < smallCodes.length; code++) {
    if (smallCodes[code] === 0) continue;
    const value = small.values.at(code) ?? "";
    takeLarge(large.firstCodeOf(value, next));
    smallCodes[code] = values.push(value) - 1;
    if (next < largeCodes.length && large.values.at(next) === value)
      largeCodes[next++] = values.length - 1;
  }
  takeLarge(largeCodes.length);

  const { codes: ofLarge } = large;
  const { codes: ofSmall } = small;
  const codes = new Uint32Array(origins.length);
  for (let row = 0; row < codes.length; row++) {
    const origin = origins[row]!;
    codes[row] = origin >= 0 ? largeCodes[ofLarge[origin]!]! : smallCodes[ofSmall[~origin]!]!;
  }
  return FieldIndex.ofCodes(large.type, values, codes);
}

/** For each code of the parts 1 where a merged row has it, else 0. */
function codesInUse(large: FieldIndex, small: FieldIndex, origins: Origins) {
  const largeCodes = new Uint32Array(large.values.length);
  const smallCodes = new Uint32Array(small.values.length);
  const { codes: ofLarge } = large;
  const { codes: ofSmall } = small;
  for (let row = 0; row < origins.length; row++) {
    const origin = origins[row]!;
    if (origin >= 0) largeCodes[ofLarge[origin]!] = 1;
    else smallCodes[ofSmall[~origin]!] = 1;
  }
  // Null has code 0 everywhere.
  largeCodes[0] = 0;
  smallCodes[0] = 0;
  return { largeCodes, smallCodes };
}
