// Splits CSV into rows (RFC 4180). Delimiters separate values; a quoted value may contain anything, with quotes in it
// doubled or escaped. A row ends at \n, \r\n or \r. The values are located in the bytes; the consumer of a row decides
// whether to make strings of them. Not a library: of the two considered, one silently accepts damaged quotes, and
// neither distinguishes `""` from an empty value, which is the difference between the empty string and null.

import { grown } from "../engine/algorithms/codes.ts";
import { InputError, quote as quoted } from "../schema/errors.ts";
import type { CsvFormat } from "./csv-format.ts";
import { LONGEST_RECORD, TOO_LONG, type Decoder } from "./feed.ts";
import { decodeAnyway, firstBad, isAt, lastBoundary, markIn } from "./utf8.ts";

/** A value of a row; `null` if it is an unquoted string for null. */
export type Cell = string | null;

export interface RowTaker {
  /** @param row is valid during the call */
  row(row: CsvRow): void;
  malformed(text: string, reason: string, line: number): void;
}

const LF = 0x0a;
const CR = 0x0d;

const PLAIN = 0;
const QUOTED = 1;
/** In quotes, with escaped characters in it. */
const ESCAPED = 2;

/** The values of a row, as positions in the bytes. */
export class CsvRow {
  bytes: Uint8Array = new Uint8Array(0);
  line = 1;
  isBlank = false;
  count = 0;
  /** For each value: its start, its end, and how it is written. */
  #bounds = new Int32Array(3 * 64);
  readonly #unescape: (text: string) => string;
  /** Whether an empty value means null, and which other strings do. */
  readonly #isNothingNull: boolean;
  readonly #nulls: readonly Uint8Array[];
  /** The text of all bytes, if each is one character. */
  #text: string | undefined;
  #isRead = false;

  constructor({ nullTexts, quote = "", escape = quote }: CsvFormat) {
    this.#isNothingNull = nullTexts.includes("");
    this.#nulls = nullTexts.filter((text) => text !== "").map((text) => encoder.encode(text));
    this.#unescape =
      escape === quote
        ? (text) => text.replaceAll(quote + quote, quote)
        : (text) => text.replaceAll(new RegExp(`\\${escape}(.)`, "gsu"), "$1");
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

  isEmpty(index: number): boolean {
    return this.from(index) === this.to(index);
  }

  /** Whether the bytes of a value differ from it because of escaped characters. */
  isEscaped(index: number): boolean {
    return this.#bounds[3 * index + 2] === ESCAPED;
  }

  isNull(index: number): boolean {
    if (this.#bounds[3 * index + 2] !== PLAIN) return false;
    const from = this.from(index);
    const length = this.to(index) - from;
    if (length === 0) return this.#isNothingNull;
    for (const each of this.#nulls) {
      if (each.length === length && isAt(each, this.bytes, from)) return true;
    }
    return false;
  }

  cells(): Cell[] {
    return Array.from({ length: this.count }, (_, index) => this.cell(index));
  }

  cell(index: number): Cell {
    return this.isNull(index) ? null : this.text(index);
  }

  text(index: number): string {
    if (!this.#isRead) {
      this.#isRead = true;
      const text = decodeAnyway(this.bytes);
      this.#text = text.length === this.bytes.length ? text : undefined;
    }
    const [from, to] = [this.from(index), this.to(index)];
    const text = this.#text?.slice(from, to) ?? decodeAnyway(this.bytes.subarray(from, to));
    return this.isEscaped(index) ? this.#unescape(text) : text;
  }

  isQuoted(index: number): boolean {
    return this.#bounds[3 * index + 2] !== PLAIN;
  }
}

const encoder = new TextEncoder();
const ENCODING = '; set the option encoding, such as "windows-1252"';
const SEP = encoder.encode("sep=");

/** The byte of a character; −1 if there is none. */
const byteOf = (character: string | undefined) => encoder.encode(character)[0] ?? -1;

export class CsvRows implements Decoder {
  #delimiter: Uint8Array;
  readonly #quote: number;
  /** The byte before an escaped character; the quote itself if quotes are doubled. */
  readonly #escape: number;
  readonly #comment: Uint8Array | undefined;
  readonly #taker: RowTaker;
  readonly #row: CsvRow;
  /** The line of the next row. */
  #line = 1;
  /** How many lines are skipped before the first row. */
  #skipped: number;
  /** Whether the first line of the rows is next, which may name the delimiter. */
  #isStart = true;
  /** How many bytes precede the next ones, and how many of the latter are known to be UTF-8. */
  #before = 0;
  #checked = 0;

  constructor(format: CsvFormat, taker: RowTaker) {
    const { delimiter, quote, escape, comment, skipLines } = format;
    this.#delimiter = encoder.encode(delimiter);
    this.#quote = byteOf(quote);
    this.#escape = byteOf(escape ?? quote);
    this.#comment = comment === undefined ? undefined : encoder.encode(comment);
    this.#skipped = skipLines;
    this.#taker = taker;
    this.#row = new CsvRow(format);
  }

  /** The delimiter of the format, unless the file names another. */
  get delimiter(): string {
    return decodeAnyway(this.#delimiter);
  }

  /** @throws InputError with the line, if it is not UTF-8 or a row is too long */
  take(bytes: Uint8Array, isEnd: boolean): number {
    const whole = isEnd ? bytes : bytes.subarray(0, lastBoundary(bytes));
    const wrong = firstBad(whole.subarray(this.#checked));
    if (wrong >= 0) {
      const bad = this.#checked + wrong;
      const line = this.#line + linesIn(whole, 0, bad);
      throw new InputError(`line ${line}`, `is not UTF-8 at byte ${this.#before + bad}${ENCODING}`);
    }
    const start = this.#before === 0 ? markIn(whole) : 0;
    const taken = this.#takeRows(whole, this.#passLines(whole, start, isEnd), isEnd);
    this.#before += taken;
    this.#checked = whole.length - taken;
    if (bytes.length - taken > LONGEST_RECORD) {
      throw new InputError(`line ${this.#line}`, `${TOO_LONG}; a quote may be unclosed`, {
        code: "limit",
      });
    }
    return taken;
  }

  /** Skips leading lines, and the line `sep=;`, by which spreadsheets name the delimiter. */
  #passLines(bytes: Uint8Array, start: number, isEnd: boolean): number {
    let at = start;
    for (; this.#skipped > 0; this.#skipped--) {
      const next = afterLine(bytes, at, isEnd);
      if (next < 0) return at;
      this.#line++;
      at = next;
    }
    if (!this.#isStart || at === bytes.length) return at;
    const next = afterLine(bytes, at, isEnd);
    // Without the end of the line, there is no row either.
    if (next < 0) return at;
    this.#isStart = false;
    const named = delimiterIn(bytes.subarray(at, next));
    if (named === undefined) return at;
    this.#delimiter = named;
    this.#line++;
    return next;
  }

  /** Passes on the complete rows from a position on. Returns the start of the first incomplete one. */
  #takeRows(bytes: Uint8Array, first: number, isEnd: boolean): number {
    // The next line is to be skipped, or may name the delimiter.
    if (this.#skipped > 0 || this.#isStart) return first;
    const row = this.#row;
    row.begin(bytes);
    const { length } = bytes;
    const quote = this.#quote;
    const escape = this.#escape;
    const comment = this.#comment;
    const [separator, ...others] = this.#delimiter;
    const delimiterLength = this.#delimiter.length;
    const isDelimiter = (at: number) => others.every((byte, i) => bytes[at + 1 + i] === byte);
    let start = first;
    let lines = 1;
    let i = first;
    row.count = 0;
    while (i < length || (isEnd && row.count > 0)) {
      if (comment !== undefined && i === start && isAt(comment, bytes, i)) {
        const next = afterLine(bytes, i, isEnd);
        if (next < 0) break;
        this.#line++;
        start = i = next;
        continue;
      }
      let kind = PLAIN;
      /** The closing quote, if there is one. */
      let close = i;
      let end = i;
      if (bytes[i] === quote) {
        kind = QUOTED;
        for (close = i + 1; close < length; close++) {
          const byte = bytes[close];
          if (byte === LF || (byte === CR && bytes[close + 1] !== LF)) lines++;
          if (byte !== quote && byte !== escape) continue;
          if (byte === quote && (escape !== quote || bytes[close + 1] !== quote)) break;
          kind = ESCAPED;
          if (bytes[++close] === LF) lines++;
        }
        if (!isEnd && close + 1 >= length) break;
        if (close >= length) {
          const text = decodeAnyway(bytes.subarray(start));
          this.#taker.malformed(text, "has an unclosed quote", this.#line);
          return length;
        }
        end = close + 1;
      }
      const begin = end;
      for (; end < length; end++) {
        const byte = bytes[end]!;
        if (byte === LF || byte === CR) break;
        if (byte === separator && (delimiterLength === 1 || isDelimiter(end))) break;
      }
      // After a \r, a \n may follow.
      if (!isEnd && (end >= length || (bytes[end] === CR && end + 1 === length))) break;
      if (kind !== PLAIN && end > begin) {
        const next = afterLine(bytes, end, isEnd);
        if (next < 0) break;
        const [what = ""] = decodeAnyway(bytes.subarray(begin, begin + 4));
        const text = decodeAnyway(bytes.subarray(start, lineEnd(bytes, end)));
        this.#taker.malformed(text, `has ${quoted(what)} after a closing quote`, this.#line);
        end = next;
      } else {
        if (kind === PLAIN) row.add(i, end, PLAIN);
        else row.add(i + 1, close, kind);
        const byte = bytes[end];
        if (end < length && byte !== LF && byte !== CR) {
          i = end + delimiterLength;
          continue;
        }
        row.line = this.#line;
        row.isBlank = kind === PLAIN && end === start;
        this.#taker.row(row);
        end += byte === CR && bytes[end + 1] === LF ? 2 : 1;
      }
      this.#line += lines;
      lines = 1;
      row.count = 0;
      start = i = end;
    }
    return Math.min(start, length);
  }
}

/** The delimiter that a line `sep=;` names. */
function delimiterIn(line: Uint8Array): Uint8Array | undefined {
  if (!SEP.every((byte, i) => (line[i] ?? 0) === byte || (line[i] ?? 0) + 32 === byte)) return;
  const rest = line.subarray(SEP.length, lineEnd(line, SEP.length));
  return decodeAnyway(rest).length === 1 ? rest.slice() : undefined;
}

/** The end of a line: at its line end, or at the end of the bytes. */
function lineEnd(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && bytes[at] !== LF && bytes[at] !== CR) at++;
  return at;
}

/** The start of the next line; −1 if it is not known yet. */
function afterLine(bytes: Uint8Array, from: number, isEnd: boolean): number {
  const end = lineEnd(bytes, from);
  if (end >= bytes.length) return isEnd ? bytes.length : -1;
  if (bytes[end] === LF) return end + 1;
  if (end + 1 === bytes.length && !isEnd) return -1;
  return bytes[end + 1] === LF ? end + 2 : end + 1;
}

/** How many lines end between two positions. */
function linesIn(bytes: Uint8Array, from: number, to: number): number {
  let lines = 0;
  for (let at = from; at < to; at++) {
    if (bytes[at] === LF || (bytes[at] === CR && bytes[at + 1] !== LF)) lines++;
  }
  return lines;
}
