// The types of values in files that declare them, Parquet and Arrow: which field holds a column, and how its values
// are read without losing a digit.

import { createField } from "../schema/declare.ts";
import { Unreadable, type Field, type FieldType } from "../schema/field.ts";
import { decimalText, integerOfBytes, isShown, nearestNumber, SAFE_DIGITS } from "./decimals.ts";
import { inputOf, isNested } from "./flat-value.ts";
import { dayOf, dayText, hasPlainYear, instantOf, instantText } from "./time-texts.ts";
import { millisecondsOf, timeText, type Instant } from "./time-texts.ts";
import { decodeUtf8 } from "./utf8.ts";

/** What the values of a column are, as far as its type leaves that open. */
export interface Facts {
  nullable: boolean;
  /** Whether a number can't hold one to the digit. */
  isInexact: boolean;
  /**
   * Whether a value is exceptional for its type: NaN, a year beyond 9999, bytes that are not text, a list with null.
   */
  isUnusual: boolean;
}

export const noFacts = (): Facts => ({ nullable: false, isInexact: false, isUnusual: false });

/** What makes input of a field from a value. */
export type ToInput = (value: unknown) => unknown;

/** How one type is read. No function is called with `null` or `undefined`. */
export interface ValueType {
  /** What it is called in messages, such as `a decimal`. */
  readonly what: string;
  /** The type of the field that holds all values; `undefined` if none does. */
  readonly fieldType: (facts: Facts) => FieldType | undefined;
  /** Finds facts in a value; missing if the type leaves nothing open. */
  readonly observe?: (facts: Facts, value: unknown) => void;
  /** What is remarkable about how values with these facts are read. */
  readonly notice?: (facts: Facts) => string | undefined;
  /**
   * Makes input of a field; missing if the values are that.
   *
   * @param field its type is neither JSON nor strings; `undefined` if there is no schema
   */
  readonly toInput?: (facts: Facts, field: Field | undefined) => ToInput;
  /** Whether {@link toInput} depends on the facts. */
  readonly needsFacts?: (field: Field | undefined) => boolean;
  /** Makes JSON; missing if the values are JSON. It may return {@link Unreadable}. */
  readonly toJson?: ToInput;
  /** Whether a field of JSON takes the values as texts of JSON. */
  readonly isText?: true;
}

/** What makes input of a field from the values of a column; `undefined` if they are that. */
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

/** The field that holds every value of a column; `undefined` if none does. */
export function fieldOf(type: ValueType, facts: Facts): Field | undefined {
  const found = type.fieldType(facts);
  const nullable = facts.nullable || (found === "float" && facts.isUnusual);
  return found && createField(found, { nullable });
}

const unreadable = (value: unknown, reason: string) => new Unreadable(value, () => reason);

/** The number of an integer, which stays a bigint if it is beyond 2^53 − 1. */
export function safeNumber(value: unknown): unknown {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** Values that need no conversion. */
const plain = (what: string, type: FieldType): ValueType => ({ what, fieldType: () => type });

export const BOOLEAN = plain("a boolean", "boolean");
/** Nothing but null. */
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

/** V8 makes no longer strings. */
const LONGEST_TEXT = 2 ** 29 - 24;

const textOnly: ToInput = (value) =>
  typeof value === "string"
    ? value
    : unreadable(value, (value as Uint8Array).length > LONGEST_TEXT ? TOO_LONG : NOT_TEXT);

/** Text; a value may also be the bytes of one that is not UTF-8. */
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

/** Bytes as hexadecimal digits, which sort as the bytes do. */
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

/** Control characters other than tab and those of line ends, which no text has. */
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\0-\x08\x0b\x0c\x0e-\x1f]/;

/** The text that bytes most likely are; `undefined` if they are no text. */
function likelyText(value: unknown): string | undefined {
  const text = typeof value === "string" ? value : decodeUtf8(value as Uint8Array);
  return text === undefined || CONTROL.test(text) ? undefined : text;
}

const textOrHex: ToInput = (value) => likelyText(value) ?? hexOf(value);

/** Bytes without an annotation, which old programs write for strings: strings if all are UTF-8 text. */
export const BYTES_OR_TEXT: ValueType = {
  what: "bytes",
  fieldType: () => "string",
  notice: ({ isUnusual }) => (isUnusual ? AS_HEX : undefined),
  observe(facts, value) {
    facts.isUnusual ||= likelyText(value) === undefined;
  },
  // The column is read as text if it is.
  toInput: ({ isUnusual }) => (isUnusual ? hexOf : textOnly),
  needsFacts: () => true,
  toJson: textOrHex,
};

/** An UUID by its bytes. */
export const UUID: ValueType = {
  what: "a UUID",
  fieldType: () => "string",
  toInput: () => uuidOf,
  toJson: uuidOf,
};

function uuidOf(value: unknown): string {
  return hexOf(value).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/** Decimals as integers or as the bytes of integers. @param precision how many digits they may have */
export function decimal(precision: number, scale: number): ValueType {
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

/**
 * @param digits how many decimal digits of a second the unit has
 * @param zone what is written after the time
 * @param instant of a value that is not a number of units since 1970-01-01
 */
export function timestamp(
  digits: number,
  zone: "" | "Z",
  instant = (value: unknown) => instantOf(value as bigint | number, digits),
): ValueType {
  const text = (at: Instant) => instantText(at, digits) + zone;
  return timed("a timestamp", { instant, digits, text, dayIn: dayOf });
}

export function time(digits: number): ValueType {
  return timed("a time", {
    instant: (value) => instantOf(value as bigint | number, digits),
    digits,
    text: (at) => timeText(at, digits),
    dayIn: () => 0,
  });
}

interface Timing {
  readonly instant: (value: unknown) => Instant;
  readonly digits: number;
  readonly text: (at: Instant) => string;
  readonly dayIn: (at: Instant) => number;
}

/** Points in time: texts that sort; or milliseconds, for an int field or if a text would not sort. */
function timed(what: string, { instant, digits, text, dayIn }: Timing): ValueType {
  const toJson: ToInput = (value) => text(instant(value));
  return {
    what,
    fieldType: ({ isUnusual, isInexact }) =>
      isUnusual ? (isInexact ? undefined : "int") : "string",
    notice({ isUnusual, isInexact }) {
      if (!isUnusual) return undefined;
      const then = isInexact
        ? "it is left out, because whole milliseconds do not hold all values either"
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

/** Values of other types as JSON, if all of those within them can be. */
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

function inJson({ toJson = (value: unknown) => value }: ValueType): ToInput {
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
    // A field of strings holds no null.
    observe(facts, values) {
      for (const value of values as Iterable<unknown>)
        facts.isUnusual ||= typeof value !== "string";
    },
  };
}

export interface Member {
  readonly name: string;
  readonly type: ValueType;
}

export function struct(members: readonly Member[]): ValueType {
  const read = members.map(({ name, type }) => [name, inJson(type)] as const);
  const types = members.map(({ type }) => type);
  return nested("a struct", types, (value) => {
    const values = value as Readonly<Record<string, unknown>>;
    return Object.fromEntries(read.map(([name, toJson]) => [name, toJson(values[name])]));
  });
}

/** Maps are objects if their keys are strings, else lists of pairs. @param pairsOf the pairs in a value */
export function map(
  key: ValueType,
  value: ValueType,
  pairsOf: (map: unknown) => Iterable<readonly [unknown, unknown]>,
): ValueType {
  const [toKey, toValue] = [inJson(key), inJson(value)];
  const isObject = key.fieldType(noFacts()) === "string";
  return nested("a map", [key, value], (map) => {
    const pairs = Array.from(pairsOf(map), ([k, v]) => [toKey(k), toValue(v)] as const);
    return isObject ? Object.fromEntries(pairs) : pairs;
  });
}

/** A length of time in units of several kinds. @param toJson an object of their numbers */
export const interval = (toJson: ToInput): ValueType => ({
  what: "an interval",
  fieldType: ({ isUnusual }) => (isUnusual ? undefined : "json"),
  notice: ({ isUnusual }) =>
    isUnusual ? "is left out: it has intervals that can't be read" : undefined,
  toJson,
});

/** A type that no field holds. */
export const unsupported = (what: string): ValueType => ({
  what,
  fieldType: () => undefined,
  notice: () => `is left out: it is ${what}, which no field holds`,
  toInput: () => (value) => unreadable(value, `is ${what}, which no field holds`),
});

/** Whether no field holds some values of a type. */
export const mayBeLeftOut = ({ fieldType }: ValueType): boolean =>
  fieldType({ nullable: true, isInexact: true, isUnusual: true }) === undefined;

export const isUnsupported = ({ fieldType }: ValueType): boolean =>
  fieldType(noFacts()) === undefined;
