// Record types: named fields, and the TypeScript types that follow from them.

import { describe, member, SchemaError } from "./errors.ts";
import { isField, type Field, type FieldType, type WireValue } from "./field.ts";
import { isMembers } from "./input.ts";
import type { Complete, Place } from "./place.ts";
import { standardOf, type StandardProperties } from "./standard.ts";

/** Fields by name. */
export type Fields = Readonly<Record<string, Field>>;

/** A record type: fields in the order in which records carry them. Frozen. */
export interface Schema<F extends Fields = Fields> {
  readonly fields: F;
  /** The interface for tools that accept any schema: Standard Schema, version 1. */
  readonly "~standard": StandardProperties<unknown, unknown>;
  /**
   * @internal The fields with their positions. Lists of a record's values use this order. The order of an
   * object's keys differs from the order in which they were written if keys look like array indexes.
   */
  readonly places: readonly Place[];
  /**
   * @internal Makes a record from the values of the fields, one at each position. Not called `create`:
   * tools would take the schema for one of another library, whose `create` parses.
   */
  readonly makeRecord: CreateRecord;
  /** @internal Reads a field of a record. */
  readonly readerOf: (field: string) => RecordReader;
  /**
   * @internal Flattens an input record to all its fields side by side; returns anything else as it is.
   */
  readonly complete: Complete | undefined;
}

/** A schema that also tells tools the types of the records that it accepts and returns. */
export interface DefinedSchema<F extends Fields> extends Schema<F> {
  readonly "~standard": StandardProperties<InputOfFields<F>, SearchRecordOfFields<F>>;
}

/** @internal */
export type RecordReader = (record: WireRecord) => WireValue;

/** @internal Functions that read a field each. */
export type RecordReaders = Readonly<Record<string, RecordReader>>;

/** @internal */
export type CreateRecord = (values: readonly WireValue[]) => WireRecord;

/** The names of a schema's fields. */
export type FieldName<S extends Schema> = keyof S["fields"] & string;

/** The names of the fields that criteria may use. */
export type SearchableName<S extends Schema> = NameWhere<S["fields"], "searchable", true>;

/** The names of the `unique` fields. */
export type UniqueName<S extends Schema> = NameWhere<S["fields"], "unique", true>;

/** The names of the fields with a value in a property. */
export type NameWhere<F extends Fields, Property extends keyof Field, Value> = {
  [K in keyof F & string]: Value extends F[K][Property] ? K : never;
}[keyof F & string];

type NullOf<F extends Field> = true extends F["nullable"] ? null : never;
/** The strings that a field accepts. */
export type ValueOf<F extends Field> = F extends Field<FieldType, infer Value> ? Value : never;
/** A record's value in a field. Each of these is a conditional: the compiler caches it for each field. */
type WireValueOf<F extends Field> =
  F extends Field<FieldType, infer Value> ? Value | NullOf<F> : never;
/** The input of a field: an integer also as a number or bigint. */
export type InputValueOf<F extends Field> = F["type"] extends "int"
  ? string | number | bigint | NullOf<F>
  : ValueOf<F> | NullOf<F>;

/**
 * An integer in a draft. It rejects `draft.size += 5`, which would turn `"5"` into `"55"`. Its text is
 * neither `string` nor a template alone, which the compiler takes for `string` in `+=`.
 */
export type DraftInteger = number | bigint | (`${bigint}` & {});

/** A draft's value in a field, and what it accepts. */
export type DraftValueOf<F extends Field> =
  F extends Field<infer Type, infer Value>
    ? | ("int" extends Type ? DraftInteger : never)
      | ("string" extends Type ? Value : never)
      | NullOf<F>
    : never;

/**
 * The same type without the names of the types it is made from: editors and messages show its members.
 */
export type Flat<T> = { [K in keyof T]: T[K] } & {};

/** A record in wire form, as queries return it: every stored field, each a string or `null`. */
export type RecordOf<S extends Schema> = RecordOfFields<S["fields"]>;
type RecordOfFields<F extends Fields> = {
  readonly [K in keyof F as true extends F[K]["stored"] ? K : never]: WireValueOf<F[K]>;
} & {};

/** Every field in wire form, including those that are not stored. */
export type SearchRecordOf<S extends Schema> = SearchRecordOfFields<S["fields"]>;
type SearchRecordOfFields<F extends Fields> = {
  readonly [K in keyof F]: WireValueOf<F[K]>;
} & {};

/**
 * A record in input form: integers also as numbers or bigints; fields that are nullable or have a default
 * may be left out.
 */
export type InputOf<S extends Schema> = InputOfFields<S["fields"]>;
type InputOfFields<F extends Fields> = Flat<
  {
    readonly [K in keyof F & string as undefined extends F[K]["default"] ? K : never]: InputValueOf<
      F[K]
    >;
  } & {
    readonly [K in keyof F & string as undefined extends F[K]["default"] ? never : K]?:
      InputValueOf<F[K]> | undefined;
  }
>;

/**
 * Defines a record type.
 *
 * @param fields the fields by name, each made by `int()` or `string()`, in the order in which
 *   records carry them. JavaScript puts keys that look like array indexes, such as `"2024"`, first.
 * @throws SchemaError if a member is not a field, or there is none
 */
export function defineSchema<const F extends Fields>(fields: F): DefinedSchema<F> {
  if (!isMembers(fields)) {
    throw new SchemaError(`fields: must be an object, not ${describe(fields)}`);
  }
  const entries = Object.entries(fields);
  if (entries.length === 0) throw new SchemaError("a schema needs at least one field");
  for (const [name, field] of entries) {
    if (!isField(field)) {
      throw new SchemaError(`${member("fields", name)}: must be made by int() or string()`);
    }
  }
  return schemaOf(fields, { names: entries.map(([name]) => name) });
}

/** @internal The parts of a schema besides its fields. */
export interface SchemaParts {
  /** The fields in order. Default: the order of the object's keys. */
  readonly names?: readonly string[];
  /** Makes records, in place of the general function. */
  readonly create?: CreateRecord;
  /** Read fields, in place of the general function. */
  readonly readers?: RecordReaders;
  readonly complete?: Complete | undefined;
}

/**
 * @internal A schema whose records may be made and read by functions of its own. With the fields written
 * out, V8 knows the position of each: making records is about five times as fast as with the general
 * function, and reading a field costs about half.
 */
export function schemaOf<const F extends Fields>(
  given: F,
  { names = Object.keys(given), create, readers = {}, complete }: SchemaParts = {},
): DefinedSchema<F> {
  const fields = Object.freeze({ ...given });
  const places = Object.freeze(names.map((name, position) => placeOf(fields, name, position)));
  const schema: DefinedSchema<F> = Object.freeze({
    fields,
    "~standard": standardOf<InputOfFields<F>, SearchRecordOfFields<F>>(places, complete),
    places,
    makeRecord: create === undefined ? recordMaker(places) : checkedMaker(places, create),
    readerOf: (field: string): RecordReader =>
      (Object.hasOwn(readers, field) ? readers[field] : undefined) ??
      ((record) => record[field] ?? null),
    complete,
  });
  schemas.add(schema);
  return schema;
}

function placeOf(fields: Fields, name: string, position: number): Place {
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (field === undefined) throw new SchemaError(`${member("fields", name)}: is not there`);
  return Object.freeze({ name, position, field });
}

/** The function itself, after checking that it puts each value under the name of its field. */
function checkedMaker(places: readonly Place[], create: CreateRecord): CreateRecord {
  const record = create(places.map(({ name }) => name));
  for (const { name, field } of places) {
    if (field.stored && record[name] !== name) {
      throw new SchemaError(`${member("fields", name)}: is not where its value is put`);
    }
  }
  return create;
}

const schemas = new WeakSet();

/** @internal Refuses anything but a schema: usually its fields, without a call of defineSchema. */
export function requireSchema(schema: unknown): asserts schema is Schema {
  if (typeof schema === "object" && schema !== null && schemas.has(schema)) return;
  throw new SchemaError(`schema: must be made by defineSchema(), not ${describe(schema)}`);
}

function recordMaker(places: readonly Place[]): CreateRecord {
  const stored = places.filter(({ field }) => field.stored);
  // A clone of a frozen object. V8 gives all frozen clones of a frozen object one hidden class, but each
  // frozen clone of an unfrozen object its own, at three times the memory.
  const template: WireRecord = Object.freeze(
    Object.fromEntries(stored.map(({ name }) => [name, null])),
  );
  return (values) => {
    const record: Record<string, WireValue> = { ...template };
    for (const { name, position } of stored) record[name] = values[position] ?? null;
    return record;
  };
}

/** The field of that name, or `undefined`; inherited names such as `constructor` are unknown (E11). */
export function fieldOf(schema: Schema, name: string): Field | undefined {
  return Object.hasOwn(schema.fields, name) ? schema.fields[name] : undefined;
}

/** Any record in wire form. */
export type WireRecord = Readonly<Record<string, WireValue>>;
