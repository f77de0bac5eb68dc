// Rules V15 and C18, again: instants as microseconds since 1970, found by other means than the library's.

interface Rules {
  readonly precision?: string | undefined;
  readonly zone?: string | undefined;
}

const FORMAT = /^(\d{4})(-\d\d)?(-\d\d)?(?:[Tt ](\d\d)(:\d\d)?(:\d\d)?([.,]\d+)?)?(Z|z|[+-].*)?$/;

const MILLISECOND = 1000n;
const LOWEST = BigInt(Date.parse("0000-01-01T00:00:00Z")) * MILLISECOND;
const HIGHEST = BigInt(Date.parse("9999-12-31T23:59:59.999Z")) * MILLISECOND + 999n;

const within = (instant: bigint | undefined): bigint | undefined =>
  instant === undefined || instant < LOWEST || instant > HIGHEST ? undefined : instant;

/** V15: the instant that a value names. */
function instantOf(value: unknown, { zone }: Rules): bigint | undefined {
  if (value instanceof Date) return instantOf(value.getTime(), {});
  if (typeof value === "number") {
    return Number.isSafeInteger(value) ? within(BigInt(value) * MILLISECOND) : undefined;
  }
  if (typeof value === "bigint") return within(value * MILLISECOND);
  const start = typeof value === "string" ? startOf(value, zone) : undefined;
  return start === undefined || start.parts < 3 ? undefined : within(start.at);
}

/** The start of what a text names, how many parts of a date and a clock it has, and whether it has an offset. */
function startOf(text: string, zone: string | undefined) {
  const match = FORMAT.exec(text);
  if (match === null) return undefined;
  const [, year = "", month, day, hour, minute, second, fraction = "", offset] = match;
  const given = [year, month, day, hour, minute, second];
  const parts = given.filter((each) => each !== undefined).length;
  // Each part needs those before it, and a fraction the seconds.
  if (given.slice(0, parts).includes(undefined)) return undefined;
  if ((fraction !== "" && parts < 6) || (offset !== undefined && parts < 4)) return undefined;
  const clock = `${hour ?? "00"}${minute ?? ":00"}${second ?? ":00"}`;
  const whole = `${year}${month ?? "-01"}${day ?? "-01"}T${clock}`;
  const local = Date.parse(`${whole}Z`);
  // Date.parse takes 30 February for 1 March, and 24:00 for the next day.
  if (Number.isNaN(local) || !new Date(local).toISOString().startsWith(whole)) return undefined;
  const digits = fraction.slice(1).padEnd(6, "0");
  if (/[1-9]/.test(digits.slice(6))) return undefined;
  const shift = offset === undefined ? undefined : minutesOf(offset);
  if (offset !== undefined && shift === undefined) return undefined;
  const utc = shift === undefined ? inZone(local, zone) : local - 60_000 * shift;
  const at = BigInt(utc) * MILLISECOND + BigInt(digits.slice(0, 6));
  return { at, parts, local, hasOffset: offset !== undefined };
}

function minutesOf(offset: string): number | undefined {
  if (offset.toUpperCase() === "Z") return 0;
  const match = /^([+-])([01]\d|2[0-3])(?::?([0-5]\d))?$/.exec(offset);
  if (match === null) return undefined;
  return Number(`${match[1]}1`) * (60 * Number(match[2]) + Number(match[3] ?? 0));
}

const HOUR = 3_600_000;

/** The first instant at which the clocks of a zone show a time; if they skip it, as much later as they skip. */
function inZone(local: number, zone: string | undefined): number {
  if (zone === undefined) return local;
  const around = Array.from({ length: 49 }, (_, i) => shownMinus(local + (i - 24) * HOUR, zone));
  const found = [...new Set(around)]
    .map((ahead) => local - ahead)
    .filter((at) => at + shownMinus(at, zone) === local);
  return found.length > 0 ? Math.min(...found) : local - (around[0] ?? 0);
}

/** What the clocks of a zone show at an instant, less what those of UTC show. */
function shownMinus(given: number, zone: string): number {
  // Clocks showed the sun's time until long after the year 1000, and years before 1 are written in other ways.
  const at = Math.max(given, Date.parse("1000-01-01T00:00Z"));
  const shown = new Date(at).toLocaleString("sv-SE", { timeZone: zone });
  return Date.parse(`${shown.replace(" ", "T").padStart(19, "0")}Z`) - 1000 * Math.floor(at / 1000);
}

/** V15: the text form; `undefined` if the field does not accept the value. */
export function timeText(value: unknown, rules: Rules): string | undefined {
  const at = instantOf(value, rules);
  const isMicro = rules.precision === "microseconds";
  if (at === undefined || (!isMicro && at % MILLISECOND !== 0n)) return undefined;
  const micros = ((at % MILLISECOND) + MILLISECOND) % MILLISECOND;
  const text = new Date(Number((at - micros) / MILLISECOND)).toISOString();
  return isMicro ? text.replace("Z", `${String(micros).padStart(3, "0")}Z`) : text;
}

/** Negative if one text form, or what another text names, begins before the other. */
export const compareTimes = (a: string, b: string): number =>
  Number(beginningOf(a) - beginningOf(b));

const beginningOf = (text: string): bigint =>
  periodOf(text, { precision: "microseconds" })?.[0] ?? 0n;

/** C18: from when until before when a value means; `undefined` if the field can't be compared with it. */
export function periodOf(value: unknown, rules: Rules): readonly [bigint, bigint] | undefined {
  const isYear = typeof value === "number" && /^\d{4}$/.test(String(value));
  const start = startOf(
    isYear ? String(value) : typeof value === "string" ? value : "",
    rules.zone,
  );
  if (start === undefined || start.parts > 5 || start.hasOffset) {
    const text = timeText(value, rules);
    const at = text === undefined ? undefined : instantOf(text, {});
    return at === undefined ? undefined : [at, at + 1n];
  }
  const next = new Date(start.local);
  const steps = [
    () => next.setUTCFullYear(next.getUTCFullYear() + 1),
    () => next.setUTCMonth(next.getUTCMonth() + 1),
    () => next.setUTCDate(next.getUTCDate() + 1),
    () => next.setUTCHours(next.getUTCHours() + 1),
    () => next.setUTCMinutes(next.getUTCMinutes() + 1),
  ];
  steps[start.parts - 1]?.();
  return [start.at, BigInt(inZone(next.getTime(), rules.zone)) * MILLISECOND];
}

/** The tests of C18, by operator: of an instant, and of a period or an instant. */
const TESTS: Readonly<Record<string, (at: bigint, from: bigint, to: bigint) => boolean>> = {
  exactly: (at, from, to) => at >= from && at < to,
  not: (at, from, to) => at < from || at >= to,
  greater_than: (at, _, to) => at >= to,
  at_least: (at, from) => at >= from,
  less_than: (at, from) => at < from,
  at_most: (at, _, to) => at < to,
};

/**
 * C4, C6, C18: the test of a criterion on a time field.
 *
 * @returns `undefined` if the operator does not take the value, or is one that searches the text form
 */
export function timeTest(
  operator: string,
  given: unknown,
  rules: Rules,
): ((value: string | null) => boolean) | undefined {
  if (operator === "in") {
    const list = typeof given === "string" ? given.split(",") : given;
    if (!Array.isArray(list)) return undefined;
    const tests = Array.from(list, (each) => timeTest("exactly", each, rules));
    if (!tests.every((test) => test !== undefined)) return undefined;
    return (value) => tests.some((test) => test(value));
  }
  if (operator === "between") {
    if (!Array.isArray(given) || given.length !== 2) return undefined;
    const [first, last] = Array.from(given, (each) => periodOf(each, rules));
    if (first === undefined || last === undefined || first[0] >= last[1]) return undefined;
    return (value) => {
      const at = value === null ? undefined : instantOf(value, {});
      return at !== undefined && at >= first[0] && at < last[1];
    };
  }
  const test = TESTS[operator];
  if (test === undefined) return undefined;
  if (given === null && operator === "exactly") return (value) => value === null;
  if (given === null && operator === "not") return (value) => value !== null;
  const [from, to] = periodOf(given, rules) ?? [];
  if (from === undefined || to === undefined) return undefined;
  return (value) => {
    if (value === null) return operator === "not";
    return test(instantOf(value, {}) ?? 0n, from, to);
  };
}
