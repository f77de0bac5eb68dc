// PostgreSQL's own types as strings: UUIDs, enumerations, dates and times.

import type { NativeType, OwnForm } from "../dialect.ts";
import { dateForm, enumForm, fixed, timeForm, timestampForm, uuidForm } from "../own-form.ts";

const asText = (column: string) => `CAST(${column} AS text)`;

/** Placeholders are strings, which are converted to a type. */
const boundAs = (type: string) => ({
  text: asText,
  bind: (placeholder: string) => `CAST(${placeholder} AS ${type})`,
  bindList: (placeholder: string) => `CAST(${placeholder} AS ${type}[])`,
});

/** The years with four digits. Other years have no canonical string, and their format depends on the session. */
function inYears(type: string, zone: string, written: (column: string) => string) {
  const limit = (day: string) => `${type} '${day}${zone}'`;
  const isWithin = (column: string) =>
    `(${column} >= ${limit("0001-01-01")} AND ${column} < ${limit("10000-01-01")})`;
  return {
    text: (column: string) =>
      `CASE WHEN ${isWithin(column)} THEN ${written(column)} ELSE ${asText(column)} END`,
    fault: (column: string) => `NOT ${isWithin(column)}`,
  };
}

const SECONDS = 'YYYY-MM-DD"T"HH24:MI:SS.US';

export function ownForm({ type, family, labels, precision: digits = 6 }: NativeType) {
  switch (family) {
    case "uuid":
      return { ...uuidForm, ...boundAs("uuid") };
    case "enum": {
      // A domain over an enumeration has no comparisons of its own.
      const value = (column: string) => `CAST(${column} AS ${type})`;
      return { ...enumForm(labels), ...boundAs(type), value };
    }
    case "date": {
      const written = (column: string) => `to_char(CAST(${column} AS timestamp), 'YYYY-MM-DD')`;
      return { ...dateForm, ...boundAs("date"), ...inYears("DATE", "", written) };
    }
    case "time": {
      // Its text omits trailing zeros.
      const text = (column: string) =>
        fixed(`to_char(CAST(${column} AS interval), 'HH24:MI:SS.US')`, 8, digits);
      return { ...timeForm(digits), ...boundAs("time"), text };
    }
    case "timestamp": {
      const written = (column: string) => fixed(`to_char(${column}, '${SECONDS}')`, 19, digits);
      const form = timestampForm(digits, "");
      return { ...form, ...boundAs("timestamp"), ...inYears("TIMESTAMP", "", written) };
    }
    case "timestamptz": {
      const written = (column: string) =>
        `${fixed(`to_char(${column} AT TIME ZONE 'UTC', '${SECONDS}')`, 19, digits)} || 'Z'`;
      const form = timestampForm(digits, "Z");
      return {
        ...form,
        ...boundAs("timestamptz"),
        ...inYears("TIMESTAMPTZ", " 00:00:00Z", written),
      };
    }
    default:
      return undefined;
  }
}

ownForm satisfies (native: NativeType) => OwnForm | undefined;
