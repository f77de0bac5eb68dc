// Formats days, times of day and instants as ISO 8601 strings with the digits of their unit, so that the strings of one
// column sort by time.

const DAY = 86_400;

/** The days since 1970-01-01 of the first day of the year 0 and of the year 10000. */
const [FIRST_DAY, END_DAY] = [-719_528, 2_932_897];

/** Whether a day has a four-digit year. Other years have a sign and more digits, and do not sort in order. */
export const hasPlainYear = (day: number): boolean => day >= FIRST_DAY && day < END_DAY;

const padded = (number: number, digits: number): string => String(number).padStart(digits, "0");

let lastDay = NaN;
let lastText = "";

/** `2024-02-29`, for any number of days since 1970-01-01. */
export function dayText(day: number): string {
  // Neighbouring values often fall on the same day.
  if (day !== lastDay) [lastDay, lastText] = [day, createDayText(day)];
  return lastText;
}

/** The calendar repeats after 400 years. */
const [CYCLE_DAYS, CYCLE_YEARS] = [146_097, 400];

function createDayText(day: number): string {
  const cycles = Math.floor(day / CYCLE_DAYS);
  const date = new Date((day - cycles * CYCLE_DAYS) * DAY * 1000);
  const year = date.getUTCFullYear() + cycles * CYCLE_YEARS;
  const yearText = hasPlainYear(day)
    ? padded(year, 4)
    : (year < 0 ? "-" : "+") + padded(Math.abs(year), 6);
  return yearText + date.toISOString().slice(4, 10);
}

/** A number of units since an origin, split into whole seconds and remaining units. */
export interface Instant {
  readonly seconds: number;
  readonly rest: number;
}

/** @param digits how many decimal digits of a second the unit has: 0, 3, 6 or 9 */
export function instantOf(value: number | bigint, digits: number): Instant {
  const number = Number(value);
  const unit = 10 ** digits;
  if (!Number.isSafeInteger(number)) {
    const [exact, per] = [BigInt(value), BigInt(unit)];
    const rest = ((exact % per) + per) % per;
    return { seconds: Number((exact - rest) / per), rest: Number(rest) };
  }
  // The quotient may be rounded up to the next whole number.
  const seconds = Math.floor(number / unit);
  const rest = number - seconds * unit;
  return rest < 0 ? { seconds: seconds - 1, rest: rest + unit } : { seconds, rest };
}

export const dayOf = ({ seconds }: Instant): number => Math.floor(seconds / DAY);

/** `2024-02-29T13:05:00.123456`, for an instant since 1970-01-01. */
export function instantText(instant: Instant, digits: number): string {
  return `${dayText(dayOf(instant))}T${timeText(instant, digits)}`;
}

/** `13:05:00.123456`, for an instant since midnight; for an instant of another day, its time of day. */
export function timeText({ seconds: given, rest }: Instant, digits: number): string {
  const seconds = given - Math.floor(given / DAY) * DAY;
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const time = `${padded(hours, 2)}:${padded(minutes, 2)}:${padded(seconds % 60, 2)}`;
  return digits === 0 ? time : `${time}.${padded(rest, digits)}`;
}

/** The milliseconds of an instant; `undefined` if it is more precise, or a number can't represent it. */
export function millisecondsOf({ seconds, rest }: Instant, digits: number): number | undefined {
  const perMillisecond = 10 ** Math.max(0, digits - 3);
  const milliseconds = seconds * 1000 + Math.floor(rest / perMillisecond);
  return rest % perMillisecond === 0 && Number.isSafeInteger(milliseconds)
    ? milliseconds
    : undefined;
}
