// A dictionary in a file: the distinct values of a field in sort order, decoded one by one. A few of
// them are read from their pages; what needs all has them checked first: are they in order, and is
// each of them a value that a field can have?

import type { Values } from "../collection/index/index-parts.ts";
import type { FieldType, WireValue } from "../schema/field.ts";
import type { DictionaryBytes } from "./dictionary-bytes.ts";
import type { DictionaryEntry } from "./directory.ts";
import { FileError } from "./file-error.ts";
import type { Pages } from "./pages.ts";
import { Section } from "./section.ts";

/** The values of a field by their codes. Code 0 is null. */
export interface FileDictionary extends Values {
  readonly type: FieldType;
  /** How many bytes are in memory. */
  readonly bytes: number;
  /** @throws FileError, as all that read do */
  at(code: number): WireValue;
  /** Checks what there is, once: all of it where it is small, or is in memory. */
  use(): void;
  /** Reads all of it, and checks that. */
  load(): void;
  /** Its bytes as they stand in the file, for who passes them on: not checked. */
  copy(): DictionaryBytes;
}

/** @param name the field's name, for errors */
export function openDictionary(name: string, pages: Pages, entry: DictionaryEntry): FileDictionary {
  const section = `dictionary of ${name}`;
  const { bytes, offsets } = entry;
  return offsets === undefined
    ? new IntegerDictionary(new Section<Int32Array>(section, pages, bytes, Int32Array))
    : new StringDictionary(
        new Section<Uint8Array>(section, pages, bytes, Uint8Array),
        new Section<Int32Array>(section, pages, offsets, Int32Array),
        entry.ascii,
      );
}

/** Up to so many values stay decoded. */
const FEW = 4096;

/** Of more, those of so many bytes that are read a second time: rows that share a long text share its memory. */
const LONG = 256;

/** So many bytes are decoded at once to see whether they are UTF-8. */
const PIECE = 1 << 20;

/** Strings as UTF-8, whose order by bytes is the order by code points. */
export class StringDictionary implements FileDictionary {
  readonly type = "string";
  readonly length: number;
  readonly #bytes: Section<Uint8Array>;
  readonly #offsets: Section<Int32Array>;
  readonly #isAscii: boolean;
  readonly #decoded: (string | undefined)[] | undefined;
  /** Long texts that were read: `undefined` after the first time. */
  readonly #long = new Map<number, string | undefined>();
  #isChecked = false;

  constructor(bytes: Section<Uint8Array>, offsets: Section<Int32Array>, isAscii: boolean) {
    this.#bytes = bytes;
    this.#offsets = offsets;
    this.#isAscii = isAscii;
    this.length = offsets.length - 1;
    this.#decoded = this.length <= FEW ? [] : undefined;
  }

  get bytes(): number {
    return this.#bytes.bytes + this.#offsets.bytes;
  }

  at(code: number): WireValue {
    if (code === 0) return null;
    const known = this.#decoded === undefined ? this.#long.get(code) : this.#decoded[code];
    if (known !== undefined) return known;
    this.use();
    const bytes = this.#utf8(code);
    const value = this.#decode(bytes);
    if (this.#decoded !== undefined) this.#decoded[code] = value;
    else if (bytes.length >= LONG) this.#long.set(code, this.#long.has(code) ? value : undefined);
    return value;
  }

  use(): void {
    if (!this.#isChecked && !(this.#bytes.isInPieces || this.#offsets.isInPieces)) this.load();
  }

  load(): void {
    if (this.#isChecked) return;
    const bytes = this.#bytes.all();
    const offsets = this.#offsets.all();
    this.#checkOffsets(offsets, bytes);
    this.#checkText(bytes, offsets);
    for (let code = 2; code < this.length; code++) {
      const [first, next, end] = [offsets[code - 1]!, offsets[code]!, offsets[code + 1]!];
      if (compareBytes(bytes, first, next, bytes, next, end) >= 0) {
        throw this.#error(`is not in order at ${code}`);
      }
    }
    this.#isChecked = true;
  }

  copy(): DictionaryBytes {
    const [bytes, offsets] = [this.#bytes.copy(), this.#offsets.copy()];
    return { ascii: this.#isAscii, offsets, bytes };
  }

  /** Looks for the text's bytes in all values at once, decoded so that each byte is a character. */
  readonly codesWith = (text: string): number[] => {
    this.load();
    const bytes = this.#bytes.all();
    const offsets = this.#offsets.all();
    const wanted = decodeBytes(new TextEncoder().encode(text));
    const codes: number[] = [];
    for (let code = 1; code < this.length;) {
      const first = offsets[code]!;
      // At least one value, and as many more as there is room for.
      const end = Math.max(code + 1, firstAbove(offsets, first + PIECE, code) - 1);
      const piece = decodeBytes(bytes.subarray(first, offsets[end]));
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

  /** Compares bytes: their order is that of the texts, and nothing is decoded. */
  readonly search = (text: string, from: number): number => {
    this.use();
    const isShort = 3 * text.length <= scratch.length;
    const wanted = isShort ? scratch : encoder.encode(text);
    const length = isShort ? encoder.encodeInto(text, scratch).written : wanted.length;
    const all = this.#isChecked
      ? { bytes: this.#bytes.all(), offsets: this.#offsets.all() }
      : undefined;
    let low = from;
    let high = this.length;
    // Invariant: values left of `low` are lower than the text, those from `high` on are higher.
    while (low < high) {
      const middle = (low + high) >>> 1;
      let order: number;
      if (all === undefined) {
        const bytes = this.#utf8(middle);
        order = compareBytes(bytes, 0, bytes.length, wanted, 0, length);
      } else {
        const { bytes, offsets } = all;
        order = compareBytes(bytes, offsets[middle]!, offsets[middle + 1]!, wanted, 0, length);
      }
      if (order === 0) return middle;
      if (order < 0) low = middle + 1;
      else high = middle;
    }
    return ~low;
  };

  #checkOffsets(offsets: Int32Array, bytes: Uint8Array): void {
    if (offsets[0] !== 0 || offsets[this.length] !== bytes.length) {
      throw this.#error("does not begin and end where its bytes do");
    }
    for (let code = 0; code < this.length; code++) {
      if (offsets[code]! > offsets[code + 1]!) throw this.#error("has an offset below the last");
    }
  }

  /** Whether the bytes are UTF-8, and each string is of whole characters. */
  #checkText(bytes: Uint8Array, offsets: Int32Array): void {
    if (this.#isAscii) {
      for (let i = 0; i < bytes.length; i++) {
        if (bytes[i]! > 0x7f) throw this.#error("is not ASCII, as the directory says");
      }
      return;
    }
    for (let code = 1; code < this.length; code++) {
      const at = offsets[code]!;
      if (at < bytes.length && isContinuation(bytes[at]!)) {
        throw this.#error("has a string that begins within a character");
      }
    }
    for (let from = 0; from < bytes.length;) {
      let to = Math.min(bytes.length, from + PIECE);
      while (to < bytes.length && to > from && isContinuation(bytes[to]!)) to--;
      if (to === from) throw this.#error("is not UTF-8");
      this.#decode(bytes.subarray(from, to));
      from = to;
    }
  }

  #utf8(code: number): Uint8Array {
    const from = this.#offsets.at(code);
    const to = this.#offsets.at(code + 1);
    if (from < 0 || from > to || to > this.#bytes.length) {
      throw this.#error("has an offset that leads out of it");
    }
    return this.#bytes.slice(from, to);
  }

  #decode(bytes: Uint8Array): string {
    try {
      return decodeUtf8(bytes);
    } catch (error) {
      throw this.#error("is not UTF-8", error);
    }
  }

  #error(reason: string, cause?: unknown): FileError {
    return new FileError(this.#bytes.name, reason, { cause });
  }
}

/** Integers as int64. */
export class IntegerDictionary implements FileDictionary {
  readonly type = "int";
  readonly length: number;
  readonly #words: Section<Int32Array>;
  #numbers: Float64Array | undefined;

  constructor(words: Section<Int32Array>) {
    this.#words = words;
    this.length = words.length / 2;
  }

  get bytes(): number {
    return this.#words.bytes + (this.#numbers?.byteLength ?? 0);
  }

  at(code: number): WireValue {
    if (code === 0) return null;
    this.use();
    if (this.#numbers !== undefined) return String(this.#numbers[code]!);
    const [low = 0, high = 0] = this.#words.slice(2 * code, 2 * code + 2);
    return String(this.#toNumber(low, high));
  }

  use(): void {
    if (!this.#words.isInPieces) this.load();
  }

  load(): void {
    if (this.#numbers !== undefined) return;
    const words = this.#words.all();
    const numbers = new Float64Array(this.length);
    for (let code = 1; code < numbers.length; code++) {
      numbers[code] = this.#toNumber(words[2 * code]!, words[2 * code + 1]!);
      if (code > 1 && numbers[code - 1]! >= numbers[code]!) {
        throw new FileError(this.#words.name, `is not in order at ${code}`);
      }
    }
    this.#numbers = numbers;
  }

  copy(): DictionaryBytes {
    const { buffer, byteOffset, byteLength } = this.#words.copy();
    const bytes = new Uint8Array(buffer, byteOffset, byteLength);
    return { ascii: false, offsets: undefined, bytes };
  }

  #toNumber(low: number, high: number): number {
    const number = high * 2 ** 32 + (low >>> 0);
    if (Number.isSafeInteger(number)) return number;
    throw new FileError(this.#words.name, "has a number of a magnitude above 2^53 − 1");
  }
}

const encoder = new TextEncoder();
/** Where short texts are encoded: no array is made for them. */
const scratch = new Uint8Array(1024);

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** @throws TypeError where the bytes are not UTF-8 */
function decodeUtf8(bytes: Uint8Array): string {
  // Browsers decode no shared memory.
  return utf8.decode(bytes.buffer instanceof ArrayBuffer ? bytes : bytes.slice());
}

const singleBytes = new TextDecoder("windows-1252");

/** A character for each byte: which one does not matter, as long as no two have the same. */
function decodeBytes(bytes: Uint8Array): string {
  return singleBytes.decode(bytes.buffer instanceof ArrayBuffer ? bytes : bytes.slice());
}

/** The first position from `from` on whose offset is above a number, in ascending offsets. */
function firstAbove(offsets: Int32Array, number: number, from: number): number {
  let low = from;
  let high = offsets.length;
  // Invariant: offsets left of `low` are not above the number, those from `high` on are.
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (offsets[middle]! > number) high = middle;
    else low = middle + 1;
  }
  return low;
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

/** Compares the bytes of a stretch with those of another one: negative where the first are lower. */
function compareBytes(
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
