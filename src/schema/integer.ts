// Integers in wire form: canonical decimal strings of magnitude at most 2^53 − 1 (rule V2).

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

/**
 * The wire form of an integer given as a canonical string, a safe-integer number or a bigint in
 * range; `undefined` for everything else.
 */
export function toWireInteger(value: unknown): string | undefined {
  switch (typeof value) {
    case "string":
      return isCanonicalInteger(value) ? value : undefined;
    case "number":
      return Number.isSafeInteger(value) ? String(value) : undefined;
    case "bigint":
      return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER
        ? String(value)
        : undefined;
    default:
      return undefined;
  }
}

/** The number of a canonical integer; several times as fast as `Number`. */
export function parseCanonicalInteger(text: string): number {
  const isNegative = text.charCodeAt(0) === 0x2d;
  let number = 0;
  for (let i = isNegative ? 1 : 0; i < text.length; i++) {
    number = number * 10 + (text.charCodeAt(i) - 0x30);
  }
  return isNegative ? -number : number;
}
