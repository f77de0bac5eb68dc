// Numbers and values in words.

import type { FieldValue } from "../../index.ts";
import type { FieldInfo, TimeUnit } from "../messages.ts";
import { writeTime } from "../times.ts";

const counts = new Intl.NumberFormat("en-US");
const decimal = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 12 });
const six = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 6 });
const large = new Intl.NumberFormat("en-US", { notation: "compact", maximumSignificantDigits: 4 });
const short = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 });

export const count = (value: number): string => counts.format(value);

/** A number of things: `1 record`, `2 records`. */
export const counted = (value: number, thing: string): string =>
  `${count(value)} ${thing}${value === 1 ? "" : "s"}`;

/** A number with at most six digits that say something, and in short from a billion on: `1.234T`. */
export const number = (value: number): string =>
  Math.abs(value) < 1e9 ? six.format(value) : large.format(value);

export const shortCount = (value: number): string => short.format(value);

export function milliseconds(value: number | undefined): string {
  if (value === undefined) return "";
  if (value < 0.01) return "< 0.01 ms";
  return value < 99.5 ? `${value.toPrecision(2)} ms` : `${counts.format(Math.round(value))} ms`;
}

export function bytes(value: number): string {
  return value < 1e6 ? `${Math.ceil(value / 1e3)} kB` : `${(value / 1e6).toFixed(1)} MB`;
}

/** A part of 1: `4.2 %`, and something rather than nothing where it is more than nothing. */
export function percent(share: number): string {
  if (share > 0 && share < 0.001) return "< 0.1 %";
  return `${(share * 100).toFixed(share > 0 && share < 0.0995 ? 1 : 0)} %`;
}

/** A longer text is cut off where many stand beside each other. */
const LONGEST = 300;

/** A value as it stands in a table or a chart: `null` and the empty text can be told apart. */
export function shown(value: FieldValue): string {
  const text = rawText(value);
  return text.length > LONGEST ? `${visible(text.slice(0, LONGEST))}…` : whole(value);
}

/** The same, however long it is. */
export const whole = (value: FieldValue): string => (value === "" ? "“”" : visible(rawText(value)));

/** A value as it is copied. */
export const rawText = (value: FieldValue): string =>
  typeof value === "object" ? JSON.stringify(value) : String(value);

/** Control characters, and those that reorder the text around them. */
// oxlint-disable-next-line no-control-regex
const UNSEEN = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g;

/** A text in which what nobody would see is shown by its code, such as `<U+202E>`. */
export const visible = (text: string): string =>
  text.replace(UNSEEN, (each) => {
    const code = each.charCodeAt(0).toString(16).toUpperCase();
    return `<U+${code.padStart(4, "0")}>`;
  });

/** A number of a field, or its date where it is a time. */
export function shownNumber(value: number, unit: TimeUnit | undefined): string {
  return unit === undefined ? decimal.format(value) : date(value, unit);
}

/** Up to the minutes. */
const date = (value: number, unit: TimeUnit | undefined): string =>
  timeText(value, unit).slice(0, 16);

/** A Unix timestamp in UTC: `2024-05-01 09:30:00`. */
export function timeText(value: FieldValue, unit: TimeUnit | undefined): string {
  const time = new Date(unit === "seconds" ? Number(value) * 1000 : Number(value));
  return Number.isNaN(time.getTime())
    ? whole(value)
    : time.toISOString().slice(0, 19).replace("T", " ");
}

/**
 * The time that a value of a field is, as its source writes it; `undefined` if it is none. 0 often means that
 * something has not happened, unless the source has texts.
 */
export function timeIn(
  value: FieldValue | undefined,
  { unit, form }: TimeField,
): string | undefined {
  if (typeof value === "number" && form !== undefined) return writeTime(value, form);
  return value !== undefined && unit !== undefined && Number(value) > 0
    ? timeText(value, unit)
    : undefined;
}

type TimeField = Pick<FieldInfo, "unit" | "form">;

export const isNone = (value: FieldValue | undefined): boolean => value === null || value === "";
