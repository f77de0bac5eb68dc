// The numbers of an index, by code: its values are texts. Sums of a few of many values read them.
//
// Held: for each index that is summed repeatedly, eight bytes for each distinct value, as long as the index
// exists. They are made at the second request, so a single one pays only for the values that it reads.
//
// Stale: never, since an index doesn't change.

import { parseNumber } from "../../schema/numbers.ts";
import type { FieldIndex } from "../index/field-index.ts";

/** `undefined` where numbers were asked for once. */
const numbers = new WeakMap<FieldIndex, Float64Array | undefined>();

/** Reads the number of a code other than that of `null`. */
export function numberReader(index: FieldIndex): (code: number) => number {
  const { values } = index;
  const parse = (code: number) => parseNumber(values.at(code) ?? "");
  let known = numbers.get(index);
  if (known === undefined && numbers.has(index)) {
    known = Float64Array.from({ length: values.length }, (_, code) => parse(code));
  }
  numbers.set(index, known);
  return known === undefined ? parse : (code) => known[code]!;
}
