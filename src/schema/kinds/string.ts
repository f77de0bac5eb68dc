// Well-formed Unicode.

import { isDate, quote } from "../errors.ts";
import { REFERRING, type Kind } from "./kind.ts";

export const string: Kind<string> = {
  holds: "texts",
  storage: "string",
  accepts: "a string",
  options: [...REFERRING, "oneOf", "ignoreCase", "ignoreAccents"],
  toTextForm: (value) => (typeof value === "string" && value.isWellFormed() ? value : undefined),
  hasSpellings: false,
  fromTextForm: (text) => text,
  isStored: (value) => typeof value === "string" && value.isWellFormed(),
  remedy: remedyOfText,
};

/** Says how a Date or a number becomes a string. */
export function remedyOfText(value: unknown): string {
  if (isDate(value)) return "; write its toISOString()";
  const isNumber = typeof value === "bigint" || Number.isFinite(value);
  return isNumber ? `; write ${quote(String(value))}` : "";
}
