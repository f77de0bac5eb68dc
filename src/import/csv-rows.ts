// Splits CSV into rows (RFC 4180). Delimiters separate values; a quoted value may contain anything, with
// quotes in it doubled. A row ends at \n or \r\n. The values are located in the bytes; the consumer of a
// row decides whether to make strings of them. Not a library: of the two considered, one silently accepts
// damaged quotes, and neither distinguishes `""` from nothing, which is how the empty string differs
// from null.

import { grown } from "../collection/algorithms/codes.ts";
import { InputError, quote } from "../schema/errors.ts";
import { LONGEST_RECORD, TOO_LONG, type Decoder } from "./feed.ts";
import { decodeAnyway, firstBad, lastBoundary, markIn } from "./utf8.ts";

/** A value of a row; `null` if it is the text for null without quotes. */
export type Cell = string | null;

export interface RowTaker {
  /** @param row is valid during the call */
  row(row: CsvRow): void;
  malformed(text: string, reason: string, line: number): void;
}

export interface CsvFormat {
  /** One character. */
  readonly delimiter: string;
  /** What means `null` unless it is in quotes; `undefined` if nothing does. */
  readonly nullText: string | undefined;
}

const QUOTE = 0x22;
const LF = 0x0a;
const CR = 0x0d;

const PLAIN = 0;
const QUOTED = 1;
/** In quotes, with quotes in it. */
const DOUBLED = 2;

/** The values of a row, as positions in the bytes. */
export class CsvRow {
  bytes: Uint8Array = new Uint8Array(0);
  line = 1;
  isBlank = false;
  count = 0;
  /** For each value in turn: where it begins, where it ends, and how it is written. */
  #bounds = new Int32Array(3 * 64);
  readonly #nullText: string | undefined;
  readonly #nullBytes: Uint8Array;
  /** The text of all bytes, if each is one character. */
  #text: string | undefined;
  #isRead = false;

  constructor(nullText: string | undefined) {
    this.#nullText = nullText;
    this.#nullBytes = new TextEncoder().encode(nullText ?? "");
  }

  begin(bytes: Uint8Array): void {
    this.bytes = bytes;
    this.#isRead = false;
  }

  add(from: number, to: number, kind: number): void {
    const at = 3 * this.count++;
    if (at === this.#bounds.length) this.#bounds = grown(this.#bounds, Int32Array, 2 * at);
    this.#bounds[at] = from;
    this.#bounds[at + 1] = to;
    this.#bounds[at + 2] = kind;
  }

  from(index: number): number {
    return this.#bounds[3 * index]!;
  }

  to(index: number): number {
    return this.#bounds[3 * index + 1]!;
  }

  /** Whether the bytes of a value differ from it because quotes are doubled. */
  isDoubled(index: number): boolean {
    return this.#bounds[3 * index + 2] === DOUBLED;
  }

  isNull(index: number): boolean {
    if (this.#nullText === undefined || this.#bounds[3 * index + 2] !== PLAIN) return false;
    const from = this.from(index);
    const own = this.#nullBytes;
    if (this.to(index) - from !== own.length) return false;
    for (let i = 0; i < own.length; i++) if (this.bytes[from + i] !== own[i]) return false;
    return true;
  }

  cells(): Cell[] {
    return Array.from({ length: this.count }, (_, index) => this.cell(index));
  }

  cell(index: number): Cell {
    if (this.isNull(index)) return null;
    if (!this.#isRead) {
      this.#isRead = true;
      const text = decodeAnyway(this.bytes);
      this.#text = text.length === this.bytes.length ? text : undefined;
    }
    const [from, to] = [this.from(index), this.to(index)];
    const text = this.#text?.slice(from, to) ?? decodeAnyway(this.bytes.subarray(from, to));
    return this.isDoubled(index) ? text.replaceAll('""', '"') : text;
  }
}

const ENCODING = '; the option encoding reads others, such as "windows-1252"';

export class CsvRows implements Decoder {
  readonly #delimiter: Uint8Array;
  readonly #taker: RowTaker;
  readonly #row: CsvRow;
  /** The line of the next row. */
  #line = 1;
  /** How many bytes precede those that are given next, and how many of these are known to be UTF-8. */
  #before = 0;
  #checked = 0;

  constructor({ delimiter, nullText }: CsvFormat, taker: RowTaker) {
    this.#delimiter = new TextEncoder().encode(delimiter);
    this.#taker = taker;
    this.#row = new CsvRow(nullText);
  }

  /** @throws InputError with the line, if it is not UTF-8 or a row is too long */
  take(bytes: Uint8Array, isEnd: boolean): number {
    const whole = isEnd ? bytes : bytes.subarray(0, lastBoundary(bytes));
    const wrong = firstBad(whole.subarray(this.#checked));
    if (wrong >= 0) {
      const bad = this.#checked + wrong;
      const line = this.#line + whole.subarray(0, bad).filter((byte) => byte === LF).length;
      throw new InputError(`line ${line}`, `is not UTF-8 at byte ${this.#before + bad}${ENCODING}`);
    }
    const start = this.#before === 0 ? markIn(whole) : 0;
    const taken = start + this.#takeRows(whole.subarray(start), isEnd);
    this.#before += taken;
    this.#checked = whole.length - taken;
    if (bytes.length - taken > LONGEST_RECORD) {
      throw new InputError(`line ${this.#line}`, `${TOO_LONG}; a quote may be unclosed`, {
        code: "limit",
      });
    }
    return taken;
  }

  /** Passes on the complete rows. Returns how many bytes they have. */
  #takeRows(bytes: Uint8Array, isEnd: boolean): number {
    const row = this.#row;
    row.begin(bytes);
    const { length } = bytes;
    const [first, ...others] = this.#delimiter;
    const delimiterLength = this.#delimiter.length;
    const isDelimiter = (at: number) => others.every((byte, i) => bytes[at + 1 + i] === byte);
    let start = 0;
    let lines = 1;
    let i = 0;
    row.count = 0;
    while (i < length || (isEnd && row.count > 0)) {
      let kind = PLAIN;
      /** The closing quote, if there is one. */
      let close = i;
      let end = i;
      if (bytes[i] === QUOTE) {
        kind = QUOTED;
        for (close = i + 1; close < length; close++) {
          const byte = bytes[close];
          if (byte === LF) lines++;
          if (byte !== QUOTE) continue;
          if (bytes[close + 1] !== QUOTE) break;
          kind = DOUBLED;
          close++;
        }
        if (!isEnd && close + 1 >= length) break;
        if (close >= length) {
          const text = decodeAnyway(bytes.subarray(start));
          this.#taker.malformed(text, "has a quote that is not closed", this.#line);
          return length;
        }
        end = close + 1;
      }
      const begin = end;
      for (; end < length; end++) {
        const byte = bytes[end];
        if (byte === LF || (byte === first && (delimiterLength === 1 || isDelimiter(end)))) break;
      }
      if (end >= length && !isEnd) break;
      const isRowEnd = end >= length || bytes[end] === LF;
      const stop = isRowEnd && end > begin && bytes[end - 1] === CR ? end - 1 : end;
      if (kind !== PLAIN && stop > begin) {
        const found = bytes.indexOf(LF, end);
        if (found < 0 && !isEnd) break;
        end = found < 0 ? length : found;
        const [what = ""] = decodeAnyway(bytes.subarray(begin, begin + 4));
        const text = decodeAnyway(bytes.subarray(start, end));
        this.#taker.malformed(text, `has ${quote(what)} after a closing quote`, this.#line);
      } else {
        if (kind === PLAIN) row.add(i, stop, PLAIN);
        else row.add(i + 1, close, kind);
        if (!isRowEnd) {
          i = end + delimiterLength;
          continue;
        }
        row.line = this.#line;
        row.isBlank = kind === PLAIN && stop === start;
        this.#taker.row(row);
      }
      this.#line += lines;
      lines = 1;
      row.count = 0;
      start = i = end + 1;
    }
    return Math.min(start, length);
  }
}
