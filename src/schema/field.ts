// Fields: type and constraints, and the check that turns an input value into wire form.

import { alternatives, describe, InputError, SchemaError } from "./errors.ts";
import { iterate, readMembers } from "./input.ts";
import { describeFault, parseJson, toJson, toJsonValue, type JsonValue } from "./json.ts";
import { parseNumber, toWireFloat, toWireInteger } from "./numbers.ts";
import { flag, optional } from "./options.ts";

/** A value in wire form: what criteria compare (rules V1 and V10). */
export type WireValue = string | null;

/** What a field of each type holds (rule V10). */
export interface ValueByType {
  int: number;
  float: number;
  boolean: boolean;
  string: string;
  json: JsonValue;
}

export type FieldType = keyof ValueByType;

/** A value in a record: as it was put in, or in wire form, as the schema says. */
export type FieldValue = JsonValue;

/**
 * What records hold: the values that were put in, or their wire texts. `"contract"` is the wire form with the
 * operators that the service's contract lists, and no others.
 */
export type RecordForm = "values" | "wire" | "contract";

/** A field of a schema. Made by {@link int}, {@link string} and the like; frozen. */
export interface Field<
  Type extends FieldType = FieldType,
  Value = unknown,
  Nullable extends boolean = boolean,
  Searchable extends boolean = boolean,
  Stored extends boolean = boolean,
  Default extends WireValue | undefined = WireValue | undefined,
  Unique extends boolean = boolean,
> {
  readonly type: Type;
  /** Whether the value may be `null`. */
  readonly nullable: Nullable;
  /** Whether criteria may name the field. Every field but one of JSON can be sorted by. */
  readonly searchable: Searchable;
  /** Whether returned records carry the field. A field not stored is still searched and sorted. */
  readonly stored: Stored;
  /** Whether no two records of a collection may have the same value, `null` included. */
  readonly unique: Unique;
  /** The only allowed values, or `undefined` if any is. */
  readonly oneOf: readonly (Value & string)[] | undefined;
  /** Whether values are compared and sorted in lower case (rule V11). Records keep their spelling. */
  readonly ignoreCase: boolean;
  /** The value of a record that leaves the field out, in wire form; `undefined` if it may not be left out. */
  readonly default: Default;
}

/** The options of a field that is stored but not searched. */
export interface JsonOptions<Nullable extends boolean = boolean, Default = unknown> {
  /** Whether the value may be `null`; a record without the field then has `null`. */
  readonly nullable?: Nullable;
  /** The value of a record that leaves the field out. */
  readonly default?: Default;
}

/** The options of a field that can be searched and sorted by. */
export interface FieldOptions<
  Nullable extends boolean = boolean,
  Searchable extends boolean = boolean,
  Stored extends boolean = boolean,
  Default = unknown,
  Unique extends boolean = boolean,
> extends JsonOptions<Nullable, Default> {
  /** Whether criteria may name the field. Default `true`. */
  readonly searchable?: Searchable;
  /** Whether returned records carry the field. Default `true`. */
  readonly stored?: Stored;
  /** Whether no two records of a collection may have the same value. Default `false`. */
  readonly unique?: Unique;
}

export interface StringOptions<
  Nullable extends boolean = boolean,
  Searchable extends boolean = boolean,
  Stored extends boolean = boolean,
  Default extends string = string,
  Value extends string = string,
  Unique extends boolean = boolean,
> extends FieldOptions<Nullable, Searchable, Stored, Default, Unique> {
  /** The only values that the field accepts. */
  readonly oneOf?: readonly Value[];
  /**
   * Whether every operator, the order, and uniqueness compare the lower case of both sides, as
   * `toLowerCase()` gives it, without a locale. A record keeps its spelling. Not with `oneOf`. Default
   * `false`.
   */
  readonly ignoreCase?: string extends Value ? boolean : false;
}

/** In wire form; if none is given, `null` for a nullable field, otherwise none. */
type DefaultOf<Given, Nullable extends boolean> = [Given] extends [never]
  ? Nullable extends true
    ? null
    : undefined
  : Given extends string | number | bigint | boolean
    ? `${Given}`
    : string;

/** Inferred from the options alone: inferred from its position, any field with these options would do. */
type FieldOf<
  Type extends FieldType,
  Value,
  Nullable extends boolean,
  Searchable extends boolean,
  Stored extends boolean,
  Default,
  Unique extends boolean,
> = Field<
  Type,
  NoInfer<Value>,
  NoInfer<Nullable>,
  NoInfer<Searchable>,
  NoInfer<Stored>,
  NoInfer<DefaultOf<Default, Nullable>>,
  NoInfer<Unique>
>;

/**
 * An integer field: safe integers, given as numbers, bigints or canonical decimal strings; sorts by number.
 *
 * @throws SchemaError if an option is unknown, is of another type, or is a default that the field
 *   would refuse; its message names the option
 */
export function int<
  const Nullable extends boolean = false,
  const Searchable extends boolean = true,
  const Stored extends boolean = true,
  const Default extends string | number | bigint = never,
  const Unique extends boolean = false,
>(
  options?: FieldOptions<Nullable, Searchable, Stored, Default, Unique>,
): FieldOf<"int", number, Nullable, Searchable, Stored, Default, Unique>;
export function int(options: unknown = {}): Field<"int"> {
  return createField("int", options);
}

/**
 * A field of finite numbers, given as such or as the text that `String` gives; sorts by number.
 *
 * @throws SchemaError as {@link int} does
 */
export function float<
  const Nullable extends boolean = false,
  const Searchable extends boolean = true,
  const Stored extends boolean = true,
  const Default extends number = never,
  const Unique extends boolean = false,
>(
  options?: FieldOptions<Nullable, Searchable, Stored, Default, Unique>,
): FieldOf<"float", number, Nullable, Searchable, Stored, Default, Unique>;
export function float(options: unknown = {}): Field<"float"> {
  return createField("float", options);
}

/**
 * A field of `true` and `false`, given as such or as these texts; `false` sorts first.
 *
 * @throws SchemaError as {@link int} does
 */
export function boolean<
  const Nullable extends boolean = false,
  const Searchable extends boolean = true,
  const Stored extends boolean = true,
  const Default extends boolean = never,
  const Unique extends boolean = false,
>(
  options?: FieldOptions<Nullable, Searchable, Stored, Default, Unique>,
): FieldOf<"boolean", boolean, Nullable, Searchable, Stored, Default, Unique>;
export function boolean(options: unknown = {}): Field<"boolean"> {
  return createField("boolean", options);
}

/**
 * A string field: well-formed Unicode; sorts by code point.
 *
 * @throws SchemaError if an option is unknown, is of another type, or is a default that the field
 *   would refuse, and if `oneOf` is empty or has a value twice; its message names the option
 */
export function string<
  const Nullable extends boolean = false,
  const Searchable extends boolean = true,
  const Stored extends boolean = true,
  const Default extends string = never,
  const Value extends string = string,
  const Unique extends boolean = false,
>(
  options?: StringOptions<Nullable, Searchable, Stored, Default, Value, Unique>,
): FieldOf<"string", Value, Nullable, Searchable, Stored, Default, Unique>;
export function string(options: unknown = {}): Field<"string"> {
  return createField("string", options);
}

type JsonField<Value, Nullable extends boolean> = Field<
  "json",
  NoInfer<Value>,
  Nullable,
  false,
  true,
  Nullable extends true ? WireValue : WireValue | undefined,
  false
>;

/**
 * A field of JSON values, which are stored but neither searched nor sorted by. A record holds a frozen copy.
 * Not for schemas in wire form.
 *
 * @typeParam Value the type of the values; nothing checks it
 * @throws SchemaError as {@link int} does
 */
export function json<Value = JsonValue>(
  options: JsonOptions<true> & { readonly nullable: true },
): JsonField<Value, true>;
export function json<Value = JsonValue>(options?: JsonOptions<false>): JsonField<Value, false>;
export function json<Value = JsonValue>(options: JsonOptions): JsonField<Value, boolean>;
export function json(options: unknown = {}): Field<"json"> {
  return createField("json", options);
}

type Flag = "nullable" | "searchable" | "stored" | "unique" | "ignoreCase";
const OPTION_NAMES = ["nullable", "searchable", "stored", "unique", "default"] as const;

/** The properties of a type. */
interface TypeRow<Type extends FieldType> {
  readonly options: readonly (Flag | "default" | "oneOf")[];
  /** Completes "must be …". */
  readonly accepts: string;
  /** The wire text of an input value, `null` excepted; `undefined` if it is refused. */
  readonly toWire: (value: unknown) => string | undefined;
  /** The value of a wire text. */
  readonly fromWire: (text: string) => ValueByType[Type];
}

const types: { readonly [Type in FieldType]: TypeRow<Type> } = {
  int: {
    options: OPTION_NAMES,
    accepts:
      "an integer of magnitude at most 2^53 − 1, as a number, a bigint or a canonical decimal string",
    toWire: toWireInteger,
    fromWire: parseNumber,
  },
  float: {
    options: OPTION_NAMES,
    accepts: "a finite number, or its text as JavaScript writes it",
    toWire: toWireFloat,
    fromWire: parseNumber,
  },
  boolean: {
    options: OPTION_NAMES,
    accepts: "true or false",
    toWire: (value) =>
      value === true || value === "true"
        ? "true"
        : value === false || value === "false"
          ? "false"
          : undefined,
    fromWire: (text) => text === "true",
  },
  string: {
    options: [...OPTION_NAMES, "oneOf", "ignoreCase"],
    accepts: "a string",
    toWire: (value) => (typeof value === "string" && value.isWellFormed() ? value : undefined),
    fromWire: (text) => text,
  },
  json: {
    options: ["nullable", "default"],
    accepts: "a JSON value nested at most 500 deep, its strings of well-formed Unicode",
    toWire: toJson,
    fromWire: parseJson,
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

const fields = new WeakSet();

/** @internal A field of a type, with options that may be anything. @throws SchemaError */
export function createField<Type extends FieldType>(type: Type, options: unknown): Field<Type> {
  const given = schemaErrors(() => readMembers(options, `${type}()`, types[type].options));
  const flagOf = (name: Flag, otherwise: boolean): boolean =>
    schemaErrors(() => optional(flag, otherwise)(given[name], name));
  const nullable = flagOf("nullable", false);
  const searchable = flagOf("searchable", type !== "json");
  const stored = flagOf("stored", true);
  const unique = flagOf("unique", false);
  const oneOf = given.oneOf === undefined ? undefined : schemaErrors(() => readOneOf(given.oneOf));
  const ignoreCase = flagOf("ignoreCase", false);
  if (ignoreCase && oneOf !== undefined) {
    throw new SchemaError(
      "ignoreCase: may not be used with oneOf, which says how values are spelled",
    );
  }
  // Written out: V8 gives each frozen clone of an unfrozen object a hidden class of its own, which would
  // make every access to a member of a field a lookup.
  const fieldWith = (value: WireValue | undefined): Field<Type> =>
    Object.freeze({
      type,
      nullable,
      searchable,
      stored,
      unique,
      oneOf,
      ignoreCase,
      default: value,
    });
  const field = fieldWith(defaultOf(fieldWith(undefined), given.default));
  fields.add(field);
  return field;
}

/** The default in wire form; `undefined` if the field may not be left out. */
function defaultOf(field: Field, given: unknown): WireValue | undefined {
  if (given === undefined) return field.nullable ? null : undefined;
  const wire = toWire(field, given);
  if (wire === undefined) throw new SchemaError(`default: ${explainRefusal(field, given)}`);
  return wire;
}

function readOneOf(given: unknown): readonly string[] {
  if (!Array.isArray(given))
    throw new SchemaError(`oneOf: must be an array, not ${describe(given)}`);
  const values = new Set<string>();
  for (const value of iterate(given, "oneOf")) {
    if (typeof value !== "string" || !value.isWellFormed()) {
      throw new SchemaError(
        `oneOf: must hold strings of well-formed Unicode, not ${describe(value)}`,
      );
    }
    if (values.has(value)) throw new SchemaError(`oneOf: has ${describe(value)} twice`);
    values.add(value);
  }
  if (values.size === 0) throw new SchemaError("oneOf: needs at least one value");
  return Object.freeze([...values]);
}

/** Returns the result of `read`; if the options can't be read, the schema is at fault. */
function schemaErrors<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof InputError) throw new SchemaError(error.message, { cause: error.cause });
    throw error;
  }
}

/** Whether the value was made by {@link int}, {@link string} or the like. */
export function isField(value: unknown): value is Field {
  return typeof value === "object" && value !== null && fields.has(value);
}

/**
 * The wire form of an input value (rules V2, V3, V5, V7 and V10), or `undefined` if the field refuses it;
 * {@link explainRefusal} then says why.
 */
export function toWire({ type, nullable, oneOf }: Field, value: unknown): WireValue | undefined {
  if (value === null) return nullable ? null : undefined;
  const wire = types[type].toWire(value);
  return wire === undefined || oneOf === undefined || oneOf.includes(wire) ? wire : undefined;
}

/** The text by which a wire text is compared and sorted in a field (rule V11). */
export function comparisonText<Wire extends WireValue>(
  { ignoreCase }: Pick<Field, "ignoreCase">,
  wire: Wire,
): Wire | string {
  return ignoreCase && wire !== null ? wire.toLowerCase() : wire;
}

/** The value of a wire text in a field. */
export function fromWire({ type }: Field, text: string): FieldValue {
  return types[type].fromWire(text);
}

/** The value of a wire text in a field, as records of a form hold it. */
export function heldValue(form: RecordForm, field: Field, wire: WireValue): FieldValue {
  return wire === null || form !== "values" ? wire : fromWire(field, wire);
}

/** The value that a record holds for an input value, if records hold values; `undefined` if the field refuses it. */
export function toHeld(field: Field, value: unknown): FieldValue | undefined {
  const { type } = field;
  if (type === "json" && value !== null) return toJsonValue(value);
  // A number needs no text. The sum is 0 for −0.
  if (typeof value === "number" && isNumeric(type)) {
    const isHeld = type === "int" ? Number.isSafeInteger(value) : Number.isFinite(value);
    return isHeld ? value + 0 : undefined;
  }
  const wire = toWire(field, value);
  return typeof wire === "string" ? fromWire(field, wire) : wire;
}

/** The wire text of a value that records of any form hold in a field. */
export function wireOfHeld({ type }: Pick<Field, "type">, held: FieldValue): WireValue {
  // Texts are their own wire texts, and so are all values in wire form.
  if (held === null || (typeof held === "string" && type !== "json")) return held;
  return type === "json" || typeof held === "object" ? JSON.stringify(held) : String(held);
}

/**
 * The wire form of a record's value in a field, or its default if the field is left out (V6), or the
 * reason why it is refused. Reads only own properties, and each once.
 */
export function readField(
  record: Readonly<Record<string, unknown>>,
  name: string,
  field: Field,
): readonly [wire: WireValue, reason?: undefined] | readonly [wire: undefined, reason: string] {
  const given = Object.hasOwn(record, name) ? record[name] : undefined;
  const wire = given === undefined ? field.default : toWire(field, given);
  if (wire !== undefined) return [wire];
  return [undefined, given === undefined ? "is missing" : explainRefusal(field, given)];
}

/** @internal Stands for a value that could not be converted for its field. Every field refuses it, for a reason of its own. */
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

/** Why {@link toWire} refused the value, as the end of a sentence that starts with the place. */
export function explainRefusal({ type, oneOf }: Field, value: unknown): string {
  if (value === null) return "may not be null";
  if (value instanceof Unreadable) return value.reason;
  const given = type === "json" ? describeFault(value) : describe(value);
  if (type !== "string" || typeof value !== "string") {
    return `must be ${types[type].accepts}, not ${given}`;
  }
  if (!value.isWellFormed()) return `must be well-formed Unicode; ${given} holds a lone surrogate`;
  return `must be ${alternatives(oneOf ?? [])}, not ${given}`;
}
