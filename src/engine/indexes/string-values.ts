// The distinct strings of a field in sort order, in memory as UTF-8, whose byte order is code point order. They are
// decoded one by one, and found by their bytes.

import type { TextValue } from "../../schema/field.ts";
import { grown } from "../algorithms/codes.ts";
import { ByteFinder } from "../algorithms/byte-finder.ts";
import { currentDeadline } from "../algorithms/deadline.ts";
import { inSteps, STEP_ROWS, type Steps } from "../algorithms/steps.ts";
import { CodeSetBuilder, forEachRange, type CodeSet } from "./code-set.ts";
import type { EncodedValues, SearchBounds, TextOffsets, Values } from "./values.ts";

/** Adds the codes in a range whose strings contain some bytes. */
type Search = (low: number, high: number, found: CodeSetBuilder) => void;

/** Strings, the first of which is a placeholder for null. */
export class StringValues implements Values {
  readonly length: number;
  readonly #bytes: Uint8Array;
  readonly #offsets: TextOffsets;
  readonly #isAscii: boolean;
  readonly #decoded: DecodedTexts;
  readonly #finder: ByteFinder;
  /** The approximate frequency of each byte, from samples; computed at the first search. */
  #frequencies: Uint16Array | undefined;

  /**
   * @param bytes all strings, of complete characters and in order; the caller has checked that
   * @param offsets the start of each, and the end of the last
   */
  constructor(
    bytes: Uint8Array,
    offsets: TextOffsets,
    isAscii: boolean,
    decoded = new DecodedTexts(offsets.length - 1),
  ) {
    this.#bytes = bytes;
    this.#offsets = offsets;
    this.#isAscii = isAscii;
    this.#decoded = decoded;
    this.#finder = new ByteFinder(bytes);
    this.length = offsets.length - 1;
  }

  get bytes(): number {
    return this.#bytes.byteLength + this.#offsets.byteLength;
  }

  get textBytes(): number {
    return this.#bytes.length;
  }

  at(code: number): TextValue {
    if (code === 0) return null;
    const known = this.#decoded.get(code);
    if (known !== undefined) return known;
    const bytes = this.#bytes.subarray(this.#offsets[code], this.#offsets[code + 1]);
    return this.#decoded.keep(code, decodeUtf8(bytes), bytes.length);
  }

  encoded(): EncodedValues {
    return { ascii: this.#isAscii, offsets: this.#offsets, bytes: this.#bytes };
  }

  readonly codesWith = ({ kind, text }: SearchBounds, among: CodeSet): CodeSet => {
    const needle = encoder().encode(text);
    const found = new CodeSetBuilder(this.length);
    // Every string contains the empty string at its end.
    const search =
      kind === "suffix" || text === "" ? this.#endingWith(needle) : this.#containing(needle);
    const deadline = currentDeadline();
    forEachRange(among, (low, high) => {
      for (let from = Math.max(1, low); from < high; from += STEP_ROWS) {
        search(from, Math.min(high, from + STEP_ROWS), found);
        deadline?.check();
      }
    });
    return found.finish();
  };

  #endingWith(needle: Uint8Array): Search {
    const [bytes, offsets] = [this.#bytes, this.#offsets];
    return (low, high, found) => {
      for (let code = low; code < high; code++) {
        const end = offsets[code + 1]!;
        const at = end - needle.length;
        if (at < offsets[code]!) continue;
        if (compareBytes(bytes, at, end, needle, 0, needle.length) === 0) found.add(code);
      }
    };
  }

  /**
   * Finds the bytes in all strings of a range at once, then the strings that contain them. A match can't begin within a
   * character in UTF-8. Linear, whatever the bytes are.
   *
   * Source: D. Knuth, J. Morris, V. Pratt, "Fast Pattern Matching in Strings", 1977.
   */
  #containing(needle: Uint8Array): Search {
    const [bytes, offsets, finder] = [this.#bytes, this.#offsets, this.#finder];
    const borders = bordersOf(needle);
    const probe = this.#rarestPair(needle);
    const first = needle[probe]!;
    const second = needle[probe + 1];
    return (low, high, found) => {
      const end = offsets[high]!;
      let code = low;
      let matched = 0;
      // Invariant: the last `matched` bytes before `at` are the first bytes of the search string.
      for (let at = offsets[low]!; at < end; at++) {
        if (matched === 0) {
          const hit =
            second === undefined
              ? finder.find(first, at + probe, end)
              : finder.findPair(first, second, at + probe, end);
          if (hit === end) return;
          at = hit - probe;
        }
        while (matched > 0 && bytes[at] !== needle[matched]) matched = borders[matched - 1]!;
        if (bytes[at] === needle[matched]) matched++;
        if (matched < needle.length) continue;
        const start = at + 1 - matched;
        // In total, at most one step per string.
        while (offsets[code + 1]! <= start) code++;
        const next = offsets[code + 1]!;
        if (at < next) {
          found.add(code);
          at = next - 1;
        }
        matched = at < next ? 0 : borders[matched - 1]!;
      }
    };
  }

  /** The position of the two consecutive bytes of a string that probably occur in the fewest values. */
  #rarestPair(needle: Uint8Array): number {
    const counts = (this.#frequencies ??= frequenciesIn(this.#bytes));
    const shareOf = (i: number) => (counts[needle[i]!]! + 1) * (counts[needle[i + 1]!]! + 1);
    let best = 0;
    for (let i = 1; i + 1 < needle.length; i++) if (shareOf(i) < shareOf(best)) best = i;
    return best;
  }

  readonly search = (text: string, from: number): number => {
    const [bytes, offsets] = [this.#bytes, this.#offsets];
    return searchBytes(text, from, this.length, (code, needle, length) =>
      compareBytes(bytes, offsets[code]!, offsets[code + 1]!, needle, 0, length),
    );
  };
}

/** The number and length of the samples that byte frequencies are estimated from. */
const SAMPLES = 64;
const SAMPLED = 64;

function frequenciesIn(bytes: Uint8Array): Uint16Array {
  const counts = new Uint16Array(256);
  const step = Math.ceil(bytes.length / SAMPLES);
  for (let from = 0; from < bytes.length; from += step) {
    for (const byte of bytes.subarray(from, from + SAMPLED)) counts[byte]!++;
  }
  return counts;
}

/** Strings that nothing else holds: the lower-case forms that an index compares. */
export class FoldedValues extends StringValues {
  /** @param texts in sort order; the first is a placeholder for null */
  static *encoding(texts: readonly TextValue[]): Steps<FoldedValues> {
    const offsets = new Int32Array(texts.length + 1);
    let bytes = new Uint8Array(16 * texts.length);
    let length = 0;
    let units = 0;
    yield* inSteps(texts.length, (from, to) => {
      for (let code = from; code < to; code++) {
        const text = texts[code] ?? "";
        const most = length + 3 * text.length;
        if (most > bytes.length) bytes = grown(bytes, Uint8Array, 2 * most);
        length += encoder().encodeInto(text, bytes.subarray(length)).written;
        units += text.length;
        offsets[code + 1] = length;
      }
    });
    return new FoldedValues(bytes.slice(0, length), offsets, units === length);
  }
}

/** Up to this many strings stay decoded. */
const FEW = 4096;

/**
 * Beyond that, strings of at least this many bytes stay decoded once read again: rows with the same long string then
 * share its memory.
 */
const LONG = 256;

/** Strings that stay decoded, by their codes. */
export class DecodedTexts {
  readonly #all: (string | undefined)[] | undefined;
  /** Long strings that were read before: `undefined` after the first time. */
  readonly #long = new Map<number, string | undefined>();

  /** @param values the total number of values */
  constructor(values: number) {
    this.#all = values <= FEW ? [] : undefined;
  }

  get(code: number): string | undefined {
    return this.#all === undefined ? this.#long.get(code) : this.#all[code];
  }

  /** Caches a decoded string, and returns it. */
  keep(code: number, text: string, bytes: number): string {
    if (this.#all !== undefined) this.#all[code] = text;
    else if (bytes >= LONG) this.#long.set(code, this.#long.has(code) ? text : undefined);
    return text;
  }
}

let made: TextEncoder | undefined;

/** Made on first use: an environment that only loads the library may have none. */
const encoder = () => (made ??= new TextEncoder());
/** Short strings are encoded here, without allocating an array. */
const scratch = new Uint8Array(1024);

/**
 * The code of a string among those from `from` up to `end`, or the complement of the first code with a higher string.
 * Compares bytes, which sort like the strings, without decoding.
 *
 * @param order compares the string of a code with the searched bytes: negative if that of the code is lower
 */
export function searchBytes(
  text: string,
  from: number,
  end: number,
  order: (code: number, needle: Uint8Array, length: number) => number,
): number {
  const isShort = 3 * text.length <= scratch.length;
  const needle = isShort ? scratch : encoder().encode(text);
  const length = isShort ? encodeShort(text) : needle.length;
  let low = from;
  let high = end;
  // Invariant: values left of `low` are lower than the string, those from `high` on are higher.
  while (low < high) {
    const middle = (low + high) >>> 1;
    const sign = order(middle, needle, length);
    if (sign === 0) return middle;
    if (sign < 0) low = middle + 1;
    else high = middle;
  }
  return ~low;
}

/** Encodes a string into `scratch`. Most are ASCII, for which calling the encoder takes longer than this loop. */
function encodeShort(text: string): number {
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit > 0x7f) return encoder().encodeInto(text, scratch).written;
    scratch[i] = unit;
  }
  return text.length;
}

/**
 * For each prefix of the bytes, by length less one: the length of its longest proper prefix that is also its suffix.
 */
function bordersOf(bytes: Uint8Array): Uint32Array {
  const borders = new Uint32Array(bytes.length);
  let border = 0;
  for (let i = 1; i < bytes.length; i++) {
    while (border > 0 && bytes[i] !== bytes[border]) border = borders[border - 1]!;
    if (bytes[i] === bytes[border]) border++;
    borders[i] = border;
  }
  return borders;
}

/** Compares two ranges of bytes: negative if the first is lower. */
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

let utf8: TextDecoder | undefined;

/** @throws TypeError if the bytes are not UTF-8 */
export function decodeUtf8(bytes: Uint8Array): string {
  // Browsers can't decode shared memory.
  utf8 ??= new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  return utf8.decode(bytes.buffer instanceof ArrayBuffer ? bytes : bytes.slice());
}
