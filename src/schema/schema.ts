// Record types: named fields, and the TypeScript types that follow from them.

import { describe, member, quote, SchemaError, type Refuse } from "./errors.ts";
import { isField } from "./declare.ts";
import {
  comparisonText,
  isNumeric,
  wireOfHeld,
  type Field,
  type FieldTrait,
  type FieldTraits,
  type FieldType,
  type FieldValue,
  type JsonField,
  type RecordForm,
  type WireValue,
} from "./field.ts";
import { isMembers } from "./input.ts";
import { suggestion } from "./nearest.ts";
import { oneOf, optional, readOptions } from "./options.ts";
import type { Complete, Place } from "./place.ts";
import { rowMaker } from "./row-maker.ts";
import { standardOf, type StandardProperties } from "./standard.ts";

/** Fields by name. */
export type Fields = Readonly<Record<string, Field>>;

/** A record type: fields in the order in which records carry them. Frozen. */
export interface Schema<F extends Fields = Fields, Form extends RecordForm = RecordForm> {
  readonly fields: F;
  readonly form: Form;
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
  /** @internal A record with other values in some of its stored fields. */
  readonly changeRecord: ChangeRecord;
  /**
   * @internal Reads the text by which a field of a record is compared: its wire text, or the lower case of
   * that if the field ignores case; or the wire text itself, by the name of its column.
   */
  readonly readerOf: (column: string | symbol) => RecordReader;
  /**
   * @internal For each field that ignores case, the name of the column of its wire texts. The column of the
   * field holds the texts that are compared.
   */
  readonly spellings: ReadonlyMap<string, symbol>;
  /**
   * @internal Flattens an input record to all its fields side by side; returns anything else as it is.
   */
  readonly complete: Complete | undefined;
  /** @internal The fields that `complete` reads or fills in. */
  readonly completed: readonly string[];
}

/** A schema that also tells tools the types of the records that it accepts and returns. */
export interface DefinedSchema<F extends Fields, Form extends RecordForm = "values"> extends Schema<
  F,
  Form
> {
  readonly "~standard": StandardProperties<InputOfFields<F>, SearchRecordOfFields<F, Form>>;
}

/** @internal */
export type RecordReader = (record: AnyRecord) => WireValue;

/** @internal Makes a record from the values that the schema's records hold. */
export type CreateRecord = (values: readonly FieldValue[]) => AnyRecord;

type CreateWireRecord = (values: readonly WireValue[]) => AnyRecord;

/** @internal A new value of a field. */
export interface FieldChange extends Place {
  readonly wire: WireValue;
  /** The value as records hold it. */
  readonly held: FieldValue;
}

/** @internal */
export type ChangeRecord = (record: AnyRecord, changes: readonly FieldChange[]) => AnyRecord;

/** The names of a schema's fields. */
export type FieldName<S extends Schema> = keyof S["fields"] & string;

/** The names of the fields that criteria may use. */
export type SearchableName<S extends Schema> = {
  [K in FieldName<S>]: IsSearchable<S["fields"][K]> extends true ? K : never;
}[FieldName<S>];

/** The names of the `unique` fields. */
export type UniqueName<S extends Schema> = {
  [K in FieldName<S>]: "unique" extends TraitOf<S["fields"][K]> ? K : never;
}[FieldName<S>];

/** The names of the fields of a type. */
export type NameOfType<F extends Fields, Type extends FieldType> = {
  [K in keyof F & string]: Type extends F[K]["type"] ? K : never;
}[keyof F & string];

/** The names of the fields that can be sorted by and counted by: all but those of JSON. */
export type SortableName<S extends Schema> = NamesOf<S>["sortable"];
/** A member of an interface: the compiler evaluates it once for a schema. */
export interface NamesOf<S extends Schema> {
  readonly sortable: keyof SortableFields<S["fields"]> & string;
}
type SortableFields<F extends Fields> = {
  [K in keyof F as F[K]["type"] extends "json" ? never : K]: F[K];
};

/** The traits of a field; of one that is known only at run time, all that it may have. */
type TraitOf<F extends Field> =
  F extends Field<FieldType, infer Traits extends FieldTraits> ? Traits[number] : never;
/** Whether a field surely has a trait. */
type Has<F extends Field, Trait extends FieldTrait> =
  FieldTrait extends TraitOf<F> ? false : Trait extends TraitOf<F> ? true : false;
/** Whether criteria may name a field: a field that is known only at run time, too. */
export type IsSearchable<F extends Field> = F["type"] extends "json"
  ? false
  : Has<F, "unsearchable"> extends true
    ? false
    : true;
type NullOf<F extends Field> = "nullable" extends TraitOf<F> ? null : never;
/** The values that a field accepts. */
export type ValueOf<F extends Field> = F["type"] extends "int" | "float"
  ? number
  : F["type"] extends "boolean"
    ? boolean
    : F["type"] extends "string"
      ? F["oneOf"] extends readonly (infer Value)[]
        ? Value
        : string
      : F extends JsonField<infer Value>
        ? Value
        : unknown;
/** A record's value in a field. Each of these is a conditional: the compiler caches it for each field. */
type RecordValueOf<F extends Field, Form extends RecordForm> = "values" extends Form
  ? ValueOf<F> | NullOf<F>
  : F["type"] extends "string"
    ? (ValueOf<F> & string) | NullOf<F>
    : string | NullOf<F>;

/** The input of a field: an integer also as text or bigint. Conditionals, which editors resolve. */
export type InputValueOf<F extends Field> = F["type"] extends "int"
  ? string | number | bigint | NullOf<F>
  : F["type"] extends "float"
    ? number | `${number}` | NullOf<F>
    : F["type"] extends "boolean"
      ? boolean | `${boolean}` | NullOf<F>
      : ValueOf<F> | NullOf<F>;

/**
 * An integer in a draft in wire form. It rejects `draft.size += 5`, which would turn `"5"` into `"55"`. Its
 * text is neither `string` nor a template alone, which the compiler takes for `string` in `+=`.
 */
export type DraftInteger = number | bigint | (`${bigint}` & {});

/** What a draft in wire form holds and accepts. */
type DraftByType<Value> = {
  int: DraftInteger;
  float: number | (`${number}` & {});
  boolean: boolean | `${boolean}`;
  string: Value;
  json: Value;
};

/** A draft's value in a field, and what it accepts. */
export type DraftValueOf<F extends Field, Form extends RecordForm> = "values" extends Form
  ? ValueOf<F> | NullOf<F>
  : DraftByType<ValueOf<F>>[F["type"]] | NullOf<F>;

/**
 * A value whose members can be assigned, at any depth. Of our own: the declarations of a program that uses these
 * types would otherwise name Immer, which it need not have among its dependencies.
 */
export type Writable<T> = T extends readonly unknown[]
  ? number extends T["length"]
    ? Writable<T[number]>[]
    : WritableMembers<T>
  : T extends object
    ? WritableMembers<T>
    : T;
type WritableMembers<T> = { -readonly [K in keyof T]: Writable<T[K]> };

/**
 * The same type without the names of the types it is made from: editors and messages show its members.
 */
export type Flat<T> = { [K in keyof T]: T[K] } & {};

/** A record as queries return it: every stored field, its value as it was put in or in wire form. */
export type RecordOf<S extends Schema> = RecordOfFields<S["fields"], S["form"]>;
type RecordOfFields<F extends Fields, Form extends RecordForm> = {
  readonly [K in keyof F as Has<F[K], "unstored"> extends true ? never : K]: RecordValueOf<
    F[K],
    Form
  >;
} & {};

/** Every field, including those that are not stored. */
export type SearchRecordOf<S extends Schema> = SearchRecordOfFields<S["fields"], S["form"]>;
type SearchRecordOfFields<F extends Fields, Form extends RecordForm> = {
  readonly [K in keyof F]: RecordValueOf<F[K], Form>;
} & {};

/**
 * A record in input form: integers also as numbers or bigints; fields that are nullable or have a default
 * may be left out.
 */
export type InputOf<S extends Schema> = InputOfFields<S["fields"]>;
type InputOfFields<F extends Fields> = Flat<
  {
    readonly [K in keyof F & string as MayBeLeftOut<F[K]> extends true ? never : K]: InputValueOf<
      F[K]
    >;
  } & {
    readonly [K in keyof F & string as MayBeLeftOut<F[K]> extends true ? K : never]?:
      | InputValueOf<F[K]>
      | undefined;
  }
>;
/** Whether an input record may lack a field: of fields that are known only at run time, all are written out. */
type MayBeLeftOut<F extends Field> = true extends Has<F, "default"> | Has<F, "nullable">
  ? true
  : false;

/** What a schema's records hold. */
export interface SchemaOptions<Form extends RecordForm = RecordForm> {
  /**
   * `"values"`: what was put in, numbers as numbers. `"wire"`: the text of each value, as the service's own
   * records have it. `"contract"`: the same, and only the operators of the service's contract. Criteria mean
   * the same in all. Default `"values"`.
   */
  readonly form?: Form | undefined;
}

const schemaOptions = {
  form: optional<RecordForm>(oneOf("values", "wire", "contract"), "values"),
};

/**
 * Defines a record type.
 *
 * @param fields the fields by name, each made by `int()`, `float()`, `boolean()`, `string()` or `json()`, in
 *   the order in which records carry them. JavaScript puts keys that look like array indexes, such as
 *   `"2024"`, first.
 * @throws SchemaError if there are no members, one is not a field, or a schema in wire form has a field of
 *   JSON; InputError if an option is not valid
 */
export function defineSchema<const F extends Fields, const Form extends RecordForm = "values">(
  fields: F,
  options?: SchemaOptions<Form>,
): DefinedSchema<F, NoInfer<Form>>;
export function defineSchema<F extends Fields>(
  fields: F,
  options: unknown = {},
): DefinedSchema<F, RecordForm> {
  if (!isMembers(fields)) {
    throw new SchemaError(`fields: must be an object, not ${describe(fields)}`);
  }
  const { form } = readOptions(options, "options", schemaOptions);
  const entries = Object.entries(fields);
  if (entries.length === 0) throw new SchemaError("a schema needs at least one field");
  for (const [name, field] of entries) {
    if (!isField(field)) {
      throw new SchemaError(
        `${member("fields", name)}: must be made by int(), float(), boolean(), string() or json()`,
      );
    }
    if (form !== "values" && field.type === "json") {
      throw new SchemaError(`${member("fields", name)}: JSON needs records that hold values`);
    }
  }
  return schemaOf(fields, { form, names: entries.map(([name]) => name) });
}

/** @internal The parts of a schema besides its fields. */
export interface SchemaParts<Form extends RecordForm = RecordForm> {
  readonly form: Form;
  /** The fields in order. Default: the order of the object's keys. */
  readonly names?: readonly string[];
  /** Makes records in wire form, in place of the general function. */
  readonly create?: CreateWireRecord;
  /** Read fields of records in wire form, in place of the general function. */
  readonly readers?: Readonly<Record<string, (record: WireRecord) => WireValue>>;
  readonly complete?: Complete | undefined;
  readonly completed?: readonly string[];
}

/** @internal The schema of fields in an order of their own: in an object, names such as `0` come first. */
export function schemaOfEntries(
  fields: Iterable<readonly [name: string, field: Field]>,
  form: RecordForm,
): Schema {
  const all = new Map(fields);
  return schemaOf(Object.fromEntries(all), { form, names: [...all.keys()] });
}

/**
 * @internal A schema whose records may be made and read by functions of its own. With the fields written
 * out, V8 knows the position of each: making records is about five times as fast as with the general
 * function, and reading a field costs about half.
 */
export function schemaOf<const F extends Fields, const Form extends RecordForm>(
  given: F,
  {
    form,
    names = Object.keys(given),
    create,
    readers = {},
    complete,
    completed = [],
  }: SchemaParts<Form>,
): DefinedSchema<F, Form> {
  const fields = Object.freeze({ ...given });
  const places = Object.freeze(names.map((name, position) => placeOf(fields, name, position)));
  const makeRecord = create === undefined ? recordMaker(places) : checkedMaker(places, create);
  const spellings = new Map<string, symbol>();
  const fieldOfSpelling = new Map<symbol, string>();
  for (const { name, field } of places) {
    if (!field.ignoreCase) continue;
    const spelling = Symbol(name);
    spellings.set(name, spelling);
    fieldOfSpelling.set(spelling, name);
  }
  const wireReaderOf = (field: string): RecordReader =>
    // Given for records in wire form only.
    (Object.hasOwn(readers, field) ? (readers[field] as RecordReader) : undefined) ??
    readerOf(field, form === "values" ? fields[field]?.type : undefined);
  const readerIn = (column: string | symbol): RecordReader => {
    if (typeof column === "symbol") {
      const name = fieldOfSpelling.get(column);
      return name === undefined ? () => null : wireReaderOf(name);
    }
    const read = wireReaderOf(column);
    return spellings.has(column)
      ? (record) => comparisonText({ ignoreCase: true }, read(record))
      : read;
  };
  const schema: DefinedSchema<F, Form> = Object.freeze({
    fields,
    form,
    "~standard": standardOf<InputOfFields<F>, SearchRecordOfFields<F, Form>>(
      places,
      form,
      complete,
    ),
    places,
    makeRecord,
    changeRecord: remakerOf(
      makeRecord,
      places,
      create === undefined ? (name) => (record) => record[name] ?? null : wireReaderOf,
    ),
    readerOf: readerIn,
    spellings,
    complete,
    completed,
  });
  schemas.add(schema);
  return schema;
}

/** Reads the wire text of a field. @param type of the value, if it is not its own wire text */
function readerOf(name: string, type: FieldType | undefined): RecordReader {
  if (type === undefined || type === "string")
    return (record) => (record[name] ?? null) as WireValue;
  return (record) => wireOfHeld({ type }, record[name] ?? null);
}

function placeOf(fields: Fields, name: string, position: number): Place {
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (field === undefined) throw new SchemaError(`${member("fields", name)}: is not there`);
  return Object.freeze({ name, position, field });
}

/** Returns the function after checking that it puts each value under the name of its field. */
function checkedMaker(places: readonly Place[], create: CreateWireRecord): CreateRecord {
  const record = create(places.map(({ name }) => name));
  for (const { name, field } of places) {
    if (field.stored && record[name] !== name) {
      throw new SchemaError(`${member("fields", name)}: is not where its value is put`);
    }
  }
  // Given for records in wire form only.
  return create as CreateRecord;
}

/** A clone of a record would get a hidden class of its own. @param readerOf reads what a record holds */
function remakerOf(
  make: CreateRecord,
  places: readonly Place[],
  readerOf: (field: string) => (record: AnyRecord) => FieldValue,
): ChangeRecord {
  const readers = places.map(({ name }) => readerOf(name));
  return (record, changes) => {
    const values = readers.map((read) => read(record));
    for (const { position, held } of changes) values[position] = held;
    return make(values);
  };
}

const schemas = new WeakSet();

/** @internal Whether the value was made by {@link defineSchema}. */
export function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && schemas.has(value);
}

/** @internal Refuses anything but a schema: usually its fields, without a call of defineSchema. */
export function requireSchema(schema: unknown): asserts schema is Schema {
  if (isSchema(schema)) return;
  throw new SchemaError(`schema: must be made by defineSchema(), not ${describe(schema)}`);
}

function recordMaker(places: readonly Place[]): CreateRecord {
  const stored = places.filter(({ field }) => field.stored);
  return rowMaker(
    stored.map(({ name }) => name),
    stored.map(({ position }) => position),
  );
}

/** The field of that name, or `undefined`; inherited names such as `constructor` are unknown (E11). */
export function fieldOf(schema: Schema, name: string): Field | undefined {
  return Object.hasOwn(schema.fields, name) ? schema.fields[name] : undefined;
}

/**
 * The field of a name from a caller.
 *
 * @param refuse makes the error to throw, from a reason that is the end of a sentence
 */
export function knownField(schema: Schema, name: unknown, refuse: Refuse): Field {
  const field = typeof name === "string" ? fieldOf(schema, name) : undefined;
  if (field !== undefined) return field;
  const near = typeof name === "string" ? suggestion(name, Object.keys(schema.fields)) : "";
  const code = typeof name === "string" ? "unknown_field" : "invalid";
  throw refuse(`unknown field ${describe(name)}${near}`, { code });
}

/**
 * The field that sorting, counting or an index names.
 *
 * @param refuse makes the error to throw, from a reason that is the end of a sentence
 */
export function sortableField(
  schema: Schema,
  name: unknown,
  refuse: Refuse,
): readonly [name: string, field: Field] {
  const field = knownField(schema, name, refuse);
  if (field.type !== "json") return [String(name), field];
  throw refuse(`${quote(String(name))} is a json field, which can't be sorted, counted or indexed`);
}

/** The column of the wire texts of a field, or of a column that belongs to no field. */
export function wireColumn<Name extends string | symbol>(
  { spellings }: Schema,
  column: Name,
): Name | symbol {
  return (typeof column === "string" ? spellings.get(column) : undefined) ?? column;
}

/** Like {@link sortableField}, the field of numbers that a histogram or a summary names. */
export function numericField(
  schema: Schema,
  given: unknown,
  refuse: Refuse,
): readonly [name: string, field: Field] {
  const [name, field] = sortableField(schema, given, refuse);
  if (isNumeric(field.type)) return [name, field];
  throw refuse(`must be an int or float field, not ${quote(name)}`);
}

/** Any record in wire form. */
export type WireRecord = Readonly<Record<string, WireValue>>;

/** Any record, whatever its form. */
export type AnyRecord = Readonly<Record<string, FieldValue>>;
