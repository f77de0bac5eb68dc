// The types of Arrow columns: which field holds one, and how its values are read without losing a digit. The
// numbers of types and units are those of the format, https://arrow.apache.org/docs/format/Columnar.html

import { createField } from "../schema/declare.ts";
import type { Field, FieldType } from "../schema/field.ts";

/** A type as flechette describes it. */
export interface ArrowType {
  readonly typeId: number;
  /** Of integers and decimals. */
  readonly bitWidth?: number;
  readonly unit?: number;
  /** Of timestamps: `null` is local time. */
  readonly timezone?: string | null;
  /** Of decimals: how many digits stand after the point. */
  readonly scale?: number;
  /** Of columns with a dictionary: the type of its values. */
  readonly dictionary?: ArrowType;
  /** Of lists and structs. */
  readonly children?: readonly { readonly name: string; readonly type: ArrowType }[];
}

/** A column of a table of flechette. */
export interface ArrowColumn {
  readonly length: number;
  at(row: number): unknown;
}

/** Makes input of a field from what flechette gives. */
type ToValue = (value: unknown) => unknown;

/** A kind of column. */
interface Kind {
  readonly type: FieldType;
  readonly toValue: (type: ArrowType) => ToValue;
}

const asIs: Kind["toValue"] = () => (value) => value;

const STRING: Kind = { type: "string", toValue: asIs };
const LIST: Kind = { type: "json", toValue: ofList };

/** The number of an integer, which stays a bigint if it is beyond 2^53 − 1. */
function safeNumber(value: unknown): unknown {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** By their numbers in the format; those of dictionaries are flechette's. Others have no field. */
const KINDS: Readonly<Record<number, Kind>> = {
  // Nothing but null.
  1: STRING,
  2: { type: "int", toValue: () => safeNumber },
  3: { type: "float", toValue: asIs },
  5: STRING,
  6: { type: "boolean", toValue: asIs },
  7: { type: "string", toValue: ofDecimal },
  8: { type: "string", toValue: () => (value) => dateText(Number(value)) },
  9: { type: "string", toValue: ofTime },
  10: { type: "string", toValue: ofTimestamp },
  12: LIST,
  13: { type: "json", toValue: ofStruct },
  16: LIST,
  17: { type: "json", toValue: ofMap },
  20: STRING,
  21: LIST,
  24: STRING,
  25: LIST,
  26: LIST,
};

const kindOf = ({ typeId, dictionary }: ArrowType): Kind | undefined =>
  dictionary === undefined ? KINDS[typeId] : kindOf(dictionary);

/** What makes input of a field from a value of a column; `undefined` if no field holds such values. */
export function valueReader(type: ArrowType): ToValue | undefined {
  const kind = kindOf(type);
  if (kind === undefined) return undefined;
  const valueTypes = type.dictionary ?? type;
  const children = valueTypes.children ?? [];
  if (children.some((child) => valueReader(child.type) === undefined)) return undefined;
  const toValue = kind.toValue(valueTypes);
  return (value) => (value === null || value === undefined ? null : toValue(value));
}

/** The field that holds every value of a column. */
export function fieldOfColumn(type: ArrowType, column: ArrowColumn): Field {
  const { type: declared = "string" } = kindOf(type) ?? {};
  let nullable = false;
  let isUnsafe = false;
  for (let row = 0; row < column.length; row++) {
    const value = column.at(row);
    nullable ||= value === null || value === undefined;
    isUnsafe ||= typeof value === "bigint" && !Number.isSafeInteger(Number(value));
  }
  return createField(declared === "int" && isUnsafe ? "string" : declared, { nullable });
}

/** Within JSON, integers of 64 bits are numbers, or texts if they are too large. */
function inJson(type: ArrowType): ToValue {
  const toValue = valueReader(type) ?? (() => null);
  return (value) => {
    const made = toValue(value);
    return typeof made === "bigint" ? String(made) : made;
  };
}

function ofList({ children = [] }: ArrowType): ToValue {
  const [child] = children;
  const each = child === undefined ? () => null : inJson(child.type);
  return (values) => Array.from(values as Iterable<unknown>, each);
}

function ofStruct({ children = [] }: ArrowType): ToValue {
  const members = children.map(({ name, type }) => [name, inJson(type)] as const);
  return (struct) => {
    const values = struct as Readonly<Record<string, unknown>>;
    return Object.fromEntries(members.map(([name, toValue]) => [name, toValue(values[name])]));
  };
}

/** A map is a list of pairs: its keys need not be strings. */
function ofMap({ children = [] }: ArrowType): ToValue {
  const [key, value] = children[0]?.type.children ?? [];
  if (key === undefined || value === undefined) return () => null;
  const [toKey, toValue] = [inJson(key.type), inJson(value.type)];
  return (pairs) =>
    Array.from(pairs as Iterable<readonly [unknown, unknown]>, ([k, v]) => [toKey(k), toValue(v)]);
}

/** A scaled integer as a decimal with all its digits. */
function ofDecimal({ scale = 0 }: ArrowType): ToValue {
  return (value) => {
    const digits = String(value)
      .replace("-", "")
      .padStart(scale + 1, "0");
    const sign = String(value).startsWith("-") ? "-" : "";
    const point = digits.length - scale;
    if (scale <= 0) return sign + digits + "0".repeat(digits === "0" ? 0 : -scale);
    return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
  };
}

/** How many digits of a second each unit has: seconds, milliseconds, microseconds, nanoseconds. */
const DIGITS = [0, 3, 6, 9];

function ofTime({ unit = 0 }: ArrowType): ToValue {
  return (value) => timeText(BigInt(value as bigint | number), DIGITS[unit] ?? 0);
}

function ofTimestamp({ unit = 0, timezone }: ArrowType): ToValue {
  const digits = DIGITS[unit] ?? 0;
  const day = 86_400n * 10n ** BigInt(digits);
  const zone = timezone === null || timezone === undefined ? "" : "Z";
  return (value) => {
    const given = BigInt(value as bigint | number);
    // Of instants before 1970 the remainder would be negative.
    const within = ((given % day) + day) % day;
    const date = dateText(Number((given - within) / day) * 86_400_000);
    return `${date}T${timeText(within, digits)}${zone}`;
  };
}

/** A day, by the milliseconds since 1970-01-01 in UTC. A year of more than four digits has a sign, as in ISO 8601. */
function dateText(milliseconds: number): string {
  const [date = ""] = new Date(milliseconds).toISOString().split("T");
  return date;
}

/** A time of day, by its parts of a second. */
function timeText(given: bigint, digits: number): string {
  const parts = 10n ** BigInt(digits);
  const seconds = Number(given / parts);
  const two = (number: number) => String(number).padStart(2, "0");
  const time = [seconds / 3600, (seconds / 60) % 60, seconds % 60];
  const text = time.map((part) => two(Math.floor(part))).join(":");
  return digits === 0 ? text : `${text}.${String(given % parts).padStart(digits, "0")}`;
}
