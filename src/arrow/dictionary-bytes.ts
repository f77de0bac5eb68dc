// The distinct values of a field as the bytes of a dictionary: strings as UTF-8 one after the other,
// with where each begins, integers as int64. The first is a placeholder for null: the empty string,
// or the least integer, so that the whole is in order.

import type { Values } from "../collection/index/index-parts.ts";
import type { FieldType } from "../schema/field.ts";
import { FileError } from "./file-error.ts";

/** The bytes of a dictionary. */
export interface DictionaryBytes {
  /** Of strings: whether all characters are ASCII. */
  readonly ascii: boolean;
  /** Of strings: where each begins in `bytes`, and where the last ends. */
  readonly offsets: Int32Array | undefined;
  readonly bytes: Uint8Array;
}

/** Arrow's Utf8 has offsets of 32 bits. */
export const MOST_BYTES = 2 ** 31 - 1;

/** So many strings are put together before they are encoded: one by one takes several times as long. */
const TOGETHER = 1024;

/**
 * @param values in sort order, the first of them null
 * @param name the field's name, for the error
 * @throws FileError where the strings take more than 2 GiB
 */
export function dictionaryBytes(type: FieldType, values: Values, name: string): DictionaryBytes {
  if (type === "string") return stringBytes(values, name);
  const numbers = new BigInt64Array(values.length);
  for (let i = 1; i < values.length; i++) numbers[i] = BigInt(values.at(i) ?? 0);
  numbers[0] = numbers[1] ?? 0n;
  return { ascii: false, offsets: undefined, bytes: new Uint8Array(numbers.buffer) };
}

function stringBytes(values: Values, name: string): DictionaryBytes {
  const offsets = new Int32Array(values.length + 1);
  let length = 0;
  let units = 0;
  for (let i = 0; i < values.length; i++) {
    const value = values.at(i) ?? "";
    units += value.length;
    length += utf8Length(value);
    if (length > MOST_BYTES) {
      throw new FileError(`dictionary of ${name}`, "would hold more than 2 GiB of text");
    }
    offsets[i + 1] = length;
  }
  const bytes = new Uint8Array(length);
  const encoder = new TextEncoder();
  for (let i = 0; i < values.length; i += TOGETHER) {
    const length = Math.min(TOGETHER, values.length - i);
    const text = Array.from({ length }, (_, j) => values.at(i + j)).join("");
    encoder.encodeInto(text, bytes.subarray(offsets[i]));
  }
  return { ascii: units === length, offsets, bytes };
}

/** How many bytes a string of well-formed Unicode takes in UTF-8. */
function utf8Length(text: string): number {
  let length = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) continue;
    // Of a pair of surrogates, which take four bytes, each counts for two.
    length += unit < 0x800 || (unit & 0xf800) === 0xd800 ? 1 : 2;
  }
  return length;
}
