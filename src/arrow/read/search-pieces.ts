// Searches some values of a dictionary whose other values are not in memory: reads their offsets and bytes in order, each
// page once, and adjacent pages together.

import {
  CodeSetBuilder,
  codesOf,
  countCodes,
  forEachRange,
  type CodeSet,
} from "../../engine/indexes/code-set.ts";
import { StringValues } from "../../engine/indexes/string-values.ts";
import type { SearchBounds } from "../../engine/indexes/values.ts";
import { tuning } from "../../engine/tuning.ts";
import { FileError } from "../file-error.ts";
import type { FileOffsets } from "./offsets.ts";
import type { Section } from "./section.ts";

/** The values of a dictionary as they are in the file. */
export interface EncodedPieces {
  readonly bytes: Section<Uint8Array>;
  readonly offsets: FileOffsets<Int32Array>;
  readonly isAscii: boolean;
  /** Checks the text of some values. @throws FileError */
  readonly check: (bytes: Uint8Array, offsets: Int32Array) => void;
}

/** About how many bytes are searched at once. */
const MOST_BYTES = 1 << 22;

/** Whether a set has so few of all codes that only their values should be read. */
export function areFew(set: CodeSet, values: number): boolean {
  return countCodes(set) * tuning.fewToRead <= values;
}

/**
 * The codes among the given ones whose values satisfy the bounds.
 *
 * @throws FileError; DeadlineError, as `Section.pick`
 */
export function searchInPieces(
  { bytes, offsets, isAscii, check }: EncodedPieces,
  bounds: SearchBounds,
  among: CodeSet,
): CodeSet {
  const all = codesOf(among);
  // Null contains nothing.
  const codes = all[0] === 0 ? all.subarray(1) : all;
  const { starts, ends } = limitsOf(offsets, codes);
  for (let i = 0; i < codes.length; i++) {
    const isRight = starts[i]! >= 0 && starts[i]! <= ends[i]! && ends[i]! <= bytes.length;
    if (!isRight) throw new FileError(bytes.name, "has an offset that leads out of it");
  }
  const found = new CodeSetBuilder(offsets.length - 1);
  for (let first = 0, last = 0; first < codes.length; first = last) {
    let length = 0;
    while (last < codes.length && length < MOST_BYTES) {
      length += ends[last]! - starts[last]!;
      last++;
    }
    // Code 0 of these is a placeholder, as in every dictionary.
    const local = new Int32Array(last - first + 2);
    for (let i = first; i < last; i++) {
      local[i - first + 2] = local[i - first + 1]! + ends[i]! - starts[i]!;
    }
    const some = new Uint8Array(length);
    bytes.gather(starts.subarray(first, last), ends.subarray(first, last), some);
    check(some, local);
    const values = new StringValues(some, local, isAscii);
    forEachRange(values.codesWith(bounds, [1, values.length]), (low, high) => {
      for (let code = low; code < high; code++) found.add(codes[first + code - 1]!);
    });
  }
  return found.finish();
}

/** Where the values of some ascending codes start and end. */
function limitsOf(
  offsets: FileOffsets<Int32Array>,
  codes: Uint32Array,
): { readonly starts: Float64Array; readonly ends: Float64Array } {
  const [starts, ends] = [new Float64Array(codes.length), new Float64Array(codes.length)];
  offsets.pick(codes, starts);
  const next = codes.map((code) => code + 1);
  offsets.pick(next, ends);
  return { starts, ends };
}
