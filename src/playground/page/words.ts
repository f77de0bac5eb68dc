// Numbers in words.

import type { FieldValue } from "../../index.ts";

export { copied, rawText, shown, textIn, timeIn, visible, whole } from "../texts.ts";

const counts = new Intl.NumberFormat("en-US");
const short = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 });

export const count = (value: number): string => counts.format(value);

/** A number of things: `1 record`, `2 records`. */
export const counted = (value: number, thing: string): string =>
  `${count(value)} ${thing}${value === 1 ? "" : "s"}`;

export const shortCount = (value: number): string => short.format(value);

export function milliseconds(value: number | undefined): string {
  if (value === undefined) return "";
  if (value < 0.01) return "< 0.01 ms";
  return value < 99.5 ? `${value.toPrecision(2)} ms` : `${counts.format(Math.round(value))} ms`;
}

export function bytes(value: number): string {
  return value < 1e6 ? `${Math.ceil(value / 1e3)} kB` : `${(value / 1e6).toFixed(1)} MB`;
}

/**
 * A part of 1 among others: `4.2 %`, with as many digits as tell it from all others, from nothing and from all. What
 * tells it from others, they all have, so that they stand below each other.
 */
export function percents(shares: readonly number[]): (share: number) => string {
  const sorted = [...new Set(shares)]
    .filter((share) => share !== 0 && share !== 1)
    .sort((a, b) => a - b);
  const common = Math.max(
    0,
    ...sorted.map((share, i) => digitsBetween(share, [sorted[i - 1], sorted[i + 1]])),
  );
  return (share) => percentWith(share, Math.max(common, digitsBetween(share, [0, 1])));
}

/** A part of 1 in a table of many: one digit after the point, and nothing or all only if it is. */
export function tenths(share: number): string {
  if (share === 0 || share === 1) return `${share * 100} %`;
  const text = (share * 100).toFixed(1);
  return text === "0.0" ? "< 0.1 %" : text === "100.0" ? "> 99.9 %" : `${text} %`;
}

/** A part of 1 on its own. */
export const percent = (share: number): string => percents([share])(share);

/** More digits than these are those of rounding errors. */
const MOST_DIGITS = 6;

/** Shares below this have a digit after the point. */
const SMALL = 0.0995;

/** How many digits tell a share from its neighbours. */
function digitsBetween(share: number, neighbours: readonly (number | undefined)[]): number {
  let digits = share > 0 && share < SMALL ? 1 : 0;
  const text = (of: number) => (of * 100).toFixed(digits);
  while (
    digits < MOST_DIGITS &&
    neighbours.some((each) => each !== undefined && text(each) === text(share))
  ) {
    digits++;
  }
  return digits;
}

function percentWith(share: number, digits: number): string {
  if (share === 0 || share === 1) return `${share * 100} %`;
  const text = (share * 100).toFixed(digits);
  if (share > 0 && Number(text) === 0) return `< ${10 ** -digits} %`;
  if (share < 1 && Number(text) === 100) return `> ${100 - 10 ** -digits} %`;
  return `${text} %`;
}

export const isNone = (value: FieldValue | undefined): boolean => value === null || value === "";
