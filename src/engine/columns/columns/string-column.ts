// A column of strings: each distinct string is stored once, as bytes, in the order of its first row, and found by a
// hash table. If a search takes too many steps, because strings were crafted to collide, a Map replaces the table. The
// strings are sorted at the end.

import { InputError } from "../../../schema/errors.ts";
import { grown, recode, usedNumbers } from "../../algorithms/codes.ts";
import { freeSlots, grownSlots } from "../../algorithms/hash.ts";
import type { BuiltColumn, Cells, ColumnBuilder } from "./column-builder.ts";
import { sortBytes } from "./sort-bytes.ts";
import { StringValues } from "../../indexes/string-values.ts";
import { tuning } from "../../tuning.ts";

/** Offsets have 32 bits, as in Arrow's Utf8. */
const MOST_BYTES = 2 ** 31 - 1;

/** The approximate size of a Map's entry of a string in bytes, besides its characters. */
const BYTES_OF_ENTRY = 64;

/** How many characters to make at once: with too many arguments, engines throw. */
const PIECE = 4096;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export class StringColumn implements ColumnBuilder {
  readonly type = "string";
  readonly #name: string;
  readonly #isText: ((text: string) => boolean) | undefined;
  /** For each row, the number of its string, counted from 1; 0 for null. */
  #codes = new Uint32Array(0);
  /** The number of distinct strings, their bytes, the start of each, and the end of the last. */
  #count = 0;
  #bytes = new Uint8Array(1 << 10);
  #offsets = new Uint32Array(1 << 8);
  /** The numbers of the strings. */
  #slots = freeSlots(tuning.firstSlots);
  #seed = tuning.hashSeed();
  /** The numbers of the strings by their bytes as characters; `undefined` while the slots are used. */
  #numbers: Map<string, number> | undefined;
  #finished:
    | { readonly bytes: number; readonly offsets: number; readonly slots: number }
    | undefined;
  /** The string that was set last from bytes, or 0. */
  #before = 0;
  #lastText = "";
  #lastNumber = 0;
  #scratch = new Uint8Array(256);

  /**
   * @param isText tests a distinct string, of well-formed Unicode, that is given as bytes
   * @param like has about as many strings: growing would copy them again and again
   */
  constructor(name: string, isText?: (text: string) => boolean, like?: ColumnBuilder) {
    this.#name = name;
    this.#isText = isText;
    if (!(like instanceof StringColumn)) return;
    const { bytes, offsets, slots } = like.#sizes;
    this.#bytes = new Uint8Array(bytes);
    this.#offsets = new Uint32Array(offsets);
    this.#slots = new Int32Array(slots);
  }

  /** How long its arrays are, or were when it was finished. */
  get #sizes() {
    const [bytes, offsets, slots] = [this.#bytes, this.#offsets, this.#slots];
    return this.#finished ?? { bytes: bytes.length, offsets: offsets.length, slots: slots.length };
  }

  get bytes(): number {
    const ofStrings = this.#bytes.byteLength + this.#offsets.byteLength;
    const ofMap =
      this.#numbers === undefined ? 0 : this.#bytes.length + this.#count * BYTES_OF_ENTRY;
    return this.#codes.byteLength + ofStrings + this.#slots.byteLength + ofMap;
  }

  grow(rows: number): void {
    this.#codes = grown(this.#codes, Uint32Array, rows);
  }

  setNull(row: number): void {
    this.#codes[row] = 0;
  }

  setText(row: number, text: string): void {
    if (text !== this.#lastText || this.#lastNumber === 0) {
      if (this.#scratch.length < 3 * text.length) this.#scratch = new Uint8Array(6 * text.length);
      const length = encode(text, this.#scratch);
      this.#lastNumber = this.#numberOf(this.#scratch, 0, length);
      this.#lastText = text;
    }
    this.#codes[row] = this.#lastNumber;
  }

  setBytes(row: number, bytes: Uint8Array, from: number, to: number): boolean {
    const before = this.#before;
    // Many columns have the same value in many consecutive rows.
    if (before > 0 && this.#isAt(before, bytes, from, to)) {
      this.#codes[row] = before;
      return true;
    }
    const number = this.#numberOf(bytes, from, to);
    if (number === 0) return false;
    this.#codes[row] = this.#before = number;
    return true;
  }

  setCells(row: number, cells: Cells, from: number, to: number): number {
    const { bytes, bounds, first, stride, isNothingNull } = cells;
    for (let i = from; i < to; i++) {
      const at = first + i * stride;
      const [start, end] = [bounds[at]!, bounds[at + 1]!];
      if (start < end) {
        if (!this.setBytes(row + i, bytes, start, end)) return i;
      } else if (isNothingNull) this.setNull(row + i);
      else return i;
    }
    return to;
  }

  /** Whether it has strings, and takes any others. */
  get takesAny(): boolean {
    return this.#count > 0 && this.#isText === undefined;
  }

  /** A column with the same values, to be filled further. */
  copy(name: string): StringColumn {
    const copy = new StringColumn(name);
    copy.#codes = this.#codes.slice();
    copy.#count = this.#count;
    copy.#bytes = this.#bytes.slice();
    copy.#offsets = this.#offsets.slice();
    copy.#slots = this.#slots.slice();
    copy.#seed = this.#seed;
    copy.#numbers = this.#numbers && new Map(this.#numbers);
    return copy;
  }

  /** Whether the strings equal those of another column, in the same order. */
  isSame(other: StringColumn): boolean {
    const length = this.#offsets[this.#count]!;
    if (this.#count !== other.#count || length !== other.#offsets[this.#count]) return false;
    for (let i = 1; i <= this.#count; i++) if (this.#offsets[i] !== other.#offsets[i]) return false;
    for (let i = 0; i < length; i++) if (this.#bytes[i] !== other.#bytes[i]) return false;
    for (let row = 0; row < this.#codes.length; row++) {
      if (this.#codes[row] !== other.#codes[row]) return false;
    }
    return true;
  }

  finish(rows: number): BuiltColumn {
    this.#finished = this.#sizes;
    const strings = { bytes: this.#bytes, offsets: this.#offsets };
    const codes = this.#codes.subarray(0, rows);
    this.#slots = new Int32Array(0);
    this.#numbers = undefined;
    const sorted = usedNumbers(codes, this.#count);
    sortBytes(strings, sorted);
    recode(codes, sorted, this.#count);
    const offsets = new Int32Array(sorted.length + 2);
    let length = 0;
    for (let i = 0; i < sorted.length; i++) {
      length += strings.offsets[sorted[i]! + 1]! - strings.offsets[sorted[i]!]!;
      offsets[i + 2] = length;
    }
    const bytes = new Uint8Array(length);
    let all = 0;
    let at = 0;
    for (let i = 0; i < sorted.length; i++) {
      const end = strings.offsets[sorted[i]! + 1]!;
      for (let from = strings.offsets[sorted[i]!]!; from < end; from++) {
        const byte = strings.bytes[from]!;
        all |= byte;
        bytes[at++] = byte;
      }
    }
    // No longer needed: frees memory before sorting.
    this.#bytes = new Uint8Array(0);
    this.#codes = this.#offsets = new Uint32Array(0);
    return { values: new StringValues(bytes, offsets, all <= 0x7f), codes };
  }

  /** The number of a string; 0 if the field does not accept it. */
  #numberOf(bytes: Uint8Array, from: number, to: number): number {
    if (this.#numbers !== undefined) return this.#numberIn(this.#numbers, bytes, from, to);
    // Like `engine/algorithms/hash.ts`, but four bytes at a time, since each multiplication waits for the previous one.
    let h = this.#seed;
    let all = 0;
    let i = from;
    for (; i + 4 <= to; i += 4) {
      const word = bytes[i]! | (bytes[i + 1]! << 8) | (bytes[i + 2]! << 16) | (bytes[i + 3]! << 24);
      all |= word;
      h = Math.imul(h ^ word, 0x01000193);
      h ^= h >>> 15;
    }
    all &= 0x80808080;
    for (; i < to; i++) {
      all |= bytes[i]! & 0x80;
      h = Math.imul(h ^ bytes[i]!, 0x01000193);
    }
    h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
    h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
    h ^= h >>> 16;
    const slots = this.#slots;
    const mask = slots.length - 1;
    let slot = (2 * h) & mask;
    for (let steps = 0; steps < tuning.mostSteps; steps++, slot = (slot + 2) & mask) {
      const number = slots[slot]!;
      if (number === 0) {
        const added = this.#added(bytes, from, to, all !== 0);
        if (added === 0) return 0;
        slots[slot] = added;
        slots[slot + 1] = h;
        if (4 * added >= slots.length) this.#slots = grownSlots(slots);
        return added;
      }
      if (slots[slot + 1] === h && this.#isAt(number, bytes, from, to)) return number;
    }
    const numbers = new Map<string, number>();
    for (let number = 1; number <= this.#count; number++) {
      const [start, end] = [this.#offsets[number - 1]!, this.#offsets[number]!];
      numbers.set(bytesAsText(this.#bytes, start, end), number);
    }
    this.#numbers = numbers;
    this.#slots = freeSlots(tuning.firstSlots);
    return this.#numberIn(numbers, bytes, from, to);
  }

  #numberIn(numbers: Map<string, number>, bytes: Uint8Array, from: number, to: number): number {
    const text = bytesAsText(bytes, from, to);
    const known = numbers.get(text);
    if (known !== undefined) return known;
    const added = this.#added(bytes, from, to, true);
    if (added > 0) numbers.set(text, added);
    return added;
  }

  #isAt(number: number, bytes: Uint8Array, from: number, to: number): boolean {
    const own = this.#bytes;
    let at = this.#offsets[number - 1]!;
    if (this.#offsets[number]! - at !== to - from) return false;
    for (let i = from; i < to; i++) if (own[at++] !== bytes[i]) return false;
    return true;
  }

  /**
   * Adds a new string, and returns its number; 0 if the field does not accept it.
   *
   * @param mayBeHigh whether a byte may be other than ASCII
   */
  #added(bytes: Uint8Array, from: number, to: number, mayBeHigh: boolean): number {
    if ((mayBeHigh || this.#isText !== undefined) && !this.#isTaken(bytes.subarray(from, to))) {
      return 0;
    }
    const start = this.#offsets[this.#count]!;
    const end = start + to - from;
    if (end > MOST_BYTES) {
      throw new InputError(this.#name, "has more than 2 GiB of distinct strings", {
        code: "limit",
      });
    }
    if (end > this.#bytes.length) {
      this.#bytes = grown(this.#bytes, Uint8Array, Math.min(2 * end, MOST_BYTES));
    }
    for (let i = from, at = start; i < to; i++) this.#bytes[at++] = bytes[i]!;
    const number = ++this.#count;
    if (number === this.#offsets.length) {
      this.#offsets = grown(this.#offsets, Uint32Array, 2 * number);
    }
    this.#offsets[number] = end;
    return number;
  }

  #isTaken(bytes: Uint8Array): boolean {
    try {
      const text = decoder.decode(bytes);
      return this.#isText === undefined || this.#isText(text);
    } catch {
      return false;
    }
  }
}

/** Writes a string as UTF-8; returns the number of bytes. */
function encode(text: string, target: Uint8Array): number {
  const { length } = text;
  for (let i = 0; i < length; i++) {
    const unit = text.charCodeAt(i);
    if (unit > 0x7f) return encoder.encodeInto(text, target).written;
    target[i] = unit;
  }
  return length;
}

/** One character per byte. */
function bytesAsText(bytes: Uint8Array, from: number, to: number): string {
  let text = "";
  for (let at = from; at < to; at += PIECE) {
    text += String.fromCharCode(...bytes.subarray(at, Math.min(to, at + PIECE)));
  }
  return text;
}
