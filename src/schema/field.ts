// Fields and their values: the types, and the conversion of values to text form and back.

import { booleanOf } from "./boolean-words.ts";
import { alternatives, describe, isDate, quote } from "./errors.ts";
import { describeFault, parseJson, toJson, toJsonValue, type JsonValue } from "./json.ts";
import { parseNumber, toFloatText, toIntegerText } from "./numbers.ts";
import { faultOfStrings, isShortArrayOfStrings, parseStrings } from "./strings.ts";
import { toStrings, toStringsText } from "./strings.ts";

/** A value in text form: what criteria compare (rules V1 and V10). */
export type TextValue = string | null;

/** The type of a field, the value of `field.type`. */
export type FieldType = "int" | "float" | "boolean" | "string" | "strings" | "json";

/** The values of a field of each type (rule V10). */
interface ValueByType {
  int: number;
  float: number;
  boolean: boolean;
  string: string;
  strings: readonly string[];
  json: JsonValue;
}

/** A value in a record: as given, or in wire form, depending on the schema. */
export type FieldValue = JsonValue;

/**
 * The form of values in records: as given, or their text forms (`"wire"`). `"contract"` is `"wire"` restricted to the
 * operators of the service's contract.
 */
export type RecordForm = "values" | "wire" | "contract";

/** An option of a field that is part of its type: options that differ from their defaults. */
export type FieldTrait = "nullable" | "unsearchable" | "unstored" | "unique" | "default";

/** The traits of a field; a field that is known only at run time may have any. */
export type FieldTraits = readonly FieldTrait[];

/**
 * A field of a schema. Made by `int`, `string` and the like; frozen. `Field<"int", ["unique"]>` is the type of
 * `int({ unique: true })`.
 */
export interface Field<
  Type extends FieldType = FieldType,
  Traits extends FieldTraits = FieldTraits,
> {
  readonly type: Type;
  /** Whether the value may be `null`. */
  readonly nullable: boolean;
  /** Whether criteria may name the field. Every field except json and strings fields can be sorted by. */
  readonly searchable: boolean;
  /** Whether returned records contain the field. A field that is not stored can still be searched and sorted by. */
  readonly stored: boolean;
  /** Whether no two records of a collection may have the same value. Any number of records may have `null`. */
  readonly unique: boolean;
  /** The only allowed values; `undefined` if any value is allowed. */
  readonly oneOf: readonly string[] | undefined;
  /** Whether values are compared and sorted in lower case (rule V11). Records keep their spelling. */
  readonly ignoreCase: boolean;
  /**
   * The value for a record that omits the field, in text form, or a function that returns one in any input form for
   * each such record; `undefined` if the field can't be omitted.
   */
  readonly default: TextValue | (() => unknown) | undefined;
  /** Only a type; absent at run time. */
  readonly "~traits"?: Traits | undefined;
}

/** A string field that accepts only some values. */
export interface ListedField<
  Value extends string,
  Traits extends FieldTraits = FieldTraits,
> extends Field<"string", Traits> {
  readonly oneOf: readonly Value[];
}

/** A json field whose values have a type. */
export interface JsonField<Value, Traits extends FieldTraits = FieldTraits> extends Field<
  "json",
  Traits
> {
  /** Only for the compiler; absent at run time. */
  readonly "~value"?: Value | undefined;
}

/** The properties of a type. */
interface TypeRow<Type extends FieldType> {
  /** Completes "must be …". */
  readonly accepts: string;
  /** Converts an input value other than null to text form; `undefined` if it is not accepted. */
  readonly toTextForm: (value: unknown) => string | undefined;
  /** Converts the text form back to a value. */
  readonly fromTextForm: (text: string) => ValueByType[Type];
  /** Whether an input value is, for certain, what its text form converts back to. */
  readonly isStored: (value: unknown) => boolean;
}

const types: { readonly [Type in FieldType]: TypeRow<Type> } = {
  int: {
    accepts:
      "an integer of magnitude at most 2^53 − 1, as a number, a bigint or a canonical decimal string",
    toTextForm: toIntegerText,
    fromTextForm: parseNumber,
    isStored: Number.isSafeInteger,
  },
  float: {
    accepts: "a finite number, or its text as JavaScript writes it",
    toTextForm: toFloatText,
    fromTextForm: parseNumber,
    isStored: Number.isFinite,
  },
  boolean: {
    accepts: "true or false",
    toTextForm: (value) =>
      value === true || value === "true"
        ? "true"
        : value === false || value === "false"
          ? "false"
          : undefined,
    fromTextForm: (text) => text === "true",
    isStored: (value) => typeof value === "boolean",
  },
  string: {
    accepts: "a string",
    toTextForm: (value) => (typeof value === "string" && value.isWellFormed() ? value : undefined),
    fromTextForm: (text) => text,
    isStored: (value) => typeof value === "string" && value.isWellFormed(),
  },
  strings: {
    accepts: "an array of strings of well-formed Unicode",
    toTextForm: toStringsText,
    fromTextForm: parseStrings,
    isStored: isShortArrayOfStrings,
  },
  json: {
    accepts: "a JSON value nested at most 500 deep, its strings of well-formed Unicode",
    toTextForm: toJson,
    fromTextForm: parseJson,
    // Only a copy is, which nobody can change.
    isStored: () => false,
  },
};

/** The types of fields, as quoted in errors. */
export const fieldTypes: readonly FieldType[] = Object.freeze(Object.keys(types) as FieldType[]);

/** Whether a value names a type of field. */
export function isFieldType(value: unknown): value is FieldType {
  return fieldTypes.some((type) => type === value);
}

/** How values are ordered and stored: as integers, other numbers or strings. */
export type Storage = "int" | "float" | "string";

export function storageOf(type: FieldType): Storage {
  return isNumeric(type) ? type : "string";
}

/** Whether the values of a type are ordered as numbers rather than strings. */
export function isNumeric(type: FieldType): type is "int" | "float" {
  return type === "int" || type === "float";
}

/**
 * The text form of an input value (rules V2, V3, V5, V7 and V10); `undefined` if the field does not accept it; {@link
 * explainRefusal} says why.
 */
export function toTextForm(
  { type, nullable, oneOf }: Field,
  value: unknown,
): TextValue | undefined {
  if (value === null) return nullable ? null : undefined;
  const textForm = types[type].toTextForm(value);
  return textForm === undefined || oneOf === undefined || oneOf.includes(textForm)
    ? textForm
    : undefined;
}

/** The string by which a text form is compared and sorted in a field (rule V11). */
export function comparisonText<Text extends TextValue>(
  { ignoreCase }: Pick<Field, "ignoreCase">,
  textForm: Text,
): Text | string {
  return ignoreCase && textForm !== null ? foldCase(textForm) : textForm;
}

/**
 * The compared form of a string whose case is ignored (V11): lower case, with one form of sigma. `toLowerCase()` writes
 * a final sigma differently, so a string could lose a substring in lower case. All other letters have one lower case,
 * whatever their context.
 */
export function foldCase(text: string): string {
  return text.toLowerCase().replaceAll("ς", "σ");
}

/** The value of a text form in a field. */
export function fromTextForm({ type }: Field, text: string): FieldValue {
  return types[type].fromTextForm(text);
}

/** The value of a text form in a field, as records of a form hold it. */
export function storedValue(form: RecordForm, field: Field, textForm: TextValue): FieldValue {
  return textForm === null || form !== "values" ? textForm : fromTextForm(field, textForm);
}

/**
 * Converts an input value to the value in a record, if records hold values; `undefined` if the field does not accept
 * it.
 */
export function toStored(field: Field, value: unknown): FieldValue | undefined {
  const { type } = field;
  if (type === "json" && value !== null) return toJsonValue(value);
  if (type === "strings" && value !== null) return toStrings(value);
  // Skips the text form, which halves the time to load numbers. Adding 0 turns −0 into 0.
  if (typeof value === "number" && isNumeric(type)) {
    return types[type].isStored(value) ? value + 0 : undefined;
  }
  const textForm = toTextForm(field, value);
  return typeof textForm === "string" ? fromTextForm(field, textForm) : textForm;
}

/**
 * Recognises the values of a field as records of one's own schemas hold them, which need no conversion. It may refuse
 * one that is accepted otherwise.
 */
export function storedTestOf({
  type,
  nullable,
  oneOf,
}: Field): (value: unknown) => value is FieldValue {
  const { isStored } = types[type];
  if (oneOf === undefined) {
    return (value): value is FieldValue => (value === null ? nullable : isStored(value));
  }
  const listed = new Set<unknown>(oneOf);
  return (value): value is FieldValue => (value === null ? nullable : listed.has(value));
}

/** The text form of a value in a record of any form. */
export function textFormOfStored({ type }: Pick<Field, "type">, stored: FieldValue): TextValue {
  // Strings, and values in text form, are their own text forms.
  if (stored === null || (typeof stored === "string" && type !== "json")) return stored;
  return type === "json" || typeof stored === "object" ? JSON.stringify(stored) : String(stored);
}

/**
 * The text form of a record's value in a field, or its default if the field is omitted (V6, V14), or the reason why it
 * is not accepted. Reads only own properties, each once.
 *
 * @throws whatever a default function throws
 */
export function readField(
  record: Readonly<Record<string, unknown>>,
  name: string,
  field: Field,
):
  | readonly [textForm: TextValue, reason?: undefined]
  | readonly [textForm: undefined, reason: string] {
  const given = Object.hasOwn(record, name) ? record[name] : undefined;
  if (given === undefined) {
    const { default: otherwise } = field;
    if (otherwise === undefined) return [undefined, "is missing"];
    if (typeof otherwise !== "function") return [otherwise];
    const made = otherwise();
    const textForm = toTextForm(field, made);
    return textForm === undefined ? [undefined, explainDefault(field, made)] : [textForm];
  }
  const textForm = toTextForm(field, given);
  return textForm === undefined ? [undefined, explainRefusal(field, given)] : [textForm];
}

/** The default of a field in text form, if it is the same for all records. */
export function constantDefault({ default: value }: Field): TextValue | undefined {
  return typeof value === "function" ? undefined : value;
}

/** Why the field does not accept the result of its default function (V14); see {@link explainRefusal}. */
export function explainDefault(field: Field, made: unknown): string {
  const reason = explainRefusal(field, made);
  return made instanceof Unreadable
    ? reason
    : `is omitted, and the result of its default ${reason}`;
}

/** @internal A value that could not be converted for its field, with the reason. No field accepts it. */
export class Unreadable {
  readonly #value: unknown;
  readonly #reason: () => string;

  constructor(value: unknown, reason: () => string) {
    this.#value = value;
    this.#reason = reason;
  }

  get reason(): string {
    return this.#reason();
  }

  toJSON(): unknown {
    return this.#value;
  }
}

/** Why {@link toTextForm} did not accept the value; the end of a sentence that starts with the path. */
export function explainRefusal({ type, oneOf }: Field, value: unknown): string {
  if (value === null) return "must not be null";
  if (value instanceof Unreadable) return value.reason;
  const given =
    type === "json"
      ? describeFault(value)
      : type === "strings"
        ? faultOfStrings(value)
        : describe(value);
  if (type !== "string" || typeof value !== "string") {
    return `must be ${types[type].accepts}, not ${given}${remedyFor(type, value)}`;
  }
  if (!value.isWellFormed()) return `must be well-formed Unicode; ${given} holds a lone surrogate`;
  return `must be ${alternatives(oneOf ?? [])}, not ${given}`;
}

/**
 * What to write instead of a value that a field of the type refuses, as the end of a sentence: a number in another
 * spelling, such as `"1.50"` or `"+5"`, a word for a boolean, a Date, or a number where a string is needed.
 */
export function remedyFor(type: FieldType, value: unknown): string {
  switch (type) {
    case "int":
    case "float": {
      if (isDate(value)) return "; write its getTime()";
      if (typeof value !== "string" || value.trim() === "") return "";
      const textForm = (type === "int" ? toIntegerText : toFloatText)(Number(value));
      return textForm === undefined ? "" : `; write ${textForm} or ${quote(textForm)}`;
    }
    case "boolean": {
      const meant = typeof value === "string" ? booleanOf(value.trim().toLowerCase()) : undefined;
      return meant === undefined ? "" : `; write ${meant}`;
    }
    case "string":
    case "json": {
      if (isDate(value)) return "; write its toISOString()";
      const isNumber = typeof value === "bigint" || Number.isFinite(value);
      return isNumber ? `; write ${quote(String(value))}` : "";
    }
    case "strings":
      return "";
  }
}
