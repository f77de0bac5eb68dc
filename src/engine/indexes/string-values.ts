// The distinct texts of a field in sort order, in memory as UTF-8, whose byte order is the order of code
// points. They are decoded one by one, and found by their bytes.

import type { TextValue } from "../../schema/field.ts";
import { grown } from "../algorithms/codes.ts";
import { ByteFinder } from "../algorithms/byte-finder.ts";
import { inSteps, type Steps } from "../algorithms/steps.ts";
import { CodeSetBuilder, forEachRange, type CodeSet } from "./code-set.ts";
import type { EncodedValues, SearchBounds, Values } from "./values.ts";

/** Adds the codes of a range of texts in which some bytes are. */
type Search = (low: number, high: number, found: CodeSetBuilder) => void;

/** Texts, the first of which stands for null. */
export class StringValues implements Values {
  readonly length: number;
  readonly #bytes: Uint8Array;
  readonly #offsets: Int32Array;
  readonly #isAscii: boolean;
  readonly #decoded: DecodedTexts;
  readonly #finder: ByteFinder;
  /** How frequent each byte is, to judge from some of all; known from the first search on. */
  #frequencies: Uint16Array | undefined;

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
    this.#finder = new ByteFinder(bytes);
    this.length = offsets.length - 1;
  }

  get bytes(): number {
    return this.#bytes.byteLength + this.#offsets.byteLength;
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
    const wanted = encoder().encode(text);
    const found = new CodeSetBuilder(this.length);
    // Every text contains the empty one at its end.
    const search =
      kind === "suffix" || text === "" ? this.#endingWith(wanted) : this.#containing(wanted);
    forEachRange(among, (low, high) => search(Math.max(1, low), high, found));
    return found.finish();
  };

  #endingWith(wanted: Uint8Array): Search {
    const [bytes, offsets] = [this.#bytes, this.#offsets];
    return (low, high, found) => {
      for (let code = low; code < high; code++) {
        const end = offsets[code + 1]!;
        const at = end - wanted.length;
        if (at < offsets[code]!) continue;
        if (compareBytes(bytes, at, end, wanted, 0, wanted.length) === 0) found.add(code);
      }
    };
  }

  /**
   * Finds the bytes in all texts of a range at once, then the text that they are in. In UTF-8 no character begins
   * within another. Linear, whatever the bytes are.
   *
   * Source: D. Knuth, J. Morris, V. Pratt, "Fast Pattern Matching in Strings", 1977.
   */
  #containing(wanted: Uint8Array): Search {
    const [bytes, offsets, finder] = [this.#bytes, this.#offsets, this.#finder];
    const borders = bordersOf(wanted);
    const probe = this.#rarestPair(wanted);
    const first = wanted[probe]!;
    const second = wanted[probe + 1];
    return (low, high, found) => {
      const end = offsets[high]!;
      let code = low;
      let matched = 0;
      // Invariant: the last `matched` bytes before `at` are the first ones of those wanted.
      for (let at = offsets[low]!; at < end; at++) {
        if (matched === 0) {
          const hit =
            second === undefined
              ? finder.find(first, at + probe, end)
              : finder.findPair(first, second, at + probe, end);
          if (hit === end) return;
          at = hit - probe;
        }
        while (matched > 0 && bytes[at] !== wanted[matched]) matched = borders[matched - 1]!;
        if (bytes[at] === wanted[matched]) matched++;
        if (matched < wanted.length) continue;
        const start = at + 1 - matched;
        // In all, no more steps than there are texts.
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

  /** Where in a text two bytes begin that are probably in the fewest values. */
  #rarestPair(wanted: Uint8Array): number {
    const counts = (this.#frequencies ??= frequenciesIn(this.#bytes));
    const shareOf = (i: number) => (counts[wanted[i]!]! + 1) * (counts[wanted[i + 1]!]! + 1);
    let best = 0;
    for (let i = 1; i + 1 < wanted.length; i++) if (shareOf(i) < shareOf(best)) best = i;
    return best;
  }

  readonly search = (text: string, from: number): number => {
    const [bytes, offsets] = [this.#bytes, this.#offsets];
    return searchBytes(text, from, this.length, (code, wanted, length) =>
      compareBytes(bytes, offsets[code]!, offsets[code + 1]!, wanted, 0, length),
    );
  };
}

/** How many stretches of bytes, and how many bytes of each, tell how frequent each byte is. */
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

/** Texts that nothing else holds: those that an index compares in lower case. */
export class FoldedValues extends StringValues {
  /** @param texts in sort order; the first stands for null */
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

let made: TextEncoder | undefined;

/** Made at the first use: what only loads the library may have none. */
const encoder = () => (made ??= new TextEncoder());
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
  const wanted = isShort ? scratch : encoder().encode(text);
  const length = isShort ? encodeShort(text) : wanted.length;
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

/** Encodes a text into `scratch`. Most are ASCII, for which calling the encoder takes longer than this loop. */
function encodeShort(text: string): number {
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit > 0x7f) return encoder().encodeInto(text, scratch).written;
    scratch[i] = unit;
  }
  return text.length;
}

/** For each number of first bytes, less one: how many of them are also their last ones, but not all. */
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

let utf8: TextDecoder | undefined;

/** @throws TypeError if the bytes are not UTF-8 */
export function decodeUtf8(bytes: Uint8Array): string {
  // Browsers can't decode shared memory.
  utf8 ??= new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  return utf8.decode(bytes.buffer instanceof ArrayBuffer ? bytes : bytes.slice());
}
