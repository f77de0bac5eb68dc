// A dictionary in a file: the distinct values of a field in sort order. Single values are read from their pages. Before
// all of them are used, their order is checked, and that each is a valid value of the field.

import { currentDeadline } from "../../engine/algorithms/deadline.ts";
import { Resumable } from "../../engine/algorithms/resumable.ts";
import { finish, inSteps, type Steps } from "../../engine/algorithms/steps.ts";
import { NumberValues } from "../../engine/indexes/number-values.ts";
import {
  compareBytes,
  decodeUtf8,
  DecodedTexts,
  searchBytes,
  StringValues,
} from "../../engine/indexes/string-values.ts";
import { CodeSetBuilder, forEachRange, type CodeSet } from "../../engine/indexes/code-set.ts";
import type {
  EncodedValues,
  SearchBounds,
  TextOffsets,
  Values,
} from "../../engine/indexes/values.ts";
import type { Storage, TextValue } from "../../schema/field.ts";
import type { DictionaryEntry } from "../directory.ts";
import { FileError } from "../file-error.ts";
import type { Pages } from "./pages.ts";
import { openOffsets, type FileOffsets } from "./offsets.ts";
import { areFew, searchInPieces } from "./search-pieces.ts";
import { memoryLimits, Section } from "./section.ts";

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
  /** Checks the whole dictionary, and reads it into memory unless it is too large for that. */
  load(): void;
  /**
   * The values of some consecutive codes.
   *
   * @param most how many bytes of text are enough: there may be fewer values than asked for, but at least one
   */
  range(from: number, to: number, most: number): DictionaryRange;
}

/** Consecutive values: texts, and where each starts and the last ends, from wherever the first starts; or numbers. */
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
        openOffsets<Int32Array>(section, pages, offsets, Int32Array, entry.offsetBytes),
        entry.ascii,
      );
}

/** How many values are read at once if they are not in memory. */
const MANY = 1 << 16;

/** How many bytes are decoded at once to check that they are UTF-8, and searched at once if they are not in memory. */
const PIECE = 1 << 20;

/** The longest string that is read: no engine has longer ones. */
const LONGEST = 2 ** 31 - 1;

class StringDictionary implements FileDictionary {
  readonly type = "string";
  readonly length: number;
  readonly #bytes: Section<Uint8Array>;
  readonly #offsets: FileOffsets<Int32Array>;
  readonly #isAscii: boolean;
  readonly #decoded: DecodedTexts;
  #loaded: StringValues | undefined;
  readonly #checking = new Resumable<void>();
  /** Whether all was checked without being loaded. */
  #isChecked = false;

  constructor(bytes: Section<Uint8Array>, offsets: FileOffsets<Int32Array>, isAscii: boolean) {
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

  /** @returns `undefined` if it is too large for memory */
  load(): StringValues | undefined {
    if (this.#loaded !== undefined || this.#isChecked) return this.#loaded;
    if (this.#isTooLarge) {
      this.#checkInPieces();
      this.#isChecked = true;
      return undefined;
    }
    const bytes = this.#bytes.all();
    const offsets = this.#offsets.all();
    if (offsets[0] !== 0 || offsets[this.length] !== bytes.length) {
      throw this.#error("does not begin and end where its bytes do");
    }
    this.#checking.finish(() => this.#check(bytes, offsets, 0), currentDeadline());
    return (this.#loaded = new StringValues(bytes, offsets, this.#isAscii, this.#decoded));
  }

  get #isTooLarge(): boolean {
    return this.textBytes > memoryLimits.bytes;
  }

  encoded(isChecked = false): EncodedValues {
    if (isChecked) this.load();
    const all = this.#bytes;
    const bytes = {
      length: all.length,
      subarray: (from?: number, to?: number) => all.copy(from, to),
    };
    return { ascii: this.#isAscii, offsets: this.#offsets.copy(), bytes };
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
    const [start, end] = [all[0]!, all[count]!];
    if (end > this.#bytes.length) throw this.#error("has an offset that leads out of it");
    this.#requireLength(start, end);
    const bytes = this.#bytes.slice(start, end);
    if (all instanceof Int32Array) return { offsets: all.subarray(0, count + 1), bytes };
    return { offsets: Int32Array.from({ length: count + 1 }, (_, i) => all[i]! - start), bytes };
  }

  #requireLength(start: number, end: number): void {
    if (end - start > LONGEST) throw this.#error("has a string that is too long for memory");
  }

  readonly codesWith: StringValues["codesWith"] = (bounds, among) => {
    const whole = this.#wholeIfAny();
    if (whole !== undefined) return whole.codesWith(bounds, among);
    if (!areFew(among, this.length)) {
      return this.#isTooLarge
        ? this.#codesInPieces(bounds, among)
        : this.#whole.codesWith(bounds, among);
    }
    const pieces = {
      bytes: this.#bytes,
      offsets: this.#offsets,
      isAscii: this.#isAscii,
      check: (bytes: Uint8Array, offsets: Int32Array) => this.#checkText(bytes, offsets),
    };
    return searchInPieces(pieces, bounds, among);
  };

  /** Loads it. It is not too large. */
  get #whole(): StringValues {
    const whole = this.load();
    if (whole === undefined) throw this.#error("is too large for memory");
    return whole;
  }

  #codesInPieces(bounds: SearchBounds, among: CodeSet): CodeSet {
    const found = new CodeSetBuilder(this.length);
    forEachRange(among, (low, high) => {
      for (let code = Math.max(1, low); code < high;) {
        currentDeadline()?.check();
        const { bytes, offsets } = this.#rangeOf(code, high, PIECE);
        // Code 0 of the piece is a placeholder.
        const own = Int32Array.from({ length: offsets.length + 1 }, (_, i) =>
          i === 0 ? 0 : offsets[i - 1]! - offsets[0]!,
        );
        const values = new StringValues(bytes, own, this.#isAscii);
        const before = code - 1;
        forEachRange(values.codesWith(bounds, [1, values.length]), (from, to) =>
          found.add(before + from, before + to),
        );
        code += offsets.length - 1;
      }
    });
    return found.finish();
  }

  #rangeOf(from: number, to: number, most: number) {
    const { bytes, offsets = new Int32Array(1) } = this.range(
      from,
      Math.min(to, from + MANY),
      most,
    );
    return { bytes, offsets };
  }

  #checkInPieces(): void {
    if (this.#offsets.at(0) !== 0 || this.#offsets.at(this.length) !== this.#bytes.length) {
      throw this.#error("does not begin and end where its bytes do");
    }
    let last: Uint8Array | undefined;
    for (let code = 0; code < this.length;) {
      const { bytes, offsets } = this.#rangeOf(code, this.length, PIECE);
      const [start, count] = [offsets[0]!, offsets.length - 1];
      const own = offsets.map((offset) => offset - start);
      finish(this.#check(bytes, own, code), currentDeadline());
      if (code > 1 && last !== undefined) {
        if (compareBytes(last, 0, last.length, bytes, 0, own[1]!) >= 0) {
          throw this.#error(`is not in order at ${code}`);
        }
      }
      last = bytes.subarray(own[count - 1], own[count]);
      code += count;
    }
  }

  readonly search = (text: string, from: number): number =>
    this.#wholeIfAny()?.search(text, from) ??
    searchBytes(text, from, this.length, (code, wanted, length) => {
      const bytes = this.#utf8(code);
      return compareBytes(bytes, 0, bytes.length, wanted, 0, length);
    });

  /** Checks consecutive strings. @param first the code of the first of them */
  *#check(bytes: Uint8Array, offsets: TextOffsets, first: number): Steps<void> {
    for (let i = 1; i < offsets.length; i++) {
      if (offsets[i - 1]! > offsets[i]!) throw this.#error("has an offset below the last");
    }
    yield* this.#checkText(bytes, offsets);
    // The placeholder of null may be anything.
    const least = first === 0 ? 2 : 1;
    yield* inSteps(offsets.length - 1, (from, to) => {
      for (let i = Math.max(least, from); i < to; i++) {
        const [start, next, end] = [offsets[i - 1]!, offsets[i]!, offsets[i + 1]!];
        if (compareBytes(bytes, start, next, bytes, next, end) >= 0) {
          throw this.#error(`is not in order at ${first + i}`);
        }
      }
    });
  }

  /** Whether the bytes are UTF-8, and no character is split between strings. */
  *#checkText(bytes: Uint8Array, offsets: TextOffsets): Steps<void> {
    if (this.#isAscii) {
      yield* inSteps(
        bytes.length,
        (from, to) => {
          if (!isAscii(bytes, from, to)) throw this.#error("is not ASCII, as the directory says");
        },
        PIECE,
      );
      return;
    }
    for (let i = 1; i < offsets.length - 1; i++) {
      const at = offsets[i]!;
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
      yield;
    }
  }

  #utf8(code: number): Uint8Array {
    const from = this.#offsets.at(code);
    const to = this.#offsets.at(code + 1);
    if (from < 0 || from > to || to > this.#bytes.length) {
      throw this.#error("has an offset that leads out of it");
    }
    this.#requireLength(from, to);
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

/** Whether the bytes of a range are ASCII. Looks at four at a time if they start at a multiple of 4. */
function isAscii(bytes: Uint8Array, from: number, to: number): boolean {
  let high = 0;
  const first = (bytes.byteOffset + from) % 4 === 0 ? to - ((to - from) % 4) : from;
  if (first > from) {
    const words = new Int32Array(bytes.buffer, bytes.byteOffset + from, (first - from) >>> 2);
    for (let i = 0; i < words.length; i++) high |= words[i]!;
  }
  for (let i = first; i < to; i++) high |= bytes[i]!;
  return (high & (0x80808080 | 0)) === 0;
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

/** Integers as int64, or other numbers as float64. */
class NumberDictionary implements FileDictionary {
  readonly type: "int" | "float";
  readonly length: number;
  readonly #words: Section<Int32Array>;
  readonly #reading = new Resumable<Float64Array>();
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
    const numbers = this.#reading.finish(() => this.#numbersOf(words), currentDeadline());
    return (this.#loaded = new NumberValues(this.type, numbers));
  }

  *#numbersOf(words: Int32Array): Steps<Float64Array> {
    const numbers = new Float64Array(this.length);
    yield* inSteps(numbers.length, (from, to) => {
      for (let code = Math.max(1, from); code < to; code++) {
        numbers[code] = this.#toNumber(words[2 * code]!, words[2 * code + 1]!);
        if (code > 1 && numbers[code - 1]! >= numbers[code]!) {
          throw new FileError(this.#words.name, `is not in order at ${code}`);
        }
      }
    });
    return numbers;
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
