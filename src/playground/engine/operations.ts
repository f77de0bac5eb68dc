// What the expressions of computed columns can do: each operation with the types that it takes and gives, the function
// that computes it, and the same function as code.

/** A value of a column or an expression. Times are milliseconds. */
export type Value = string | number | boolean | null;

/** The type of a value; `other` is that of a column which can only be missing. */
export type Type = "int" | "float" | "boolean" | "string" | "time" | "null" | "other";

/** The type of what is computed of these; `undefined` if that is nothing. */
type TypeOf = (types: readonly Type[]) => Type | undefined;

export interface Operation {
  /** What it takes, for errors. */
  readonly takes: string;
  readonly type: TypeOf;
  readonly run: (...values: never[]) => Value;
  /** A function in JavaScript that does the same as `run`. */
  readonly code: string;
  /** Whether it is also run where a value is null; others then have null. */
  readonly takesNulls: boolean;
}

const operation = (
  takes: string,
  type: TypeOf,
  run: Operation["run"],
  code: string,
  takesNulls = false,
): Operation => ({ takes, type, run, code, takesNulls });

/** The type of one of several values; `undefined` if they are of different ones. */
const common: TypeOf = (types) => {
  const all = types.filter((type) => type !== "null");
  const [first = "null"] = all;
  if (all.includes("other") || types.length === 0) return undefined;
  if (all.every((type) => type === first)) return first;
  return all.every((type) => type === "int" || type === "float") ? "float" : undefined;
};

/** So many values of some types, which make one of a type, or of their own. */
const taking =
  (count: number, wanted: readonly Type[], gives?: Type): TypeOf =>
  (types) =>
    types.length === count && types.every((type) => type === "null" || wanted.includes(type))
      ? (gives ?? common(types))
      : undefined;

const NUMBERS = ["int", "float"] as const;
const aNumber = taking(1, NUMBERS);
const twoNumbers = taking(2, NUMBERS);
const twoConditions = taking(2, ["boolean"], "boolean");
const alike: TypeOf = (types) =>
  types.length === 2 && common(types) !== undefined ? "boolean" : undefined;

type Compared = string | number | boolean;

/** Less than 0, 0 or more: strings by code point, like columns. */
function compare(a: Compared, b: Compared): number {
  if (typeof a !== "string" || typeof b !== "string") return Number(a) - Number(b);
  let at = 0;
  while (at < a.length && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  return (a.codePointAt(at) ?? -1) - (b.codePointAt(at) ?? -1);
}

/** The number times ten to a power, by its first 15 digits: the others are of binary fractions. */
function shifted(number: number, by: number): number {
  const [digits, exponent] = number.toExponential(14).split("e");
  return Number(`${digits}e${Number(exponent) + by}`);
}

/** Away from zero: 1.005 to two digits is 1.01, and -2.5 to none is -3. */
function round(number: number, digits = 0): number {
  const size = Math.abs(number);
  if (!(size * 10 ** digits < 1e15)) {
    return digits > 0 ? number : Math.sign(number) * Math.round(size);
  }
  return Math.sign(number) * shifted(Math.round(shifted(size, digits)), -digits);
}

/** How many characters a string has. */
function lengthOf(text: string): number {
  let length = text.length;
  // A low surrogate belongs to the character before it.
  for (let at = 1; at < text.length; at++) if ((text.codePointAt(at - 1) ?? 0) > 0xffff) length--;
  return length;
}

const LIKE = "two values of one type";
const comparison = (run: (a: Compared, b: Compared) => boolean, code: string) =>
  operation(LIKE, alike, run, `(a, b) => ${code}`);

const between = (milliseconds: number) =>
  operation(
    "two times, the earlier one first",
    taking(2, ["time"], "float"),
    (from: number, to: number) => (to - from) / milliseconds,
    `(from, to) => (to - from) / ${milliseconds}`,
  );

const SOME = "values of one type";
const extreme = (sign: number) =>
  operation(
    SOME,
    common,
    (...all: Compared[]) => all.reduce((a, b) => (sign * compare(a, b) > 0 ? b : a)),
    `(...all) => all.reduce((a, b) => (${sign} * compare(a, b) > 0 ? b : a))`,
  );

const ofText = (gives: Type, run: (text: string) => Value, code: string) =>
  operation("a string", taking(1, ["string"], gives), run, `(text) => ${code}`);

const CONDITIONS = "two conditions";

/** By their names. */
export const OPERATIONS: ReadonlyMap<string, Operation> = new Map(
  Object.entries({
    "+": operation("two numbers", twoNumbers, (a: number, b: number) => a + b, "(a, b) => a + b"),
    "-": operation("two numbers", twoNumbers, (a: number, b: number) => a - b, "(a, b) => a - b"),
    "*": operation("two numbers", twoNumbers, (a: number, b: number) => a * b, "(a, b) => a * b"),
    "/": operation(
      "two numbers",
      taking(2, NUMBERS, "float"),
      (a: number, b: number) => a / b,
      "(a, b) => a / b",
    ),
    "%": operation("two numbers", twoNumbers, (a: number, b: number) => a % b, "(a, b) => a % b"),
    "&": operation(
      "two strings or numbers",
      taking(2, ["string", ...NUMBERS], "string"),
      (a: string | number, b: string | number) => `${a}${b}`,
      "(a, b) => `${a}${b}`",
    ),
    "=": comparison((a, b) => a === b, "a === b"),
    "!=": comparison((a, b) => a !== b, "a !== b"),
    "<": comparison((a, b) => compare(a, b) < 0, "compare(a, b) < 0"),
    "<=": comparison((a, b) => compare(a, b) <= 0, "compare(a, b) <= 0"),
    ">": comparison((a, b) => compare(a, b) > 0, "compare(a, b) > 0"),
    ">=": comparison((a, b) => compare(a, b) >= 0, "compare(a, b) >= 0"),
    negative: operation("a number", aNumber, (a: number) => -a, "(a) => -a"),
    not: operation("a condition", taking(1, ["boolean"]), (a: boolean) => !a, "(a) => !a"),
    abs: operation("a number", aNumber, (a: number) => Math.abs(a), "(a) => Math.abs(a)"),
    round: operation(
      "a number, and how many digits follow its point if any do",
      (types) => taking(1, NUMBERS, "int")(types) ?? taking(2, NUMBERS, "float")(types),
      round,
      "round",
    ),
    min: extreme(1),
    max: extreme(-1),
    days: between(86_400_000),
    hours: between(3_600_000),
    length: ofText("int", lengthOf, "[...text].length"),
    lower: ofText("string", (text) => text.toLowerCase(), "text.toLowerCase()"),
    upper: ofText("string", (text) => text.toUpperCase(), "text.toUpperCase()"),
    and: operation(
      CONDITIONS,
      twoConditions,
      (a: Value, b: Value) => (a === false || b === false ? false : a === null ? a : b),
      "(a, b) => (a === false || b === false ? false : a === null ? a : b)",
      true,
    ),
    or: operation(
      CONDITIONS,
      twoConditions,
      (a: Value, b: Value) => (a === true || b === true ? true : a === null ? a : b),
      "(a, b) => (a === true || b === true ? true : a === null ? a : b)",
      true,
    ),
    if: operation(
      "a condition and two values of one type",
      ([condition = "other", ...values]) =>
        /boolean|null/.test(condition) && values.length === 2 ? common(values) : undefined,
      (is: Value, a: Value, b: Value) => (is === null ? null : is === true ? a : b),
      "(is, a, b) => (is === null ? null : is ? a : b)",
      true,
    ),
    coalesce: operation(
      SOME,
      common,
      (...all: Value[]) => all.find((value) => value !== null) ?? null,
      "(...all) => all.find((value) => value !== null) ?? null",
      true,
    ),
    missing: operation(
      "columns",
      (types) => (types.length === 0 ? undefined : "int"),
      (...all: Value[]) => all.filter((value) => value === null).length,
      "(...all) => all.filter((value) => value === null).length",
      true,
    ),
  }),
);
