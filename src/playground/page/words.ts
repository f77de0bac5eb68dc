// Numbers and values in words.

const counts = new Intl.NumberFormat("en-US");
const short = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 });

export const count = (value: number): string => counts.format(value);

export const shortCount = (value: number): string => short.format(value);

export function milliseconds(value: number | undefined): string {
  if (value === undefined) return "";
  if (value < 0.01) return "< 0.01 ms";
  return value < 100 ? `${value.toPrecision(2)} ms` : `${counts.format(Math.round(value))} ms`;
}

export function bytes(value: number): string {
  return value < 1e6 ? `${Math.ceil(value / 1e3)} kB` : `${(value / 1e6).toFixed(1)} MB`;
}

/** A value as it stands in a table or a chart: `null` and the empty text can be told apart. */
export function shown(value: string | null): string {
  if (value === null) return "null";
  return value === "" ? "“”" : value;
}

/** The integer of a field, and of one that is a time its date. */
export function shownNumber(field: string, value: number): string {
  return field.endsWith("_time") ? date(value) : count(value);
}

/** A Unix timestamp in UTC: `2024-05-01 09:30`. */
export function date(seconds: number): string {
  const time = new Date(seconds * 1000);
  return Number.isNaN(time.getTime())
    ? String(seconds)
    : time.toISOString().slice(0, 16).replace("T", " ");
}
