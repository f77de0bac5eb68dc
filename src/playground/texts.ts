// Values as texts: each column has one format, wherever its values are shown. A number is exact, or says that it is
// rounded.

import type { FieldValue } from "../index.ts";
import type { FieldInfo, TimeUnit } from "./messages.ts";
import { clockText, writeTime } from "./times.ts";

/** What decides how a value is shown. */
export type Format = Pick<FieldInfo, "type" | "unit" | "form" | "zone" | "isMeasure" | "decimals">;

/** Numbers that stand for themselves. */
export const PLAIN: Format = {
  ...{ type: "float", unit: undefined, form: undefined },
  ...{ isMeasure: true, decimals: undefined },
};

/** A longer text is cut off where many stand beside each other. */
const LONGEST = 300;

/** A value as it stands in a table or a chart: no text is shown as `null` is, and none as the empty text. */
export function textIn(value: FieldValue, field: Format): string {
  const number = numberOf(value, field);
  return timeIn(value, field) ?? (number === undefined ? shown(value) : numberIn(number, field));
}

/** The number that a value of a field of numbers is; records of the contract have the text of it. */
function numberOf(value: FieldValue | undefined, { type }: Pick<Format, "type">) {
  if (typeof value === "number") return value;
  if (type !== "int" || typeof value !== "string" || value === "") return undefined;
  return Number.isSafeInteger(Number(value)) ? Number(value) : undefined;
}

/** The same without a field. */
export function shown(value: FieldValue): string {
  const text = rawText(value);
  return text.length > LONGEST ? `${visible(text.slice(0, LONGEST))}…` : whole(value);
}

/** The same, however long it is. */
export const whole = (value: FieldValue): string =>
  value === "" || value === "null" ? `“${value}”` : visible(rawText(value));

/** A value as JSON or CSV has it. */
export const rawText = (value: FieldValue): string =>
  typeof value === "object" ? JSON.stringify(value) : String(value);

/** A value as it is copied: a time that its source writes as a text is that text. */
export const copied = (value: FieldValue, { form }: Pick<Format, "form">): FieldValue =>
  typeof value === "number" && form !== undefined ? writeTime(value, form) : value;

/** Control characters, and those that reorder the text around them. */
// oxlint-disable-next-line no-control-regex
const UNSEEN = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g;

/** A text in which what nobody would see is shown by its code, such as `<U+202E>`. */
export const visible = (text: string): string =>
  text.replace(UNSEEN, (each) => {
    const code = each.charCodeAt(0).toString(16).toUpperCase();
    return `<U+${code.padStart(4, "0")}>`;
  });

const formats = new Map<string, Intl.NumberFormat>();

function formatOf(least: number, most: number, useGrouping: boolean): Intl.NumberFormat {
  const key = `${least} ${most} ${useGrouping}`;
  let format = formats.get(key);
  if (format === undefined) {
    const digits = { minimumFractionDigits: least, maximumFractionDigits: most };
    formats.set(key, (format = new Intl.NumberFormat("en-US", { ...digits, useGrouping })));
  }
  return format;
}

/** How many digits of a fraction are written at most. */
const MOST_DIGITS = 20;

/** Beyond these, digits would be left out, or be zeros that are not there. */
const isWritten = (value: number): boolean =>
  value === 0 || (Math.abs(value) < 1e15 && Math.abs(value) >= 1e-3);

/** Without the sign of -0. */
const unsigned = (value: number): number => value + 0;

/** A number of a field, exact: with all its digits, and zeros up to the digits of its column. */
export function numberIn(value: number, { isMeasure, decimals = 0 }: Format): string {
  if (isWritten(value)) return formatOf(decimals, MOST_DIGITS, isMeasure).format(unsigned(value));
  const fixed = value.toFixed(decimals);
  return Math.abs(value) < 1 && Number(fixed) === value ? fixed : String(value);
}

/** Sums of binary fractions are this exact, in comparison with the number. */
const NOISE = 1e-12;

/** A number that follows from those of a field: exact with at most two digits more than they have, or after `≈`. */
export function resultIn(value: number, field: Format): string {
  const { isMeasure, decimals = 4 } = field;
  const size = Math.abs(value);
  if (size > Number.MAX_SAFE_INTEGER) return `≈ ${value.toPrecision(6)}`;
  const isExact = (digits: number) =>
    Math.abs(Number(value.toFixed(digits)) - value) <= NOISE * size;
  const exact = [decimals, decimals + 1, decimals + 2].find(isExact);
  if (exact !== undefined) return formatOf(exact, exact, isMeasure).format(unsigned(value));
  const digits = Math.max(2, decimals);
  return `≈ ${size < 10 ** -digits ? value.toPrecision(3) : formatOf(digits, digits, isMeasure).format(value)}`;
}

/** A time, up to the minutes, or a number of a field, as an axis has it. */
export const boundIn = (value: number, field: Format): string =>
  field.unit === undefined
    ? numberIn(value, field)
    : timeText(value, field.unit, field.zone).slice(0, 16);

/** A Unix timestamp in a zone: `2024-05-01 09:30:00`, and the fraction of its second if it has one. */
export const timeText = (value: FieldValue, unit: TimeUnit | undefined, zone?: string): string =>
  clockText(unit === "seconds" ? Number(value) * 1000 : Number(value), zone) ?? whole(value);

/**
 * The time that a value of a field is, as its source writes it; `undefined` if it is none. 0 often means that
 * something has not happened, unless the source has texts.
 */
export function timeIn(
  value: FieldValue | undefined,
  { type, unit, form, zone }: Pick<Format, "type" | "unit" | "form" | "zone">,
): string | undefined {
  if (unit === undefined) return undefined;
  const number = numberOf(value, { type });
  if (number === undefined) return undefined;
  if (form !== undefined && zone === undefined) return writeTime(number, form);
  return form !== undefined || number > 0 ? timeText(number, unit, zone) : undefined;
}
