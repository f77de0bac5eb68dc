// The types of values in files that declare them, Parquet and Arrow: the field for a column, and how to read its values
// without losing a digit.

import { createField } from "../schema/create-field.ts";
import { Unreadable, type Field, type FieldType } from "../schema/field.ts";
import type { Precision } from "../schema/kinds/kind.ts";
import { decimalText, integerOfBytes, isShown, nearestNumber, SAFE_DIGITS } from "./decimals.ts";
import { inputOf, isNested } from "./flat-value.ts";
import { dayOf, dayText, hasPlainYear, instantOf, instantText } from "./time-texts.ts";
import { millisecondsOf, timeText, type Instant } from "./time-texts.ts";
import { decodeUtf8 } from "./utf8.ts";

/** Facts about the values of a column that its type leaves open. */
export interface Facts {
  nullable: boolean;
  /** Whether a number can't represent one of them exactly. */
  isInexact: boolean;
  /**
   * Whether a value is exceptional for its type: NaN, a year beyond 9999, bytes that are not text, a list with null.
   */
  isUnusual: boolean;
}

export const noFacts = (): Facts => ({ nullable: false, isInexact: false, isUnusual: false });

/** Converts a value to input of a field. */
export type ToInput = (value: unknown) => unknown;

/** How a type is read. No function is called with `null` or `undefined`. */
export interface ValueType {
  /** The name in messages, such as `a decimal`. */
  readonly what: string;
  /** The type of the field for all values; `undefined` if there is none. */
  readonly fieldType: (facts: Facts) => FieldType | undefined;
  /** Collects facts about a value; missing if the type leaves nothing open. */
  readonly observe?: (facts: Facts, value: unknown) => void;
  /** The notice about how values with these facts are read, if any. */
  readonly notice?: (facts: Facts) => string | undefined;
  /**
   * Converts values to input of a field; missing if none is needed.
   *
   * @param field its type is neither json nor strings; `undefined` if there is no schema
   */
  readonly toInput?: (facts: Facts, field: Field | undefined) => ToInput;
  /** Whether {@link toInput} depends on the facts. */
  readonly needsFacts?: (field: Field | undefined) => boolean;
  /** Converts values to JSON; missing if they are JSON. It may return {@link Unreadable}. */
  readonly toJson?: ToInput;
  /** The fractions of a second that a time field for its values has. */
  readonly precision?: Precision | undefined;
  /** Whether a json field gets the values as JSON strings. */
  readonly isText?: true;
}

/** Converts the values of a column to input of a field; `undefined` if none is needed. */
export function inputReader(
  type: ValueType,
  facts: Facts,
  field: Field | undefined,
): ToInput | undefined {
  const { toJson = (value: unknown) => value, isText } = type;
  if (field !== undefined && isNested(field.type) && !isText) {
    return ifPresent((value) => {
      const made = toJson(value);
      // A json field parses strings.
      return typeof made === "string" ? JSON.stringify(made) : made;
    });
  }
  const toInput = type.toInput?.(facts, field) ?? (type.toJson && toJson);
  return toInput && ifPresent(toInput);
}

const ifPresent =
  (read: ToInput): ToInput =>
  (value) =>
    value === null || value === undefined
      ? null
      : value instanceof Unreadable
        ? value
        : read(value);

/** Adds the facts of a value to those of its column. */
export function observe({ observe }: ValueType, facts: Facts, value: unknown): void {
  if (value === null || value === undefined) facts.nullable = true;
  else if (value instanceof Unreadable) facts.isUnusual = true;
  else observe?.(facts, value);
}

/** The field for all values of a column; `undefined` if there is none. */
export function fieldOf(type: ValueType, facts: Facts): Field | undefined {
  const found = type.fieldType(facts);
  const nullable = facts.nullable || (found === "float" && facts.isUnusual);
  const { precision } = type;
  return found && createField(found, { nullable, ...(found === "time" && { precision }) });
}

const unreadable = (value: unknown, reason: string) => new Unreadable(value, () => reason);

/** The number of an integer; integers beyond 2^53 − 1 stay bigints. */
export function safeNumber(value: unknown): unknown {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** Values that need no conversion. */
const plain = (what: string, type: FieldType): ValueType => ({ what, fieldType: () => type });

export const BOOLEAN = plain("a boolean", "boolean");
/** Only null. */
export const NULL = plain("null", "string");

/** An integer of at most 32 bits. */
export const SMALL_INTEGER = plain("an integer", "int");

export const INTEGER: ValueType = {
  what: "an integer",
  fieldType: ({ isInexact }) => (isInexact ? "string" : "int"),
  observe(facts, value) {
    facts.isInexact ||= !Number.isSafeInteger(Number(value));
  },
  toInput: () => safeNumber,
  toJson(value) {
    const number = safeNumber(value);
    return typeof number === "bigint" ? String(number) : number;
  },
};

/** How NaN and infinities are treated. */
export type NonFinite = "null" | "refuse";

export function float(nonFinite: NonFinite): ValueType {
  const other = (value: unknown, isNullable: boolean) => {
    if (nonFinite === "null" && isNullable) return null;
    const remedy =
      nonFinite === "null" ? "make the field nullable" : 'set the option nonFinite to "null"';
    return unreadable(value, `is ${String(value)}; to read it as null, ${remedy}`);
  };
  return {
    what: "a float",
    fieldType: () => "float",
    notice: ({ isUnusual }) =>
      isUnusual ? "has NaN or infinite values, which are read as null" : undefined,
    observe(facts, value) {
      facts.isUnusual ||= nonFinite === "null" && !Number.isFinite(value);
    },
    toInput: (_, field) => (value) =>
      Number.isFinite(value)
        ? value
        : field?.type === "string"
          ? String(value)
          : other(value, field?.nullable ?? true),
    toJson: (value) => (Number.isFinite(value) ? value : other(value, true)),
  };
}

const TOO_LONG = "is text of more than 512 MiB, longer than a string can be";
const NOT_TEXT = "is declared to be text, but its bytes are not UTF-8";

/** The maximum length of V8's strings. */
const LONGEST_TEXT = 2 ** 29 - 24;

const textOnly: ToInput = (value) =>
  typeof value === "string"
    ? value
    : unreadable(value, (value as Uint8Array).length > LONGEST_TEXT ? TOO_LONG : NOT_TEXT);

/** Text. A value may also be bytes that are not valid UTF-8. */
export const TEXT: ValueType = {
  what: "text",
  isText: true,
  fieldType: () => "string",
  toInput: () => textOnly,
  toJson: textOnly,
};

const anyJson = createField("json", {});
const parsed: ToInput = (value) => inputOf(anyJson, textOnly(value));

/** Text in JSON. */
export const JSON_TEXT: ValueType = {
  what: "JSON",
  isText: true,
  fieldType: () => "json",
  toInput: (_, field) => (field === undefined ? parsed : textOnly),
  toJson: parsed,
};

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** Bytes as hexadecimal digits, which sort like the bytes. */
export function hexOf(value: unknown): string {
  let text = "";
  for (const byte of value as Uint8Array) text += HEX[byte]!;
  return text;
}

const AS_HEX = "holds bytes, which are read as hexadecimal digits";

export const BYTES: ValueType = {
  what: "bytes",
  fieldType: () => "string",
  notice: () => AS_HEX,
  toInput: () => hexOf,
  toJson: hexOf,
};

/** Control characters that do not occur in text: all but tabs and those of line ends. */
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\0-\x08\x0b\x0c\x0e-\x1f]/;

/** The most likely text of bytes; `undefined` if they are probably not text. */
function likelyText(value: unknown): string | undefined {
  const text = typeof value === "string" ? value : decodeUtf8(value as Uint8Array);
  return text === undefined || CONTROL.test(text) ? undefined : text;
}

const textOrHex: ToInput = (value) => likelyText(value) ?? hexOf(value);

/** Bytes without an annotation, which old programs use for strings: strings if all are UTF-8 text. */
export const BYTES_OR_TEXT: ValueType = {
  what: "bytes",
  fieldType: () => "string",
  notice: ({ isUnusual }) => (isUnusual ? AS_HEX : undefined),
  observe(facts, value) {
    facts.isUnusual ||= likelyText(value) === undefined;
  },
  // If it is text, the column is read as text.
  toInput: ({ isUnusual }) => (isUnusual ? hexOf : textOnly),
  needsFacts: () => true,
  toJson: textOrHex,
};

/** A UUID as bytes. */
export const UUID: ValueType = {
  what: "a UUID",
  fieldType: () => "string",
  toInput: () => uuidOf,
  toJson: uuidOf,
};

function uuidOf(value: unknown): string {
  return hexOf(value).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/** More digits than any format has, and few enough for a string. */
const MAX_SCALE = 1000;

/** Decimals as integers or as the bytes of integers. @param precision the maximum number of digits */
export function decimal(precision: number, scale: number): ValueType {
  if (!(Math.abs(scale) <= MAX_SCALE)) return unsupported(`a decimal with the scale ${scale}`);
  const integerOf = (value: unknown) =>
    (typeof value === "object" ? integerOfBytes(value as Uint8Array) : value) as bigint | number;
  const toNumber: ToInput = (value) => nearestNumber(integerOf(value), scale);
  const toText: ToInput = (value) => decimalText(integerOf(value), scale);
  return {
    what: `a decimal`,
    fieldType: ({ isInexact }) => (isInexact ? "string" : "float"),
    ...(precision > SAFE_DIGITS && {
      observe: (facts: Facts, value: unknown) => {
        facts.isInexact ||= !isShown(integerOf(value), scale);
      },
    }),
    needsFacts: (field) => field === undefined,
    toInput({ isInexact }, field) {
      if (field === undefined ? isInexact : field.type === "string") return toText;
      if (field?.type !== "int") return toNumber;
      return (value) => {
        const text = decimalText(integerOf(value), scale).replace(/\.0*$/, "");
        return /^-?0$/.test(text) ? 0 : text;
      };
    },
    toJson: (value) => (isShown(integerOf(value), scale) ? toNumber(value) : toText(value)),
  };
}

/** Days, as multiples of a number of milliseconds since 1970-01-01. */
export function date(unit: number): ValueType {
  const instant = (value: unknown) => instantOf((value as number) * unit, 3);
  return timed("a date", { instant, digits: 3, text: (at) => dayText(dayOf(at)), dayIn: dayOf });
}

/** Days since 1970-01-01. */
export const DAYS = date(86_400_000);

/**
 * @param digits the number of decimal digits of the unit
 * @param zone the suffix of the time
 * @param instant converts a value that is not a number of units since 1970-01-01
 */
export function timestamp(
  digits: number,
  zone: "" | "Z",
  instant = (value: unknown) => instantOf(value as bigint | number, digits),
): ValueType {
  const text = (at: Instant) => instantText(at, digits) + zone;
  // The text forms of a time field have these digits.
  const precision = zone === "" ? undefined : PRECISIONS[digits];
  return timed("a timestamp", { instant, digits, text, dayIn: dayOf, precision });
}

export function time(digits: number): ValueType {
  return timed("a time", {
    instant: (value) => instantOf(value as bigint | number, digits),
    digits,
    text: (at) => timeText(at, digits),
    dayIn: () => 0,
  });
}

const PRECISIONS: Readonly<Record<number, Precision>> = { 3: "milliseconds", 6: "microseconds" };

interface Timing {
  readonly instant: (value: unknown) => Instant;
  readonly digits: number;
  readonly text: (at: Instant) => string;
  readonly dayIn: (at: Instant) => number;
  /** That of a time field which has the texts as its values, if there is one. */
  readonly precision?: Precision | undefined;
}

/** Points in time: texts that sort; or milliseconds, for an int field, or if texts would not sort. */
function timed(what: string, { instant, digits, text, dayIn, precision }: Timing): ValueType {
  const toJson: ToInput = (value) => text(instant(value));
  return {
    what,
    fieldType: ({ isUnusual, isInexact }) =>
      isUnusual ? (isInexact ? undefined : "int") : precision ? "time" : "string",
    precision,
    notice({ isUnusual, isInexact }) {
      if (!isUnusual) return undefined;
      const then = isInexact
        ? "it is left out, because whole milliseconds can't represent all values either"
        : "it is read as milliseconds";
      return `has years before 0 or after 9999, whose texts would not sort by time; ${then}`;
    },
    observe(facts, value) {
      const at = instant(value);
      facts.isUnusual ||= !hasPlainYear(dayIn(at));
      facts.isInexact ||= millisecondsOf(at, digits) === undefined;
    },
    toInput: (_, field) =>
      field?.type === "int"
        ? (value) => {
            const at = instant(value);
            return (
              millisecondsOf(at, digits) ??
              unreadable(value, `is ${text(at)}, which whole milliseconds can't hold; use string()`)
            );
          }
        : (value) => {
            const at = instant(value);
            return hasPlainYear(dayIn(at))
              ? text(at)
              : unreadable(
                  value,
                  `is ${text(at)}, whose text would not sort by time; use int() for milliseconds, or leave the column out`,
                );
          },
    toJson,
  };
}

/** Values with nested types as JSON, if all nested values can be JSON. */
export function nested(what: string, within: readonly ValueType[], toJson: ToInput): ValueType {
  const other = within.find(isUnsupported);
  if (other !== undefined) return unsupported(`${what} with ${other.what}`);
  return {
    what,
    fieldType: () => "json",
    toJson(value) {
      try {
        return toJson(value);
      } catch (thrown) {
        if (thrown instanceof Within) return thrown.value;
        throw thrown;
      }
    },
  };
}

/** A value is refused as a whole if one within it is. */
class Within extends Error {
  readonly value: Unreadable;

  constructor(value: Unreadable) {
    super(value.reason);
    this.value = value;
  }
}

/** Refuses the nested value that is being read. */
export function refuseWithin(reason: string): never {
  throw new Within(unreadable(undefined, reason));
}

/** How a value is read within a {@link nested} one. */
export function inJson({ toJson = (value: unknown) => value }: ValueType): ToInput {
  return ifPresent((value) => {
    const made = toJson(value);
    if (made instanceof Unreadable) throw new Within(made);
    return made;
  });
}

export function list(of: ValueType): ValueType {
  const each = inJson(of);
  const type = nested("a list", [of], (values) => Array.from(values as Iterable<unknown>, each));
  if (of !== TEXT) return type;
  return {
    ...type,
    what: "a list of strings",
    fieldType: ({ isUnusual }) => (isUnusual ? "json" : "strings"),
    // A strings field can't contain null. Of texts, Parquet passes the bytes.
    observe(facts, values) {
      for (const value of values as Iterable<unknown>)
        facts.isUnusual ||= value === null || value === undefined;
    },
  };
}

export interface Member {
  readonly name: string;
  readonly type: ValueType;
}

/** @param keyOf where the value of a struct has a member */
export function struct(
  members: readonly Member[],
  keyOf: (name: string, index: number) => string | number = (name) => name,
): ValueType {
  const read = members.map(
    ({ name, type }, index) => [name, keyOf(name, index), inJson(type)] as const,
  );
  if (new Set(members.map(({ name }) => name)).size < members.length) {
    return unsupported("a struct with two members of the same name");
  }
  const types = members.map(({ type }) => type);
  return nested("a struct", types, (value) => {
    const values = value as Readonly<Record<string | number, unknown>>;
    return Object.fromEntries(read.map(([name, key, toJson]) => [name, toJson(values[key])]));
  });
}

/** Maps are objects if their keys are strings, else lists of pairs. @param pairsOf the pairs in a value */
export function map(
  key: ValueType,
  value: ValueType,
  pairsOf: (map: unknown) => Iterable<readonly [unknown, unknown]>,
): ValueType {
  const [toKey, toValue] = [inJson(key), inJson(value)];
  const keyType = key.fieldType(noFacts());
  const isObject = keyType === "string" || keyType === "time";
  return nested("a map", [key, value], (map) => {
    const pairs = Array.from(pairsOf(map), ([k, v]) => [toKey(k), toValue(v)] as const);
    return isObject ? Object.fromEntries(pairs) : pairs;
  });
}

/** A length of time in several units. @param toJson makes an object of their numbers */
export const interval = (toJson: ToInput): ValueType => ({
  what: "an interval",
  fieldType: ({ isUnusual }) => (isUnusual ? undefined : "json"),
  notice: ({ isUnusual }) =>
    isUnusual ? "is left out: it has intervals that can't be read" : undefined,
  toJson,
});

/** A type that no field can hold. */
export const unsupported = (what: string): ValueType => ({
  what,
  fieldType: () => undefined,
  notice: () => `is left out: it is ${what}, which no field can hold`,
  toInput: () => (value) => unreadable(value, `is ${what}, which no field can hold`),
});

/** Whether no field can hold some values of a type. */
export const mayBeLeftOut = ({ fieldType }: ValueType): boolean =>
  fieldType({ nullable: true, isInexact: true, isUnusual: true }) === undefined;

export const isUnsupported = ({ fieldType }: ValueType): boolean =>
  fieldType(noFacts()) === undefined;
