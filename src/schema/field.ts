// What a field is: its type and constraints, and the check that turns an input value into wire form.

import { alternatives, describe, SchemaError } from "./errors.ts";
import { toWireInteger } from "./integer.ts";

/** A value in wire form: what records hold and queries return (rule V1). */
export type WireValue = string | null;

export type FieldType = "int" | "string";

/** A field of a schema. Made by {@link int} and {@link string}; frozen. */
export interface Field<
  Type extends FieldType = FieldType,
  Value extends string = string,
  Nullable extends boolean = boolean,
  Searchable extends boolean = boolean,
  Stored extends boolean = boolean,
  Default extends WireValue | undefined = WireValue | undefined,
> {
  readonly type: Type;
  /** Whether the value may be `null`. */
  readonly nullable: Nullable;
  /** Whether criteria may name the field. Every field can be sorted by. */
  readonly searchable: Searchable;
  /** Whether returned records carry the field. One that is not stored is still searched and sorted. */
  readonly stored: Stored;
  /** Whether no two records of a collection may have the same value, `null` included. */
  readonly unique: boolean;
  /** The only values it takes, or `undefined` where any will do. */
  readonly oneOf: readonly Value[] | undefined;
  /** The value of a record that leaves the field out; `undefined` where it may not be left out. */
  readonly default: Default;
}

export interface IntOptions {
  /** Whether the value may be `null`; a record that leaves the field out then has `null`. */
  readonly nullable?: boolean;
  /** Whether criteria may name the field. On unless told. */
  readonly searchable?: boolean;
  /** Whether returned records carry the field. On unless told. */
  readonly stored?: boolean;
  /** Whether no two records of a collection may have the same value. Off unless told. */
  readonly unique?: boolean;
  /** The value, in wire form, of a record that leaves the field out. */
  readonly default?: string;
}

export interface StringOptions extends IntOptions {
  /** The only values that the field takes. */
  readonly oneOf?: readonly string[];
}

type OptionOf<O, Key extends string, Otherwise> =
  O extends Readonly<Record<Key, infer Given>> ? Given : Otherwise;
type FlagOf<O, Key extends string, Otherwise extends boolean> =
  OptionOf<O, Key, Otherwise> extends infer Flag extends boolean ? Flag : Otherwise;
type ValueOf<O> = O extends { readonly oneOf: readonly (infer Given extends string)[] }
  ? Given
  : string;
type DefaultOf<O> = O extends { readonly default: infer Given extends string }
  ? Given
  : FlagOf<O, "nullable", false> extends true
    ? null
    : undefined;

type FieldOf<Type extends FieldType, O> = Field<
  Type,
  ValueOf<O>,
  FlagOf<O, "nullable", false>,
  FlagOf<O, "searchable", true>,
  FlagOf<O, "stored", true>,
  DefaultOf<O>
>;

/** An integer field: canonical decimal strings of magnitude at most 2^53 − 1; sorts by number. */
export function int(): FieldOf<"int", object>;
export function int<const O extends IntOptions>(options: O): FieldOf<"int", O>;
export function int(options: IntOptions = {}): Field<"int"> {
  return createField("int", options);
}

/** A string field: well-formed Unicode; sorts by code point. */
export function string(): FieldOf<"string", object>;
export function string<const O extends StringOptions>(options: O): FieldOf<"string", O>;
export function string(options: StringOptions = {}): Field<"string"> {
  return createField("string", options);
}

const OPTION_NAMES = ["nullable", "searchable", "stored", "unique", "default", "oneOf"];
const fields = new WeakSet();

function createField<Type extends FieldType>(type: Type, options: StringOptions): Field<Type> {
  for (const name of Object.keys(options)) {
    if (!OPTION_NAMES.includes(name) || (name === "oneOf" && type === "int")) {
      throw new SchemaError(`${type}() has no option ${describe(name)}`);
    }
  }
  const nullable = options.nullable ?? false;
  const field: Field<Type> = Object.freeze({
    type,
    nullable,
    searchable: options.searchable ?? true,
    stored: options.stored ?? true,
    unique: options.unique ?? false,
    oneOf: options.oneOf === undefined ? undefined : Object.freeze([...options.oneOf]),
    default: options.default ?? (nullable ? null : undefined),
  });
  if (field.oneOf?.length === 0) throw new SchemaError("oneOf: needs at least one value");
  if (field.default !== undefined && toWire(field, field.default) === undefined) {
    throw new SchemaError(`default: ${explainRefusal(field, field.default)}`);
  }
  fields.add(field);
  return field;
}

/** Whether the value was made by {@link int} or {@link string}. */
export function isField(value: unknown): value is Field {
  return typeof value === "object" && value !== null && fields.has(value);
}

/**
 * The wire form of an input value (rules V2, V3, V5, V7), or `undefined` where the field refuses it;
 * {@link explainRefusal} then says why.
 */
export function toWire(field: Field, value: unknown): WireValue | undefined {
  if (value === null) return field.nullable ? null : undefined;
  if (field.type === "int") return toWireInteger(value);
  if (typeof value !== "string" || !value.isWellFormed()) return undefined;
  return field.oneOf === undefined || field.oneOf.includes(value) ? value : undefined;
}

/** Why {@link toWire} refused the value, as the end of a sentence that names the place. */
export function explainRefusal(field: Field, value: unknown): string {
  const given = describe(value);
  if (value === null) return "may not be null";
  if (field.type === "int") {
    return `must be an integer of magnitude at most 2^53 − 1, as a number, a bigint or a canonical decimal string, not ${given}`;
  }
  if (typeof value !== "string") return `must be a string, not ${given}`;
  if (!value.isWellFormed()) return `must be well-formed Unicode; ${given} holds a lone surrogate`;
  return `must be ${alternatives(field.oneOf ?? [])}, not ${given}`;
}
