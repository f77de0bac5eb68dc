// CSV: a header with the names of the columns, and a row for each record.

import { InputError, quote } from "../schema/errors.ts";
import { toTextForm, type Field } from "../schema/field.ts";
import type { Schema } from "../schema/schema.ts";
import { recordMaker, type ColumnOptions, type RecordMaker, distinctNames } from "./columns.ts";
import { converted, type ConvertOptions } from "./convert.ts";
import { cellReader } from "./csv-cells.ts";
import { DELIMITERS, readFormat, type CsvDialect, type CsvFormat } from "./csv-format.ts";
import type { Cell, CsvBlock } from "./csv-block.ts";
import { CsvRows } from "./csv-rows.ts";
import { detected } from "./detect-csv.ts";
import type { Decoder } from "./feed.ts";
import { inputOf } from "./flat-value.ts";
import type { ImportOf, RecordForm } from "./form.ts";
import type { FormatOptions, Renamed } from "./found-format.ts";
import { readBytes, type ReadingOf, type TextOptions } from "./reading.ts";
import { lineWith, Malformed, type Fill, type Sink } from "./sink.ts";
import type { Bytes } from "./source.ts";

/** The options of `readCsv`. */
export interface CsvOptions<S extends Schema | undefined = undefined>
  extends TextOptions<S>, ColumnOptions, CsvDialect {}

/**
 * Reads CSV (RFC 4180; rows end at \n, \r\n or \r), gzipped or not, in bounded memory: a row may have 16 MiB. Quoted
 * values may contain line ends. Blank lines are skipped. A first line `sep=;` names the delimiter. A column without a
 * name, or with a repeated one, is renamed: `column_3`, `total_2`. Values are strings or `null`. With a schema, an
 * empty value without quotes is `null`, or the empty string if a string field may not be `null`; any other field gets
 * its default.
 *
 * @param source bytes; if they are synchronous, so is iteration
 * @throws InputError with the place, such as `line 17.size`, during iteration; the line is the one on which the row
 *   begins
 */
export function readCsv<Source extends Bytes, S extends Schema | undefined = undefined>(
  source: Source,
  options: CsvOptions<S> = {},
): ReadingOf<Source, ImportOf<S>> {
  const format = readFormat(options);
  return readBytes(source, options, (form, sink) => csvDecoder(form, format, options, sink));
}

export type CsvDecoderOptions = ColumnOptions & ConvertOptions & CsvDialect & FormatOptions;

/** @param format the options, with all defaults */
export function csvDecoder(
  form: RecordForm | undefined,
  format: CsvFormat,
  options: CsvDecoderOptions,
  sink: Sink,
): Decoder {
  const decoderOf = (found: CsvFormat) => rowsDecoder(form, found, options, sink);
  return options.detect === true ? detected(format, options, form, decoderOf) : decoderOf(format);
}

function rowsDecoder(
  form: RecordForm | undefined,
  format: CsvFormat,
  options: CsvDecoderOptions,
  sink: Sink,
): Decoder {
  const { header } = format;
  let maker: RecordMaker | undefined;
  /** The number of columns, including those that are not read. */
  let width = 0;
  let hint = "";
  let repeated: readonly Repeated[] = [];
  /** Stores rows without making records. */
  let fill: Fill | undefined;
  /** How many rows are stored at once: few after one that was not, since those after it are read again. */
  let most = 1;

  function begin(given: readonly (string | undefined)[], place: string): void {
    width = given.length;
    const { names, renamed } = named(given);
    const { delimiter } = rows;
    options.onFormat?.({
      format: "csv",
      delimiter,
      ...(typeof header === "boolean" && { header }),
      ...(options.detect === true && { quote: format.quote ?? false }),
      ...(format.escape !== undefined && { escape: format.escape }),
      ...(format.comment !== undefined && { comment: format.comment }),
      ...(format.skipLines > 0 && { skipLines: format.skipLines }),
      ...(format.trim && { trim: format.trim }),
      ...(format.ragged === "pad" && { ragged: format.ragged }),
      ...(header !== false && renamed.length > 0 && { renamed }),
    });
    // With the wrong delimiter, a single column may look like several.
    const [only = ""] = names.length === 1 ? names : [];
    const other = DELIMITERS.find((each) => each !== delimiter && only.includes(each));
    hint = other === undefined ? "" : `; the option delimiter may have to be ${quote(other)}`;
    maker = recordMaker(names, form, options, place, { hint, cellReader: cellReader(format) });
    repeated = maker.columns.map(() => new Repeated());
    fill = sink.createFiller?.(maker.columns, format);
  }

  function valuesOf(block: CsvBlock, row: number, { columns }: RecordMaker): readonly unknown[] {
    const values = new Array<unknown>(columns.length);
    const start = block.start(row);
    for (let i = 0; i < columns.length; i++) {
      const { index, field, convert } = columns[i]!;
      const at = start + index;
      const isNull = block.isNull(at);
      if (isNull || block.isEmpty(at)) values[i] = emptyOf(isNull, block.isEmpty(at), field);
      else {
        const value = converted(repeated[i]!.same(block.text(at)), convert);
        values[i] = field === undefined ? value : inputOf(field, value);
      }
    }
    return values;
  }

  /** Stores rows from one on, without making records. Returns the first one that it does not store. */
  function filled(block: CsvBlock, row: number): number {
    const to = Math.min(block.endOfWidth(row, width), row + most);
    const end = fill === undefined || to === row ? row : fill(block, row, to);
    most = end < to ? 1 : 2 * most;
    return end;
  }

  function recordOrFault(block: CsvBlock, row: number, by: RecordMaker): unknown {
    const count = block.width(row);
    if (count === width) return by.record(valuesOf(block, row, by));
    const values = count === 1 ? "1 value" : `${count} values`;
    const columns = width === 1 ? "is 1 column" : `are ${width} columns`;
    const cells = block.cells(row);
    const remedy = hint || raggedHint(cells, width);
    return new Malformed(cells, `has ${values}, but there ${columns}${remedy}`);
  }

  const rows: CsvRows = new CsvRows(format, {
    rows(block) {
      for (let row = 0; row < block.rows;) {
        if (block.isBlank(row)) row++;
        else if (maker === undefined) {
          begin(namesIn(block, row, header !== false), `line ${block.line(row)}`);
          if (header !== false) row++;
        } else {
          const end = filled(block, row);
          if (end === row) {
            sink.take(recordOrFault(block, row, maker), block.line(row), lineWith);
            row++;
          } else row = end;
        }
      }
    },
    malformed(text, reason, line) {
      if (maker === undefined) throw new InputError(`line ${line}`, reason);
      sink.take(new Malformed(text, reason), line, lineWith);
    },
  });
  if (typeof header === "object") begin(header, "options.header");
  return rows;
}

/** How to read a row of another length, if that is possible. */
function raggedHint(cells: readonly Cell[], width: number): string {
  const what =
    cells.length < width
      ? "if empty values were left off at its end"
      : "to drop the empty values at its end";
  const isPadded = cells.slice(width).every((cell) => cell === null || cell === "");
  return isPadded ? `; ${what}, set the option ragged to "pad"` : "";
}

/** The name of each column; `undefined` for one without. @param isHeader whether the row has the names */
function namesIn(block: CsvBlock, row: number, isHeader: boolean): readonly (string | undefined)[] {
  const start = block.start(row);
  return Array.from({ length: block.width(row) }, (_, index) => {
    const value = start + index;
    const isNamed = isHeader && (!block.isEmpty(value) || block.isQuoted(value));
    return isNamed ? block.text(value) : undefined;
  });
}

/** Gives each column a unique name. @param given has `undefined` for one without a name */
function named(given: readonly (string | undefined)[]) {
  const names = distinctNames(given);
  const renamed: Renamed[] = [];
  for (const [i, to] of names.entries()) {
    if (to !== given[i]) renamed.push({ column: i + 1, from: given[i] ?? "", to });
  }
  return { names, renamed };
}

/** The values of a field for an empty value and for a null string; `undefined` omits the field. */
export function emptyOf(isNull: boolean, isEmpty: boolean, field: Field | undefined) {
  if (field === undefined) return isNull ? null : "";
  // A field that can't be empty is omitted, even if a program quotes all values.
  if (toTextForm(field, inputOf(field, "")) === undefined) return field.nullable ? null : undefined;
  if (!isNull) return "";
  return field.nullable || !isEmpty ? null : "";
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
