// What a record type is: named fields, and the TypeScript types that follow from them.

import { describe, member, SchemaError } from "./errors.ts";
import { isField, type Field, type FieldType, type WireValue } from "./field.ts";
import { isMembers } from "./input.ts";
import { standardOf, type StandardProperties } from "./standard.ts";

/** Fields by name. */
export type Fields = Readonly<Record<string, Field>>;

/** A record type: fields in the order in which records carry them. Frozen. */
export interface Schema<F extends Fields = Fields> {
  readonly fields: F;
  /** What tools that take any schema ask: the Standard Schema interface, version 1. */
  readonly "~standard": StandardProperties<unknown, unknown>;
  /**
   * @internal The fields with their positions. Whatever lists the values of a record lists them in
   * this order: that of the keys of an object is not the order in which they were written, where
   * keys look like array indexes.
   */
  readonly places: readonly Place[];
  /**
   * @internal Makes a record of the values of the fields, one at each position. Not called `create`:
   * tools would take the schema for one of another library, whose `create` parses.
   */
  readonly makeRecord: CreateRecord;
  /** @internal Reads a field of a record. */
  readonly readerOf: (field: string) => RecordReader;
  /** @internal Puts all fields of a record as it is given beside each other; anything else it passes on. */
  readonly complete: Complete | undefined;
}

/** Puts all fields of a record as it is given beside each other; anything else it passes on. */
export type Complete = (input: unknown) => unknown;

/** A schema that also tells the compiler which records it takes and gives, for tools that ask. */
export interface DefinedSchema<F extends Fields> extends Schema<F> {
  readonly "~standard": StandardProperties<InputOfFields<F>, SearchRecordOfFields<F>>;
}

/** A field's place in the order of a schema. */
export interface Place {
  readonly name: string;
  readonly position: number;
  readonly field: Field;
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

/** The names of the fields of which no two records have the same value. */
export type UniqueName<S extends Schema> = NameWhere<S["fields"], "unique", true>;

/** The names of the fields of which a property may have a value. */
export type NameWhere<F extends Fields, Property extends keyof Field, Value> = {
  [K in keyof F & string]: Value extends F[K][Property] ? K : never;
}[keyof F & string];

type NullOf<F extends Field> = true extends F["nullable"] ? null : never;
/** The strings that a field takes. */
export type ValueOf<F extends Field> = F extends Field<FieldType, infer Value> ? Value : never;
/** What a record holds in a field. Each of these is a conditional: the compiler keeps what it is of a field. */
type WireValueOf<F extends Field> =
  F extends Field<FieldType, infer Value> ? Value | NullOf<F> : never;
/** What a field takes: an integer also as a number or bigint. */
export type InputValueOf<F extends Field> = F["type"] extends "int"
  ? string | number | bigint | NullOf<F>
  : ValueOf<F> | NullOf<F>;

/**
 * An integer in a draft. Nothing can be added to it: `draft.size += 5` would make `"55"` of `"5"`.
 * Its text is not `string`, nor a template alone, which the compiler takes for `string` in `+=`.
 */
export type DraftInteger = number | bigint | (`${bigint}` & {});

/** What a draft holds in a field, and takes. */
export type DraftValueOf<F extends Field> =
  F extends Field<infer Type, infer Value>
    ? | ("int" extends Type ? DraftInteger : never)
      | ("string" extends Type ? Value : never)
      | NullOf<F>
    : never;

/** The same type without the names of those that it is made by: editors and messages show its members. */
export type Flat<T> = { [K in keyof T]: T[K] } & {};

/** A record in wire form, as queries return it: every stored field, each a string or `null`. */
export type RecordOf<S extends Schema> = RecordOfFields<S["fields"]>;
type RecordOfFields<F extends Fields> = {
  readonly [K in keyof F as true extends F[K]["stored"] ? K : never]: WireValueOf<F[K]>;
} & {};

/** Every field in wire form, those that are not stored included. */
export type SearchRecordOf<S extends Schema> = SearchRecordOfFields<S["fields"]>;
type SearchRecordOfFields<F extends Fields> = {
  readonly [K in keyof F]: WireValueOf<F[K]>;
} & {};

/**
 * A record as it is given: integers also as numbers or bigints; a field that may be `null` or has
 * a default may be left out.
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
 * @throws SchemaError where a member is not a field, or there is none
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

/** @internal What a schema has beside its fields. */
export interface SchemaParts {
  /** The fields in their order. Default: that of the object's keys. */
  readonly names?: readonly string[];
  /** Makes records instead of the general function. */
  readonly create?: CreateRecord;
  /** Read fields instead of the general function. */
  readonly readers?: RecordReaders;
  readonly complete?: Complete | undefined;
}

/**
 * @internal A schema whose records are perhaps made and read by functions of its own. With the
 * fields written out, V8 knows where each is: records are made about five times as fast as by the
 * general function, and reading a field costs about half.
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

/** The function itself, once it was seen to put each value under the name of its field. */
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

/** @internal Refuses what is not a schema: its fields, most often, that nobody called defineSchema on. */
export function requireSchema(schema: unknown): asserts schema is Schema {
  if (typeof schema === "object" && schema !== null && schemas.has(schema)) return;
  throw new SchemaError(`schema: must be made by defineSchema(), not ${describe(schema)}`);
}

function recordMaker(places: readonly Place[]): CreateRecord {
  const stored = places.filter(({ field }) => field.stored);
  // A clone of a frozen object: V8 gives all of them one hidden class when they are frozen, and to
  // frozen clones of an object that is not frozen one each, at three times the memory.
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
