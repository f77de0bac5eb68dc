// DuckDB's own types as strings: UUIDs, dates and times. DuckDB has no indexes on them, but skips parts of a table by
// their values.

import type { NativeType, OwnForm } from "../dialect.ts";
import { dateForm, timeForm, timestampForm, uuidForm } from "../own-form.ts";

const asText = (column: string) => `CAST(${column} AS VARCHAR)`;

const boundAs = (type: string) => ({
  text: asText,
  bind: (placeholder: string) => `CAST(${placeholder} AS ${type})`,
});

/** The years with four digits; dates in other years are formatted differently. */
function inYears(type: string, zone: string, written: (column: string) => string, years = YEARS) {
  const limit = (day: string) => `CAST('${day}${zone}' AS ${type})`;
  const [first, end] = years;
  const isWithin = (column: string) =>
    `(${column} >= ${limit(first)} AND ${column} < ${limit(end)})`;
  return {
    text: (column: string) =>
      `CASE WHEN ${isWithin(column)} THEN ${written(column)} ELSE ${asText(column)} END`,
    fault: (column: string) => `NOT ${isWithin(column)}`,
  };
}

const YEARS: readonly [first: string, end: string] = ["0001-01-01", "10000-01-01"];
/** The range of dates with nanoseconds. */
const NANOSECONDS: typeof YEARS = ["1677-09-22", "2262-04-11"];

/** The number of fractional digits of each timestamp type, and its format. */
const FRACTIONS: Readonly<Record<string, readonly [digits: number, format: string]>> = {
  TIMESTAMP: [6, ".%f"],
  TIMESTAMP_S: [0, ""],
  TIMESTAMP_MS: [3, ".%g"],
  TIMESTAMP_NS: [9, ".%n"],
};

export function ownForm({ type, family }: NativeType): OwnForm | undefined {
  switch (family) {
    case "uuid":
      return { ...uuidForm, ...boundAs("UUID") };
    case "date":
      return { ...dateForm, ...boundAs("DATE"), ...inYears("DATE", "", asText) };
    case "time": {
      // Its text omits a zero fraction.
      const text = (column: string) =>
        `rpad(${asText(column)} || CASE WHEN contains(${asText(column)}, '.') THEN '' ELSE '.' END, 15, '0')`;
      return { ...timeForm(6), ...boundAs("TIME"), text };
    }
    case "timestamp": {
      const known = FRACTIONS[type.toUpperCase()];
      if (known === undefined) return undefined;
      const [digits, format] = known;
      const written = (column: string) => `strftime(${column}, '%Y-%m-%dT%H:%M:%S${format}')`;
      const form = { ...timestampForm(digits, ""), ...boundAs(type) };
      if (digits < 9) return { ...form, ...inYears(type, "", written) };
      const [first, end] = NANOSECONDS;
      const isCanonical = (text: string) => text >= first && text < end && form.isCanonical(text);
      return { ...form, ...inYears(type, "", written, NANOSECONDS), isCanonical };
    }
    case "timestamptz": {
      // In UTC, whatever the time zone of the session.
      const written = (column: string) =>
        `strftime(make_timestamp(epoch_us(${column})), '%Y-%m-%dT%H:%M:%S.%fZ')`;
      const form = timestampForm(6, "Z");
      return { ...form, ...boundAs(type), ...inYears(type, " 00:00:00Z", written) };
    }
    default:
      return undefined;
  }
}
