// Columns of types that criteria know only as strings: UUIDs, enumerations, dates, times. They are compared in their
// own types, so that their indexes are used, and returned as canonical strings. This is correct because each value
// has one canonical string, and the orders agree.

import { compareCodePoints } from "../schema/order.ts";
import type { OwnForm } from "./dialect.ts";

/** The part of a form that is the same for all engines. */
type Canonical = Pick<OwnForm, "isCanonical" | "isOrdered" | "lowest" | "cuts">;

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export const uuidForm: Canonical = { isOrdered: true, isCanonical: (text) => UUID.test(text) };

/**
 * Enumerations sort by their labels' positions, which differs from the order of strings unless they were declared in
 * that order.
 */
export function enumForm(labels: readonly string[] = []): Canonical {
  const known = new Set(labels);
  return {
    isOrdered: labels.every(
      (label, i) => i === 0 || compareCodePoints(labels[i - 1] ?? "", label) < 0,
    ),
    isCanonical: (text) => known.has(text),
  };
}

/** Years have four digits, because longer ones do not sort like their strings. */
const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;
const CLOCK = /^([01]\d|2[0-3]):[0-5]\d:[0-5]\d$/;

function isDate(text: string): boolean {
  const [, year, month, day] = DATE.exec(text) ?? [];
  if (year === undefined || year === "0000") return false;
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  return date.toISOString().startsWith(text);
}

/** A fraction of a second with the column's number of digits. */
const fraction = (digits: number) => (digits === 0 ? "" : `.${"0".repeat(digits)}`);

function hasFraction(text: string, digits: number): boolean {
  return digits === 0 ? text === "" : text.length === digits + 1 && /^\.\d+$/.test(text);
}

export const dateForm: Canonical = {
  isOrdered: true,
  lowest: "0001-01-01",
  isCanonical: isDate,
  cuts: [4, 7],
};

/** Engines accept `24:00:00` as the end of a day. */
export const timeForm = (digits: number): Canonical => ({
  isOrdered: true,
  lowest: `00:00:00${fraction(digits)}`,
  isCanonical: (text) =>
    (CLOCK.test(text.slice(0, 8)) && hasFraction(text.slice(8), digits)) ||
    text === `24:00:00${fraction(digits)}`,
  cuts: [2, 5, 8],
});

/** @param zone `Z` for points in time, empty for dates and times without a zone */
export const timestampForm = (digits: number, zone: "" | "Z"): Canonical => ({
  isOrdered: true,
  lowest: `0001-01-01T00:00:00${fraction(digits)}${zone}`,
  isCanonical: (text) =>
    isDate(text.slice(0, 10)) &&
    text[10] === "T" &&
    CLOCK.test(text.slice(11, 19)) &&
    text.endsWith(zone) &&
    hasFraction(text.slice(19, text.length - zone.length), digits),
  cuts: [4, 7, 10, 13, 16, 19],
});

/**
 * The lowest canonical string that is not lower than a given one, if that is a canonical string or a prefix: `2024-02`
 * stands for the beginning of that February.
 */
export function lowestFrom(
  { lowest = "", isCanonical, cuts = [] }: OwnForm,
  text: string,
): string | undefined {
  if (isCanonical(text)) return text;
  if (!cuts.includes(text.length)) return undefined;
  const padded = text + lowest.slice(text.length);
  return isCanonical(padded) ? padded : undefined;
}

/**
 * The strings of a form that begin with a part are not below `from`, and below `until`; `undefined` if the part doesn't
 * say so much.
 */
export function rangeOf(form: OwnForm, part: string) {
  const starts = (form.cuts ?? [])
    .filter((cut) => cut <= part.length)
    .map((cut) => part.slice(0, cut))
    .reverse();
  const [start] = starts;
  // After December comes another year.
  const ends = starts.map((each) =>
    lowestFrom(
      form,
      each.replace(/\d{1,9}$/, (last) => String(Number(last) + 1).padStart(last.length, "0")),
    ),
  );
  return {
    from: start === undefined ? undefined : lowestFrom(form, start),
    until: ends.find((end) => end !== undefined),
  };
}

/** Truncates an SQL string with six fractional digits to those of a column. @param seconds its length before them */
export const fixed = (text: string, seconds: number, digits: number) =>
  digits === 6 ? text : `left(${text}, ${digits === 0 ? seconds : seconds + 1 + digits})`;
