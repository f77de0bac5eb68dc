// Steps of the calendar in UTC: days, weeks from Monday (ISO 8601), months, quarters and years.

import { InputError } from "../../schema/errors.ts";

/** The width of the bins of a histogram of times. */
export type CalendarStep = "day" | "week" | "month" | "quarter" | "year";

/** The unit of a time field, counted from the start of 1970 in UTC. */
export type TimeUnit = "seconds" | "milliseconds";

export const timeUnits = ["seconds", "milliseconds"] as const satisfies TimeUnit[];

const DAY = 86_400_000;

/** 1970 began on a Thursday. */
const FIRST_MONDAY = 4;

/** The start of the step that is `steps` steps after the one containing `time`, in milliseconds. */
type StartOf = (time: number, steps: number) => number;

const byDays =
  (length: number, first: number): StartOf =>
  (time, steps) =>
    (Math.floor((time / DAY - first) / length + steps) * length + first) * DAY;

const byMonths =
  (length: number): StartOf =>
  (time, steps) => {
    const date = new Date(time);
    const month = Math.floor(date.getUTCMonth() / length + steps) * length;
    // `Date.UTC` maps the years 0 to 99 to 1900 to 1999.
    return new Date(0).setUTCFullYear(date.getUTCFullYear(), month, 1);
  };

const startOf: Readonly<Record<CalendarStep, StartOf>> = {
  day: byDays(1, 0),
  week: byDays(7, FIRST_MONDAY),
  month: byMonths(1),
  quarter: byMonths(3),
  year: byMonths(12),
};

export const calendarSteps = Object.keys(startOf) as CalendarStep[];

/**
 * The start of each step from the one with the lowest time to the one with the highest, and finally the end of the
 * last.
 *
 * @param most the maximum number of steps
 * @throws InputError if there are more, or a time is outside the range of JavaScript dates
 */
export function calendarEdges(
  step: CalendarStep,
  unit: TimeUnit,
  low: number,
  high: number,
  most: number,
): number[] {
  const scale = unit === "seconds" ? 1000 : 1;
  const edges: number[] = [];
  // Steps start at whole seconds, so the fraction of a time does not matter.
  const time = Math.floor(low) * scale;
  for (let i = 0; edges.length < 2 || edges.at(-1)! <= high; i++) {
    const start = startOf[step](time, i);
    if (Number.isNaN(new Date(start).getTime())) {
      const times = `from ${low} to ${high} ${unit} after the start of 1970`;
      throw refuse(`${times} is outside the range of JavaScript dates; use another unit`);
    }
    if (i > most)
      throw refuse(
        `from ${low} to ${high} ${unit}, there are more than ${most} bins; use a longer step`,
      );
    edges.push(start / scale);
  }
  return edges;
}

const refuse = (reason: string) =>
  new InputError("options.step", `${reason}, or options.from and options.to`, { code: "limit" });
