// Fields and their values: the types, and the conversion of values to text form and back.

import { alternatives, describe } from "./errors.ts";
import { folded, isFolded, type Folding } from "./folding.ts";
import type { JsonValue } from "./json.ts";
import { isNumeric, isText, kinds, type FieldType } from "./kinds.ts";
import type { Precision, ValueOptions } from "./kinds/kind.ts";
import { next, type Next } from "./next.ts";
import type { OnRemove, Target } from "./references.ts";

/** A value in text form: what criteria compare (rules V1 and V10). */
export type TextValue = string | null;

/** A value in a record: as given, or in wire form, depending on the schema. */
export type FieldValue = JsonValue;

/**
 * The form of values in records: as given, or their text forms (`"wire"`). `"contract"` is `"wire"` restricted to the
 * operators of the service's contract.
 */
export type RecordForm = "values" | "wire" | "contract";

/** An option of a field that is part of its type: options that differ from their defaults. */
export type FieldTrait =
  | "nullable"
  | "unsearchable"
  | "unstored"
  | "unique"
  | "default"
  | "next"
  | "computed";

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
  /** Whether values are compared and sorted without accents (rule V17). Records keep their spelling. */
  readonly ignoreAccents: boolean;
  /** The fractions of a second of a time field's values; `undefined` for those of other fields. */
  readonly precision: Precision | undefined;
  /** The time zone of a time field's texts and periods; `undefined` for UTC. */
  readonly zone: string | undefined;
  /** The collection and its unique field whose records the values name; `undefined` if they name none. */
  readonly references: Target | undefined;
  /** What happens to a record that refers to a removed one; `undefined` if the values name none. */
  readonly onRemove: OnRemove | undefined;
  /**
   * The value for a record that omits the field, in text form; a function that returns one in any input form for each
   * such record; or `next`, for the next number. `undefined` if the field can't be omitted.
   */
  readonly default: TextValue | (() => unknown) | Next | undefined;
  /** Of a computed field: the json field, and the names of the members that lead to the value (rule V16). */
  readonly path: readonly string[] | undefined;
  /** Of a computed field: its function of the record (rule V16). */
  readonly compute: ((record: Readonly<Record<string, FieldValue>>) => unknown) | undefined;
  /** Only a type; absent at run time. */
  readonly "~traits"?: Traits | undefined;
}

/** A computed field (rule V16). `Source` is the record that its function takes. */
export interface ComputedField<
  Type extends FieldType,
  Traits extends FieldTraits,
  Source,
> extends Field<Type, Traits> {
  /** Only a type; absent at run time. */
  readonly "~source"?: ((record: Source) => void) | undefined;
}

/** Whether the values of a field come from the rest of the record (rule V16). Such a field is not stored. */
export const isComputed = ({ path, compute }: Pick<Field, "path" | "compute">): boolean =>
  path !== undefined || compute !== undefined;

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

export { fieldTypes, isFieldType, isNumeric, isText, storageOf } from "./kinds.ts";
export type { FieldType } from "./kinds.ts";
export type { Storage } from "./kinds/kind.ts";

/**
 * The text form of an input value (rules V2, V3, V5, V7 and V10); `undefined` if the field does not accept it; {@link
 * explainRefusal} says why.
 */
export function toTextForm(field: Field, value: unknown): TextValue | undefined {
  const { type, nullable, oneOf } = field;
  if (value === null) return nullable ? null : undefined;
  const textForm = kinds[type].toTextForm(value, field);
  return textForm === undefined || oneOf === undefined || oneOf.includes(textForm)
    ? textForm
    : undefined;
}

/** The string by which a text form is compared and sorted in a field (rules V11 and V17). */
export function comparisonText<Text extends TextValue>(
  folding: Folding,
  textForm: Text,
): Text | string {
  return textForm === null || !isFolded(folding) ? textForm : folded(folding, textForm);
}

/** The value of a text form in a field. */
export function fromTextForm({ type }: Field, text: string): FieldValue {
  return kinds[type].fromTextForm(text);
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
  const { copy } = kinds[type];
  if (copy !== undefined && value !== null) return copy(value);
  // Skips the text form, which halves the time to load numbers. Adding 0 turns −0 into 0.
  if (typeof value === "number" && isNumeric(type)) {
    return kinds[type].isStored(value, field) ? value + 0 : undefined;
  }
  const textForm = toTextForm(field, value);
  return typeof textForm === "string" ? fromTextForm(field, textForm) : textForm;
}

/** An input value as records of a form hold it; `undefined` if the field does not accept it. */
export function storedOf(form: RecordForm, field: Field, value: unknown): FieldValue | undefined {
  return form === "values" ? toStored(field, value) : toTextForm(field, value);
}

/**
 * Recognises the values of a field as records of one's own schemas hold them, which need no conversion. It may refuse
 * one that is accepted otherwise.
 */
export function storedTestOf(field: Field): (value: unknown) => value is FieldValue {
  const { type, nullable, oneOf } = field;
  const { isStored } = kinds[type];
  if (oneOf === undefined) {
    return (value): value is FieldValue => (value === null ? nullable : isStored(value, field));
  }
  const listed = new Set<unknown>(oneOf);
  return (value): value is FieldValue => (value === null ? nullable : listed.has(value));
}

/** What decides which text forms a field has. */
export type TextRules = Pick<Field, "type" | "oneOf"> & ValueOptions;

/** Tests whether a string is the text form of a value of a field; `undefined` if any well-formed one may be. */
export function textTestOf(field: TextRules): ((text: string) => boolean) | undefined {
  const { type, oneOf } = field;
  if (oneOf !== undefined) {
    const listed = new Set(oneOf);
    return (text) => listed.has(text);
  }
  const { isTextForm } = kinds[type];
  return isTextForm && ((text) => isTextForm(text, field));
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
    if (isNext(otherwise)) return [undefined, NEEDS_COLLECTION];
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
  return typeof value === "function" || isNext(value) ? undefined : value;
}

/** Whether a default, or an option, is `next`. */
export const isNext = (value: unknown): value is Next => value === next;

/** Why a record without a number is refused where no collection gives one. */
export const NEEDS_COLLECTION =
  "is missing: its default is next, a number that only a collection gives";

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
export function explainRefusal(field: Field, value: unknown): string {
  if (value === null) return "must not be null";
  if (value instanceof Unreadable) return value.reason;
  const { type, oneOf } = field;
  const kind = kinds[type];
  const given = (kind.describe ?? describe)(value);
  if (typeof value === "string" && isText(type)) {
    if (!value.isWellFormed())
      return `must be well-formed Unicode; ${given} holds a lone surrogate`;
    if (oneOf !== undefined) return `must be ${alternatives(oneOf)}, not ${given}`;
  }
  return `must be ${kind.accepts}, not ${given}${kind.remedy(value, field)}`;
}

/** What to write instead of a value that a field refuses, as the end of a sentence; empty if nobody knows. */
export const remedyFor = (field: Pick<Field, "type"> & ValueOptions, value: unknown): string =>
  kinds[field.type].remedy(value, field);
