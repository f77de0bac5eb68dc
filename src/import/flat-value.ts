// Converts a value of a flat format (CSV, Parquet, Arrow) to input of a field: a string, or a value of the file's type
// for it.

import { booleanOf } from "../schema/boolean-words.ts";
import { isExact, parseExactly, withTexts } from "../schema/exact-json.ts";
import { Unreadable, type Field, type FieldType } from "../schema/field.ts";
import { faultOf } from "./json-fault.ts";

/** A decimal number as any program writes it. */
const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/**
 * The input of a field for a value. Strings are parsed by the field's type: a float from any decimal notation, a
 * boolean from words such as `yes`, JSON and arrays of strings from JSON. Values of other types are converted if
 * nothing is lost; a date becomes its ISO string or its epoch milliseconds. Anything else is left unchanged, and the
 * field will not accept it.
 */
export function inputOf({ type }: Field, value: unknown): unknown {
  switch (typeof value) {
    case "string":
      if (type === "float") return DECIMAL.test(value) ? Number(value) : value;
      if (type === "boolean") return booleanOf(value) ?? value;
      return isNested(type) ? parsed(value) : value;
    case "bigint":
      if (type === "string") return String(value);
      return type === "float" && BigInt(Number(value)) === value ? Number(value) : value;
    case "number":
      return type === "string" && Number.isFinite(value) ? String(value) : value;
    case "object":
      if (value === null || value instanceof Unreadable) return value;
      if (value instanceof Date && type !== "json") return dateAs(type, value);
      return isNested(type) ? plain(value) : value;
    default:
      return value;
  }
}

/** Whether the values of a type are written as JSON where a value has one text. */
export const isNested = (type: FieldType): boolean => type === "json" || type === "strings";

function dateAs(type: FieldType, date: Date): unknown {
  const time = date.getTime();
  if (Number.isNaN(time)) return date;
  return type === "int" ? time : type === "string" ? date.toISOString() : date;
}

function parsed(text: string): unknown {
  try {
    return withTexts(parseExactly(text, isExact));
  } catch {
    return new Unreadable(text, () => {
      const fault = faultOf(new TextEncoder().encode(text));
      return `is not JSON: unexpected ${fault?.what ?? "end"} at byte ${fault?.at ?? 0}`;
    });
  }
}

/** A nested value of a file as JSON: 64-bit integers become numbers, or strings if they are too large. */
function plain(value: object): unknown {
  return JSON.parse(JSON.stringify(value, toPlain)) as unknown;
}

function toPlain(_: string, value: unknown): unknown {
  if (typeof value !== "bigint") return value;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}
