// Times in the formats of ISO 8601. A column of such texts is loaded as numbers, in milliseconds since 1970, because
// numbers can be compared, sorted and counted by calendar steps, and texts can only be searched. Microseconds are
// fractions. The format of the texts is kept, so that they are shown and saved unchanged.

import { readZone } from "../engine/execution/time-zone.ts";
import { comparisonsOf } from "./comparisons.ts";
import type { TimeForm, TimeUnit } from "./messages.ts";

/** A date with a clock in milliseconds has so many characters. More are of fractions of a millisecond. */
const MILLISECONDS = 23;

/** Whether times in a form may have fractions of a millisecond. */
export const isFine = ({ length }: TimeForm): boolean => length > MILLISECONDS;

const ISO = /^(\d{4}-\d\d-\d\d)(?:([T ])(\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d(?::?\d\d)?)?)?$/;

/** The milliseconds since 1970 of a date or a date with a time, and its form. */
export function readTime(text: string): { value: number; form: TimeForm } | undefined {
  const [, date, separator = "", clock = "", zone = ""] = ISO.exec(text) ?? [];
  if (date === undefined) return undefined;
  const form = { separator, length: date.length + separator.length + clock.length, zone };
  const local = Date.parse(`${date}T${clock === "" ? "00:00" : clock.slice(0, 12)}Z`);
  const micros = Number(clock.slice(12, 15).padEnd(3, "0")) / 1000;
  const value = local - shiftOf(zone) + micros;
  // Engines take 30 February for 1 March.
  const isDate = !Number.isNaN(value) && new Date(local).toISOString().startsWith(date);
  return isDate ? { value, form } : undefined;
}

/** A time in a form. Its text is longer if the form can't say it. */
export function writeTime(value: number, form: TimeForm): string {
  const text = inForm(value, form);
  return readTime(text)?.value === value ? text : (isoOf(value) ?? String(value));
}

/** Whether a form writes a time as just this text. */
export const isInForm = (text: string, form: TimeForm): boolean => {
  const time = readTime(text);
  return time !== undefined && inForm(time.value, form) === text;
};

function inForm(value: number, { separator, length, zone }: TimeForm): string {
  const iso = isoOf(value + shiftOf(zone)) ?? "";
  const clock = separator === "" ? "" : separator + iso.slice(11, -1).padEnd(length - 11, "0");
  return (iso.slice(0, 10) + clock).slice(0, length) + zone;
}

/** In milliseconds. */
function shiftOf(zone: string): number {
  const [, sign, hours = 0, minutes = 0] = /^([+-])(\d\d):?(\d\d)?$/.exec(zone) ?? [];
  return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}

/** In UTC, to the microsecond if it is between two milliseconds. */
function isoOf(value: number): string | undefined {
  if (!(Math.abs(value) <= 8.64e15)) return undefined;
  const micros = Math.round(value * 1000);
  const rest = micros - Math.floor(micros / 1000) * 1000;
  if (Number.isInteger(value) || rest === 0) return new Date(Math.round(value)).toISOString();
  const text = new Date(Math.floor(micros / 1000)).toISOString();
  return `${text.slice(0, -1)}${String(rest).padStart(3, "0")}Z`;
}

/** Where a time is typed and shown: the name of a zone of the IANA database, or `undefined` for UTC. */
export type Zone = string | undefined;

const zoneNamed = (zone: Zone) => readZone(zone ?? "UTC", "zone");

/** Whether the browser has a zone of this name. */
export function isZone(name: string): boolean {
  try {
    return zoneNamed(name).name === name;
  } catch {
    return false;
  }
}

/** What clocks show at a time, as milliseconds that read like it in UTC. */
export const localOf = (time: number, zone: Zone): number =>
  zone === undefined ? time : zoneNamed(zone).localOf(Math.floor(time)) + (time - Math.floor(time));

/** From when on clocks show it, or what comes after it. */
export const instantOf = (local: number, zone: Zone): number =>
  zone === undefined ? local : zoneNamed(zone).instantOf(local);

/** When clocks show what somebody names: what they skip is as much later as they skip. */
function namedAt(local: number, zone: Zone): number {
  const instant = instantOf(local, zone);
  return localOf(instant, zone) === local
    ? instant
    : local - (localOf(instant - 1, zone) - (instant - 1));
}

/** A time as clocks show it: `2024-05-01 09:30:00`, and the fraction of its second if it has one. */
export const clockText = (time: number, zone: Zone): string | undefined =>
  isoOf(localOf(time, zone))
    ?.replace("T", " ")
    .replace(/(?:\.000)?Z$/, "");

/** The fields of a table with a zone for times that have a clock. */
export const zonedFields = <
  Timed extends { unit: TimeUnit | undefined; form: TimeForm | undefined },
>(
  fields: readonly Timed[],
  zone: string,
): readonly (Timed & { readonly zone?: string })[] =>
  zone === ""
    ? fields
    : fields.map((field) =>
        field.unit === undefined || field.form?.separator === "" ? field : { ...field, zone },
      );

const DAY = 86_400_000;

/** Periods before the latest time, in calendar months or milliseconds. */
const LENGTHS: Readonly<Record<string, readonly [unit: "months" | "milliseconds", each: number]>> =
  {
    ...{ minute: ["milliseconds", 60_000], hour: ["milliseconds", 3_600_000] },
    ...{ day: ["milliseconds", DAY], week: ["milliseconds", 7 * DAY] },
    ...{ month: ["months", 1], quarter: ["months", 3], year: ["months", 12] },
  };

const RELATIVE = /^last (?:(\d{1,4}) )?(minute|hour|day|week|month|quarter|year)s?$/i;

/** The period of a length up to the latest time; of several months, up to the same day and clock. */
function lastPeriod(
  typed: string,
  { unit, zone, isFloat, latest }: Partial<TimeScale>,
): Period | undefined {
  const [, count = "1", named = ""] = RELATIVE.exec(typed.trim()) ?? [];
  const length = LENGTHS[named.toLowerCase()];
  if (latest === undefined || length === undefined) return undefined;
  const scale = unit === "seconds" ? 1000 : 1;
  const [last, step] = [latest * scale, isFloat === true ? 0 : scale];
  const before = Number(count) * length[1];
  const from = length[0] === "months" ? monthsBefore(last, before, zone) : last - before;
  // The time that is exactly so long before is not in it.
  return { from: from + step, end: last + (step || 0.001) };
}

/** The same day and clock some months before, or the last day of the month if it has no such day. */
function monthsBefore(time: number, months: number, zone: Zone): number {
  const local = localOf(time, zone);
  const date = new Date(local);
  const monthAt = (by: number) =>
    new Date(0).setUTCFullYear(date.getUTCFullYear(), date.getUTCMonth() + by, 1);
  const [month, next] = [monthAt(-months), monthAt(1 - months)];
  const since = local - monthAt(0);
  const clock = since - (date.getUTCDate() - 1) * DAY;
  return instantOf(Math.min(month + since, next - DAY + clock), zone);
}

/** From a moment up to but not including another one, in milliseconds. */
interface Period {
  readonly from: number;
  readonly end: number;
}

const TYPED =
  /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[T ](\d\d)(?::(\d\d)(?::(\d\d)(?:\.(\d{1,6}))?)?)?)?)?)?(Z|[+-]\d\d(?::?\d\d)?)?$/;

/**
 * What somebody names as a time (rule C18): a year, a month, a day, an hour, a minute or a second is all of it, and what
 * has a fraction of a second is as long as its last digit. `last 7 days` is up to the latest time.
 */
export function periodOf(typed: unknown, scale: Partial<TimeScale>): Period | undefined {
  if (typeof typed === "number") return isYear(typed) ? periodOf(String(typed), scale) : undefined;
  if (typeof typed !== "string") return undefined;
  if (RELATIVE.test(typed.trim())) return lastPeriod(typed, scale);
  const { zone } = scale;
  const match: readonly (string | undefined)[] | null = TYPED.exec(typed.trim());
  if (match === null) return undefined;
  const [, ...given] = match;
  const [digits, offset] = [given[6], given[7]];
  const parts = given.slice(0, 6).flatMap((each) => (each === undefined ? [] : [Number(each)]));
  // An offset belongs to a clock.
  if (offset !== undefined && parts.length < 4) return undefined;
  const at = (by: number) => {
    const [year = 0, month = 1, day = 1, ...clock] = parts.map((part, i) =>
      i === parts.length - 1 ? part + by : part,
    );
    const [hour = 0, minute = 0, second = 0] = clock;
    const date = new Date(0).setUTCFullYear(year, month - 1, day);
    return date + ((hour * 60 + minute) * 60 + second) * 1000;
  };
  const shown = new Date(at(0)).toISOString().slice(0, 19).split(/\D/).map(Number);
  if (parts.some((part, i) => part !== shown[i])) return undefined;
  const toInstant = (local: number) =>
    offset === undefined ? namedAt(local, zone) : local - shiftOf(offset);
  if (digits === undefined) return { from: toInstant(at(0)), end: toInstant(at(1)) };
  const length = 10 ** (3 - digits.length);
  const from = toInstant(at(0)) + Number(digits) * length;
  return { from, end: from + length };
}

const isYear = (typed: number): boolean =>
  Number.isInteger(typed) && typed >= 1000 && typed <= 9999;

/** How the times of a field are counted and typed. */
export interface TimeScale {
  readonly unit: TimeUnit;
  readonly zone?: Zone;
  /** Whether the field has fractions. */
  readonly isFloat?: boolean;
  /** The highest number, if periods up to it may be named. */
  readonly latest?: number | undefined;
}

/** The lowest and the highest number of a field within what somebody names as a time. */
export function spanOf(
  typed: unknown,
  named: TimeScale,
): readonly [lowest: number, highest: number] | undefined {
  const { unit, isFloat = false } = named;
  const period = periodOf(typed, named);
  if (period === undefined) return undefined;
  const scale = unit === "seconds" ? 1000 : 1;
  if (isFloat) return [period.from / scale, neighbourOf(period.end / scale, -1)];
  return [Math.ceil(period.from / scale), Math.ceil(period.end / scale) - 1];
}

/** The double next to a number, above or below it. */
export function neighbourOf(number: number, side: 1 | -1): number {
  if (!Number.isFinite(number)) return number;
  if (number === 0) return side * Number.MIN_VALUE;
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, number);
  view.setBigInt64(0, view.getBigInt64(0) + BigInt(number > 0 ? side : -side));
  return view.getFloat64(0);
}

/**
 * The number that an operator takes for what somebody names as a time. A day is all of that day: at most 20 April is up
 * to its last moment, and greater than 20 April begins with the 21st.
 *
 * @param at which of the operator's two bounds it is, if it takes two
 */
export function numberOf(
  typed: unknown,
  operator: string,
  scale: TimeScale,
  at = 0,
): number | undefined {
  const span = spanOf(typed, scale);
  const comparison = comparisonsOf(operator)[at];
  return span?.[comparison === "<=" || comparison === ">" ? 1 : 0];
}

/** The shortest text that names a number; `undefined` if there is none. */
export function typedTime(
  value: number,
  operator: string,
  scale: TimeScale,
  at = 0,
): string | undefined {
  const iso = clockText(scale.unit === "seconds" ? value * 1000 : value, scale.zone);
  // What is exactly a time is no longer than that.
  const isAlone = (text: string) => {
    const [low, high] = spanOf(text, scale) ?? [];
    return comparisonsOf(operator).length > 0 || low === high || text === iso;
  };
  // A whole second is a period, too; up to its beginning is up to its first millisecond.
  const whole = iso?.includes(".") === false ? `${iso}.000` : (iso ?? "");
  return [4, 7, 10, 16, 19, 23, 26]
    .map((length) => whole.slice(0, length))
    .find((text) => numberOf(text, operator, scale, at) === value && isAlone(text));
}
