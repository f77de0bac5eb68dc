// Safe integers.

import { isDate, quote } from "../errors.ts";
import { parseNumber, toIntegerText } from "../numbers.ts";
import { REFERRING, type Kind } from "./kind.ts";

export const int: Kind<number> = {
  holds: "numbers",
  storage: "int",
  accepts:
    "an integer of magnitude at most 2^53 − 1, as a number, a bigint or a canonical decimal string",
  options: REFERRING,
  toTextForm: toIntegerText,
  hasSpellings: false,
  fromTextForm: parseNumber,
  isStored: Number.isSafeInteger,
  counts: true,
  remedy: (value) => remedyOfNumber(value, toIntegerText),
};

/** Names the canonical form of a number in another spelling, such as `"1.50"` or `"+5"`. */
export function remedyOfNumber(
  value: unknown,
  toText: (value: unknown) => string | undefined,
): string {
  if (isDate(value)) return "; write its getTime()";
  if (typeof value !== "string" || value.trim() === "") return "";
  const textForm = toText(Number(value));
  return textForm === undefined ? "" : `; write ${textForm} or ${quote(textForm)}`;
}
