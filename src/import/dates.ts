// Converts dates in other formats to ISO strings, which sort and compare by time. The directives are those of strptime.

import { InputError, member, quote } from "../schema/errors.ts";
import { membersOf } from "../schema/input.ts";

/** The ISO string of a date; `undefined` if it has another format. */
export type ReadDate = (text: string) => string | undefined;

/** The format of dates: for all columns, or for some, by field. */
export interface DateFormats {
  readonly everywhere: ReadDate | undefined;
  readonly ofField: ReadonlyMap<string, { readonly read: ReadDate; readonly format: string }>;
}

/** @throws InputError that names the option */
export function readDates(given: unknown, path = "options.dateFormat"): DateFormats {
  if (given === undefined) return { everywhere: undefined, ofField: new Map() };
  if (typeof given === "string")
    return { everywhere: unmistakable(given, path), ofField: new Map() };
  const formats = Object.entries(membersOf(given, path)).map(([name, format]) => {
    const own = member(path, name);
    if (typeof format !== "string") throw new InputError(own, "must be a format such as %d.%m.%Y");
    return [name, { read: dateReader(format, own), format }] as const;
  });
  return { everywhere: undefined, ofField: new Map(formats) };
}

/** A format for all columns must not mistake numbers for dates. */
function unmistakable(format: string, path: string): ReadDate {
  const read = dateReader(format, path);
  const sample = expanded(format)
    .replaceAll("%Y", "2001")
    .replaceAll(/%[\w%]/g, "01");
  if (Number.isNaN(Number(sample)) || /%[aAbBp]/.test(format)) return read;
  const reason = `would take numbers for dates; name the column: { "placed": ${quote(format)} }`;
  throw new InputError(path, reason);
}

const MONTHS =
  "january february march april may june july august september october november december".split(
    " ",
  );
const DAYS = "sunday|monday|tuesday|wednesday|thursday|friday|saturday";

/** The groups of a match. */
type Parts = Readonly<Record<string, string | undefined>>;

/** The pattern of each directive. */
const DIRECTIVES: Readonly<Record<string, string>> = {
  Y: String.raw`(?<Y>\d{4})`,
  y: String.raw`(?<y>\d{2})`,
  m: String.raw`(?<m>1[0-2]|0?[1-9])`,
  b: `(?<b>${MONTHS.map((name) => name.slice(0, 3)).join("|")})`,
  B: `(?<B>${MONTHS.join("|")})`,
  d: String.raw`(?<d>3[01]|[12]\d|[ 0]?[1-9])`,
  H: String.raw`(?<H>2[0-3]|1\d|0?\d)`,
  I: String.raw`(?<I>1[0-2]|0?[1-9])`,
  M: String.raw`(?<M>[0-5]?\d)`,
  S: String.raw`(?<S>[0-5]?\d)`,
  f: String.raw`(?<f>\d{1,6})`,
  p: "(?<p>[ap]m)",
  z: String.raw`(?<z>Z|[+-]\d{2}(?::?\d{2})?)`,
  a: `(?:${DAYS.replaceAll(/(\w{3})\w*/g, "$1")})`,
  A: `(?:${DAYS})`,
  "%": "%",
};
const SHORT: Readonly<Record<string, string>> = {
  F: "%Y-%m-%d",
  D: "%m/%d/%y",
  T: "%H:%M:%S",
  R: "%H:%M",
  e: "%d",
};

const expanded = (format: string) =>
  format.replaceAll(/%([FDTRe])/g, (_, name: string) => SHORT[name] ?? "");

const KNOWN = [...Object.keys(DIRECTIVES), ...Object.keys(SHORT)].map((name) => `%${name}`);

function dateReader(given: string, path: string): ReadDate {
  const format = expanded(given);
  const has = (...names: string[]) => names.some((name) => format.includes(`%${name}`));
  const seen = new Set<string>();
  const pattern = format.replaceAll(/%-?(.?)|[\\^$.*+?()[\]{}|/-]/gs, (match, name?: string) => {
    if (name === undefined) return `\\${match}`;
    const directive = Object.hasOwn(DIRECTIVES, name) ? DIRECTIVES[name] : undefined;
    if (directive === undefined) {
      throw new InputError(path, `has the unknown directive ${match}; use ${KNOWN.join(" ")}`);
    }
    if (seen.has(name) && /\w/.test(name)) throw new InputError(path, `has ${match} twice`);
    seen.add(name);
    return directive;
  });
  if (!has("Y", "y") || !has("m", "b", "B") || !has("d")) {
    throw new InputError(path, "must have a year, a month and a day, such as %d.%m.%Y");
  }
  const whole = new RegExp(`^${pattern}$`, "i");
  const hasTime = has("H", "I");
  return (text) => {
    const parts: Parts | undefined = whole.exec(text)?.groups;
    return parts === undefined ? undefined : isoOf(parts, hasTime);
  };
}

/** The ISO string; `undefined` if the month has no such day. */
function isoOf(parts: Parts, hasTime: boolean): string | undefined {
  const { Y, y, m, b, B, d, H, I, M = "0", S = "0", f, p, z } = parts;
  const short = Number(y ?? 0);
  const year = Y === undefined ? short + (short < 69 ? 2000 : 1900) : Number(Y);
  const name = (b ?? B)?.toLowerCase();
  const month =
    name === undefined ? Number(m) - 1 : MONTHS.findIndex((each) => each.startsWith(name));
  const day = Number(d);
  const half = I === undefined ? Number(H ?? 0) : Number(I) % 12;
  const hours = p?.toLowerCase() === "pm" && I !== undefined ? half + 12 : half;
  const date = new Date(0);
  date.setUTCFullYear(year, month, day);
  if (date.getUTCMonth() !== month || date.getUTCDate() !== day) return undefined;
  date.setUTCHours(hours, Number(M) - minutesOf(z), Number(S));
  const iso = date.toISOString();
  if (!hasTime) return iso.slice(0, 10);
  const fraction = f === undefined ? "" : `.${f.padEnd(6, "0")}`;
  return `${iso.slice(0, 19)}${fraction}${z === undefined ? "" : "Z"}`;
}

/** How far a zone such as +02:00 is ahead of UTC. */
function minutesOf(zone: string | undefined): number {
  const [, sign, hours = "0", minutes = "0"] = /^([+-])(\d\d):?(\d\d)?$/.exec(zone ?? "") ?? [];
  return (sign === "-" ? -1 : 1) * (60 * Number(hours) + Number(minutes));
}
