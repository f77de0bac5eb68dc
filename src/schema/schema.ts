// What a record type is: named fields, and the TypeScript types that follow from them.

import { describe, member, SchemaError } from "./errors.ts";
import { isField, type Field, type FieldType, type WireValue } from "./field.ts";

/** Fields by name. */
export type Fields = Readonly<Record<string, Field>>;

/** A record type: fields in the order in which records carry them. Frozen. */
export interface Schema<F extends Fields = Fields> {
  readonly fields: F;
  /** @internal Makes a record of the values of the fields, in their order. */
  readonly create: CreateRecord;
  /** @internal Reads a field of a record. */
  readonly readerOf: (field: string) => RecordReader;
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
export type SearchableName<S extends Schema> = {
  [K in FieldName<S>]: true extends S["fields"][K]["searchable"] ? K : never;
}[FieldName<S>];

type StoredName<S extends Schema> = {
  [K in FieldName<S>]: true extends S["fields"][K]["stored"] ? K : never;
}[FieldName<S>];

type NullOf<F extends Field> = true extends F["nullable"] ? null : never;
type ValueOf<F extends Field> = F extends Field<FieldType, infer Value> ? Value : never;
type InputValueOf<F extends Field> = F["type"] extends "int"
  ? string | number | bigint
  : ValueOf<F>;
type Flat<T> = { [K in keyof T]: T[K] };

/** A record in wire form, as queries return it: every stored field, each a string or `null`. */
export type RecordOf<S extends Schema> = Flat<{
  readonly [K in StoredName<S>]: ValueOf<S["fields"][K]> | NullOf<S["fields"][K]>;
}>;

/** Every field in wire form, those that are not stored included: what a predicate reads. */
export type SearchRecordOf<S extends Schema> = Flat<{
  readonly [K in FieldName<S>]: ValueOf<S["fields"][K]> | NullOf<S["fields"][K]>;
}>;

type OptionalName<S extends Schema> = {
  [K in FieldName<S>]: undefined extends S["fields"][K]["default"] ? never : K;
}[FieldName<S>];

/**
 * A record as it is given: integers also as numbers or bigints; a field that may be `null` or has
 * a default may be left out.
 */
export type InputOf<S extends Schema> = Flat<
  {
    readonly [K in Exclude<FieldName<S>, OptionalName<S>>]:
      InputValueOf<S["fields"][K]> | NullOf<S["fields"][K]>;
  } & {
    readonly [K in OptionalName<S>]?:
      InputValueOf<S["fields"][K]> | NullOf<S["fields"][K]> | undefined;
  }
>;

/**
 * Defines a record type.
 *
 * @param fields the fields by name, each made by `int()` or `string()`, in the order in which
 *   records carry them
 * @throws SchemaError where a member is not a field, or there is none
 */
export function defineSchema<const F extends Fields>(fields: F): Schema<F> {
  const names = Object.keys(fields);
  if (names.length === 0) throw new SchemaError("a schema needs at least one field");
  for (const name of names) {
    if (!isField(fields[name])) {
      throw new SchemaError(`${member("fields", name)}: must be made by int() or string()`);
    }
  }
  return schemaOf(fields, recordMaker(fields));
}

/**
 * @internal A schema whose records are made by a function, and read by others. With the fields
 * written out, V8 knows where each is: records are made about five times as fast as by the
 * general function, and reading a field costs about half.
 */
export function schemaOf<const F extends Fields>(
  fields: F,
  create: CreateRecord,
  readers: RecordReaders = {},
): Schema<F> {
  const schema = Object.freeze({
    fields: Object.freeze({ ...fields }),
    create,
    readerOf: (field: string): RecordReader =>
      (Object.hasOwn(readers, field) ? readers[field] : undefined) ??
      ((record) => record[field] ?? null),
  });
  schemas.add(schema);
  return schema;
}

const schemas = new WeakSet();

/** @internal Refuses what is not a schema: its fields, most often, that nobody called defineSchema on. */
export function requireSchema(schema: unknown): void {
  if (typeof schema === "object" && schema !== null && schemas.has(schema)) return;
  throw new SchemaError(`schema: must be made by defineSchema(), not ${describe(schema)}`);
}

function recordMaker(fields: Fields): CreateRecord {
  const names = Object.keys(fields);
  const stored = names.flatMap((name, position) =>
    fields[name]?.stored === true ? [{ name, position }] : [],
  );
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
