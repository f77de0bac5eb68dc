// Instants (rules V15 and C18). Their text form is the ISO text in UTC with all digits of the precision: for the years
// 0000 to 9999 the order of the texts by code point is the order of the instants, and microseconds are exact.

import { describe, isDate, quote, SchemaError } from "../errors.ts";
import { isSafeBigInt } from "../numbers.ts";
import { SEARCHED, type Kind, type Precision, type Span, type ValueOptions } from "./kind.ts";

export const time: Kind<string> = {
  holds: "texts",
  storage: "string",
  accepts:
    "a Date, epoch milliseconds as an integer, or an ISO 8601 text such as 2024-03-05T10:30:00Z, of the years 0000 to 9999",
  options: [...SEARCHED, "precision", "zone"],
  toTextForm: (value, options) => {
    const instant = instantOf(value, options.zone);
    return instant === undefined ? undefined : written(instant, options.precision);
  },
  hasSpellings: true,
  isTextForm: isCanonical,
  fromTextForm: (text) => text,
  isStored: (value, options) => typeof value === "string" && isCanonical(value, options),
  spans: {
    accepts:
      "a Date, epoch milliseconds as an integer, an ISO 8601 text, or the name of a period such as 2024-03",
    of: (value, options) => spanOf(value, options),
  },
  describe: (value) =>
    isDate(value) && Number.isNaN(value.getTime()) ? "an invalid Date" : describe(value),
  remedy: (value, options) => {
    if (typeof value !== "string") return "";
    const instant = instantOf(value, options?.zone);
    if (instant !== undefined) {
      // The precision of the field, which is milliseconds here, does not reach.
      const exact = written(instant, "microseconds");
      const rounded = written({ ...instant, micros: 0 }, options?.precision) ?? "";
      const wider =
        exact === undefined ? "" : ', or declare the field with precision: "microseconds"';
      return `; its digits go beyond the ${options?.precision ?? "milliseconds"} of the field; write ${quote(rounded)}${wider}`;
    }
    if (/^\d{4}(?:-\d\d)?$/.test(value) && partsOf(value) !== undefined) {
      return `; that is a period; write ${quote(value + "-01-01".slice(value.length - 4))}`;
    }
    if (/^-?\d+$/.test(value) && Number.isSafeInteger(Number(value))) {
      return `; write the number ${Number(value)}`;
    }
    return "";
  },
};

/** A moment of the years 0000 to 9999, in whole milliseconds and what is beyond them. */
interface Instant {
  readonly milliseconds: number;
  /** 0 to 999. */
  readonly micros: number;
  /** Whether there are digits beyond microseconds. */
  readonly isFiner: boolean;
}

/** Whether a text is that of a value with the precision. */
function isCanonical(text: string, options: ValueOptions): boolean {
  return STORED.test(text) && time.toTextForm(text, options) === text;
}

const STORED = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.(?:\d{3}|\d{6})Z$/;

const ISO =
  /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[Tt ](\d\d)(?::(\d\d)(?::(\d\d)(?:[.,](\d+))?)?)?(Z|z|[+-]\d\d(?::?\d\d)?)?)?)?)?$/;

const MINUTE = 60_000;
const DAY = 86_400_000;
const LOWEST = localOf([0]);
const HIGHEST = localOf([10_000]) - 1;

/**
 * The milliseconds from 1970 to a date and a clock in UTC, given from the year on, as far as they are known. `Date.UTC`
 * takes the years up to 99 for others.
 */
function localOf(numbers: readonly number[]): number {
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = numbers;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.setUTCHours(hour, minute, second);
}

/** The parts of a text that names a period or a moment, in order, as long as there are any. */
interface Parts {
  readonly numbers: readonly number[];
  readonly fraction: string;
  /** `undefined` if the text has none. */
  readonly offset: string | undefined;
}

/** @returns `undefined` if the text is not ISO 8601, or the calendar and the clock do not have it */
function partsOf(text: string): Parts | undefined {
  // Groups without a match are undefined.
  const groups: readonly (string | undefined)[] | undefined = ISO.exec(text)?.slice(1);
  if (groups === undefined) return undefined;
  const numbers = groups.slice(0, 6).flatMap((each) => (each === undefined ? [] : [Number(each)]));
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = numbers;
  if (month < 1 || month > 12 || hour > 23 || minute > 59 || second > 59) return undefined;
  const date = new Date(localOf([year, month, day]));
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  return { numbers, fraction: groups[6] ?? "", offset: groups[7] };
}

/** The moment of an input value; `undefined` if it names none. */
function instantOf(value: unknown, zone: string | undefined): Instant | undefined {
  if (typeof value === "string") return ofText(value, zone);
  const milliseconds = isDate(value)
    ? Date.prototype.getTime.call(value)
    : typeof value === "bigint" && isSafeBigInt(value)
      ? Number(value)
      : value;
  if (typeof milliseconds !== "number" || !Number.isSafeInteger(milliseconds)) return undefined;
  return inRange({ milliseconds, micros: 0, isFiner: false });
}

const inRange = (instant: Instant): Instant | undefined =>
  instant.milliseconds >= LOWEST && instant.milliseconds <= HIGHEST ? instant : undefined;

function ofText(text: string, zone: string | undefined): Instant | undefined {
  const parts = partsOf(text);
  if (parts === undefined || parts.numbers.length < 3) return undefined;
  const local = localOf(parts.numbers);
  const start = parts.offset === undefined ? inZone(local, zone) : local - aheadBy(parts.offset);
  if (Number.isNaN(start)) return undefined;
  const digits = parts.fraction.padEnd(6, "0");
  return inRange({
    milliseconds: start + Number(digits.slice(0, 3)),
    micros: Number(digits.slice(3, 6)),
    isFiner: /[1-9]/.test(digits.slice(6)),
  });
}

/** How far an offset such as `+02:00` is ahead of UTC, in milliseconds; NaN if there is none such. */
function aheadBy(offset: string): number {
  if (offset === "Z" || offset === "z") return 0;
  const [, sign, hours = "0", minutes = "0"] = /^([+-])(\d\d):?(\d\d)?$/.exec(offset) ?? [];
  if (Number(hours) > 23 || Number(minutes) > 59) return NaN;
  return (sign === "-" ? -1 : 1) * (60 * Number(hours) + Number(minutes)) * MINUTE;
}

/** The text form; `undefined` if the precision does not reach. */
function written(
  { milliseconds, micros, isFiner }: Instant,
  precision: Precision | undefined,
): string | undefined {
  if (isFiner) return undefined;
  const text = new Date(milliseconds).toISOString();
  if (precision === "microseconds") {
    return `${text.slice(0, -1)}${String(micros).padStart(3, "0")}Z`;
  }
  return micros === 0 ? text : undefined;
}

/**
 * What a criterion's value names (C18): a period, which is a year, a month, a day, an hour or a minute in the field's
 * zone, or a moment, which is anything else that the field takes. An integer of four digits is a year.
 *
 * @returns `undefined` if it names neither
 */
function spanOf(value: unknown, options: ValueOptions): Span | undefined {
  const isYear = Number.isSafeInteger(value) && Number(value) >= 1000 && Number(value) <= 9999;
  const parts = isYear || typeof value === "string" ? partsOf(String(value)) : undefined;
  if (parts === undefined || parts.numbers.length > 5 || parts.offset !== undefined) {
    const text = time.toTextForm(value, options);
    return text === undefined ? undefined : { low: text, high: text };
  }
  const { zone, precision } = options;
  const next = parts.numbers.map((each, i) => (i === parts.numbers.length - 1 ? each + 1 : each));
  const from = inZone(localOf(parts.numbers), zone);
  const to = inZone(localOf(next), zone);
  const first = { milliseconds: Math.max(LOWEST, from), micros: 0, isFiner: false };
  const micros = precision === "microseconds" ? 999 : 0;
  const last = { milliseconds: Math.min(HIGHEST, to - 1), micros, isFiner: false };
  return { low: written(first, precision) ?? "", high: written(last, precision) ?? "" };
}

/**
 * The instant at which the clocks of a zone show a time. If they show it twice, the first; if they skip it, as much later
 * as they skip. In UTC if there is no zone.
 */
function inZone(local: number, zone: string | undefined): number {
  if (zone === undefined) return local;
  const before = offsetAt(local - DAY, zone);
  const after = offsetAt(local + DAY, zone);
  if (before === after) return local - before;
  const first = local - before;
  const second = local - after;
  // Clocks that are put back show a time twice: the first is at the offset before.
  if (offsetAt(first, zone) === before) return first;
  return offsetAt(second, zone) === after ? second : first;
}

/** How far the clocks of a zone are ahead of UTC at an instant, in milliseconds. */
function offsetAt(instant: number, zone: string): number {
  const parts = new Map<string, string>();
  // Within what a Date can say, at any offset.
  for (const { type, value } of formatOf(zone).formatToParts(instant)) parts.set(type, value);
  const numberOf = (type: string) => Number(parts.get(type) ?? 0);
  const isBefore = parts.get("era")?.startsWith("B") === true;
  const year = isBefore ? 1 - numberOf("year") : numberOf("year");
  const others = ["month", "day", "hour", "minute", "second"].map(numberOf);
  const local = localOf([year, ...others]);
  return local - 1000 * Math.floor(instant / 1000);
}

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  const number = "numeric";
  const format = new Intl.DateTimeFormat("en-US", {
    ...({ timeZone: zone, hourCycle: "h23", era: "short", year: number } as const),
    ...({ month: number, day: number, hour: number, minute: number, second: number } as const),
  });
  formats.set(zone, format);
  return format;
}

/** Checks the options of a time field. @throws SchemaError that names the option */
export function readTimeOptions({
  precision = "milliseconds",
  zone,
}: {
  readonly precision?: unknown;
  readonly zone?: unknown;
}): ValueOptions {
  if (precision !== "milliseconds" && precision !== "microseconds") {
    throw new SchemaError(
      `precision: must be "milliseconds" or "microseconds", not ${describe(precision)}`,
    );
  }
  if (zone !== undefined && (typeof zone !== "string" || !isZone(zone))) {
    throw new SchemaError(
      `zone: must be a time zone of the IANA database, such as "Europe/Zurich", not ${describe(zone)}`,
    );
  }
  return { precision, zone };
}

/** Whether the runtime knows a zone by this name. Not offsets, which some runtimes take and others do not. */
function isZone(zone: string): boolean {
  if (!/^[A-Za-z]/.test(zone)) return false;
  try {
    formatOf(zone);
    return true;
  } catch {
    return false;
  }
}
