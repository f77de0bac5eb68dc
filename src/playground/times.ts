// Times in the formats of ISO 8601. A column of such texts is loaded as integers, in milliseconds
// since 1970, because integers can be compared, sorted and counted by calendar steps, and texts can
// only be searched. The format of the texts is kept, so that they are shown and saved unchanged.

import { comparisonsOf } from "./comparisons.ts";

export type TimeUnit = "seconds" | "milliseconds";

/** How a column writes its times. */
export interface TimeForm {
  /** Between the date and the clock; `""` if there is no clock. */
  readonly separator: string;
  /** How many characters a text has before its zone. */
  readonly length: number;
  /** `Z`, `+02:00`, or nothing, which is taken for UTC. */
  readonly zone: string;
}

const ISO = /^(\d{4}-\d\d-\d\d)(?:([T ])(\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d(?::?\d\d)?)?)?$/;

/** The milliseconds since 1970 of a date or a date with a time, and its form. */
export function readTime(text: string): { value: number; form: TimeForm } | undefined {
  const [, date, separator = "", clock = "", zone = ""] = ISO.exec(text) ?? [];
  if (date === undefined) return undefined;
  const form = { separator, length: date.length + separator.length + clock.length, zone };
  const local = Date.parse(`${date}T${clock === "" ? "00:00" : clock.slice(0, 12)}Z`);
  const value = local - shiftOf(zone);
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
  const clock = separator === "" ? "" : separator + iso.slice(11, 23).padEnd(length - 11, "0");
  return (iso.slice(0, 10) + clock).slice(0, length) + zone;
}

/** In milliseconds. */
function shiftOf(zone: string): number {
  const [, sign, hours = 0, minutes = 0] = /^([+-])(\d\d):?(\d\d)?$/.exec(zone) ?? [];
  return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}

const isoOf = (value: number): string | undefined =>
  Math.abs(value) <= 8.64e15 ? new Date(value).toISOString() : undefined;

/** What is typed for a time: a month, a day, or up to a fraction of a second. */
const TYPED = /^\d{4}-\d\d(?:-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)?)?$/;

/** How many characters a typed time has, and what it then names: so many milliseconds. */
const PRECISIONS: Readonly<Record<number, number>> = {
  10: 86_400_000,
  16: 60_000,
  19: 1000,
};

/**
 * The number that an operator takes for a time as somebody typed it. A day is all of that day: at most 20 April is up
 * to its last moment, and greater than 20 April begins with the 21st.
 *
 * @param at which of the operator's two bounds it is, if it takes two
 */
export function numberOf(
  text: string,
  operator: string,
  unit: TimeUnit,
  at = 0,
): number | undefined {
  const typed = text.trim();
  const month = /^\d{4}-\d\d$/.test(typed);
  const zoned = readTime(month ? `${typed}-01` : typed);
  if (zoned === undefined || !(TYPED.test(typed) || zoned.form.zone !== "")) return undefined;
  const { value } = zoned;
  const scale = unit === "seconds" ? 1000 : 1;
  const comparison = comparisonsOf(operator)[at];
  const isEnd = comparison === "<=" || comparison === ">";
  const end = month ? nextMonth(value) : value + (PRECISIONS[zoned.form.length] ?? scale);
  return isEnd ? Math.ceil(end / scale) - 1 : Math.floor(value / scale);
}

const nextMonth = (time: number): number => {
  const date = new Date(time);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1);
};

/** The shortest text that is typed for a number; `undefined` if there is none. */
export function typedTime(
  value: number,
  operator: string,
  unit: TimeUnit,
  at = 0,
): string | undefined {
  const iso = isoOf(unit === "seconds" ? value * 1000 : value)?.replace("T", " ");
  return [10, 16, 19, 23]
    .map((length) => iso?.slice(0, length) ?? "")
    .find((text) => numberOf(text, operator, unit, at) === value);
}
