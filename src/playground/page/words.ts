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

/** A part of 1: `4.2 %`, and something rather than nothing where it is more than nothing. */
export function percent(share: number): string {
  if (share > 0 && share < 0.001) return "< 0.1 %";
  return `${(share * 100).toFixed(share > 0 && share < 0.0995 ? 1 : 0)} %`;
}

export const isNone = (value: FieldValue | undefined): boolean => value === null || value === "";
