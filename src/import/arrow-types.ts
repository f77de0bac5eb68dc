// The types of Arrow columns. The numbers of types and units are those of the format,
// https://arrow.apache.org/docs/format/Columnar.html

import * as types from "./value-types.ts";
import type { NonFinite, ValueType } from "./value-types.ts";

/** A type as described by flechette. */
export interface ArrowType {
  readonly typeId: number;
  /** For integers and decimals. */
  readonly bitWidth?: number;
  readonly unit?: number;
  /** For timestamps: `null` is local time. */
  readonly timezone?: string | null;
  /** For decimals: the number of digits, and how many of them are after the point. */
  readonly precision?: number;
  readonly scale?: number;
  /** For columns with a dictionary: the type of its values. */
  readonly dictionary?: ArrowType;
  /** For lists, structs and the like. */
  readonly children?: readonly { readonly name: string; readonly type: ArrowType }[];
}

/** A column of a table of flechette. */
export interface ArrowColumn {
  readonly length: number;
  at(row: number): unknown;
}

/** The number of decimal digits of each unit: seconds, milliseconds, microseconds, nanoseconds. */
const DIGITS = [0, 3, 6, 9];

/** The type of a column. flechette returns decimals and times as integers, and days in milliseconds. */
export function typeOfArrow(type: ArrowType, nonFinite: NonFinite): ValueType {
  const { bitWidth = 64, unit = 0, children = [] } = type;
  if (type.dictionary !== undefined) return typeOfArrow(type.dictionary, nonFinite);
  const parts = children.map(({ name, type }) => ({ name, type: typeOfArrow(type, nonFinite) }));
  const [first = { type: types.NULL }, second = first] = parts;
  const digits = DIGITS[unit] ?? 0;
  switch (type.typeId) {
    case 1:
      return types.NULL;
    case 2:
      return bitWidth < 64 ? types.SMALL_INTEGER : types.INTEGER;
    case 3:
      return types.float(nonFinite);
    case 4:
    case 15:
    case 19:
    case 23:
      return types.BYTES;
    case 5:
    case 20:
    case 24:
      return types.TEXT;
    case 6:
      return types.BOOLEAN;
    case 7:
      return types.decimal(type.precision ?? Infinity, type.scale ?? 0);
    case 8:
      return types.date(1);
    case 9:
      return types.time(digits);
    case 10:
      return types.timestamp(digits, (type.timezone ?? null) === null ? "" : "Z");
    case 11:
      return types.interval(intervalOf);
    case 12:
    case 16:
    case 21:
    case 25:
    case 26:
      return types.list(first.type);
    case 13:
      return types.struct(parts);
    case 17:
      return mapOf(children[0]?.type, nonFinite);
    case 18:
      return types.INTEGER;
    // Runs of equal values, by their ends.
    case 22:
      return second.type;
    default:
      return types.unsupported(type.typeId === 14 ? "a union" : `of the Arrow type ${type.typeId}`);
  }
}

function mapOf(entries: ArrowType | undefined, nonFinite: NonFinite): ValueType {
  const [key, value] = entries?.children ?? [];
  if (key === undefined || value === undefined) return types.unsupported("a map without values");
  return types.map(
    typeOfArrow(key.type, nonFinite),
    typeOfArrow(value.type, nonFinite),
    (pairs) => pairs as Iterable<readonly [unknown, unknown]>,
  );
}

/** Months; days and milliseconds; or months, days and nanoseconds. */
function intervalOf(value: unknown): unknown {
  if (typeof value === "number") return { months: value };
  const [first, second, third] = Array.from(value as Iterable<number>);
  return third === undefined
    ? { days: first, milliseconds: second }
    : { months: first, days: second, nanoseconds: third };
}
