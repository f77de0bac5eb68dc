// CSV: a header with the names of the columns, and a row for each record.

import { InputError, quote } from "../schema/errors.ts";
import { toWire, type Field } from "../schema/field.ts";
import { must } from "../schema/options.ts";
import type { Schema } from "../schema/schema.ts";
import { recordMaker, type ColumnOptions, type RecordMaker } from "./columns.ts";
import { converted, type ConvertOptions } from "./convert.ts";
import { CsvRows, type Cell, type CsvFormat, type CsvRow } from "./csv-rows.ts";
import type { Decoder } from "./feed.ts";
import { inputOf } from "./flat-value.ts";
import type { ImportOf, RecordForm } from "./form.ts";
import { readBytes, type ReadingOf, type TextOptions } from "./reading.ts";
import { lineWith, Malformed, type Sink } from "./sink.ts";
import type { Bytes } from "./source.ts";

/** The CSV format, for reading and writing. */
export interface CsvFormatOptions {
  /** The character between two values. Default: a comma. */
  readonly delimiter?: string;
  /**
   * The text that means `null` unless it is in quotes. Default: the empty string, so that `,,` is
   * `null` and `,"",` the empty string. With `false`, nothing means `null`.
   */
  readonly nullText?: string | false;
}

export const DELIMITERS = [",", ";", "\t", "|"] as const;

export interface CsvOptions<S extends Schema | undefined = undefined>
  extends TextOptions<S>, ColumnOptions, CsvFormatOptions {
  /** The names of the columns, if the text has no header. */
  readonly header?: readonly string[];
}

/**
 * Reads CSV (RFC 4180; rows end at \n or \r\n), gzipped or not, in bounded memory: a row may
 * have 16 MiB. Quoted values may contain line ends. Blank lines are skipped, unless there is only one
 * column. Values are strings or `null`. With a schema, an empty value without quotes is `null`, or the
 * empty string if a string field may not be `null`; any other field gets its default.
 *
 * @param source bytes; if they are synchronous, so is iteration
 * @throws InputError with the place, such as `line 17.size`, during iteration; the line is the one on
 *   which the row begins
 */
export function readCsv<Source extends Bytes, S extends Schema | undefined = undefined>(
  source: Source,
  options: CsvOptions<S> = {},
): ReadingOf<Source, ImportOf<S>> {
  const format = readFormat(options);
  return readBytes(source, options, (form, sink) => csvDecoder(form, format, options, sink));
}

/** @throws InputError that names the option */
export function readFormat({ delimiter: given = ",", nullText = "" }: CsvFormatOptions): CsvFormat {
  const delimiter = readDelimiter(given, "options.delimiter");
  if (nullText === false) return { delimiter, nullText: undefined };
  const isText = (text: unknown): text is string =>
    typeof text === "string" && !/["\n\r]/.test(text) && !text.includes(delimiter);
  const what = "false or a string without quotes, delimiters and line ends";
  return { delimiter, nullText: must(what, isText)(nullText, "options.nullText") };
}

const isDelimiter = (given: unknown): given is string =>
  typeof given === "string" && /^[^"\n\r\ud800-\udfff]$/.test(given);
const readDelimiter = must("one character other than a quote or a line end", isDelimiter);

export function csvDecoder(
  form: RecordForm | undefined,
  format: CsvFormat,
  { header, ...options }: ColumnOptions & ConvertOptions & { readonly header?: readonly string[] },
  sink: Sink,
): Decoder {
  let maker: RecordMaker | undefined;
  /** The number of columns, including those that are not read. */
  let width = 0;
  let hint = "";
  let repeated: readonly Repeated[] = [];
  /** Takes rows before records are made of them. */
  let fill: ((row: CsvRow) => boolean) | undefined;

  function begin(names: readonly string[], place: string): void {
    width = names.length;
    // The only column may look like several with another delimiter.
    const [only = ""] = names.length === 1 ? names : [];
    const other = DELIMITERS.find((each) => each !== format.delimiter && only.includes(each));
    hint = other === undefined ? "" : `; the option delimiter may have to be ${quote(other)}`;
    maker = recordMaker(names, form, options, place, hint);
    repeated = maker.columns.map(() => new Repeated());
    fill = sink.createFiller?.(maker.columns, format);
  }

  function valuesOf(cells: readonly Cell[], { columns }: RecordMaker): readonly unknown[] {
    const values = new Array<unknown>(columns.length);
    for (let i = 0; i < columns.length; i++) {
      const { index, field, convert } = columns[i]!;
      const cell = cells[index] ?? null;
      if (cell === null || cell === "") values[i] = emptyOf(cell, field, format);
      else {
        const value = converted(repeated[i]!.same(cell), convert);
        values[i] = field === undefined ? value : inputOf(field, value);
      }
    }
    return values;
  }

  if (header !== undefined) begin(header, "options.header");
  return new CsvRows(format, {
    row(row) {
      const { line, isBlank } = row;
      if (isBlank && width !== 1) return;
      if (row.count === width && fill?.(row) === true) return;
      const cells = row.cells();
      if (maker === undefined) {
        // In a name, the text for null has no special meaning.
        begin(
          cells.map((cell) => cell ?? format.nullText ?? ""),
          `line ${line}`,
        );
      } else if (cells.length === width) {
        sink.take(maker.record(valuesOf(cells, maker)), line, lineWith);
      } else {
        const values = cells.length === 1 ? "1 value" : `${cells.length} values`;
        const columns = width === 1 ? "is 1 column" : `are ${width} columns`;
        const reason = `has ${values}, but there ${columns}${hint}`;
        sink.take(new Malformed(cells, reason), line, lineWith);
      }
    },
    malformed(text, reason, line) {
      if (maker === undefined) throw new InputError(`line ${line}`, reason);
      sink.take(new Malformed(text, reason), line, lineWith);
    },
  });
}

/** What an empty value and the text for null mean in a field; `undefined` omits the field. */
export function emptyOf(cell: "" | null, field: Field | undefined, { nullText }: CsvFormat) {
  if (field === undefined) return cell;
  // A field that can't be empty is omitted, even if a program puts quotes around everything.
  if (toWire(field, inputOf(field, "")) === undefined) return field.nullable ? null : undefined;
  if (cell === "" || field.nullable) return cell;
  return nullText === "" ? "" : null;
}

/** How many distinct values of a column are remembered. */
const MOST_REPEATED = 64;

/** The values of a column, while they are few, so that equal ones share one string in memory. */
class Repeated {
  #known: Map<string, string> | undefined = new Map();

  same(value: string): string {
    // The engine shares strings of one or two characters anyway.
    if (this.#known === undefined || value.length <= 2) return value;
    const known = this.#known.get(value);
    if (known !== undefined) return known;
    if (this.#known.size === MOST_REPEATED) this.#known = undefined;
    else this.#known.set(value, value);
    return value;
  }
}
