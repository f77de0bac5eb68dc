// Bars for calendar steps in UTC, and the steps of a zone: weeks from Monday, months, quarters and years. Days are counted, and
// each bar adds up the days of its step.

import type { CalendarStep, RangeFacet, TimeUnit } from "./messages.ts";
import { instantOf, localOf, type Zone } from "./times.ts";

/** In milliseconds. */
export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;

/** The longest time in days that each step is for, so that there are at most some sixty bars. */
const STEPS: readonly (readonly [days: number, step: CalendarStep])[] = [
  [420, "week"],
  [1850, "month"],
  [5550, "quarter"],
  // A histogram has at most 10,000 bins.
  [9600, "year"],
];

/** Shorter times get bars of hours or of days. */
const SHORTEST = 60;

/** 1970 began on a Thursday. */
const FIRST_MONDAY = 4;

export const millisecondsOf = (unit: TimeUnit): number => (unit === "seconds" ? 1000 : 1);

/** The bars from one time to another; `undefined` if the range is too short or too long, or there is no unit. */
export function calendarOf(
  low: number,
  high: number,
  unit: TimeUnit | undefined,
): Pick<RangeFacet, "from" | "end" | "bins" | "edges" | "calendar"> | undefined {
  if (unit === undefined) return undefined;
  const scale = millisecondsOf(unit);
  const days = ((high - low) * scale) / DAY;
  const calendar = STEPS.find(([most]) => days <= most)?.[1];
  if (days <= SHORTEST || calendar === undefined) return undefined;
  const start = startOf[calendar](low * scale);
  const edges: number[] = [];
  for (let i = 0; edges.length < 2 || (edges.at(-1) ?? 0) < high; i++) edges.push(start(i) / scale);
  const [from = 0] = edges;
  const end = edges.at(-1) ?? 0;
  return { from, end, bins: ((end - from) * scale) / DAY, edges, calendar };
}

/** When the step begins in which a time is, and each after it. */
export const startOf: Readonly<Record<CalendarStep, (time: number) => (steps: number) => number>> =
  {
    day: byDays(1),
    week: byDays(7),
    month: byMonths(1),
    quarter: byMonths(3),
    year: byMonths(12),
  };

function byDays(length: number) {
  return (time: number) => {
    const first = Math.floor((time / DAY - FIRST_MONDAY) / length) * length + FIRST_MONDAY;
    return (steps: number) => (first + steps * length) * DAY;
  };
}

function byMonths(length: number) {
  return (time: number) => {
    const date = new Date(time);
    const first = Math.floor(date.getUTCMonth() / length) * length;
    // `Date.UTC` takes the years 0 to 99 for those of the 20th century.
    return (steps: number) =>
      new Date(0).setUTCFullYear(date.getUTCFullYear(), first + steps * length, 1);
  };
}

/** How long the steps of the clock are, in milliseconds. */
export const CLOCK_STEPS = { hour: HOUR, "5 minutes": HOUR / 12, minute: HOUR / 60 } as const;

/** When the step after that of a time begins, and each after it, in a zone. The time is where its step begins. */
export function stepsFrom(
  step: CalendarStep | keyof typeof CLOCK_STEPS,
  time: number,
  zone: Zone,
): (steps: number) => number {
  if (step === "hour" || step === "5 minutes" || step === "minute") {
    return (steps) => time + steps * CLOCK_STEPS[step];
  }
  const start = startOf[step](localOf(time, zone));
  return (steps) => instantOf(start(steps), zone);
}

/** The weekday of a time, from 0 for Monday. */
export const weekdayOf = (time: number): number => (new Date(time).getUTCDay() + 6) % 7;
