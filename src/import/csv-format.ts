// The options for the CSV format, and their values after validation, shared by the readers, the dialect detection and
// the writer.

import { InputError, quote as quoted } from "../schema/errors.ts";
import { count, flag, must, oneOf, optional } from "../schema/options.ts";
import { readDates, type DateFormats } from "./dates.ts";

/** The CSV format, for reading and writing. */
export interface CsvFormatOptions {
  /** The delimiter between values, usually one character. Default: a comma. */
  readonly delimiter?: string | undefined;
  /**
   * The string, or strings, that mean `null` unless quoted. Default: the empty string, so that `,,` is `null` and
   * `,"",` the empty string. With `false`, nothing means `null`. A writer uses the first.
   */
  readonly nullText?: string | readonly string[] | false | undefined;
}

/** The variants of CSV that other programs write. */
export interface CsvDialect extends CsvFormatOptions {
  /**
   * Whether the first row has the names of the columns: default `true`. With `false`, they are `column_1`, `column_2`
   * and so on. An array names the columns of a file without a header.
   */
  readonly header?: boolean | readonly string[] | undefined;
  /** The quote around values with delimiters or line ends; `false` for none. Default: `"`. */
  readonly quote?: string | false | undefined;
  /** The character that escapes a quote, or itself, in a quoted value. Default: quotes are doubled. */
  readonly escape?: string | undefined;
  /** Lines that begin with this string are skipped. Default: none. */
  readonly comment?: string | undefined;
  /** How many lines before the header are skipped. Default: 0. */
  readonly skipLines?: number | undefined;
  /** The decimal separator. With `","`, `19,90` and `1.234,5` are numbers. Default: `"."`. */
  readonly decimal?: "." | "," | undefined;
  /**
   * The format of dates, such as `"%d.%m.%Y"`, to read them as ISO strings, which sort by time. One format applies to
   * all string columns, and leaves other values as they are; an object has a format for each field, and refuses other
   * values.
   */
  readonly dateFormat?: string | Readonly<Record<string, string>> | undefined;
  /** Whether blanks (spaces and tabs) around values and around their quotes are ignored. Default: `false`. */
  readonly trim?: boolean | undefined;
  /**
   * What to do with a row of another length than the header. `"pad"` adds empty values at its end, and drops empty
   * ones beyond the last column; other values there are an error. Default: `"refuse"`, an error.
   */
  readonly ragged?: "pad" | "refuse" | undefined;
  /**
   * Whether to detect the parts of the format that are not given. Default: `false`, a comma and a header.
   */
  readonly detect?: boolean | undefined;
}

export const DELIMITERS = [",", ";", "\t", "|"] as const;

/** The format of a text, with all defaults. */
export interface CsvFormat {
  readonly delimiter: string;
  readonly header: boolean | readonly string[];
  /** The strings that mean `null` unless they are quoted. */
  readonly nullTexts: readonly string[];
  readonly quote: string | undefined;
  /** `undefined` if quotes are doubled. */
  readonly escape: string | undefined;
  readonly comment: string | undefined;
  readonly skipLines: number;
  readonly hasComma: boolean;
  readonly trim: boolean;
  readonly ragged: "pad" | "refuse";
  readonly dates: DateFormats;
}

const isText = (given: unknown): given is string =>
  typeof given === "string" && given.isWellFormed() && /^[^\n\r]+$/.test(given);
const isCharacter = (given: unknown): given is string =>
  typeof given === "string" && /^[\x20-\x7e]$/.test(given);
const CHARACTER = "one ASCII character";

const readDelimiter = must("a string without quotes and line ends", isText);
const readQuote = must(`${CHARACTER}, or false`, (given): given is string | false => {
  return given === false || isCharacter(given);
});
const readEscape = optional(must(CHARACTER, isCharacter));
const readComment = optional(must("a string without line ends", isText));
const readSkipped = optional(count, 0);
const readDecimal = optional(oneOf(".", ","), ".");
const readTrim = optional(flag, false);
const readRagged = optional(oneOf("pad", "refuse"), "refuse");
const readDetect = optional(flag, false);

const isNames = (given: unknown): given is readonly string[] =>
  Array.isArray(given) && given.every((each) => typeof each === "string");
const readHeader = must("a boolean, or an array of names", (given): given is boolean | string[] => {
  return typeof given === "boolean" || isNames(given);
});

/** @throws InputError that names the option */
export function readFormat(options: CsvDialect): CsvFormat {
  const { delimiter: given = ",", nullText = "", header = true } = options;
  const quote = readQuote(options.quote ?? '"', "options.quote") || undefined;
  const delimiter = readDelimiter(given, "options.delimiter");
  if (quote !== undefined && delimiter.includes(quote)) {
    throw new InputError("options.delimiter", `has the quote ${quoted(quote)}`);
  }
  const what = "false or strings without quotes, delimiters and line ends";
  const isNull = (text: unknown): text is string =>
    typeof text === "string" &&
    !/[\n\r]/.test(text) &&
    ![delimiter, quote].some((each) => each !== undefined && text.includes(each));
  const readNull = must(what, isNull);
  const nulls: readonly unknown[] =
    nullText === false ? [] : Array.isArray(nullText) ? (nullText as unknown[]) : [nullText];
  readDetect(options.detect, "options.detect");
  return {
    delimiter,
    quote,
    header: readHeader(header, "options.header"),
    nullTexts: nulls.map((text) => readNull(text, "options.nullText")),
    escape: readEscape(options.escape, "options.escape"),
    comment: readComment(options.comment, "options.comment"),
    skipLines: readSkipped(options.skipLines, "options.skipLines"),
    hasComma: readDecimal(options.decimal, "options.decimal") === ",",
    trim: readTrim(options.trim, "options.trim"),
    ragged: readRagged(options.ragged, "options.ragged"),
    dates: readDates(options.dateFormat),
  };
}
