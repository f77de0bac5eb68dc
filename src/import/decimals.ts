// Decimals as integers of any size with a scale, as strings, and as the numbers with the same digits.

import { isExact } from "../schema/exact-json.ts";

/** Numbers represent at most this many digits exactly. */
export const SAFE_DIGITS = 15;

/** The decimal with all digits of its scale: 1050 with the scale 2 is `10.50`. */
export function decimalText(unscaled: bigint | number, scale: number): string {
  const text = String(unscaled);
  const sign = text.startsWith("-") ? "-" : "";
  const digits = text.slice(sign.length).padStart(scale + 1, "0");
  if (scale <= 0) return sign + digits + "0".repeat(digits === "0" ? 0 : -scale);
  const point = digits.length - scale;
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}

/** Up to this scale, a power of ten is a number without loss, and so the quotient is the nearest number. */
const EXACT_SCALE = 22;

/** The number nearest to a decimal. */
export function nearestNumber(unscaled: bigint | number, scale: number): number {
  const number = Number(unscaled);
  return Number.isSafeInteger(number) && scale >= 0 && scale <= EXACT_SCALE
    ? number / 10 ** scale
    : Number(decimalText(unscaled, scale));
}

/** Whether a number can stand for a decimal. */
export function isShown(unscaled: bigint | number, scale: number): boolean {
  if (Math.abs(Number(unscaled)) < 10 ** SAFE_DIGITS) return true;
  return isExact(decimalText(unscaled, scale));
}

/** The integer whose bytes, the most significant first, are those of its two's complement. */
export function integerOfBytes(bytes: Uint8Array): bigint {
  let hex = "";
  for (const byte of bytes) hex += byte.toString(16).padStart(2, "0");
  return hex === "" ? 0n : BigInt.asIntN(bytes.length * 8, BigInt(`0x${hex}`));
}
