// The arrays of a strings field as Arrow lists: for each row the codes of its elements, whose distinct strings become a
// dictionary.

import { sortStrings } from "../../engine/algorithms/radix-sort.ts";
import { finish } from "../../engine/algorithms/steps.ts";
import { listing } from "../../engine/indexes/element-table.ts";
import { codesTypeFor } from "../../engine/indexes/memory-index.ts";
import type { Values } from "../../engine/indexes/values.ts";
import type { TextValue } from "../../schema/field.ts";
import { FileError } from "../file-error.ts";
import type { WrittenArrays } from "./table.ts";
import type { Codes } from "../../engine/indexes/field-index.ts";

/** Arrow's List has offsets of 32 bits. */
const MOST_ELEMENTS = 2 ** 31 - 1;

export interface CodedArrays extends WrittenArrays {
  /** The distinct elements in order; the first is null. */
  readonly strings: readonly TextValue[];
}

/**
 * Cost: linear in the elements of all rows, and sorting the distinct ones.
 *
 * @param values the distinct arrays, all of which occur
 * @param codes for each row the code of its array
 * @param name the field's name, for the error
 * @throws FileError if there are more than 2^31 − 1 elements
 */
export function codedArrays(values: Values, codes: Codes, name: string): CodedArrays {
  const { numbers, lists } = finish(listing(values));
  const found = [...numbers.keys()];
  const sorted = new Uint32Array(found.keys());
  finish(sortStrings(found, sorted));
  const codeOf = new Uint32Array(found.length);
  sorted.forEach((number, i) => (codeOf[number] = i + 1));

  const samples = new Uint32Array(values.length);
  const offsets = new Int32Array(codes.length + 1);
  let length = 0;
  for (let row = 0; row < codes.length; row++) {
    const code = codes[row]!;
    samples[code] = row;
    length += lists.starts[code + 1]! - lists.starts[code]!;
    requireElements(length, name);
    offsets[row + 1] = length;
  }
  const elements = new (codesTypeFor(found.length + 1))(length);
  for (let row = 0; row < codes.length; row++) {
    const code = codes[row]!;
    const from = lists.starts[code]! - offsets[row]!;
    for (let i = offsets[row]!; i < offsets[row + 1]!; i++) {
      elements[i] = codeOf[lists.members[from + i]!]!;
    }
  }
  const strings = [null, ...Array.from(sorted, (number) => found[number] ?? null)];
  return { strings, values: values.length, samples, offsets, elements, count: length };
}

/** @throws FileError if there are more than 2^31 − 1 elements */
export function requireElements(count: number, name: string): number {
  if (count <= MOST_ELEMENTS) return count;
  throw new FileError(`arrays of ${name}`, "would have more than 2^31 elements", { code: "limit" });
}
