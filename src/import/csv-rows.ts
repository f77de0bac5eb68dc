// CSV taken apart into rows (RFC 4180). Values are between delimiters; one in quotes may hold anything,
// a quote in it doubled. A row ends at \n or \r\n. Not a library: of the two that were looked at, one
// takes damaged quotes apart without a word, and neither tells `""` from nothing, which is how the
// empty text is told from null.

import { InputError } from "../schema/errors.ts";
import { quote } from "../schema/errors.ts";
import { LONGEST_RECORD, TOO_LONG } from "./limits.ts";
import { concat, decodeUtf8, firstBad, lastBoundary } from "./utf8.ts";

/** A value of a row; `null` where the text for it stands there without quotes. */
export type Cell = string | null;

/** Rows, and what could not be taken apart. */
export interface RowSink {
  /** @param isBlank whether nothing stands in its line */
  row(cells: Cell[], line: number, isBlank: boolean): void;
  malformed(text: string, reason: string, line: number): void;
}

export interface CsvFormat {
  /** One character. */
  readonly delimiter: string;
  /** What stands for `null`, unless it is in quotes; `undefined` where nothing does. */
  readonly nullText: string | undefined;
}

const QUOTE = 0x22;
const LF = 0x0a;
const CR = 0x0d;
const MARK = "\ufeff";

/** Reads the bytes of one CSV text, given piece by piece. */
export class CsvRows {
  readonly #delimiter: number;
  readonly #nullText: string | undefined;
  readonly #sink: RowSink;
  /** The start of a character that is not all there. */
  #begun: Uint8Array = new Uint8Array(0);
  /** The start of a row that is not all there, and how much of it was gone through in vain. */
  #text = "";
  #tried = 0;
  #isStart = true;
  /** The line of the row that comes next. */
  #line = 1;
  /** How many bytes lie before the text. */
  #before = 0;

  constructor({ delimiter, nullText }: CsvFormat, sink: RowSink) {
    this.#delimiter = delimiter.charCodeAt(0);
    this.#nullText = nullText;
    this.#sink = sink;
  }

  /** @throws InputError with the line, where it is not UTF-8 or a row is too long */
  push(piece: Uint8Array): void {
    this.#decode(this.#begun.length === 0 ? piece : concat([this.#begun, piece]), false);
    // A long row that comes in many pieces is gone through again only when it has become twice as long.
    if (this.#text.length >= 2 * this.#tried && piece.includes(LF)) this.#takeRows(false);
    if (this.#text.length > LONGEST_RECORD) this.#takeRows(false);
    if (this.#text.length > LONGEST_RECORD) {
      throw new InputError(`line ${this.#line}`, `${TOO_LONG}; a quote may not be closed`);
    }
  }

  end(): void {
    this.#decode(this.#begun, true);
    this.#takeRows(true);
  }

  #decode(bytes: Uint8Array, isEnd: boolean): void {
    const end = isEnd ? bytes.length : lastBoundary(bytes);
    const whole = bytes.subarray(0, end);
    this.#begun = bytes.slice(end);
    let text = decodeUtf8(whole);
    if (text === undefined) {
      const bad = firstBad(whole);
      const before = this.#text + (decodeUtf8(whole.subarray(0, bad)) ?? "");
      const line = this.#line + countLines(before);
      throw new InputError(`line ${line}`, `is not UTF-8 at byte ${this.#before + bad}`);
    }
    this.#before += end;
    if (this.#isStart && text !== "") {
      this.#isStart = false;
      if (text.startsWith(MARK)) text = text.slice(1);
    }
    this.#text = this.#text === "" ? text : this.#text + text;
  }

  /** Hands on the rows that are all there. */
  #takeRows(isEnd: boolean): void {
    const text = this.#text;
    const { length } = text;
    const delimiter = this.#delimiter;
    const nullText = this.#nullText;
    let line = this.#line;
    let start = 0;
    let cells: Cell[] = [];
    let lines = 1;
    let i = 0;
    while (i < length || (isEnd && cells.length > 0)) {
      let end: number;
      let isBlank = false;
      if (text.charCodeAt(i) === QUOTE) {
        const close = closingQuote(text, i);
        if (close < 0 || (close + 1 >= length && !isEnd)) {
          if (!isEnd) break;
          this.#sink.malformed(text.slice(start), "has a quote that is not closed", line);
          start = length;
          break;
        }
        const value = text.slice(i + 1, close);
        cells.push(value.includes('"') ? value.replaceAll('""', '"') : value);
        lines += countLines(value);
        end = close + 1;
        if (
          text.charCodeAt(end) === CR &&
          (text.charCodeAt(end + 1) === LF || end + 1 === length)
        ) {
          if (end + 1 === length && !isEnd) break;
          end++;
        }
        const next = text.charCodeAt(end);
        if (end < length && next !== delimiter && next !== LF) {
          const found = text.indexOf("\n", end);
          if (found < 0 && !isEnd) break;
          const stop = found < 0 ? length : found;
          const what = quote(text.charAt(end));
          this.#sink.malformed(text.slice(start, stop), `has ${what} after a closing quote`, line);
          line += lines;
          lines = 1;
          cells = [];
          start = i = stop + 1;
          continue;
        }
      } else {
        end = i;
        for (; end < length; end++) {
          const unit = text.charCodeAt(end);
          if (unit === delimiter || unit === LF) break;
        }
        if (end >= length && !isEnd) break;
        const isRowEnd = end >= length || text.charCodeAt(end) === LF;
        const stop = isRowEnd && end > i && text.charCodeAt(end - 1) === CR ? end - 1 : end;
        isBlank = stop === start;
        const value = text.slice(i, stop);
        cells.push(value === nullText ? null : value);
      }
      i = end + 1;
      if (end < length && text.charCodeAt(end) === delimiter) continue;
      this.#sink.row(cells, line, isBlank);
      line += lines;
      lines = 1;
      cells = [];
      start = i;
    }
    this.#line = line;
    this.#text = text.slice(start);
    this.#tried = this.#text.length;
  }
}

/** Where the value in quotes ends that begins here; −1 where it does not. */
function closingQuote(text: string, start: number): number {
  for (let i = text.indexOf('"', start + 1); ; i = text.indexOf('"', i + 2)) {
    if (i < 0 || text.charCodeAt(i + 1) !== QUOTE) return i;
  }
}

function countLines(text: string): number {
  let count = 0;
  for (let i = text.indexOf("\n"); i >= 0; i = text.indexOf("\n", i + 1)) count++;
  return count;
}
