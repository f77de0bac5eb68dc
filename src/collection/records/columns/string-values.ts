// The distinct texts of a column in sort order, in memory as UTF-8, whose byte order is the order of code
// points. They are decoded one by one, and found by their bytes.

import type { WireValue } from "../../../schema/field.ts";
import type { EncodedValues, Values } from "../../index/values.ts";

/** How many bytes are searched at once. */
const PIECE = 1 << 20;

/** Texts, the first of which stands for null. */
export class StringValues implements Values {
  readonly length: number;
  readonly #bytes: Uint8Array;
  readonly #offsets: Int32Array;
  readonly #isAscii: boolean;
  readonly #decoded: DecodedTexts;

  /**
   * @param bytes all texts, of whole characters and in order: whoever reads them has checked that
   * @param offsets the start of each, and the end of the last
   */
  constructor(
    bytes: Uint8Array,
    offsets: Int32Array,
    isAscii: boolean,
    decoded = new DecodedTexts(offsets.length - 1),
  ) {
    this.#bytes = bytes;
    this.#offsets = offsets;
    this.#isAscii = isAscii;
    this.#decoded = decoded;
    this.length = offsets.length - 1;
  }

  get bytes(): number {
    return this.#bytes.byteLength + this.#offsets.byteLength;
  }

  at(code: number): WireValue {
    if (code === 0) return null;
    const known = this.#decoded.get(code);
    if (known !== undefined) return known;
    const bytes = this.#bytes.subarray(this.#offsets[code], this.#offsets[code + 1]);
    return this.#decoded.keep(code, decodeUtf8(bytes), bytes.length);
  }

  encoded(): EncodedValues {
    return { ascii: this.#isAscii, offsets: this.#offsets, bytes: this.#bytes };
  }

  /** Searches the text's bytes in all values at once, decoded so that each byte is a character. */
  readonly codesWith = (text: string): number[] => {
    const [bytes, offsets] = [this.#bytes, this.#offsets];
    // Decoding ASCII is faster, and each byte is a character, too.
    const decode = this.#isAscii ? decodeUtf8 : decodeBytes;
    const wanted = decode(encoder.encode(text));
    const codes: number[] = [];
    for (let code = 1; code < this.length;) {
      const first = offsets[code]!;
      // At least one value, and as many more as fit.
      const end = Math.max(code + 1, firstAbove(offsets, first + PIECE, code) - 1);
      const piece = decode(bytes.subarray(first, offsets[end]));
      let at = piece.indexOf(wanted);
      while (at >= 0) {
        code = firstAbove(offsets, first + at, code) - 1;
        const next = offsets[code + 1]!;
        const isWithin = first + at + wanted.length <= next;
        if (isWithin) codes.push(code);
        at = piece.indexOf(wanted, isWithin ? next - first : at + 1);
      }
      code = end;
    }
    return codes;
  };

  readonly search = (text: string, from: number): number => {
    const [bytes, offsets] = [this.#bytes, this.#offsets];
    return searchBytes(text, from, this.length, (code, wanted, length) =>
      compareBytes(bytes, offsets[code]!, offsets[code + 1]!, wanted, 0, length),
    );
  };
}

/** Up to this many texts stay decoded. */
const FEW = 4096;

/**
 * Of more, texts of this many bytes or more that are read again: rows with the same long text share its
 * memory.
 */
const LONG = 256;

/** Texts that stay decoded, by their codes. */
export class DecodedTexts {
  readonly #all: (string | undefined)[] | undefined;
  /** Long texts read before: `undefined` after the first time. */
  readonly #long = new Map<number, string | undefined>();

  /** @param values how many there are in all */
  constructor(values: number) {
    this.#all = values <= FEW ? [] : undefined;
  }

  get(code: number): string | undefined {
    return this.#all === undefined ? this.#long.get(code) : this.#all[code];
  }

  /** Takes a decoded text, and returns it. */
  keep(code: number, text: string, bytes: number): string {
    if (this.#all !== undefined) this.#all[code] = text;
    else if (bytes >= LONG) this.#long.set(code, this.#long.has(code) ? text : undefined);
    return text;
  }
}

const encoder = new TextEncoder();
/** Short texts are encoded here, without allocating an array. */
const scratch = new Uint8Array(1024);

/**
 * The code of a text among those from `from` up to `end`, or the complement of the first code with a
 * higher text. Compares bytes, whose order is that of the texts, without decoding.
 *
 * @param order of the text of a code and the wanted bytes: negative if that of the code is lower
 */
export function searchBytes(
  text: string,
  from: number,
  end: number,
  order: (code: number, wanted: Uint8Array, length: number) => number,
): number {
  const isShort = 3 * text.length <= scratch.length;
  const wanted = isShort ? scratch : encoder.encode(text);
  const length = isShort ? encoder.encodeInto(text, scratch).written : wanted.length;
  let low = from;
  let high = end;
  // Invariant: values left of `low` are lower than the text, those from `high` on are higher.
  while (low < high) {
    const middle = (low + high) >>> 1;
    const sign = order(middle, wanted, length);
    if (sign === 0) return middle;
    if (sign < 0) low = middle + 1;
    else high = middle;
  }
  return ~low;
}

/** Compares the bytes of two stretches: negative if the first are lower. */
export function compareBytes(
  bytes: Uint8Array,
  from: number,
  to: number,
  others: Uint8Array,
  othersFrom: number,
  othersTo: number,
): number {
  const [length, othersLength] = [to - from, othersTo - othersFrom];
  const both = Math.min(length, othersLength);
  for (let i = 0; i < both; i++) {
    const difference = bytes[from + i]! - others[othersFrom + i]!;
    if (difference !== 0) return difference;
  }
  return length - othersLength;
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** @throws TypeError if the bytes are not UTF-8 */
export function decodeUtf8(bytes: Uint8Array): string {
  // Browsers can't decode shared memory.
  return utf8.decode(bytes.buffer instanceof ArrayBuffer ? bytes : bytes.slice());
}

const singleBytes = new TextDecoder("windows-1252");

/** A character for each byte: any one, as long as no two bytes have the same. */
function decodeBytes(bytes: Uint8Array): string {
  return singleBytes.decode(bytes.buffer instanceof ArrayBuffer ? bytes : bytes.slice());
}

/**
 * The first position from `from` on whose offset is above a number, in ascending offsets. Cost: logarithmic in
 * the distance.
 */
function firstAbove(offsets: Int32Array, number: number, from: number): number {
  let low = from;
  let step = 1;
  while (low + step < offsets.length && offsets[low + step]! <= number) {
    low += step;
    step *= 2;
  }
  let high = Math.min(low + step, offsets.length);
  // Invariant: offsets left of `low` are not above the number, those from `high` on are.
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (offsets[middle]! > number) high = middle;
    else low = middle + 1;
  }
  return low;
}
