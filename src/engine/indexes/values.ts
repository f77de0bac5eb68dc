// The distinct values of a field: the interface that indexes need, wherever the values are stored.

import type { TextBounds } from "../../criteria/bounds.ts";
import type { TextValue } from "../../schema/field.ts";
import type { CodeSet } from "./code-set.ts";

/** Substrings anywhere in values or at their ends: the order of values does not help to find these. */
export type SearchBounds = TextBounds & { readonly kind: "suffix" | "substring" };

/** The distinct values of a field by code. An array is one implementation. */
export interface Values {
  readonly length: number;
  at(code: number): TextValue | undefined;
  /** The elements of the array at a code other than 0, if they can be read without parsing a string. */
  readonly elementsAt?: (code: number) => readonly string[];
  /** The number at a code other than 0, if it can be read without parsing a string. */
  readonly numberAt?: (code: number) => number;
  /** All numbers by code, if they are in memory; that of null is −Infinity. */
  readonly numbers?: Float64Array | undefined;
  /** The codes among the given ones whose values satisfy the bounds, if finding them is faster than testing each. */
  readonly codesWith?: (bounds: SearchBounds, among: CodeSet) => CodeSet;
  /**
   * The code of a string, from a code on, or the complement of the first code with a higher string, if that can be
   * found without reading values.
   */
  readonly search?: (text: string, from: number) => number;
  /** How many bytes are in memory, if the values are not strings. */
  readonly bytes?: number;
  /** How many bytes strings take in UTF-8, if that is known. */
  readonly textBytes?: number;
  /**
   * The values as bytes, if they are stored as bytes.
   *
   * @param isChecked whether to check them; otherwise, as stored in a file
   */
  readonly encoded?: (isChecked?: boolean) => EncodedValues;
}

/**
 * Values as bytes: strings as consecutive UTF-8, integers as int64, other numbers as float64. The first is a
 * placeholder for null: the empty string, or the lowest number, so that the array is in order.
 */
export interface EncodedValues {
  /** For strings: whether all characters are ASCII. */
  readonly ascii: boolean;
  /** For strings: the start of each in `bytes`, and the end of the last. */
  readonly offsets: TextOffsets | undefined;
  readonly bytes: ByteArray;
}

/** Positions in the bytes of strings. They are of 32 bits if that suffices, since V8 reads these faster. */
export type TextOffsets = Int32Array | Float64Array;

/** Bytes in memory, or in a file if they are too many. */
export type ByteArray = Pick<Uint8Array, "length" | "subarray">;

/** Offsets that reach so far, all of them 0. */
export function textOffsets(length: number, end: number): TextOffsets {
  return end < 2 ** 31 ? new Int32Array(length) : new Float64Array(length);
}
