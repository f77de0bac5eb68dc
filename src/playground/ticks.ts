// Round numbers: the widths of ranges, and where axes have ticks.

import { DAY, startOf } from "./calendar.ts";

/** The smallest of 1, 2, 5 and 10 times a power of ten that is at least `least`; of integers at least 1. */
export function roundWidth(least: number, isInteger: boolean): number {
  if (isInteger && least <= 1) return 1;
  const power = 10 ** Math.floor(Math.log10(least));
  const width = [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= least);
  return rounded(width ?? power);
}

/** Without the rounding errors of binary fractions. */
export const rounded = (number: number): number => Number(number.toPrecision(12));

export interface Tick {
  /** From 0, where the axis begins, to 1, where it ends. */
  readonly at: number;
  readonly text: string;
}

const short = new Intl.NumberFormat("en-US", { notation: "compact", maximumSignificantDigits: 6 });
const plain = new Intl.NumberFormat("en-US", { useGrouping: false, maximumSignificantDigits: 12 });

/** A round number in short, which is exact: `20K`. Years and identifiers are not shortened. */
const textOf = (value: number, isMeasure: boolean): string => {
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e15)) return value.toExponential();
  return isMeasure ? short.format(value) : plain.format(value);
};

const isOnAxis = ({ at }: Tick): boolean => Math.abs(at - 0.5) <= 0.5 + 1e-9;

/** At most about so many ticks at round numbers. */
export function ticksOf(from: number, to: number, most: number, isMeasure = true): Tick[] {
  if (!(to > from)) return Number.isFinite(from) ? [{ at: 0, text: textOf(from, isMeasure) }] : [];
  const width = roundWidth((to - from) / most, false);
  // Beyond the precision of numbers.
  if (!(width > 1e-300 && width < 1e300)) return [];
  const first = Math.ceil(rounded(from / width));
  const last = Math.floor(rounded(to / width));
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => {
    const value = rounded((first + i) * width);
    return { at: (value - from) / (to - from), text: textOf(value, isMeasure) };
  }).filter(isOnAxis);
}

/** Ticks at powers of ten, or at fewer of them, on a logarithmic axis of positive numbers. */
export function logTicksOf(from: number, to: number, most: number, isMeasure = true): Tick[] {
  const [low, high] = [Math.log10(from), Math.log10(to)];
  if (!(high > low)) return ticksOf(from, to, most, isMeasure);
  const [first, last] = [Math.ceil(low - 1e-9), Math.floor(high + 1e-9)];
  const every = Math.max(1, Math.ceil((last - first + 1) / most));
  const ticks: Tick[] = [];
  for (let power = first; power <= last; power += every) {
    const value = rounded(10 ** power);
    ticks.push({ at: (power - low) / (high - low), text: textOf(value, isMeasure) });
  }
  // Between two powers of ten an axis has no tick of its own.
  return ticks.length > 1 ? ticks : ticksOfLog(from, to, isMeasure);
}

function ticksOfLog(from: number, to: number, isMeasure: boolean): Tick[] {
  const [low, high] = [Math.log10(from), Math.log10(to)];
  const width = roundWidth((to - from) / 4, false);
  const ticks: Tick[] = [];
  for (let value = Math.ceil(from / width) * width; value <= to; value += width) {
    const at = (Math.log10(value) - low) / (high - low);
    ticks.push({ at, text: textOf(rounded(value), isMeasure) });
  }
  return ticks;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** How long a step between two ticks takes, and which characters of a time name it. */
const CLOCK = [
  ...[1, 5, 15, 30].map((seconds) => [seconds * SECOND, 11, 19] as const),
  ...[1, 5, 15, 30].map((minutes) => [minutes * MINUTE, 11, 16] as const),
  ...[1, 3, 6, 12].map((hours) => [hours * HOUR, 11, 16] as const),
];

/** Steps of days, months and years: about how many days they take. */
const CALENDAR = [
  [1, "day", 1, 5, 10],
  [2, "day", 2, 5, 10],
  [7, "week", 1, 5, 10],
  [14, "week", 2, 5, 10],
  [30.4, "month", 1, 0, 7],
  [91.3, "quarter", 1, 0, 7],
  [182.6, "quarter", 2, 0, 7],
] as const;

const YEAR = 365.25;

/** Ticks of times, in milliseconds, where a step of the calendar or the clock begins in UTC. */
export function timeTicksOf(from: number, to: number, most: number): Tick[] {
  const least = (to - from) / most;
  if (!(to > from) || !isTime(from) || !isTime(to)) return [];
  const tickAt = (time: number, [start, end]: readonly [number, number]): Tick => ({
    at: (time - from) / (to - from),
    text: new Date(time).toISOString().slice(start, end),
  });
  const ticks: Tick[] = [];
  const clock = CLOCK.find(([length]) => length >= least);
  if (clock !== undefined) {
    const [length, ...named] = clock;
    for (let time = Math.ceil(from / length) * length; time <= to; time += length) {
      ticks.push(tickAt(time, time % DAY === 0 ? [5, 10] : named));
    }
    return ticks.filter(isOnAxis);
  }
  const years = roundWidth(least / DAY / YEAR, true);
  const [, calendar, every, ...named] =
    CALENDAR.find(([days]) => days * DAY >= least) ?? ([YEAR, "year", years, 0, 4] as const);
  const start = startOf[calendar](from);
  // A step of several begins at the turn of them, such as a decade.
  const offset = calendar === "year" ? new Date(from).getUTCFullYear() % every : 0;
  for (let i = -offset; ; i += every) {
    const time = start(i);
    if (!(time <= to)) return ticks;
    if (time >= from) ticks.push(tickAt(time, named));
  }
}

const isTime = (time: number): boolean => Math.abs(time) <= 8.64e15;
