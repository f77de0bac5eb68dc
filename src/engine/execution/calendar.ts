// Steps of the calendar in UTC: days, weeks from Monday (ISO 8601), months, quarters and years.

import { InputError } from "../../schema/errors.ts";
import type { Precision } from "../../schema/kinds/kind.ts";
import { numberCut, rangeCut, textCut, type Cut, type RangeOf, type RangesCut } from "./cuts.ts";
import type { TimeZone } from "./time-zone.ts";

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

/** Parts of the calendar to group by: steps of time, or what repeats every week or day. */
export type CalendarPart = "minute" | "hour" | CalendarStep | "weekday" | "hourOfDay";

const shortSteps = { minute: 60_000, hour: 3_600_000 } as const;

export const calendarParts = [
  "minute",
  "hour",
  ...calendarSteps,
  "weekday",
  "hourOfDay",
] as const satisfies CalendarPart[];

/**
 * Cuts times by a part of the calendar in a time zone. The key is the start of the step in the unit of the times, the
 * number of the weekday, from 1 for Monday to 7, or the hour from 0 to 23.
 */
export function calendarCut(part: CalendarPart, unit: TimeUnit, zone: TimeZone): RangesCut {
  const scale = unit === "seconds" ? 1000 : 1;
  // Steps start at whole milliseconds, so the fraction of one does not matter.
  const instantIn = (time: number) => Math.floor(time * scale);
  const rangeIn =
    (step: "minute" | "hour" | CalendarStep): RangeOf =>
    (time) => {
      const instant = instantIn(time);
      if (!isInCalendar(instant)) return [time, time];
      const local = zone.localOf(instant);
      if (step === "minute" || step === "hour") {
        const length = shortSteps[step];
        const start = instant - (local - Math.floor(local / length) * length);
        return [start / scale, (start + length) / scale];
      }
      const [start, end] = [startOf[step](local, 0), startOf[step](local, 1)];
      if (!isInCalendar(start)) return [time, time];
      const last = isInCalendar(end) ? zone.instantOf(end) / scale : Infinity;
      return [zone.instantOf(start) / scale, last];
    };
  if (part !== "weekday" && part !== "hourOfDay") {
    const rangeOf = rangeIn(part);
    return rangeCut(rangeOf, (time) => {
      const [from, end] = rangeOf(time);
      if (from === end) throw outside(time, unit);
    });
  }

  const [length, count, first] = part === "weekday" ? [DAY, 7, 1] : [shortSteps.hour, 24, 0];
  // 1970 began on a Thursday, which is 3 days after a Monday.
  const shift = part === "weekday" ? 3 : 0;
  const placeAt = (instant: number) => Math.floor(zone.localOf(instant) / length) + shift;
  const keyOf = (time: number) => {
    const instant = instantIn(time);
    if (!isInCalendar(instant)) throw outside(time, unit);
    const place = placeAt(instant) % count;
    return (place < 0 ? place + count : place) + first;
  };
  const stepOf = rangeIn(part === "weekday" ? "day" : "hour");
  return numberCut(keyOf, (time) => {
    const [from, end] = stepOf(time);
    const [start, last] = [from * scale, end * scale - 1];
    if (!isInCalendar(start) || !isInCalendar(last)) return [time, time];
    // Clocks that are set within the step may show another day or hour there, also after they were set back past its
    // start.
    const setBack = zone.localOf(start) - start - (zone.localOf(last) - last);
    const isWhole = [last, start + Math.max(0, setBack - 1)].every(
      (instant) => placeAt(instant) === placeAt(start),
    );
    return isWhole ? [from, end] : [time, time];
  });
}

/** Where the milliseconds of a time field's text end. */
const MILLISECONDS = "0000-00-00T00:00:00.000".length;

/** The same for a time field. The key of a step is the text of its start. */
export function timeCut(part: CalendarPart, precision: Precision, zone: TimeZone): Cut {
  const cut = calendarCut(part, "milliseconds", zone);
  const timeOf = (text: string) => Date.parse(`${text.slice(0, MILLISECONDS)}Z`);
  if (!cut.isInOrder) return textCut(cut, timeOf, (key) => key);
  return textCut(cut, timeOf, (start) => {
    const text = new Date(start).toISOString();
    // Before the year 0, in which no field has values.
    if (text.length > MILLISECONDS + 1) throw outside(start, "milliseconds");
    return precision === "microseconds" ? `${text.slice(0, MILLISECONDS)}000Z` : text;
  });
}

/** Whether an instant is in the range of JavaScript dates. */
const isInCalendar = (instant: number) => Math.abs(instant) <= 8.64e15;

const outside = (time: number, unit: TimeUnit) =>
  new InputError(
    "query.by",
    `${time} ${unit} after the start of 1970 is outside the range of JavaScript dates; use another unit, or criteria`,
    { code: "limit" },
  );

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
  zone: TimeZone,
  low: number,
  high: number,
  most: number,
): number[] {
  const scale = unit === "seconds" ? 1000 : 1;
  const edges: number[] = [];
  // Steps start at whole seconds, so the fraction of a time does not matter.
  const time = Math.floor(low) * scale;
  for (let i = 0; edges.length < 2 || edges.at(-1)! <= high; i++) {
    const start = isInCalendar(time) ? startOf[step](zone.localOf(time), i) : NaN;
    if (!isInCalendar(start)) {
      const times = `from ${low} to ${high} ${unit} after the start of 1970`;
      throw refuse(`${times} is outside the range of JavaScript dates; use another unit`);
    }
    if (i > most)
      throw refuse(
        `from ${low} to ${high} ${unit}, there are more than ${most} bins; use a longer step`,
      );
    edges.push(zone.instantOf(start) / scale);
  }
  return edges;
}

const refuse = (reason: string) =>
  new InputError("options.step", `${reason}, or options.from and options.to`, { code: "limit" });
