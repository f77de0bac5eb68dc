// Fields and their values: the types, and what turns an input value into text form and back.

import { alternatives, describe } from "./errors.ts";
import { describeFault, parseJson, toJson, toJsonValue, type JsonValue } from "./json.ts";
import { parseNumber, toFloatText, toIntegerText } from "./numbers.ts";
import { faultOfStrings, parseStrings, toStrings, toStringsText } from "./strings.ts";

/** A value in text form: what criteria compare (rules V1 and V10). */
export type TextValue = string | null;

/** The type of a field, the value of `field.type`. */
export type FieldType = "int" | "float" | "boolean" | "string" | "strings" | "json";

/** What a field of each type holds (rule V10). */
interface ValueByType {
  int: number;
  float: number;
  boolean: boolean;
  string: string;
  strings: readonly string[];
  json: JsonValue;
}

/** A value in a record: as it was put in, or in wire form, as the schema says. */
export type FieldValue = JsonValue;

/**
 * What records hold: the values that were put in, or their text forms (`"wire"`). `"contract"` is that with the
 * operators that the service's contract lists, and no others.
 */
export type RecordForm = "values" | "wire" | "contract";

/** An option of a field that its type shows: the options that are not as they are by default. */
export type FieldTrait = "nullable" | "unsearchable" | "unstored" | "unique" | "default";

/** The traits of a field; of a field that is known only at run time, it may have any. */
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
  /** Whether criteria may name the field. Every field but those of JSON and of strings can be sorted by. */
  readonly searchable: boolean;
  /** Whether returned records carry the field. A field not stored is still searched and sorted. */
  readonly stored: boolean;
  /** Whether no two records of a collection may have the same value. Any number of them may have `null`. */
  readonly unique: boolean;
  /** The only allowed values, or `undefined` if any is. */
  readonly oneOf: readonly string[] | undefined;
  /** Whether values are compared and sorted in lower case (rule V11). Records keep their spelling. */
  readonly ignoreCase: boolean;
  /**
   * The value of a record that leaves the field out, in text form, or a function that returns one for each such record
   * in any form of input; `undefined` if it may not be left out.
   */
  readonly default: TextValue | (() => unknown) | undefined;
  /** For types only; absent at run time. */
  readonly "~traits"?: Traits | undefined;
}

/** A string field that accepts only some values. */
export interface ListedField<
  Value extends string,
  Traits extends FieldTraits = FieldTraits,
> extends Field<"string", Traits> {
  readonly oneOf: readonly Value[];
}

/** A field of JSON values of a type. */
export interface JsonField<Value, Traits extends FieldTraits = FieldTraits> extends Field<
  "json",
  Traits
> {
  /** For the compiler only: it does not exist at run time. */
  readonly "~value"?: Value | undefined;
}

/** The properties of a type. */
interface TypeRow<Type extends FieldType> {
  /** Completes "must be …". */
  readonly accepts: string;
  /** The text form of an input value, `null` excepted; `undefined` if it is refused. */
  readonly toTextForm: (value: unknown) => string | undefined;
  /** The value of a text form. */
  readonly fromTextForm: (text: string) => ValueByType[Type];
}

const types: { readonly [Type in FieldType]: TypeRow<Type> } = {
  int: {
    accepts:
      "an integer of magnitude at most 2^53 − 1, as a number, a bigint or a canonical decimal string",
    toTextForm: toIntegerText,
    fromTextForm: parseNumber,
  },
  float: {
    accepts: "a finite number, or its text as JavaScript writes it",
    toTextForm: toFloatText,
    fromTextForm: parseNumber,
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
  },
  string: {
    accepts: "a string",
    toTextForm: (value) => (typeof value === "string" && value.isWellFormed() ? value : undefined),
    fromTextForm: (text) => text,
  },
  strings: {
    accepts: "an array of strings of well-formed Unicode",
    toTextForm: toStringsText,
    fromTextForm: parseStrings,
  },
  json: {
    accepts: "a JSON value nested at most 500 deep, its strings of well-formed Unicode",
    toTextForm: toJson,
    fromTextForm: parseJson,
  },
};

/** The types of fields, as quoted in errors. */
export const fieldTypes: readonly FieldType[] = Object.freeze(Object.keys(types) as FieldType[]);

/** Whether a value names a type of field. */
export function isFieldType(value: unknown): value is FieldType {
  return fieldTypes.some((type) => type === value);
}

/** How values are ordered and stored: as numbers of one kind or the other, or as texts. */
export type Storage = "int" | "float" | "string";

export function storageOf(type: FieldType): Storage {
  return isNumeric(type) ? type : "string";
}

/** Whether the values of a type are ordered as numbers; others are ordered as texts. */
export function isNumeric(type: FieldType): type is "int" | "float" {
  return type === "int" || type === "float";
}

/**
 * The text form of an input value (rules V2, V3, V5, V7 and V10); `undefined` if the field refuses it, for the reason
 * that {@link explainRefusal} returns.
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

/** The text by which a text form is compared and sorted in a field (rule V11). */
export function comparisonText<Text extends TextValue>(
  { ignoreCase }: Pick<Field, "ignoreCase">,
  textForm: Text,
): Text | string {
  return ignoreCase && textForm !== null ? foldCase(textForm) : textForm;
}

/**
 * What is compared of a text whose case is ignored (V11): its lower case, in which a sigma is the same letter
 * wherever it stands. `toLowerCase()` writes the last sigma of a word differently, so that the text would no
 * longer contain what it contains with case. Every other letter has one lower case, whatever is around it.
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

/** The value that a record holds for an input value, if records hold values; `undefined` if the field refuses it. */
export function toStored(field: Field, value: unknown): FieldValue | undefined {
  const { type } = field;
  if (type === "json" && value !== null) return toJsonValue(value);
  if (type === "strings" && value !== null) return toStrings(value);
  // Skips the text form, which halves the time to load numbers. Adding 0 turns −0 into 0.
  if (typeof value === "number" && isNumeric(type)) {
    const isValid = type === "int" ? Number.isSafeInteger(value) : Number.isFinite(value);
    return isValid ? value + 0 : undefined;
  }
  const textForm = toTextForm(field, value);
  return typeof textForm === "string" ? fromTextForm(field, textForm) : textForm;
}

/** The text form of a value that records of any form hold in a field. */
export function textFormOfStored({ type }: Pick<Field, "type">, stored: FieldValue): TextValue {
  // Strings, and values in text form, are their own text forms.
  if (stored === null || (typeof stored === "string" && type !== "json")) return stored;
  return type === "json" || typeof stored === "object" ? JSON.stringify(stored) : String(stored);
}

/**
 * The text form of a record's value in a field, or its default if the field is left out (V6, V14), or the
 * reason why it is refused. Reads only own properties, and each once.
 *
 * @throws what a function that is the default throws
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

/** The default of a field in text form, if every record that leaves the field out has the same. */
export function constantDefault({ default: value }: Field): TextValue | undefined {
  return typeof value === "function" ? undefined : value;
}

/** Why the field refuses the result of its default (V14); see {@link explainRefusal}. */
export function explainDefault(field: Field, made: unknown): string {
  const reason = explainRefusal(field, made);
  return made instanceof Unreadable
    ? reason
    : `is left out, and what its default returns ${reason}`;
}

/** @internal A value that could not be converted for its field, with the reason. Every field refuses it. */
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

/** Why {@link toTextForm} refused the value, as the end of a sentence that starts with the place. */
export function explainRefusal({ type, oneOf }: Field, value: unknown): string {
  if (value === null) return "may not be null";
  if (value instanceof Unreadable) return value.reason;
  const given =
    type === "json"
      ? describeFault(value)
      : type === "strings"
        ? faultOfStrings(value)
        : describe(value);
  if (type !== "string" || typeof value !== "string") {
    return `must be ${types[type].accepts}, not ${given}`;
  }
  if (!value.isWellFormed()) return `must be well-formed Unicode; ${given} holds a lone surrogate`;
  return `must be ${alternatives(oneOf ?? [])}, not ${given}`;
}
