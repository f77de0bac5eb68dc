// How other programs have columns of strings: as dates, local times or decimals, and times as timestamps. tercet itself
// reads the strings of its own files.

import { InputError, quote } from "../schema/errors.ts";
import type { Field } from "../schema/field.ts";

/**
 * The type of a column of strings for other programs: dates such as `2024-02-29`; local times such as
 * `2024-02-29T13:05:00.123`, or with a space, with up to 3 or 6 digits of a second; or decimals with a number of digits
 * and how many of these are after the point, as in SQL: `decimal(10,2)`.
 */
export type ColumnType = "date" | "timestamp(3)" | "timestamp(6)" | `decimal(${number},${number})`;

/** A type that is written instead of strings. */
export interface WrittenType {
  /** Equal types have equal names. */
  readonly name: string;
  readonly kind: "date" | "timestamp" | "decimal";
  /** How many bytes an integer has in Arrow. */
  readonly bytes: 4 | 8 | 16;
  /** Digits after the point, of a second or of a decimal. */
  readonly digits: number;
  /** Digits of a decimal. */
  readonly precision: number;
  /** Whether times are in UTC. Otherwise they are what clocks show. */
  readonly isUtc: boolean;
  /** Whether the order of the strings is that of the integers. */
  readonly isOrdered: boolean;
  /** Days or parts of a second since 1970, or a decimal without its point; `undefined` if a string is none. */
  readonly toInteger: (text: string) => bigint | undefined;
}

const PLAIN = { precision: 0, isUtc: false, isOrdered: false } as const;

const DATE: WrittenType = {
  ...{ ...PLAIN, name: "date", kind: "date", bytes: 4, digits: 0, isOrdered: true },
  toInteger: (text) => {
    const seconds = text.length === DATE_LENGTH ? localTime(text, 0) : undefined;
    return seconds === undefined ? undefined : seconds / SECONDS_A_DAY;
  },
};

const DATE_LENGTH = "2024-02-29".length;
const SECONDS_A_DAY = 86_400n;

const timestamp = (digits: 3 | 6, isUtc = false): WrittenType => ({
  ...{ ...PLAIN, name: `timestamp(${digits})${isUtc ? "Z" : ""}`, kind: "timestamp", bytes: 8 },
  ...{ digits, isUtc, isOrdered: isUtc },
  toInteger: (text) => localTime(isUtc ? text.slice(0, -1) : text, digits),
});

const TIMES = [timestamp(3), timestamp(6)] as const;
const TIMES_IN_UTC = { milliseconds: timestamp(3, true), microseconds: timestamp(6, true) };

/** The most digits of a decimal that Parquet and Arrow have in 16 bytes. */
const MOST_DIGITS = 38;

function decimal(precision: number, scale: number): WrittenType {
  const toInteger = (text: string) => {
    const [, sign = "", whole = "", fraction = ""] = DECIMAL.exec(text) ?? [];
    const [kept, rest] = [fraction.slice(0, scale), fraction.slice(scale)];
    const digits = (whole + kept.padEnd(scale, "0")).replace(/^0+/, "");
    const isDecimal = whole !== "" && !/[1-9]/.test(rest) && digits.length <= precision;
    return isDecimal ? BigInt(`${digits === "" ? "" : sign}${digits || "0"}`) : undefined;
  };
  const name = `decimal(${precision},${scale})`;
  return { ...PLAIN, name, kind: "decimal", bytes: 16, digits: scale, precision, toInteger };
}

const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?$/;

/** The type of a field of times; `undefined` for others, which are written as they are. */
export const writtenTypeOf = (field: Field | undefined): WrittenType | undefined =>
  field?.type === "time" ? TIMES_IN_UTC[field.precision ?? "milliseconds"] : undefined;

/** @throws InputError if it is no such type */
export function readColumnType(given: unknown, path: string): WrittenType {
  if (given === "date") return DATE;
  const known = TIMES.find(({ name }) => name === given);
  if (known !== undefined) return known;
  const [, precision = "", scale = ""] =
    /^decimal\((\d{1,2}),(\d{1,2})\)$/.exec(typeof given === "string" ? given : "") ?? [];
  const [digits, after] = [Number(precision), Number(scale)];
  if (digits >= 1 && digits <= MOST_DIGITS && after <= digits) return decimal(digits, after);
  throw new InputError(
    path,
    `must be "date", "timestamp(3)", "timestamp(6)", or a decimal of at most ${MOST_DIGITS} digits such as "decimal(10,2)"`,
  );
}

/** @throws InputError if a string is not of the type */
export function integerOf(type: WrittenType, text: string, path: () => string): bigint {
  const integer = type.toInteger(text);
  if (integer !== undefined) return integer;
  throw new InputError(path(), `can't be written as ${type.name}: ${quote(text)}`);
}

const LOCAL = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?))?$/;

/** What clocks show, in parts of a second. */
function localTime(text: string, digits: number): bigint | undefined {
  const [, date = "", clock = "00:00"] = LOCAL.exec(text) ?? [];
  const [seconds, fraction] = [clock.slice(0, 8), clock.slice(9)];
  const time = Date.parse(`${date}T${seconds}Z`);
  // Engines take 30 February for 1 March, and 24:00 for the next day.
  const isTime = !Number.isNaN(time) && new Date(time).toISOString().startsWith(date);
  if (!isTime || /[1-9]/.test(fraction.slice(digits))) return undefined;
  return (
    BigInt(time / 1000) * 10n ** BigInt(digits) +
    BigInt(fraction.slice(0, digits).padEnd(digits, "0"))
  );
}
