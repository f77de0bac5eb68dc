// CSV: a head with the names of the columns, and a row for each record.

import { describe, InputError } from "../schema/errors.ts";
import { toWire, type Field } from "../schema/field.ts";
import type { Schema } from "../schema/schema.ts";
import { RecordMaker, type ColumnOptions } from "./columns.ts";
import { CsvRows, type Cell, type CsvFormat, type CsvRow, type RowTaker } from "./csv-rows.ts";
import type { ImportOf, RecordForm } from "./form.ts";
import { Malformed, readBytes, type Parsed, type ReadingOf, type ReadOptions } from "./reading.ts";
import type { Bytes, Stage } from "./source.ts";

/** How CSV is written; the same for reading and for writing it. */
export interface CsvFormatOptions {
  /** The character between two values. Default: a comma. */
  readonly delimiter?: string;
  /**
   * The text that stands for `null` where it is not in quotes. Default: the empty one, so that `,,` is
   * `null` and `,"",` the empty text. With `false` nothing stands for `null`.
   */
  readonly nullText?: string | false;
}

export interface CsvOptions<S extends Schema | undefined = undefined>
  extends ReadOptions<S>, ColumnOptions, CsvFormatOptions {
  /** The names of the columns, where the text has no head. */
  readonly header?: readonly string[];
}

/**
 * Reads CSV in UTF-8 (RFC 4180; rows end at \n or \r\n), gzipped or not, in bounded memory: a row may
 * have 16 MiB. Values in quotes may hold line ends. Blank lines are passed over, unless there is but
 * one column. Values are strings or `null`. By a schema, nothing at all is `null`, or the empty text
 * of a string that may not be `null`, or left out of any other field, which then has its default.
 *
 * @param source bytes; those that are there at once can be iterated over without waiting
 * @throws InputError with the place, such as `line 17.size`, while it is iterated over: for a line that
 *   the row begins on
 */
export function readCsv<Source extends Bytes, S extends Schema | undefined = undefined>(
  source: Source,
  options: CsvOptions<S> = {},
): ReadingOf<Source, ImportOf<S>> {
  const format = readFormat(options);
  return readBytes(source, options, (form) => new CsvStage(form, format, options));
}

/** @throws InputError that names the option */
export function readFormat({ delimiter = ",", nullText = "" }: CsvFormatOptions): CsvFormat {
  if (typeof delimiter !== "string" || !/^[^"\n\r\ud800-\udfff]$/.test(delimiter)) {
    throw new InputError(
      "options.delimiter",
      `must be one character, and neither a quote nor a line end, not ${describe(delimiter)}`,
    );
  }
  if (nullText === false) return { delimiter, nullText: undefined };
  if (typeof nullText !== "string" || /["\n\r]/.test(nullText) || nullText.includes(delimiter)) {
    throw new InputError(
      "options.nullText",
      `must be false or a text without quotes, delimiters and line ends, not ${describe(nullText)}`,
    );
  }
  return { delimiter, nullText };
}

/** Is given rows before records are made of them. */
export interface RowFiller {
  /** The head was read. */
  begin(maker: RecordMaker, format: CsvFormat): void;
  /** @returns whether it has taken the row */
  fill(row: CsvRow): boolean;
  /** The record of a row that it has not, or what could not be taken apart. */
  take(value: unknown, place: string): void;
}

export class CsvStage implements Stage<Parsed>, RowTaker {
  readonly #form: RecordForm | undefined;
  readonly #format: CsvFormat;
  readonly #options: ColumnOptions;
  readonly #filler: RowFiller | undefined;
  readonly #rows: CsvRows;
  #maker: RecordMaker | undefined;
  /** How many columns there are, those included that are not read. */
  #width = 0;
  #repeated: readonly Repeated[] = [];
  #values: unknown[] = [];
  #lines: number[] = [];

  constructor(
    form: RecordForm | undefined,
    format: CsvFormat,
    { header, ...options }: ColumnOptions & { readonly header?: readonly string[] },
    filler?: RowFiller,
  ) {
    this.#form = form;
    this.#format = format;
    this.#options = options;
    this.#filler = filler;
    this.#rows = new CsvRows(format, this);
    if (header !== undefined) this.#begin(header, "options.header");
  }

  *push(piece: Uint8Array): Generator<Parsed, void> {
    this.#rows.push(piece);
    if (this.#values.length > 0) yield this.#take();
  }

  *end(): Generator<Parsed, void> {
    this.#rows.end();
    if (this.#values.length > 0) yield this.#take();
  }

  row(row: CsvRow): void {
    const { line, isBlank } = row;
    if (isBlank && this.#width !== 1) return;
    if (row.count === this.#width && this.#filler?.fill(row) === true) return;
    const cells = row.cells();
    if (this.#maker === undefined) {
      // The text for null is a name as any other.
      this.#begin(
        cells.map((cell) => cell ?? this.#format.nullText ?? ""),
        `line ${line}`,
      );
    } else if (cells.length === this.#width) this.#add(this.#recordOf(cells, this.#maker), line);
    else {
      const values = cells.length === 1 ? "1 value" : `${cells.length} values`;
      const reason = `has ${values}, and there are ${this.#width} columns`;
      this.#add(new Malformed(cells, reason), line);
    }
  }

  malformed(text: string, reason: string, line: number): void {
    if (this.#maker === undefined) throw new InputError(`line ${line}`, reason);
    this.#add(new Malformed(text, reason), line);
  }

  #begin(names: readonly string[], place: string): void {
    this.#width = names.length;
    this.#maker = new RecordMaker(names, this.#form, this.#options, place);
    this.#repeated = this.#maker.columns.map(() => new Repeated());
    this.#filler?.begin(this.#maker, this.#format);
  }

  #recordOf(cells: readonly Cell[], maker: RecordMaker): unknown {
    const { columns } = maker;
    const values = new Array<Cell | undefined>(columns.length);
    for (let i = 0; i < columns.length; i++) {
      const { index, field } = columns[i]!;
      const cell = cells[index] ?? null;
      values[i] =
        cell === null || cell === ""
          ? emptyOf(cell, field, this.#format)
          : this.#repeated[i]!.same(cell);
    }
    return maker.record(values);
  }

  #add(value: unknown, line: number): void {
    if (this.#filler !== undefined) {
      this.#filler.take(value, `line ${line}`);
      return;
    }
    this.#values.push(value);
    this.#lines.push(line);
  }

  #take(): Parsed {
    const values = this.#values;
    const lines = this.#lines;
    this.#values = [];
    this.#lines = [];
    return { values, placeOf: (index) => `line ${lines[index] ?? 0}` };
  }
}

/** What an empty value is, and the text for null, in a field; `undefined` where it is left out. */
export function emptyOf(
  cell: "" | null,
  field: Field | undefined,
  { nullText }: CsvFormat,
): Cell | undefined {
  if (field === undefined) return cell;
  // What can't be empty is left out, also where a program puts quotes around everything.
  if (toWire(field, "") === undefined) return field.nullable ? null : undefined;
  if (cell === "" || field.nullable) return cell;
  return nullText === "" ? "" : null;
}

/** How many different values of a column are looked for among those before. */
const MOST_REPEATED = 64;

/** The values of a column, where they are few: equal ones are then one text in memory. */
class Repeated {
  #known: Map<string, string> | undefined = new Map();

  same(value: string): string {
    // A text of one or two characters the engine has but once anyway.
    if (this.#known === undefined || value.length <= 2) return value;
    const known = this.#known.get(value);
    if (known !== undefined) return known;
    if (this.#known.size === MOST_REPEATED) this.#known = undefined;
    else this.#known.set(value, value);
    return value;
  }
}
