// Detects the format of CSV of unknown origin: where a comma is the decimal separator, spreadsheets write semicolons,
// and some programs write no header.

import { hasType } from "../schema/infer.ts";
import { DELIMITERS, type CsvDialect, type CsvFormat } from "./csv-format.ts";
import type { Cell } from "./csv-block.ts";
import { CsvRows } from "./csv-rows.ts";
import type { Decoder } from "./feed.ts";
import type { RecordForm } from "./form.ts";
import { decodeAnyway } from "./utf8.ts";

/** How many bytes, and how many of their rows, are examined. */
const MOST_BYTES = 64 * 1024;
const MOST_ROWS = 10;
const MOST_TYPED_ROWS = 100;

/**
 * A decoder that detects the missing parts of the format in the first bytes, and then decodes. The delimiter is the one
 * that divides the first ten rows into the same number of values, more than one; if several do, it is the one with the
 * most values, and among these the first one of the list. If none does, other quotes may be needed, or `#` may begin
 * comments, or lines of one value may stand before the header. In doubt, the format is left unchanged.
 */
export function detected(
  format: CsvFormat,
  given: CsvDialect,
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

function completed(
  format: CsvFormat,
  given: CsvDialect,
  form: RecordForm | undefined,
  bytes: Uint8Array,
  isEnd: boolean,
): CsvFormat {
  // Reading reports bytes that are not UTF-8.
  const text = decodeAnyway(bytes);
  const sampleIn = (tried: CsvFormat) => sampleOf(new TextEncoder().encode(text), isEnd, tried);
  const best = bestOf(dialects(format, given, text), given, sampleIn) ?? sampleIn(format);
  if (given.header !== undefined) return best.format;
  return { ...best.format, header: hasHeader(best.rows, form) };
}

/** The first dialect in which some delimiter splits all rows alike, with that delimiter. */
function bestOf(
  tried: readonly CsvFormat[],
  given: CsvDialect,
  sampleIn: (format: CsvFormat) => Sample,
): Sample | undefined {
  const delimitersOf = ({ delimiter }: CsvFormat) =>
    given.delimiter === undefined ? new Set([delimiter, ...DELIMITERS]) : [delimiter];
  for (const mayPass of given.skipLines === undefined ? [false, true] : [false]) {
    for (const dialect of tried) {
      let best: Sample | undefined;
      for (const delimiter of delimitersOf(dialect)) {
        const sample = sampleIn({ ...dialect, delimiter });
        const found = mayPass ? withoutPreamble(sample) : sample;
        if (found.width > 1 && (best === undefined || isBetter(found, best))) best = found;
      }
      if (best !== undefined) return best;
    }
  }
  return undefined;
}

const isBetter = (a: Sample, b: Sample) =>
  a.isStray === b.isStray ? a.width > b.width : b.isStray;

/** The CSV variants to try, the usual one first. */
function dialects(format: CsvFormat, given: CsvDialect, text: string): CsvFormat[] {
  const all = [format];
  if (given.comment === undefined && /^#/m.test(text)) all.push({ ...format, comment: "#" });
  if (given.quote === undefined) {
    if (text.includes("'")) all.push(...all.map((each) => ({ ...each, quote: "'" })));
    if (given.escape === undefined && /\\["']/.test(text)) {
      all.push(...all.map((each) => ({ ...each, escape: "\\" })));
    }
    if (text.includes('"')) all.push({ ...format, quote: undefined, escape: undefined });
  }
  return all;
}

interface Sample {
  readonly format: CsvFormat;
  readonly rows: readonly (readonly Cell[])[];
  /** The line on which each row begins. */
  readonly lines: readonly number[];
  /** How many values each of the first rows has; 0 if they differ. */
  readonly width: number;
  /** Whether one of them has a quote within a value that is not quoted, as if its delimiter were another. */
  readonly isStray: boolean;
}

function sampleOf(text: Uint8Array, isEnd: boolean, format: CsvFormat): Sample {
  const rows: (readonly Cell[])[] = [];
  const lines: number[] = [];
  const faults: string[] = [];
  let isStray = false;
  const { quote } = format;
  const decoder: CsvRows = new CsvRows(format, {
    rows(block) {
      for (let row = 0; row < block.rows && rows.length < MOST_TYPED_ROWS; row++) {
        if (block.isBlank(row)) continue;
        const cells = block.cells(row);
        const start = block.start(row);
        const isSplit = (cell: Cell, index: number) =>
          quote !== undefined && cell?.includes(quote) === true && !block.isQuoted(start + index);
        isStray ||= rows.length < MOST_ROWS && cells.some(isSplit);
        rows.push(cells);
        lines.push(block.line(row));
      }
    },
    malformed(_, reason) {
      if (rows.length < MOST_ROWS) faults.push(reason);
    },
  });
  decoder.take(text, isEnd);
  const sample = { format: { ...format, delimiter: decoder.delimiter }, rows, lines, isStray };
  return { ...sample, width: faults.length > 0 ? 0 : widthOf(rows) };
}

function widthOf(rows: Sample["rows"]): number {
  const [first, ...others] = rows.slice(0, MOST_ROWS);
  const width = first?.length ?? 0;
  return others.every((row) => row.length === width) ? width : 0;
}

/** The sample without the single-value lines before the first row with several values. */
function withoutPreamble(sample: Sample): Sample {
  const start = sample.rows.findIndex((row) => row.length > 1);
  const rows = sample.rows.slice(start);
  if (start < 1 || rows.length < 2) return { ...sample, width: 0 };
  const lines = sample.lines.slice(start);
  const format = { ...sample.format, skipLines: (lines[0] ?? 1) - 1 };
  return { ...sample, format, rows, lines, width: widthOf(rows) };
}

/** A header of years is one of numbers, like the values below it. */
const YEAR = /^(?:1[5-9]|20|21)\d\d$/;

/**
 * Whether the first row has names: one of them is a field, or is a string above values of another type, or all rows are
 * strings alike. Of three rows or more, the first equals the second only if both are values.
 */
function hasHeader([first = [], ...others]: Sample["rows"], form: RecordForm | undefined): boolean {
  if (first.some((cell) => cell !== null && form?.columnOf(cell) !== undefined)) return true;
  if (others.length === 0) return !first.some((cell) => cell !== null && isValue(cell));
  let isData = others.length > 1 && first.every((cell, index) => cell === others[0]?.[index]);
  for (const [index, cell] of first.entries()) {
    const values = others.map((row) => row[index] ?? "").filter((text) => text !== "");
    if (cell === null || cell === "" || values.length === 0 || !values.every(isValue)) continue;
    if (!isValue(cell)) return true;
    isData ||= !YEAR.test(cell);
  }
  return !isData;
}

/** A date or a time, as most programs write them. */
const TIME = /^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?:[ T]\d|$)|^\d{1,2}:\d\d/;

function isValue(text: string): boolean {
  const trimmed = text.trim();
  return hasType(trimmed) || TIME.test(trimmed);
}
