// Numbers as people, spreadsheets and shops write them: with thousands, currencies, percent signs and blanks.

/** Words for no value in data from other programs, in lower case. */
const MISSING: ReadonlySet<string> = new Set([
  ...["", "-", "--", "–", "—", "?", ".", "na", "n/a", "#n/a", "n.a.", "nan"],
  ...["null", "none", "nil", "missing"],
]);

/** A longer text is no number. */
const LONGEST = 64;

/** Whether a string stands for no value: `NA`, `n/a`, `-`, `NULL` and the like. */
export const isMissing = (text: string): boolean =>
  text.length <= LONGEST && MISSING.has(text.trim().toLowerCase());

/** Blanks of any kind, and apostrophes, which separate thousands in some countries. */
const BLANKS = /[\s'’]/g;

/** Before or after the number: a sign of a currency, also with letters such as `US$`, or its code of three letters. */
const CURRENCY = /^(?:[A-Z]{0,2}\p{Sc}|[A-Z]{3}\p{Sc}?)|(?:\p{Sc}|[A-Z]{3})$/u;

const DIGITS = {
  ".": /^(?:\d+|\d{1,3}(?:,\d{3})+)?(?:\.\d*)?(?:[eE][+-]?\d+)?$/,
  ",": /^(?:\d+|\d{1,3}(?:\.\d{3})+)?(?:,\d*)?(?:[eE][+-]?\d+)?$/,
} as const;

/** The options of {@link looseNumber}. */
export interface LooseNumberOptions {
  /** What separates the fraction: the other one of both separates thousands. Default: `"."`. */
  readonly decimal?: "." | "," | undefined;
}

/**
 * The number that a string says: `1,234.5`, `$1.50`, `12 %` (0.12), `1 234`, `(5)` (−5) or `6.02e23`; with a decimal
 * comma, `1.234,5`. For the option `convert` of readers, where a column is nearly one of numbers.
 *
 * @returns `null` for strings that say that there is no value, such as `NA`, `n/a` or `-`; `undefined` if it says no
 *   number
 */
export function looseNumber(
  text: string,
  { decimal = "." }: LooseNumberOptions = {},
): number | null | undefined {
  if (text.length > LONGEST) return undefined;
  if (isMissing(text)) return null;
  let rest = text.replace(BLANKS, "");
  const isEnclosed = rest.startsWith("(") && rest.endsWith(")");
  if (isEnclosed) rest = rest.slice(1, -1);
  const isPercent = rest.endsWith("%");
  if (isPercent) rest = rest.slice(0, -1);
  let signs = isEnclosed ? "-" : "";
  // The sign stands before the currency, or after it.
  for (let i = 0; i < 2; i++) {
    const [sign = ""] = /^[-+−]/.exec(rest) ?? [];
    signs += sign;
    rest = rest.slice(sign.length);
    if (i === 0) rest = rest.replace(CURRENCY, "");
  }
  // Nobody knows what two signs mean.
  if (signs.length > 1 || !/\d/.test(rest) || !DIGITS[decimal].test(rest)) return undefined;
  const thousands = decimal === "." ? "," : ".";
  const digits = rest.replaceAll(thousands, "").replace(decimal, ".");
  const [mantissa = "", exponent = "0"] = digits.toLowerCase().split("e");
  // In decimals: a hundredth of a double is not the double of a hundredth.
  const number = Number(`${mantissa}e${Number(exponent) - (isPercent ? 2 : 0)}`);
  const isNegative = signs !== "" && signs !== "+";
  return Number.isFinite(number) ? (isNegative ? -number : number) + 0 : undefined;
}
