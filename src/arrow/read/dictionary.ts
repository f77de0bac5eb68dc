// A dictionary in a file: the distinct values of a field in sort order. Single values are read from their pages. Before
// all of them are used, their order is checked, and that each is a valid value of the field.

import { NumberValues } from "../../engine/indexes/number-values.ts";
import {
  compareBytes,
  decodeUtf8,
  DecodedTexts,
  searchBytes,
  StringValues,
} from "../../engine/indexes/string-values.ts";
import type { EncodedValues, Values } from "../../engine/indexes/values.ts";
import type { Storage, TextValue } from "../../schema/field.ts";
import type { DictionaryEntry } from "../directory.ts";
import { FileError } from "../file-error.ts";
import type { Pages } from "./pages.ts";
import { areFew, searchInPieces } from "./search-pieces.ts";
import { Section } from "./section.ts";

/** The values of a field by code. Code 0 is null. */
export interface FileDictionary extends Values {
  readonly type: Storage | "strings";
  /** How many bytes are in memory. */
  readonly bytes: number;
  /** @throws FileError, like all members that read */
  at(code: number): TextValue;
  /**
   * Runs the checks that need no further reading: all checks if the dictionary is small or in memory. Runs them once.
   */
  use(): void;
  /** Reads and checks the whole dictionary. */
  load(): void;
  /** How many bytes its texts have together; 0 if they are not kept as bytes. */
  readonly textBytes: number;
  /**
   * The values of some consecutive codes.
   *
   * @param most how many bytes of text are enough: there may be fewer values than asked for, but at least one
   */
  range(from: number, to: number, most: number): DictionaryRange;
}

/** Consecutive values: texts, and where each starts and the last ends; or numbers. */
export interface DictionaryRange {
  readonly bytes: Uint8Array;
  readonly offsets?: Int32Array;
  readonly numbers?: Float64Array;
}

/** @param name the field's name, for errors */
export function openDictionary(name: string, pages: Pages, entry: DictionaryEntry): FileDictionary {
  const section = `dictionary of ${name}`;
  const { type, bytes, offsets } = entry;
  return offsets === undefined
    ? new NumberDictionary(
        type === "float" ? "float" : "int",
        new Section<Int32Array>(section, pages, bytes, Int32Array),
      )
    : new StringDictionary(
        new Section<Uint8Array>(section, pages, bytes, Uint8Array),
        new Section<Int32Array>(section, pages, offsets, Int32Array),
        entry.ascii,
      );
}

/** How many bytes are decoded at once to check that they are UTF-8. */
const PIECE = 1 << 20;

class StringDictionary implements FileDictionary {
  readonly type = "string";
  readonly length: number;
  readonly #bytes: Section<Uint8Array>;
  readonly #offsets: Section<Int32Array>;
  readonly #isAscii: boolean;
  readonly #decoded: DecodedTexts;
  #loaded: StringValues | undefined;

  constructor(bytes: Section<Uint8Array>, offsets: Section<Int32Array>, isAscii: boolean) {
    this.#bytes = bytes;
    this.#offsets = offsets;
    this.#isAscii = isAscii;
    this.length = offsets.length - 1;
    this.#decoded = new DecodedTexts(this.length);
  }

  get bytes(): number {
    return this.#bytes.bytes + this.#offsets.bytes;
  }

  at(code: number): TextValue {
    if (code === 0) return null;
    const whole = this.#wholeIfAny();
    if (whole !== undefined) return whole.at(code);
    const known = this.#decoded.get(code);
    if (known !== undefined) return known;
    const bytes = this.#utf8(code);
    return this.#decoded.keep(code, this.#decode(bytes), bytes.length);
  }

  use(): void {
    this.#wholeIfAny();
  }

  /** The whole dictionary, if it is small or in memory. */
  #wholeIfAny(): StringValues | undefined {
    return this.#bytes.isInPieces || this.#offsets.isInPieces ? undefined : this.load();
  }

  load(): StringValues {
    if (this.#loaded !== undefined) return this.#loaded;
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
    return (this.#loaded = new StringValues(bytes, offsets, this.#isAscii, this.#decoded));
  }

  encoded(isChecked = false): EncodedValues {
    if (isChecked) this.load();
    const [bytes, offsets] = [this.#bytes.copy(), this.#offsets.copy()];
    return { ascii: this.#isAscii, offsets, bytes };
  }

  get textBytes(): number {
    return this.#bytes.length;
  }

  range(from: number, to: number, most: number): DictionaryRange {
    const all = this.#offsets.slice(from, to + 1);
    let count = 1;
    while (count < to - from && all[count + 1]! - all[0]! <= most) count++;
    for (let i = 0; i < count; i++) {
      if (all[i]! < 0 || all[i]! > all[i + 1]!) throw this.#error("has an offset below the last");
    }
    const offsets = all.subarray(0, count + 1);
    if (offsets[count]! > this.#bytes.length)
      throw this.#error("has an offset that leads out of it");
    return { offsets, bytes: this.#bytes.slice(offsets[0]!, offsets[count]!) };
  }

  readonly codesWith: StringValues["codesWith"] = (bounds, among) => {
    const whole = this.#wholeIfAny();
    if (whole !== undefined || !areFew(among, this.length)) {
      return (whole ?? this.load()).codesWith(bounds, among);
    }
    return searchInPieces(
      { bytes: this.#bytes, offsets: this.#offsets, isAscii: this.#isAscii },
      bounds,
      among,
    );
  };

  readonly search = (text: string, from: number): number =>
    this.#wholeIfAny()?.search(text, from) ??
    searchBytes(text, from, this.length, (code, wanted, length) => {
      const bytes = this.#utf8(code);
      return compareBytes(bytes, 0, bytes.length, wanted, 0, length);
    });

  #checkOffsets(offsets: Int32Array, bytes: Uint8Array): void {
    if (offsets[0] !== 0 || offsets[this.length] !== bytes.length) {
      throw this.#error("does not begin and end where its bytes do");
    }
    for (let code = 0; code < this.length; code++) {
      if (offsets[code]! > offsets[code + 1]!) throw this.#error("has an offset below the last");
    }
  }

  /** Whether the bytes are UTF-8, and no character is split between strings. */
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

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

/** Integers as int64, or other numbers as float64. */
class NumberDictionary implements FileDictionary {
  readonly type: "int" | "float";
  readonly textBytes = 0;
  readonly length: number;
  readonly #words: Section<Int32Array>;
  #loaded: NumberValues | undefined;

  constructor(type: "int" | "float", words: Section<Int32Array>) {
    this.type = type;
    this.#words = words;
    this.length = words.length / 2;
  }

  get bytes(): number {
    return this.#words.bytes + (this.#loaded?.bytes ?? 0);
  }

  at(code: number): TextValue {
    return code === 0 ? null : String(this.numberAt(code));
  }

  numberAt(code: number): number {
    this.use();
    if (this.#loaded !== undefined) return this.#loaded.numberAt(code);
    const [low = 0, high = 0] = this.#words.slice(2 * code, 2 * code + 2);
    return this.#toNumber(low, high);
  }

  get numbers(): Float64Array | undefined {
    this.use();
    return this.#loaded?.numbers;
  }

  use(): void {
    if (this.#loaded === undefined && !this.#words.isInPieces) this.load();
  }

  load(): NumberValues {
    if (this.#loaded !== undefined) return this.#loaded;
    const words = this.#words.all();
    const numbers = new Float64Array(this.length);
    for (let code = 1; code < numbers.length; code++) {
      numbers[code] = this.#toNumber(words[2 * code]!, words[2 * code + 1]!);
      if (code > 1 && numbers[code - 1]! >= numbers[code]!) {
        throw new FileError(this.#words.name, `is not in order at ${code}`);
      }
    }
    return (this.#loaded = new NumberValues(this.type, numbers));
  }

  encoded(isChecked = false): EncodedValues {
    if (isChecked) this.load();
    const { buffer, byteOffset, byteLength } = this.#words.copy();
    const bytes = new Uint8Array(buffer, byteOffset, byteLength);
    return { ascii: false, offsets: undefined, bytes };
  }

  range(from: number, to: number): DictionaryRange {
    const words = this.#words.slice(2 * from, 2 * to);
    const numbers = new Float64Array(to - from);
    for (let i = 0; i < numbers.length; i++) {
      numbers[i] = this.#toNumber(words[2 * i]!, words[2 * i + 1]!);
    }
    const { buffer, byteOffset, byteLength } = words;
    return { bytes: new Uint8Array(buffer, byteOffset, byteLength), numbers };
  }

  #toNumber(low: number, high: number): number {
    if (this.type === "float") {
      halves[0] = low;
      halves[1] = high;
      if (Number.isFinite(whole[0]) && !Object.is(whole[0], -0)) return whole[0]!;
      throw new FileError(this.#words.name, "has a number that no field accepts");
    }
    const number = high * 2 ** 32 + (low >>> 0);
    if (Number.isSafeInteger(number)) return number;
    throw new FileError(this.#words.name, "has a number of a magnitude above 2^53 − 1");
  }
}

/** The two halves of a float64, the lower one first, as in files. */
const whole = new Float64Array(1);
const halves = new Int32Array(whole.buffer);
