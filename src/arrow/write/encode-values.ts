// The distinct values of a field as the bytes of a dictionary.

import { MergedValues } from "../../engine/indexes/merge.ts";
import { textOffsets, type EncodedValues, type Values } from "../../engine/indexes/values.ts";
import type { LazyValues } from "./table.ts";

/** How many strings are joined before they are encoded: one by one takes several times as long. */
const STRINGS_AT_ONCE = 1024;

/**
 * @param values in sort order, the first of them null
 */
export function encodeValues(values: Values): EncodedValues {
  const encoded = values.encoded?.();
  if (encoded !== undefined) return encoded;
  let length = 0;
  let units = 0;
  for (let i = 0; i < values.length; i++) {
    const value = values.at(i) ?? "";
    units += value.length;
    length += utf8Length(value);
  }
  const offsets = textOffsets(values.length + 1, length);
  for (let i = 0, end = 0; i < values.length; i++) {
    end += utf8Length(values.at(i) ?? "");
    offsets[i + 1] = end;
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

/** How many bytes strings take in UTF-8 at most. */
export function mostTextBytes(values: Values): number {
  if (values.textBytes !== undefined) return values.textBytes;
  if (values instanceof MergedValues) {
    return mostTextBytes(values.large) + mostTextBytes(values.small);
  }
  let units = 0;
  for (let code = 1; code < values.length; code++) units += values.at(code)?.length ?? 0;
  return 3 * units;
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

/** How many bytes are copied at once. */
const PIECE_BYTES = 1 << 20;

/** Merges many encoded values with a few more: encoded values are copied, a run at a time. */
export function encodeMerged(first: EncodedValues, { small, from }: MergedValues): LazyValues {
  const second = encodeValues(small);
  const areNumbers = first.offsets === undefined;
  const placeOf = (code: number, count = 1): Place =>
    code >= 0 ? placeIn(first, code, code + count) : placeIn(second, ~code, ~code + 1);
  let size = 0;
  for (const code of from) size += lengthOf(placeOf(code));
  const offsets = areNumbers ? undefined : textOffsets(from.length + 1, size);
  if (offsets !== undefined) {
    for (let code = 0, end = 0; code < from.length; code++) {
      end += lengthOf(placeOf(from[code]!));
      offsets[code + 1] = end;
    }
  }
  /** The values in pieces. A run is consecutive in the first ones, too. */
  function* runs(): Generator<Place & Pick<EncodedValues, "bytes">> {
    for (let code = 0; code < from.length;) {
      // The placeholder of null equals the lowest number, so that the bytes are in order.
      const isPlaceholder = code === 0 && areNumbers && from.length > 1;
      const origin = from[isPlaceholder ? 1 : code]!;
      let count = 1;
      if (origin >= 0 && !isPlaceholder) while (from[code + count] === origin + count) count++;
      yield { bytes: (origin >= 0 ? first : second).bytes, ...placeOf(origin, count) };
      code += count;
    }
  }
  let isAscii = first.ascii && second.ascii;
  const isKnown = isAscii || areNumbers;
  function* pieces(): Generator<Uint8Array> {
    let all = 0;
    for (const piece of inPieces(runs(), size)) {
      for (let i = 0; !isKnown && all < 0x80 && i < piece.length; i++) all |= piece[i]!;
      yield piece;
    }
    if (!isKnown) isAscii = all < 0x80;
  }
  return {
    get ascii() {
      return isAscii;
    },
    offsets,
    bytes: { length: size, pieces },
  };
}

/** Runs of bytes as pieces of the same size, except for the last. */
function* inPieces(
  runs: Iterable<Place & Pick<EncodedValues, "bytes">>,
  size: number,
): Generator<Uint8Array> {
  let left = size;
  let piece = new Uint8Array(Math.min(left, PIECE_BYTES));
  let filled = 0;
  for (const { bytes, start, end } of runs) {
    for (let at = start; at < end;) {
      const part = bytes.subarray(at, Math.min(end, at + piece.length - filled));
      piece.set(part, filled);
      filled += part.length;
      at += part.length;
      if (filled < piece.length) continue;
      yield piece;
      left -= filled;
      piece = new Uint8Array(Math.min(left, PIECE_BYTES));
      filled = 0;
    }
  }
}

/** The position of values in the bytes of a dictionary. */
interface Place {
  readonly start: number;
  readonly end: number;
}

const lengthOf = ({ start, end }: Place): number => end - start;

function placeIn({ offsets }: EncodedValues, code: number, end: number): Place {
  return offsets === undefined
    ? { start: 8 * code, end: 8 * end }
    : { start: offsets[code]!, end: offsets[end]! };
}
