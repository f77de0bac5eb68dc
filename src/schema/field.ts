// Fields: type and constraints, and the check that turns an input value into wire form.

import { flag, optional } from "./options.ts";
import { alternatives, describe, InputError, SchemaError } from "./errors.ts";
import { iterate, readMembers } from "./input.ts";
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
  Unique extends boolean = boolean,
> {
  readonly type: Type;
  /** Whether the value may be `null`. */
  readonly nullable: Nullable;
  /** Whether criteria may name the field. Every field can be sorted by. */
  readonly searchable: Searchable;
  /** Whether returned records carry the field. A field not stored is still searched and sorted. */
  readonly stored: Stored;
  /** Whether no two records of a collection may have the same value, `null` included. */
  readonly unique: Unique;
  /** The only allowed values, or `undefined` if any is. */
  readonly oneOf: readonly Value[] | undefined;
  /** The value of a record that leaves the field out; `undefined` if it may not be left out. */
  readonly default: Default;
}

export interface IntOptions<
  Nullable extends boolean = boolean,
  Searchable extends boolean = boolean,
  Stored extends boolean = boolean,
  Default extends string | number | bigint = string | number | bigint,
  Unique extends boolean = boolean,
> {
  /** Whether the value may be `null`; a record without the field then has `null`. */
  readonly nullable?: Nullable;
  /** Whether criteria may name the field. Default `true`. */
  readonly searchable?: Searchable;
  /** Whether returned records carry the field. Default `true`. */
  readonly stored?: Stored;
  /** Whether no two records of a collection may have the same value. Default `false`. */
  readonly unique?: Unique;
  /** The value of a record that leaves the field out. */
  readonly default?: Default;
}

export interface StringOptions<
  Nullable extends boolean = boolean,
  Searchable extends boolean = boolean,
  Stored extends boolean = boolean,
  Default extends string = string,
  Value extends string = string,
  Unique extends boolean = boolean,
> extends IntOptions<Nullable, Searchable, Stored, Default, Unique> {
  /** The only values that the field accepts. */
  readonly oneOf?: readonly Value[];
}

/** In wire form; if none is given, `null` for a nullable field, otherwise none. */
type DefaultOf<Given extends string | number | bigint, Nullable extends boolean> = [Given] extends [
  never,
]
  ? Nullable extends true
    ? null
    : undefined
  : `${Given}`;

/** Inferred from the options alone: inferred from its position, any field with these options would do. */
type FieldOf<
  Type extends FieldType,
  Value extends string,
  Nullable extends boolean,
  Searchable extends boolean,
  Stored extends boolean,
  Default extends string | number | bigint,
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
 * An integer field: canonical decimal strings of magnitude at most 2^53 − 1; sorts by number.
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
  options?: IntOptions<Nullable, Searchable, Stored, Default, Unique>,
): FieldOf<"int", string, Nullable, Searchable, Stored, Default, Unique>;
export function int(options: unknown = {}): Field<"int"> {
  return createField("int", options);
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

const FLAGS = ["nullable", "searchable", "stored", "unique"] as const;
const OPTION_NAMES = [...FLAGS, "default"] as const;
const fields = new WeakSet();

/** @internal A field of a type, with options that may be anything. @throws SchemaError */
export function createField<Type extends FieldType>(type: Type, options: unknown): Field<Type> {
  const names = type === "int" ? OPTION_NAMES : ([...OPTION_NAMES, "oneOf"] as const);
  const given = schemaErrors(() => readMembers(options, `${type}()`, names));
  const flagOf = (name: (typeof FLAGS)[number], otherwise: boolean): boolean =>
    schemaErrors(() => optional(flag, otherwise)(given[name], name));
  const nullable = flagOf("nullable", false);
  const searchable = flagOf("searchable", true);
  const stored = flagOf("stored", true);
  const unique = flagOf("unique", false);
  const oneOf = given.oneOf === undefined ? undefined : schemaErrors(() => readOneOf(given.oneOf));
  // Written out: V8 gives each frozen clone of an unfrozen object a hidden class of its own, which would
  // make every access to a member of a field a lookup.
  const fieldWith = (value: WireValue | undefined): Field<Type> =>
    Object.freeze({ type, nullable, searchable, stored, unique, oneOf, default: value });
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

/** Whether the value was made by {@link int} or {@link string}. */
export function isField(value: unknown): value is Field {
  return typeof value === "object" && value !== null && fields.has(value);
}

/**
 * The wire form of an input value (rules V2, V3, V5, V7), or `undefined` if the field refuses it;
 * {@link explainRefusal} then says why.
 */
export function toWire(field: Field, value: unknown): WireValue | undefined {
  if (value === null) return field.nullable ? null : undefined;
  if (field.type === "int") return toWireInteger(value);
  if (typeof value !== "string" || !value.isWellFormed()) return undefined;
  return field.oneOf === undefined || field.oneOf.includes(value) ? value : undefined;
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

/** Why {@link toWire} refused the value, as the end of a sentence that starts with the place. */
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
