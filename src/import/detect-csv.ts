// Detects the format of CSV of unknown origin: where a comma is the decimal separator, spreadsheets write semicolons,
// and some programs write no header. The plain reading, in the given format, stands if it has several columns and no
// fault. Otherwise another reading with several columns and no fault replaces it. Readings have no scores: where
// several could be right, a doubt or an error says so, and always where something of the text is left out.

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
  /** The samples of a format, without the blanks around values first, if all rows have them. */
  const samplesIn = (tried: CsvFormat) => {
    const isOther = tried.quote !== format.quote;
    const sample = sampleOf(encoded, isEnd, tried, isOther);
    if (given.trim !== undefined) return [sample];
    const trimmed = sampleOf(encoded, isEnd, { ...tried, trim: true }, isOther);
    return trimmed.isSpaced ? [trimmed, sample] : [sample];
  };
  const { sample, doubts } = chosen(format, given, text, samplesIn);
  const header = given.header === undefined ? headerOf(sample.rows, form) : undefined;
  const lines = given.comment === undefined ? doubtsOfLines(sample, text) : [];
  const all = [...doubts, ...lines, ...(header?.doubts ?? [])];
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
  /** The first line that looks like a comment, though others do not. */
  readonly remark: number | undefined;
}

/** The first reading that is found, with reasons to doubt it. */
function chosen(
  format: CsvFormat,
  given: Given,
  text: string,
  samplesIn: (format: CsvFormat) => readonly Sample[],
): { readonly sample: Sample; readonly doubts: readonly string[] } {
  const plain = samplesIn(format).at(-1)!;
  // The file itself may name the delimiter.
  const isKnown = given.delimiter !== undefined || plain.format.delimiter !== format.delimiter;
  const others = isKnown ? [] : DELIMITERS.filter((each) => each !== format.delimiter);
  const samplesOf = (dialect: CsvFormat) =>
    [format.delimiter, ...others].flatMap((delimiter) => samplesIn({ ...dialect, delimiter }));
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

  for (const readings of attempts()) {
    const [first] = readings;
    if (first === undefined) continue;
    const { delimiter } = first.format;
    const isOther = (each: Sample) => each.format.delimiter !== delimiter;
    const second = readings.find(isOther);
    if (second !== undefined && delimiter !== plain.format.delimiter) {
      const [a, b] = [quoted(delimiter), quoted(second.format.delimiter)];
      throw new InputError("source", `may be divided by ${a} or by ${b}; set the option delimiter`);
    }
    // The plain reading needs no defence, except against another delimiter.
    const isPlain = changes(first.format, plain.format).length === 0;
    const rivals = isPlain
      ? [...readings, ...usual.flatMap(padded)].filter(isOther)
      : [...attempts()].flat();
    return {
      sample: first,
      doubts: [...doubtsOfChanges(first, format), ...doubtsOfRivals(first, rivals)],
    };
  }
  return { sample: plain, doubts: [...doubtsOfQuotes(plain), ...doubtsOfColumn(plain, usual)] };
}

/** The detected options in which formats differ. */
const changes = (one: CsvFormat, other: CsvFormat) =>
  DETECTED.filter((name) => one[name] !== other[name]);

const DETECTED = [
  ...(["delimiter", "quote", "escape", "comment", "skipLines", "trim", "ragged"] as const),
];

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

const HASH = 0x23;

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
  let all = 0;
  const remarks: number[] = [];
  const decoder: CsvRows = new CsvRows(format, {
    rows(block) {
      for (let row = 0; row < block.rows; row++) {
        if (block.isBlank(row)) continue;
        const start = block.start(row);
        all++;
        const isRemark = !block.isQuoted(start) && block.bytes[block.from(start)] === HASH;
        if (isRemark) remarks.push(block.line(row));
        if (rows.length === MOST_TYPED_ROWS) continue;
        const cells = block.cells(row);
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
  const isSpaced = spacing.areAlike;
  const remark = remarks.length < all ? remarks[0] : undefined;
  return { format: own, rows, lines, isMalformed, strays, isSpaced, remark };
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
function doubtsOfColumn(plain: Sample, samples: readonly Sample[]): string[] {
  const doubts: string[] = [];
  if (plain.rows.some((row) => row.length > 1)) return doubts;
  for (const { rows, format } of samples) {
    const divided = rows.filter((row) => row.length > 1).length;
    if (format.trim !== plain.format.trim || divided * 2 < rows.length || divided === 0) continue;
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

/** The doubts about a reading that has quotes within values, since there is none without a fault. */
function doubtsOfQuotes({ strays, lines }: Sample): string[] {
  const [row] = strays;
  if (row === undefined) return [];
  const reason = `line ${lines[row]} has quotes within a value, which belong to it`;
  return [`${reason}: the options quote, delimiter and trim decide`];
}

/** The doubts about quotes and lines that are not read as they would be in the given format. */
function doubtsOfChanges({ format }: Sample, given: CsvFormat): string[] {
  const { quote, escape, skipLines, ragged } = format;
  const doubts: string[] = [];
  if (quote !== given.quote) {
    const what =
      quote === undefined
        ? "quotes as part of values"
        : `${quoted(quote)} as the quote around values`;
    doubts.push(`read with ${what}: the option quote decides`);
  } else if (escape !== undefined && escape !== given.escape) {
    doubts.push(`read with ${quoted(escape)} before quotes in values: the option escape decides`);
  }
  if (skipLines !== given.skipLines) {
    const what = skipLines === 1 ? "line 1 was" : `lines 1 to ${skipLines} were`;
    doubts.push(`${what} left out, before the header: the option skipLines decides`);
  }
  if (ragged !== given.ragged) {
    const what = "rows of other lengths than the header were filled up, or lost empty values";
    doubts.push(`${what}: the option ragged decides`);
  }
  return doubts;
}

/** The doubts about a reading, if others without a fault have other tables. */
function doubtsOfRivals({ format, rows }: Sample, rivals: readonly Sample[]): string[] {
  const table = JSON.stringify(rows);
  const found: (readonly (typeof DETECTED)[number][])[] = [];
  const doubts: string[] = [];
  for (const rival of rivals) {
    const names = changes(rival.format, format);
    const isNear = !found.some((each) => each.every((name) => names.includes(name)));
    if (!isNear || JSON.stringify(rival.rows) === table) continue;
    found.push(names);
    const values = names.map((name) => `${name} ${JSON.stringify(rival.format[name] ?? false)}`);
    const options = names.length === 1 ? "the option" : "the options";
    const decide = names.length === 1 ? "decides" : "decide";
    doubts.push(
      `may also be read with ${values.join(", ")}: ${options} ${names.join(", ")} ${decide}`,
    );
  }
  return doubts;
}

/** The doubts about lines that begin with #, though others do not: comments, or a header such as #id. */
function doubtsOfLines({ format, remark }: Sample, text: string): string[] {
  const decides = "the option comment decides";
  const { comment } = format;
  if (comment !== undefined) {
    const lines = text.split(/\r\n?|\n/);
    const [first = 0, ...others] = lines.flatMap((line, i) =>
      line.startsWith(comment) ? i + 1 : [],
    );
    const which = others.length === 0 ? "was" : `and ${others.length} more were`;
    const reason = `line ${first} ${which} left out, beginning with ${quoted(comment)}`;
    return [`${reason}: ${decides}`];
  }
  if (remark === undefined) return [];
  return [`line ${remark} was read as a row, though it begins with "#": ${decides}`];
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
  const decides = "the option header decides";
  const values = first.filter((cell) => cell !== null && isValue(cell));
  const isName = isNamed(first, others);
  const alike = first.find((cell, index) => isLike(cell, valuesBelow(others, index)));
  const value = others.length === 0 ? values[0] : isName ? undefined : alike;
  if (typeof value === "string") {
    const how = `the first row was read as values of column_1 and so on`;
    return {
      isThere: false,
      doubts: [`${how}, since ${quoted(value)} may be a value: ${decides}`],
    };
  }
  const doubts: string[] = [];
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
