// The distinct values of a field as the bytes of a dictionary.

import type { EncodedValues, Values } from "../../engine/indexes/values.ts";
import type { MergedValues } from "../../engine/indexes/merge.ts";
import { FileError } from "../file-error.ts";

/** Arrow's Utf8 has offsets of 32 bits. */
const MOST_BYTES = 2 ** 31 - 1;

/** How many strings are joined before they are encoded: one by one takes several times as long. */
const STRINGS_AT_ONCE = 1024;

/**
 * @param values in sort order, the first of them null
 * @param name the field's name, for the error
 * @throws FileError if the strings take more than 2 GiB
 */
export function encodeValues(values: Values, name: string): EncodedValues {
  const encoded = values.encoded?.();
  if (encoded !== undefined) return encoded;
  const offsets = new Int32Array(values.length + 1);
  let length = 0;
  let units = 0;
  for (let i = 0; i < values.length; i++) {
    const value = values.at(i) ?? "";
    units += value.length;
    length += utf8Length(value);
    offsets[i + 1] = requireOffset(length, name);
  }
  const bytes = new Uint8Array(length);
  const encoder = new TextEncoder();
  for (let i = 0; i < values.length; i += STRINGS_AT_ONCE) {
    const length = Math.min(STRINGS_AT_ONCE, values.length - i);
    const text = Array.from({ length }, (_, j) => values.at(i + j)).join("");
    encoder.encodeInto(text, bytes.subarray(offsets[i]));
  }
  return { ascii: units === length, offsets, bytes };
}

/** @throws FileError if an offset exceeds 31 bits */
export function requireOffset(length: number, name: string): number {
  if (length <= MOST_BYTES) return length;
  throw new FileError(`dictionary of ${name}`, "would hold more than 2 GiB of text", {
    code: "limit",
  });
}

/** How many bytes a string of well-formed Unicode takes in UTF-8. */
function utf8Length(text: string): number {
  let length = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) continue;
    // A surrogate pair takes four bytes: two for each half.
    length += unit < 0x800 || (unit & 0xf800) === 0xd800 ? 1 : 2;
  }
  return length;
}

/**
 * Merges many encoded values with a few more: encoded values are copied, a run at a time.
 *
 * @throws FileError if the strings take more than 2 GiB
 */
export function encodeMerged(
  first: EncodedValues,
  { small, from }: MergedValues,
  name: string,
): EncodedValues {
  const second = encodeValues(small, name);
  const placeOf = (code: number): Place =>
    code >= 0 ? placeIn(first, code, code + 1) : placeIn(second, ~code, ~code + 1);
  let size = 0;
  const offsets = new Int32Array(from.length + 1);
  for (let code = 0; code < from.length; code++) {
    const { start, end } = placeOf(from[code]!);
    size += end - start;
    offsets[code + 1] = requireOffset(size, name);
  }
  const bytes = new Uint8Array(size);
  for (let code = 0; code < from.length;) {
    let next = code + 1;
    const origin = from[code]!;
    while (origin >= 0 && next < from.length && from[next] === origin + next - code) next++;
    const { start, end } =
      origin >= 0 ? placeIn(first, origin, origin + next - code) : placeOf(origin);
    bytes.set((origin >= 0 ? first : second).bytes.subarray(start, end), offsets[code]);
    code = next;
  }
  if (first.offsets === undefined) {
    // The placeholder of null equals the lowest value, so that the bytes are in order.
    bytes.copyWithin(0, 8, 16);
    return { ascii: false, offsets: undefined, bytes };
  }
  const isAscii = (first.ascii && second.ascii) || bytes.every((byte) => byte < 0x80);
  return { ascii: isAscii, offsets, bytes };
}

/** The position of values in the bytes of a dictionary. */
interface Place {
  readonly start: number;
  readonly end: number;
}

function placeIn({ offsets }: EncodedValues, code: number, end: number): Place {
  return offsets === undefined
    ? { start: 8 * code, end: 8 * end }
    : { start: offsets[code]!, end: offsets[end]! };
}
