// Options that several commands share, and the checks of their values.

import { InvalidArgumentError, type Command } from "commander";
import { FORMAT_NAMES, TABLE_LIMIT } from "./words.ts";

export const ORDER = [
  "--order <ASC|DESC>",
  "the order of sorting (default: DESC)",
  toOrder,
] as const;
export const LIST_FIELD = [
  "--list-field <NAME[=int]>",
  "a List Field; repeatable; if given, there are no others",
  append,
] as const;
export const FORCE = ["--force", "replace an existing file"] as const;
export const ENCODING = [
  "--encoding <NAME>",
  "the encoding of text, such as windows-1252 (default: utf-8)",
] as const;

/** Options of Files and Contacts, which are sorted by one field. */
export function addSearchOptions(command: Command): Command {
  return addAskingOptions(command)
    .option("--sort-by <FIELD>", "the field to sort by (default: input order)")
    .option(...ORDER);
}

/** Options that say what to search for, and what to print of it. */
export function addAskingOptions(command: Command): Command {
  return addReadingOptions(command)
    .option("--where <FIELD OPERATOR VALUE>", "a criterion, three words; repeatable", append)
    .option("--or", "between criteria: begins another group, any of which may hold")
    .option("--criteria <JSON>", "a list of [field, operator, value] instead")
    .option("--limit <N>", `how many at most (default: ${TABLE_LIMIT} in a table, all otherwise)`)
    .option("--offset <N>", "how many to skip (default: 0)")
    .option("--count", "print only how many match")
    .option("--count-by <FIELD>", "print the values of a field, the most frequent first", notEmpty)
    .option(
      "--histogram <FIELD>",
      "print how many are in each range of a field of numbers",
      notEmpty,
    )
    .option("--summary <FIELD>", "print the count, sum, extremes and mean of a field", notEmpty)
    .option("--bins <N>", "how many ranges at most (default: 10)", toCount)
    .option("--explain", "print the query's plan and time instead")
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

export function addFormatOptions(command: Command): Command {
  return addReadingOptions(command)
    .option("--format <FORMAT>", `${FORMAT_NAMES} (default: from the file's name)`)
    .option("--delimiter <CHARACTER>", "the separator of CSV values (default: a comma)")
    .option("--null <TEXT>", "the unquoted text that means null in CSV (default: nothing)");
}

export function addGenerateOptions(command: Command): Command {
  return command
    .requiredOption("--count <N>", "how many (required)", toCount)
    .option("--seed <S>", "an integer (default: 1)", toInteger);
}

export function append(value: string, earlier: readonly string[] = []): string[] {
  return [...earlier, notEmpty(value)];
}

/** A name that a script leaves empty must not mean the working directory. */
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
