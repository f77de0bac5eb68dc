// Numbers in text form (rules V2 and V10). An integer is a canonical decimal string of magnitude at most
// 2^53 − 1; any other number is what JavaScript writes.

const MAX_DIGITS = 16; // of Number.MAX_SAFE_INTEGER, 9007199254740991

/**
 * Whether the text is a canonical integer: `0`, or an optional `-` and digits without a leading
 * zero, magnitude at most 2^53 − 1.
 */
export function isCanonicalInteger(text: string): boolean {
  const start = text.charCodeAt(0) === 0x2d ? 1 : 0;
  const digits = text.length - start;
  if (digits < 1 || digits > MAX_DIGITS) return false;
  for (let i = start; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x30 || unit > 0x39) return false;
  }
  if (text.charCodeAt(start) === 0x30) return text === "0";
  return digits < MAX_DIGITS || Number.isSafeInteger(Number(text));
}

/** Whether a number holds the integer exactly, and no other one. */
export const isSafeBigInt = (value: bigint): boolean =>
  value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER;

/**
 * The text form of an integer given as a canonical string, a safe integer or a bigint in range; `undefined` for
 * anything else.
 */
export function toIntegerText(value: unknown): string | undefined {
  switch (typeof value) {
    case "string":
      return isCanonicalInteger(value) ? value : undefined;
    case "number":
      return Number.isSafeInteger(value) ? String(value) : undefined;
    case "bigint":
      return isSafeBigInt(value) ? String(value) : undefined;
    default:
      return undefined;
  }
}

/**
 * The text form of a finite number given as a number, or in the form that `String` gives; that of −0 is `0`.
 * `undefined` for anything else.
 */
export function toFloatText(value: unknown): string | undefined {
  const number = typeof value === "string" ? Number(value) : value;
  if (typeof number !== "number" || !Number.isFinite(number)) return undefined;
  const text = String(number);
  return typeof value === "string" && value !== text ? undefined : text;
}

/** The number in a text form; for integers, several times as fast as `Number`. */
export function parseNumber(text: string): number {
  const isNegative = text.charCodeAt(0) === 0x2d;
  const start = isNegative ? 1 : 0;
  // With more digits, the result would be rounded twice.
  if (text.length - start > MAX_DIGITS) return Number(text);
  let number = 0;
  for (let i = start; i < text.length; i++) {
    const digit = text.charCodeAt(i) - 0x30;
    if (digit < 0 || digit > 9) return Number(text);
    number = number * 10 + digit;
  }
  return isNegative ? -number : number;
}
