// Detects the format of CSV of unknown origin: where a comma is the decimal separator, spreadsheets write semicolons,
// and some programs write no header. The plain reading, in the given format, stands if it has several columns and no
// fault. Otherwise another reading with several columns and no fault replaces it. Readings have no scores: where
// several could be right, a notice or an error says so.

import { InputError, quote as quoted } from "../schema/errors.ts";
import { hasType } from "../schema/infer.ts";
import { DELIMITERS, type CsvDialect, type CsvFormat } from "./csv-format.ts";
import type { Cell, CsvBlock } from "./csv-block.ts";
import { CsvRows, isBlank, TAB } from "./csv-rows.ts";
import type { Decoder } from "./feed.ts";
import type { RecordForm } from "./form.ts";
import type { FormatOptions } from "./found-format.ts";
import { decodeAnyway } from "./utf8.ts";

/** How many bytes are examined; how many of their rows decide on the format, and how many on the header. */
const MOST_BYTES = 64 * 1024;
const MOST_ROWS = 10;
const MOST_TYPED_ROWS = 100;

type Given = CsvDialect & FormatOptions;

/** A decoder that detects the missing parts of the format in the first bytes, and then decodes. */
export function detected(
  format: CsvFormat,
  given: Given,
  form: RecordForm | undefined,
  decoderOf: (format: CsvFormat) => Decoder,
): Decoder {
  let decoder: Decoder | undefined;
  return {
    take(bytes, isEnd) {
      if (decoder === undefined && !isEnd && bytes.length < MOST_BYTES) return 0;
      decoder ??= decoderOf(completed(format, given, form, bytes.subarray(0, MOST_BYTES), isEnd));
      return decoder.take(bytes, isEnd);
    },
  };
}

/** @throws InputError if several formats are equally likely */
function completed(
  format: CsvFormat,
  given: Given,
  form: RecordForm | undefined,
  bytes: Uint8Array,
  isEnd: boolean,
): CsvFormat {
  // Reading reports bytes that are not UTF-8.
  const text = decodeAnyway(bytes);
  const encoded = new TextEncoder().encode(text);
  const sampleIn = (tried: CsvFormat) => {
    const isOther = tried.quote !== format.quote;
    const spaced =
      given.trim === undefined
        ? sampleOf(encoded, isEnd, { ...tried, trim: true }, isOther)
        : undefined;
    return spaced?.isSpaced === true ? spaced : sampleOf(encoded, isEnd, tried, isOther);
  };
  const { sample, doubts } = chosen(format, given, text, sampleIn);
  const header = given.header === undefined ? headerOf(sample.rows, form) : undefined;
  const all = [...doubts, ...(header?.doubts ?? [])];
  if (all.length > 0) given.onFormat?.({ doubts: all });
  return { ...sample.format, ...(header !== undefined && { header: header.isThere }) };
}

interface Sample {
  readonly format: CsvFormat;
  readonly rows: readonly (readonly Cell[])[];
  /** The line on which each row begins. */
  readonly lines: readonly number[];
  /** Whether there is text that is not a row. */
  readonly isMalformed: boolean;
  /** The rows with a value whose quotes may be those of another format. */
  readonly strays: readonly number[];
  /** Whether blanks follow all delimiters, or precede all of them, except beside empty values. */
  readonly isSpaced: boolean;
}

/** The first reading that is found, with reasons to doubt it. */
function chosen(
  format: CsvFormat,
  given: Given,
  text: string,
  sampleIn: (format: CsvFormat) => Sample,
): { readonly sample: Sample; readonly doubts: readonly string[] } {
  const plain = sampleIn(format);
  // The file itself may name the delimiter.
  const isKnown = given.delimiter !== undefined || plain.format.delimiter !== format.delimiter;
  const others = isKnown ? [] : DELIMITERS.filter((each) => each !== format.delimiter);
  const samplesOf = (dialect: CsvFormat) =>
    [format.delimiter, ...others].map((delimiter) => sampleIn({ ...dialect, delimiter }));
  const usual = samplesOf(format);

  /** The readings without a fault of each attempt: those that come later explain more away. */
  function* attempts(): Generator<readonly Sample[]> {
    yield usual.filter(isTable);
    const unusual = dialects(format, given, text, plain).map(samplesOf);
    for (const samples of unusual) yield samples.filter(isTable);
    if (given.skipLines === undefined)
      for (const samples of [usual, ...unusual]) yield samples.flatMap(withoutPreamble);
    if (given.ragged === undefined) yield usual.flatMap(padded);
  }

  for (const [first, second] of attempts()) {
    if (first === undefined) continue;
    const { delimiter } = first.format;
    const doubts = doubtsOfDialect(first.format, format, text);
    if (second !== undefined && delimiter !== plain.format.delimiter) {
      const [a, b] = [quoted(delimiter), quoted(second.format.delimiter)];
      throw new InputError("source", `may be divided by ${a} or by ${b}; set the option delimiter`);
    }
    // Rows that end in empty values could be those of a table with another delimiter.
    const isOther = (each: Sample) => each.format.delimiter !== delimiter;
    const other = second ?? usual.flatMap(padded).find(isOther);
    if (other !== undefined) {
      const alike = `${quoted(other.format.delimiter)} divides the rows alike, too`;
      doubts.push(`divided by ${quoted(delimiter)}, but ${alike}: the option delimiter decides`);
    }
    return { sample: first, doubts };
  }
  return { sample: plain, doubts: doubtsOfColumn(usual) };
}

/** The variants of CSV to try, besides the usual one. */
function dialects(format: CsvFormat, given: Given, text: string, plain: Sample): CsvFormat[] {
  const all = [format];
  if (given.comment === undefined && /^#/m.test(text)) all.push({ ...format, comment: "#" });
  if (given.quote === undefined) {
    if (text.includes("'")) all.push(...all.map((each) => ({ ...each, quote: "'" })));
    if (given.escape === undefined && /\\["']/.test(text)) {
      all.push(...all.map((each) => ({ ...each, escape: "\\" })));
    }
    if (plain.isMalformed) all.push({ ...format, quote: undefined, escape: undefined });
  }
  return all.slice(1);
}

/** The beginning of a value in the usual quotes, or all of it. */
const IN_QUOTES = /^"(?:[^"]|"")*"?$/;

/** @param isOtherQuote whether the usual quotes are not to be quotes: then they may not look like some, either */
function sampleOf(
  text: Uint8Array,
  isEnd: boolean,
  format: CsvFormat,
  isOtherQuote: boolean,
): Sample {
  const rows: (readonly Cell[])[] = [];
  const lines: number[] = [];
  let isMalformed = false;
  const strays: number[] = [];
  const spacing = new Spacing(format.delimiter);
  const { quote } = format;
  const decoder: CsvRows = new CsvRows(format, {
    rows(block) {
      for (let row = 0; row < block.rows && rows.length < MOST_TYPED_ROWS; row++) {
        if (block.isBlank(row)) continue;
        const cells = block.cells(row);
        const start = block.start(row);
        const isStray = (cell: Cell, index: number) =>
          cell !== null &&
          !block.isQuoted(start + index) &&
          ((quote !== undefined && cell.includes(quote)) || (isOtherQuote && IN_QUOTES.test(cell)));
        rows.push(cells);
        lines.push(block.line(row));
        if (rows.length <= MOST_ROWS) spacing.add(block, row);
        if (cells.some(isStray)) strays.push(rows.length - 1);
      }
    },
    malformed() {
      isMalformed ||= rows.length < MOST_ROWS;
    },
  });
  decoder.take(text, isEnd);
  const own = { ...format, delimiter: decoder.delimiter };
  return { format: own, rows, lines, isMalformed, strays, isSpaced: spacing.areAlike };
}

/** Whether all delimiters in some rows of trimmed values are followed by blanks, or all are preceded by them. */
class Spacing {
  #rows = 0;
  #delimiters = 0;
  #follow = true;
  #precede = true;
  readonly #isTab: boolean;

  constructor(delimiter: string) {
    this.#isTab = delimiter === "\t";
  }

  add(block: CsvBlock, row: number): void {
    this.#rows++;
    const { bytes } = block;
    const start = block.start(row);
    const last = start + block.width(row) - 1;
    for (let value = start; value <= last; value++) {
      if (block.isEmpty(value)) continue;
      const quote = block.isQuoted(value) ? 1 : 0;
      if (value > start) this.#follow &&= this.#isBlank(bytes[block.from(value) - quote - 1]);
      if (value < last) this.#precede &&= this.#isBlank(bytes[block.to(value) + quote]);
      if (start < last) this.#delimiters++;
    }
  }

  #isBlank(byte: number | undefined): boolean {
    return isBlank(byte) && !(this.#isTab && byte === TAB);
  }

  /** One row is no pattern. */
  get areAlike(): boolean {
    return this.#rows > 1 && this.#delimiters > 0 && (this.#follow || this.#precede);
  }
}

/** Whether it has several columns, and no fault. */
function isTable({ rows, isMalformed, strays }: Sample): boolean {
  const [first = []] = rows;
  const isEven = rows.slice(0, MOST_ROWS).every((row) => row.length === first.length);
  return first.length > 1 && isEven && !isMalformed && !strays.some((row) => row < MOST_ROWS);
}

/** The sample from its header on, if shorter rows precede it. The header must be one by its values. */
function withoutPreamble(sample: Sample): Sample[] {
  const width = Math.max(0, ...sample.rows.map((row) => row.length));
  const start = sample.rows.findIndex((row) => row.length === width);
  const rows = sample.rows.slice(start);
  const [header = [], ...others] = rows;
  const areNames = header.every((cell) => cell !== null && cell !== "" && !isValue(cell));
  if (start < 1 || others.length < 2 || !areNames || !isNamed(header, others)) return [];
  const lines = sample.lines.slice(start);
  const strays = sample.strays.map((row) => row - start).filter((row) => row >= 0);
  const format = { ...sample.format, skipLines: (lines[0] ?? 1) - 1 };
  return [{ ...sample, rows, lines, strays, format }].filter(isTable);
}

const isEmpty = (cell: Cell): boolean => cell === null || cell === "";

/** The sample with rows of the header's length, if they differ from it by empty values at their ends. */
function padded(sample: Sample): Sample[] {
  const [header = [], ...others] = sample.rows.slice(0, MOST_ROWS);
  const { length } = header;
  const areShort = others.every((row) => row.length > 1 && row.slice(length).every(isEmpty));
  // If no row has all values, the columns may be those of another table.
  if (!areShort || !others.some((row) => row.length >= length)) return [];
  const rows = sample.rows.map((row) => Array.from(header, (_, index) => row[index] ?? null));
  const format = { ...sample.format, ragged: "pad" as const };
  return [{ ...sample, rows, format }].filter(isTable);
}

/**
 * The doubts about a single column that other delimiters divide, but not alike.
 *
 * @throws InputError if one of them is in every row
 */
function doubtsOfColumn([plain, ...others]: readonly Sample[]): string[] {
  const doubts: string[] = [];
  if (plain === undefined || plain.rows.some((row) => row.length > 1)) return doubts;
  for (const { rows, format } of others) {
    const divided = rows.filter((row) => row.length > 1).length;
    if (divided * 2 < rows.length || divided === 0) continue;
    const delimiter = quoted(format.delimiter);
    const remedy = `set the option delimiter, and skipLines if lines precede the header, or ragged`;
    if (divided === rows.length) {
      const reason = `may have one column, or several that ${delimiter} divides, but not all rows alike`;
      throw new InputError("source", `${reason}; ${remedy}`);
    }
    doubts.push(`read as one column, but many rows contain ${delimiter}: ${remedy}`);
  }
  return doubts;
}

/** The doubts about lines and quotes that are not read as they would be in the given format. */
function doubtsOfDialect({ comment, quote }: CsvFormat, given: CsvFormat, text: string): string[] {
  const doubts: string[] = [];
  if (comment !== undefined && given.comment === undefined) {
    // A header may begin with the character, too: #id.
    const line = text.split(/\r\n?|\n/).findIndex((each) => each.startsWith(comment)) + 1;
    const reason = `line ${line} was left out, since it begins with ${quoted(comment)}`;
    doubts.push(`${reason}: the option comment decides`);
  }
  if (quote === undefined && given.quote !== undefined)
    doubts.push(`read with quotes as part of values: the option quote decides`);
  return doubts;
}

interface Header {
  readonly isThere: boolean;
  readonly doubts: readonly string[];
}

/**
 * Whether the first row has names. It is data if one of its values is like those below it, and none is a name above
 * values.
 */
function headerOf([first = [], ...others]: Sample["rows"], form: RecordForm | undefined): Header {
  if (first.some((cell) => cell !== null && form?.columnOf(cell) !== undefined))
    return { isThere: true, doubts: [] };
  const values = first.filter((cell) => cell !== null && isValue(cell));
  if (others.length === 0) return { isThere: values.length === 0, doubts: [] };
  const isName = isNamed(first, others);
  const alike = first.find((cell, index) => isLike(cell, valuesBelow(others, index)));
  if (alike !== undefined && !isName) return { isThere: false, doubts: [] };
  const doubts: string[] = [];
  const decides = "the option header decides";
  const dubious = alike ?? (isName ? undefined : values[0]);
  if (typeof dubious === "string") {
    doubts.push(
      `the first row was read as names, though ${quoted(dubious)} may be a value: ${decides}`,
    );
  }
  if (others.length > 1 && first.every((cell, index) => cell === others[0]?.[index])) {
    doubts.push(`the first row was read as names, though the second one is the same: ${decides}`);
  }
  return { isThere: true, doubts };
}

/** The values of a column, if all of them are of a type; `[]` otherwise. */
function valuesBelow(rows: Sample["rows"], index: number): readonly string[] {
  const texts = rows.map((row) => row[index] ?? "").filter((text) => text !== "");
  return texts.every(isValue) ? texts : [];
}

/** Whether one cell is a name: it is not a value, but all those below it are. */
const isNamed = (first: readonly Cell[], others: Sample["rows"]): boolean =>
  first.some(
    (cell, index) =>
      cell !== null && cell !== "" && !isValue(cell) && valuesBelow(others, index).length > 0,
  );

/** A header may have years above other numbers, and dates above numbers. */
function isLike(cell: Cell | undefined, below: readonly string[]): boolean {
  if (cell === null || cell === undefined || below.length === 0 || !isValue(cell)) return false;
  if (YEAR.test(cell)) return below.every((text) => YEAR.test(text));
  return isTime(cell) === below.every(isTime);
}

const YEAR = /^(?:1[5-9]|20|21)\d\d$/;

/** A date or a time, as most programs write them. */
const TIME = /^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?:[ T]\d|$)|^\d{1,2}:\d\d/;

const isTime = (text: string): boolean => TIME.test(text.trim());
const isValue = (text: string): boolean => hasType(text.trim()) || isTime(text);
