// The semantics of sums by group, summaries and quantiles as the simplest possible code. It shares no code with the
// engine: sums are fractions, and the characters of a prefix are those of a string's iterator.

import { compareTextForms, countedOf } from "./reference-page.ts";
import type { CalendarStep, CountByOptions, FieldType, Totals, TextValue } from "../index.ts";

/** A record by field name. */
export interface Valued {
  readonly values: ReadonlyMap<string, TextValue>;
}

/** Which values are listed, for any field. */
export type Listing = CountByOptions<string | undefined, number | undefined>;

/** A value, how many records have it, and their totals if a field is summarized. */
export interface Group extends Partial<Totals> {
  readonly value: TextValue;
  readonly count: number;
}

/** The groups of some records by the values of a field, or by their first characters. */
export function groupsOf(
  rows: readonly Valued[],
  name: string,
  type: FieldType,
  { limit, order = "value", ascending = order === "value", summarize, prefix }: Listing,
): Group[] {
  const groups = new Map<TextValue, Valued[]>();
  for (const row of rows) {
    for (const value of countedOf(row.values.get(name) ?? null, type)) {
      const isWhole = prefix === undefined || value === null;
      const group = isWhole ? value : Array.from(value).slice(0, prefix).join("");
      groups.set(group, [...(groups.get(group) ?? []), row]);
    }
  }
  const found = Array.from(groups, ([value, of]): Group => {
    const totals = summarize === undefined ? {} : totalsOf(numbersIn(of, summarize));
    return { value, count: of.length, ...totals };
  });
  found.sort((a, b) => compareTextForms(a.value, b.value, type));
  const sign = ascending ? 1 : -1;
  // Sorting is stable: values with equal numbers stay in the order of values.
  if (order === "value") return (ascending ? found : found.reverse()).slice(0, limit);
  const byNumber = (group: Group) => group[order] ?? -Infinity;
  const compare = (a: number, b: number) => (a === b ? 0 : a < b ? -1 : 1);
  return found.sort((a, b) => sign * compare(byNumber(a), byNumber(b))).slice(0, limit);
}

/** The numbers of a field in some records. */
const numbersIn = (rows: readonly Valued[], name: string): number[] =>
  rows.flatMap(({ values }) => {
    const value = values.get(name) ?? null;
    return value === null ? [] : [Number(value)];
  });

/** The summary of a field in some records. */
export function summaryOf(
  rows: readonly Valued[],
  name: string,
  type: FieldType,
  quantiles: readonly number[] = [],
) {
  const values = rows.map(({ values }) => values.get(name) ?? null);
  const present = values.filter((value) => value !== null);
  const found = {
    count: present.length,
    nulls: values.length - present.length,
    distinct: new Set(present.flatMap((value) => countedOf(value, type))).size,
  };
  if (type !== "int" && type !== "float") return found;
  const sorted = present.map(Number).sort((a, b) => a - b);
  const at = (share: number) => sorted.find((_, i) => isAtLeast(i + 1, share, sorted.length));
  return {
    ...found,
    ...totalsOf(sorted),
    quantiles: quantiles.map((share) => at(share) ?? null),
  };
}

/** Whether a count is at least a share of all numbers; the share is interpreted as a decimal. */
function isAtLeast(some: number, share: number, all: number): boolean {
  const [digits = "", exponent = "0"] = share.toExponential().split("e");
  const places = digits.replace(/^\d\.?/, "").length;
  const scale = 10n ** BigInt(Math.max(0, places - Number(exponent)));
  return BigInt(some) * scale >= BigInt(digits.replace(".", "")) * BigInt(all);
}

/** The sum, extremes and mean of some numbers. */
export function totalsOf(numbers: readonly number[]): Totals {
  const sum = numbers.reduce((sum, number) => sum + fractionOf(number), 0n);
  const isNone = numbers.length === 0;
  return {
    sum: nearest(sum, 1),
    minimum: isNone ? null : numbers.reduce((a, b) => Math.min(a, b)) + 0,
    maximum: isNone ? null : numbers.reduce((a, b) => Math.max(a, b)) + 0,
    mean: isNone ? null : nearest(sum, numbers.length),
  };
}

/** Every number is a multiple of 2^−1074. */
const BITS = 1074;

/** A number times 2^1074. */
export function fractionOf(number: number): bigint {
  let [shift, rest] = [0, number];
  while (!Number.isInteger(rest)) {
    rest *= 2;
    shift++;
  }
  return (BigInt(rest) << BigInt(BITS)) >> BigInt(shift);
}

/** More decimal digits than are needed to distinguish two numbers. */
const DIGITS = 40;

/**
 * The number nearest to such a fraction divided by a count, from its decimal digits; a remainder counts as one more
 * digit.
 *
 * @param times how many such fractions it is the product of
 */
export function nearest(fraction: bigint, count: number, times = 1): number {
  const bits = times * BITS;
  const scaled = fraction * 5n ** BigInt(bits) * 10n ** BigInt(DIGITS);
  const digits = scaled / BigInt(count);
  const rest = digits * BigInt(count) === scaled ? "0" : "1";
  return Number(`${digits}${rest}e-${bits + DIGITS + 1}`) + 0;
}

/** The key of the calendar step of a time; `undefined` outside the calendar. */
export function stepOf(step: CalendarStep, milliseconds: number): string | undefined {
  const date = new Date(milliseconds);
  // Sundays belong to the week that began before them.
  if (step === "week") date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7));
  if (Number.isNaN(date.getTime())) return undefined;
  const [, year = "", month = "", day = ""] = /^(.*)-(..)-(..)T/.exec(date.toISOString()) ?? [];
  if (step === "year") return year;
  if (step === "quarter") return `${year} ${Math.ceil(Number(month) / 3)}`;
  return step === "month" ? `${year}-${month}` : `${year}-${month}-${day}`;
}
