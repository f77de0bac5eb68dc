// Splits CSV into rows (RFC 4180). Delimiters separate values; a quoted value may contain anything, with quotes in it
// doubled or escaped. A row ends at \n, \r\n or \r. The values are located in the bytes; the consumer of a block of rows decides
// whether to make strings of them. Not a library: of the two considered, one silently accepts damaged quotes, and
// neither distinguishes `""` from an empty value, which is the difference between the empty string and null.

import { InputError, quote as quoted } from "../schema/errors.ts";
import { CsvBlock, ESCAPED, PLAIN, QUOTED } from "./csv-block.ts";
import type { CsvFormat } from "./csv-format.ts";
import { LONGEST_RECORD, TOO_LONG, type Decoder } from "./feed.ts";
import { decodeAnyway, firstBad, isAt, lastBoundary, markIn } from "./utf8.ts";

export interface RowTaker {
  /** @param block is valid during the call */
  rows(block: CsvBlock): void;
  malformed(text: string, reason: string, line: number): void;
}

const LF = 0x0a;
const CR = 0x0d;
export const TAB = 0x09;
const SPACE = 0x20;
/** No byte. */
const NONE = -1;

const encoder = new TextEncoder();
const ENCODING = '; set the option encoding, such as "windows-1252"';
const SEP = encoder.encode("sep=");

/** The byte of a character. */
const byteOf = (character: string | undefined) => encoder.encode(character)[0] ?? NONE;

export class CsvRows implements Decoder {
  #delimiter: Uint8Array;
  readonly #quote: number;
  /** The byte before an escaped character; the quote itself if quotes are doubled. */
  readonly #escape: number;
  readonly #comment: Uint8Array | undefined;
  readonly #trims: boolean;
  readonly #pads: boolean;
  /** How many values a padded row has; 0 before the first one. */
  #width: number;
  readonly #taker: RowTaker;
  readonly #block: CsvBlock;
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
    const { delimiter, quote, escape, comment, skipLines, header } = format;
    this.#delimiter = encoder.encode(delimiter);
    this.#quote = byteOf(quote);
    this.#escape = byteOf(escape ?? quote);
    this.#comment = comment === undefined ? undefined : encoder.encode(comment);
    this.#skipped = skipLines;
    this.#trims = format.trim;
    this.#pads = format.ragged === "pad";
    this.#width = typeof header === "object" ? header.length : 0;
    this.#taker = taker;
    this.#block = new CsvBlock(format);
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
    const block = this.#block;
    block.begin(bytes);
    const { length } = bytes;
    const delimiter = this.#delimiter;
    const [separator = NONE] = delimiter;
    const quote = this.#quote;
    const escape = this.#escape;
    const comment = this.#comment;
    const trims = this.#trims;
    const delimiterLength = delimiter.length;
    // The bytes above it are only passed over, by a single comparison for most of the text. Values are short: a loop for
    // each would take twice as long.
    const highest = Math.max(separator, quote, LF, CR, trims ? SPACE : NONE);
    let start = first;
    while (start < length) {
      if (comment !== undefined && isAt(comment, bytes, start)) {
        const next = afterLine(bytes, start, isEnd);
        if (next < 0) break;
        this.#line++;
        start = next;
        continue;
      }
      let lines = 1;
      /** The start of the value; where its closing quote is, if it has quotes, and the last of the blanks after it. */
      let from = start;
      let close = start;
      let ended = start;
      let kind = PLAIN;
      let i = start;
      for (; i < length; i++) {
        const byte = bytes[i]!;
        if (byte > highest) continue;
        if (trims && i === from && isBlank(byte) && byte !== separator) {
          from++;
          continue;
        }
        if (byte === quote && i === from) {
          kind = QUOTED;
          for (close = i + 1; close < length; close++) {
            const byte = bytes[close];
            if (byte === LF || (byte === CR && bytes[close + 1] !== LF)) lines++;
            if (byte !== quote && byte !== escape) continue;
            if (byte === quote && (escape !== quote || bytes[close + 1] !== quote)) break;
            kind = ESCAPED;
            if (bytes[++close] === LF) lines++;
          }
          ended = close;
          while (trims && isBlank(bytes[ended + 1]) && bytes[ended + 1] !== separator) ended++;
          i = ended;
          continue;
        }
        if (byte === LF || byte === CR) break;
        if (byte !== separator) continue;
        if (delimiterLength > 1 && (i < from || !isAt(delimiter, bytes, i))) continue;
        if (kind === PLAIN) block.add(from, trims ? trimmedEnd(bytes, from, i) : i, PLAIN);
        else if (i > ended + 1) break;
        else block.add(from + 1, close, kind);
        kind = PLAIN;
        from = i + delimiterLength;
      }
      // After a \r, a \n may follow.
      if (!isEnd && (i >= length || (bytes[i] === CR && i + 1 === length))) break;
      if (close >= length) {
        this.#malformed(bytes.subarray(start), "has an unclosed quote");
        return length;
      }
      let next = i + 1;
      if (kind !== PLAIN && i > ended + 1) {
        next = afterLine(bytes, i, isEnd);
        if (next < 0) break;
        const [what = ""] = decodeAnyway(bytes.subarray(ended + 1, ended + 5));
        const line = bytes.subarray(start, lineEnd(bytes, i));
        this.#malformed(line, `has ${quoted(what)} after a closing quote`);
      } else {
        if (kind === PLAIN) block.add(from, trims ? trimmedEnd(bytes, from, i) : i, PLAIN);
        else block.add(from + 1, close, kind);
        if (this.#pads) this.#width = block.fit(this.#width, i);
        block.endRow(this.#line);
        if (block.isFull) this.#passOn();
        if (bytes[i] === CR && bytes[next] === LF) next++;
      }
      this.#line += lines;
      start = next;
    }
    this.#passOn();
    return Math.min(start, length);
  }

  /** Passes on the complete rows of the block, and begins another. */
  #passOn(): void {
    if (this.#block.rows > 0) this.#taker.rows(this.#block);
    this.#block.clear();
  }

  /** Passes on text that is not a row, after the rows before it. */
  #malformed(text: Uint8Array, reason: string): void {
    this.#passOn();
    this.#taker.malformed(decodeAnyway(text), reason, this.#line);
  }
}

/** Whether a byte is a blank between values. */
export const isBlank = (byte: number | undefined): boolean => byte === SPACE || byte === TAB;

/** The end of a value without the blanks after it. */
function trimmedEnd(bytes: Uint8Array, from: number, end: number): number {
  let at = end;
  while (at > from && isBlank(bytes[at - 1])) at--;
  return at;
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
