// Options that several commands share, and how their values are checked.

import { InvalidArgumentError, type Command } from "commander";
import { FORMAT_NAMES, TABLE_LIMIT } from "./words.ts";

export const ORDER = [
  "--order <ASC|DESC>",
  "the order of sorting (default: DESC)",
  toOrder,
] as const;
export const LIST_FIELD = [
  "--list-field <NAME[=int]>",
  "a List Field; repeatable; if given, list all of them",
  append,
] as const;
export const FORCE = ["--force", "replace an existing file"] as const;
export const FROM = [
  "--from <FORMAT>",
  `the format of the source: ${FORMAT_NAMES} (default: by its name or first bytes)`,
] as const;
export const FORMAT = [
  "--format <FORMAT>",
  `the format to write: ${FORMAT_NAMES} (default: by the name of the file)`,
] as const;
export const SKIP_INVALID = [
  "--skip-invalid <FILE>",
  "skip invalid records and save them in this file",
  notEmpty,
] as const;
export const ESCAPE_FORMULAS = [
  "--escape-formulas",
  "put an apostrophe before spreadsheet formulas in CSV",
] as const;

/** The heading of the options that select records. */
const RECORDS = "Which records, in which order:";

/** Options for a table: how to read its text, and what to query. */
export const addQueryOptions = (command: Command): Command =>
  addTextOptions(asking(command).optionsGroup("Reading:"));

/** Options of Files and Contacts, which are sorted by one field. */
export function addSearchOptions(command: Command): Command {
  return addReadingOptions(asking(command).optionsGroup("Reading:"))
    .optionsGroup(RECORDS)
    .option("--sort-by <FIELD>", "the field to sort by (default: input order)")
    .option(...ORDER);
}

/** Options for the criteria and the output. */
function asking(command: Command): Command {
  return command
    .optionsGroup(RECORDS)
    .option("--where <FIELD OPERATOR VALUE>", "a criterion, three words; repeatable", append)
    .option("--or", "between criteria: starts another group; any group may hold")
    .option("--criteria <JSON>", "a list of [field, operator, value] instead")
    .option("--limit <N>", `how many at most (default: ${TABLE_LIMIT} in a table, all otherwise)`)
    .option("--offset <N>", "how many to skip (default: 0)")
    .optionsGroup("Counts and groups:")
    .option("--count", "print only how many match")
    .option("--count-by <FIELD>", "print the values of a field, most frequent first", notEmpty)
    .option(
      "--histogram <FIELD>",
      "print how many are in each range of a field of numbers",
      notEmpty,
    )
    .option(
      "--summary <FIELD>",
      "print how many values a field has; for numbers also the sum, extremes and mean",
      notEmpty,
    )
    .option(
      "--group-by <KEYS>",
      "print the groups of one or more fields, such as state,city, of steps of times, such as placed:month, or of keys in JSON",
      notEmpty,
    )
    .option(
      "--measure <NAME=AGGREGATE:FIELD>",
      "with --group-by: what to find of each group, such as paid=sum:total; repeatable (default: count=count)",
      append,
    )
    .option("--having <JSON>", "with --group-by: criteria on the measures", notEmpty)
    .option(
      "--summarize <FIELD>",
      "with --count-by or --histogram: add the sum, extremes and mean of a field of numbers",
      notEmpty,
    )
    .option(
      "--by <WHAT>",
      "order --count-by by value, count, sum, minimum, maximum or mean",
      notEmpty,
    )
    .option("--ascending", "with --by: smallest first")
    .option("--prefix <N>", "with --count-by: count by this many first characters", toCount)
    .option("--bins <N>", "the maximum number of ranges (default: 10)", toCount)
    .option("--step <STEP>", "ranges by day, week, month, quarter or year instead", notEmpty)
    .option(
      "--unit <UNIT>",
      "with steps of numbers: seconds or milliseconds (default: milliseconds)",
      notEmpty,
    )
    .option(
      "--zone <NAME>",
      "with steps: the time zone, such as Europe/Berlin (default: UTC)",
      notEmpty,
    )
    .option("--quantiles <LIST>", "with --summary: numbers from 0 to 1, such as 0.5,0.99", notEmpty)
    .optionsGroup("Output:")
    .option("--explain", "print how the query runs instead; of a page, also the time")
    .option("--json", "print JSON instead of a table");
}

/** Options for reading a source other than a store or a directory. */
export function addReadingOptions(command: Command): Command {
  return command
    .option(
      "--column <NAME=FIELD>",
      "the field for a column, such as Age=fields.Age; without FIELD, the column is ignored",
      append,
    )
    .option("--ignore-columns", "ignore columns that are not fields")
    .option("--allow-empty", "accept an empty source");
}

/** Options for writing CSV. */
export function addFormatOptions(command: Command): Command {
  return addReadingOptions(command)
    .option(
      "--delimiter <TEXT>",
      "the separator of CSV values (default: a comma; for a table, detected)",
    )
    .option(
      "--null <TEXT>",
      "the unquoted string that means null in CSV; repeatable (default: the empty string)",
      appendAny,
    );
}

/** Options for the text format of a source. */
export function addTextOptions(command: Command): Command {
  return addFormatOptions(command)
    .option("--encoding <NAME>", "the encoding of text, such as windows-1252 (default: utf-8)")
    .option(
      "--header",
      "the first row of CSV has the names of columns (default; for a table, detected)",
    )
    .option("--no-header", "there are no names: use column_1, column_2 and so on")
    .option("--quote <CHARACTER>", 'the quote of CSV (default: "); "" turns quoting off')
    .option(
      "--escape <CHARACTER>",
      "the character before a quote in a quoted value (default: a quote)",
    )
    .option("--comment <TEXT>", "skip lines of CSV that begin with this string", notEmpty)
    .option("--skip-lines <N>", "skip this many lines before the header of CSV", toCount)
    .option("--trim", "ignore blanks around values of CSV (default; for a table, detected)")
    .option("--no-trim", "blanks belong to the values of CSV")
    .option(
      "--ragged <WHAT>",
      "rows of CSV of another length than the header: pad, if only empty values are missing or extra, or refuse",
    )
    .option("--decimal <CHARACTER>", "the decimal separator of CSV: . or , (default: .)")
    .option(
      "--loose-numbers <FIELD>",
      "read strings such as $1,234.50, 12 % or (5) as numbers, and NA, n/a, - and the like as null; repeatable",
      append,
    )
    .option(
      "--date-format <[FIELD=]FORMAT>",
      "the format of dates in CSV, such as %d.%m.%Y, to read them as ISO; repeatable",
      append,
    )
    .option("--at <PATH>", "the path of the array of records in JSON, such as data.items")
    .option("--flatten", "make members of nested JSON objects fields, such as user.name")
    .option(
      "--non-finite <WHAT>",
      "how to read NaN and infinities: null or refuse (default: refuse in JSON, null elsewhere)",
    );
}

export function addGenerateOptions(command: Command): Command {
  return command
    .requiredOption("--count <N>", "how many (required)", toCount)
    .option("--seed <S>", "an integer (default: 1)", toInteger);
}

export function append(value: string, earlier: readonly string[] = []): string[] {
  return [...earlier, notEmpty(value)];
}

function appendAny(value: string, earlier: readonly string[] = []): string[] {
  return [...earlier, value];
}

/** An empty name, as from an unset variable in a script, must not mean the working directory. */
export function notEmpty(text: string): string {
  if (text !== "") return text;
  throw new InvalidArgumentError("It must not be empty.");
}

function toOrder(text: string): string {
  // The operation checks it.
  return /^(?:asc|desc)$/i.test(text) ? text.toUpperCase() : text;
}

export function toInteger(text: string): number {
  const number = Number(text);
  if (/^-?\d+$/.test(text) && Number.isSafeInteger(number)) return number;
  throw new InvalidArgumentError("It must be an integer.");
}

export function toPositive(text: string): number {
  const number = toInteger(text);
  if (number > 0) return number;
  throw new InvalidArgumentError("It must be positive.");
}

export function toCount(text: string): number {
  const number = toInteger(text);
  if (number >= 0) return number;
  throw new InvalidArgumentError("It must not be negative.");
}
