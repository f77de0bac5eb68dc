// Local times of the zones of the IANA database, which JavaScript engines know.

import { describe, InputError } from "../../schema/errors.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Local times, as milliseconds that read like them in UTC. */
export interface TimeZone {
  readonly name: string;
  /** The local time at an instant. */
  readonly localOf: (instant: number) => number;
  /** The first instant at which the local time is not below the given one. */
  readonly instantOf: (local: number) => number;
}

export const UTC: TimeZone = {
  name: "UTC",
  localOf: (instant) => instant,
  instantOf: (local) => local,
};

const zones = new Map<string, TimeZone>();

/** Reads the name of a zone. @throws InputError if there is none */
export function readZone(given: unknown, path: string): TimeZone {
  const zone = typeof given === "string" ? timeZone(given) : undefined;
  if (zone !== undefined) return zone;
  const reason = `must be a zone of the IANA database, such as "Europe/Berlin", not ${describe(given)}`;
  throw new InputError(path, reason);
}

/** The zone with a name; `undefined` if there is none. */
function timeZone(name: string): TimeZone | undefined {
  if (name === "UTC") return UTC;
  const known = zones.get(name);
  if (known !== undefined) return known;
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat("en-US", {
      timeZone: name,
      calendar: "gregory",
      numberingSystem: "latn",
      hourCycle: "h23",
      era: "short",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
  } catch {
    return undefined;
  }
  const zone = zoneOf(name, (instant) => offsetAt(format, instant));
  zones.set(name, zone);
  return zone;
}

/** How far local time is ahead of UTC, in milliseconds. */
function offsetAt(format: Intl.DateTimeFormat, instant: number): number {
  const second = Math.floor(instant / 1000) * 1000;
  const parts = new Map(format.formatToParts(second).map(({ type, value }) => [type, value]));
  const part = (name: Intl.DateTimeFormatPartTypes) => Number(parts.get(name));
  const year = parts.get("era") === "BC" ? 1 - part("year") : part("year");
  const day = new Date(0).setUTCFullYear(year, part("month") - 1, part("day"));
  return day + HOUR * part("hour") + 60_000 * part("minute") + 1000 * part("second") - second;
}

/** How many days are kept: asking the format takes a thousand times as long. */
const MOST_DAYS = 1 << 16;

function zoneOf(name: string, offsetOf: (instant: number) => number): TimeZone {
  /** The offset of a day in UTC; `undefined` if it changes within. */
  const offsets = new Map<number, number | undefined>();
  const offsetIn = (instant: number): number => {
    const day = Math.floor(instant / DAY);
    if (!offsets.has(day)) {
      if (offsets.size >= MOST_DAYS) offsets.clear();
      const first = offsetOf(day * DAY);
      offsets.set(day, first === offsetOf((day + 1) * DAY) ? first : undefined);
    }
    return offsets.get(day) ?? offsetOf(instant);
  };
  return {
    name,
    localOf: (instant) => instant + offsetIn(instant),
    instantOf(local) {
      // Clocks change by at most a day.
      const candidates = [local - offsetIn(local - DAY), local - offsetIn(local + DAY)].sort(
        (a, b) => a - b,
      );
      const exact = candidates.find((instant) => instant + offsetIn(instant) === local);
      if (exact !== undefined) return exact;
      // Clocks skipped the local time: bisects to the change.
      let [before = local, after = local] = candidates;
      while (after - before > 1) {
        const middle = Math.floor((before + after) / 2);
        if (middle + offsetIn(middle) < local) before = middle;
        else after = middle;
      }
      return after;
    },
  };
}
