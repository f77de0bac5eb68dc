// Schemas: named, ordered fields, and the functions that make, change and read records of them.

import { isFolded } from "./folding.ts";
import { describe, member, notMadeBy, SchemaError } from "./errors.ts";
import { isField, schemaErrors } from "./create-field.ts";
import {
  comparisonText,
  isComputed,
  isText,
  textFormOfStored,
  type Field,
  type FieldType,
  type FieldValue,
  type RecordForm,
  type TextValue,
} from "./field.ts";
import { isMembers, readMembers } from "./input.ts";
import { computedPlaces, type ComputedPlace } from "./computed.ts";
import type { DeriveFields, Place } from "./place.ts";
import type {
  AnyRecord,
  ComputedFields,
  Fields,
  InputOfFields,
  ValidatedOfFields,
  WithComputed,
} from "./field-types.ts";
import { rowMaker } from "./row-maker.ts";
import { standardOf, type StandardProperties } from "./standard.ts";
import { readCombinations, type UniqueConstraint } from "./unique.ts";

/** A record type: fields in the order in which records have them. Frozen. */
export interface Schema<
  F extends Fields = Fields,
  Form extends RecordForm = RecordForm,
  Combination extends readonly string[] = readonly string[],
> {
  readonly fields: F;
  readonly form: Form;
  /** The combinations of fields that are unique: no two records have the same values in all of them. */
  readonly unique: readonly Combination[];
  /** The interface for tools that accept any schema: Standard Schema, version 1. */
  readonly "~standard": StandardProperties<unknown, unknown>;
  /**
   * @internal The fields with their positions. Lists of a record's values use this order. An object's key order is not
   *   always the order in which the keys were written: keys that look like array indexes come first.
   */
  readonly places: readonly Place[];
  /** @internal The unique fields, then the unique combinations. */
  readonly constraints: readonly UniqueConstraint[];
  /**
   * @internal The unique combinations by the names of their columns, which rows and indexes have in addition to those
   *   of fields.
   */
  readonly combinations: ReadonlyMap<string | symbol, UniqueConstraint>;
  /**
   * @internal Makes a record from the values of the fields, in the order of their positions. Not named `create`, by
   *   which some tools recognise schemas of another library.
   */
  readonly makeRecord: CreateRecord;
  /** @internal A record with other values in some of its stored fields. */
  readonly changeRecord: ChangeRecord;
  /**
   * @internal Reads the string by which a field of a record is compared: its text form, in lower case if the field
   *   ignores case; or the text form itself, by the name of its column.
   */
  readonly readerOf: (column: string | symbol) => RecordReader;
  /**
   * @internal For each field that ignores case, the name of the column with its text forms. The column of the field has
   *   the lower-case strings.
   */
  readonly spellings: ReadonlyMap<string, symbol>;
  /** @internal Flattens an input record, so that all fields are direct members; returns anything else unchanged. */
  readonly deriveFields: DeriveFields | undefined;
  /** @internal The fields that `deriveFields` reads or fills in, and those that computed fields read. */
  readonly derivedFields: readonly string[];
  /** @internal The computed fields. */
  readonly computed: ReadonlyMap<string, ComputedPlace>;
}

/** A schema that also tells tools the types of the records that it accepts and returns. */
export interface DefinedSchema<F extends Fields, Form extends RecordForm = "values"> extends Schema<
  F,
  Form,
  never
> {
  readonly "~standard": StandardProperties<InputOfFields<F>, ValidatedOfFields<F, Form>>;
}

/** A schema with unique combinations of fields. */
export interface CombinedSchema<
  F extends Fields,
  Form extends RecordForm,
  Combination extends readonly string[],
> extends Schema<F, Form, Combination> {
  readonly "~standard": StandardProperties<InputOfFields<F>, ValidatedOfFields<F, Form>>;
}

/** @internal */
export type RecordReader = (record: AnyRecord) => TextValue;

/** @internal Makes a record from the values that the schema's records hold. */
export type CreateRecord = (values: readonly FieldValue[]) => AnyRecord;

type CreateWireRecord = (values: readonly TextValue[]) => AnyRecord;

/** @internal A new value of a field. */
export interface FieldChange extends Place {
  /** The value in the form of records. */
  readonly stored: FieldValue;
}

/** @internal */
export type ChangeRecord = (record: AnyRecord, changes: readonly FieldChange[]) => AnyRecord;

/** The options of `defineSchema`. */
export interface SchemaOptions<
  Combination extends readonly string[],
  Name extends string = string,
  Computed extends Fields = Fields,
> {
  /**
   * Computed fields, such as `{ total: float({ compute: (record) => record.price * record.quantity }) }`. They are fields
   * like those of the first argument, after which they come; here the compiler infers the record that functions take.
   */
  readonly computed?: Computed | undefined;
  /**
   * Combinations of fields, such as `[["list", "email"]]`: no two records of a collection may have the same values in
   * all fields of one. A record with `null` in one of them never conflicts. Default: none.
   */
  readonly unique?: readonly Combination[] | undefined;
  /**
   * The names of all fields, in the order in which records have them. Default: the order of the object's keys, of which
   * JavaScript puts those that look like array indexes, such as `"2024"`, first.
   */
  readonly order?: readonly Name[] | undefined;
}

/**
 * Defines a record type.
 *
 * @param fields the fields by name, made by `int()`, `string()` and the like, in the order in which records have them
 * @param options `computed`: computed fields; `unique`: combinations of fields that are unique; `order`: the order of the
 *   fields, if the keys of the object have another one
 * @throws SchemaError if there are no members, or one is not a field; with the path of a combination without two fields;
 *   if `order` does not name each field once; or if a path does not start with a json field
 */
export function defineSchema<const F extends Fields>(fields: F): DefinedSchema<F>;
export function defineSchema<
  const F extends Fields,
  const C extends ComputedFields<F> = Record<never, never>,
  const Combination extends readonly ((keyof F | keyof C) & string)[] = never,
>(
  fields: F,
  options: SchemaOptions<Combination, NoInfer<`${(keyof F | keyof C) & (string | number)}`>, C>,
): CombinedSchema<WithComputed<F, C>, "values", Combination>;
export function defineSchema(
  fields: Fields,
  options: SchemaOptions<readonly string[]> = {},
): Schema {
  if (!isMembers(fields)) {
    throw new SchemaError(`fields: must be an object, not ${describe(fields)}`);
  }
  const entries = fieldsIn(fields, "fields");
  if (entries.length === 0) throw new SchemaError("a schema needs at least one field");
  const { computed, unique, order } = schemaErrors(() =>
    readMembers(options, "options", ["computed", "unique", "order"]),
  );
  return schemaOfEntries([...entries, ...computedIn(computed, entries)], "values", {
    unique,
    order,
  });
}

type Entries = readonly (readonly [name: string, field: Field])[];

function fieldsIn(fields: Readonly<Record<string, unknown>>, place: string): Entries {
  return Object.entries(fields).map(([name, field]) => {
    if (isField(field)) return [name, field];
    const makers = "int(), float(), boolean(), string(), strings(), json() or time()";
    throw new SchemaError(`${member(place, name)}: ${notMadeBy(makers, field)}`);
  });
}

function computedIn(given: unknown, others: Entries): Entries {
  if (given === undefined) return [];
  if (!isMembers(given)) {
    throw new SchemaError(`computed: must be an object, not ${describe(given)}`);
  }
  const computed = fieldsIn(given, "computed");
  for (const [name, field] of computed) {
    const place = member("computed", name);
    if (!isComputed(field)) {
      throw new SchemaError(`${place}: needs the option path or compute`);
    }
    if (others.some(([other]) => other === name)) {
      throw new SchemaError(`${place}: there is already a field of this name`);
    }
  }
  return computed;
}

/** @internal The parts of a schema besides its fields. */
export interface SchemaParts<Form extends RecordForm = RecordForm> {
  readonly form: Form;
  /** The fields in order. Default: the order of the object's keys. */
  readonly names?: readonly string[];
  /** Makes records in wire form, instead of the general function. */
  readonly create?: CreateWireRecord;
  readonly deriveFields?: DeriveFields | undefined;
  readonly derivedFields?: readonly string[];
  /** The unique combinations of fields, unchecked. Default: none. */
  readonly unique?: unknown;
}

/**
 * @internal The schema of fields in a given order: an object would put names such as `0` first.
 *
 * @param options unchecked; `order`: another order than that of the entries
 * @throws SchemaError if a unique combination or the order is not valid
 */
export function schemaOfEntries(
  fields: Iterable<readonly [name: string, field: Field]>,
  form: RecordForm,
  { unique, order }: { readonly unique?: unknown; readonly order?: unknown } = {},
): Schema {
  const all = new Map(fields);
  const names = order === undefined ? [...all.keys()] : readOrder(all, order);
  return schemaOf(Object.fromEntries(all), { form, names, unique });
}

function readOrder(fields: ReadonlyMap<string, Field>, given: unknown): readonly string[] {
  if (!Array.isArray(given)) {
    throw new SchemaError(`order: must be a list of the names of fields, not ${describe(given)}`);
  }
  const names = new Set<string>();
  for (const [i, name] of Array.from<unknown>(given).entries()) {
    if (typeof name !== "string" || !fields.has(name)) {
      throw new SchemaError(`order[${i}]: unknown field ${describe(name)}`);
    }
    if (names.has(name)) throw new SchemaError(`order[${i}]: repeats ${describe(name)}`);
    names.add(name);
  }
  for (const name of fields.keys()) {
    if (!names.has(name)) throw new SchemaError(`order: lacks the field ${describe(name)}`);
  }
  return [...names];
}

/**
 * @internal A schema whose records may be made by a custom function. With the fields written out, V8 knows the position
 *   of each: loading Contacts is 1.6 times as fast as with the general function ({@link rowMaker}).
 */
export function schemaOf<
  const F extends Fields,
  const Form extends RecordForm,
  Combination extends readonly string[] = never,
>(
  given: F,
  {
    form,
    names = Object.keys(given),
    create,
    deriveFields,
    derivedFields = [],
    unique,
  }: SchemaParts<Form>,
): CombinedSchema<F, Form, Combination> {
  const fields = Object.freeze({ ...given });
  const places = Object.freeze(names.map((name, position) => placeOf(fields, name, position)));
  const combinations = readCombinations(places, unique);
  // As given, with the type that `defineSchema` infers.
  const named: readonly Combination[] = Object.freeze(
    combinations.map((each) => Object.freeze(each.places.map(({ name }) => name)) as never),
  );
  const computed = computedPlaces(places);
  if (computed.length > 0 && form !== "values") {
    throw new SchemaError("computed fields need records that hold values");
  }
  const computedByName = new Map(computed.map((place) => [place.name, place]));
  const sources = computed.flatMap((place) => place.sources.map(({ name }) => name));
  const ofFields = places.filter(({ field }) => field.unique);
  const makeRecord = create === undefined ? recordMaker(places) : checkedMaker(places, create);
  const spellings = new Map<string, symbol>();
  const fieldOfSpelling = new Map<symbol, string>();
  for (const { name, field } of places) {
    if (!isFolded(field)) continue;
    const spelling = Symbol(name);
    spellings.set(name, spelling);
    fieldOfSpelling.set(spelling, name);
  }
  const textFormReaderOf = (field: string): RecordReader => {
    const place = computedByName.get(field);
    if (place !== undefined) return (record) => textFormOfStored(place.field, place.read(record));
    return readerOf(field, form === "values" ? fields[field]?.type : undefined);
  };
  const readerIn = (column: string | symbol): RecordReader => {
    if (typeof column === "symbol") {
      const name = fieldOfSpelling.get(column);
      return name === undefined ? () => null : textFormReaderOf(name);
    }
    const read = textFormReaderOf(column);
    const field = spellings.has(column) ? fields[column] : undefined;
    return field === undefined ? read : (record) => comparisonText(field, read(record));
  };
  const schema: CombinedSchema<F, Form, Combination> = Object.freeze({
    fields,
    form,
    unique: named,
    "~standard": standardOf<InputOfFields<F>, ValidatedOfFields<F, Form>>(
      places,
      form,
      deriveFields,
      computedByName,
    ),
    places,
    constraints: [
      ...ofFields.map((place) => ({ name: place.name, places: [place] as const })),
      ...combinations,
    ],
    combinations: new Map(combinations.map((each) => [each.name, each])),
    makeRecord,
    changeRecord: remakerOf(makeRecord, places),
    readerOf: readerIn,
    spellings,
    deriveFields,
    derivedFields: [...derivedFields, ...sources],
    computed: computedByName,
  });
  schemas.add(schema);
  return schema;
}

/** Reads the text form of a field. @param type of the value, if it is not its own text form */
function readerOf(name: string, type: FieldType | undefined): RecordReader {
  if (type === undefined || isText(type)) return (record) => (record[name] ?? null) as TextValue;
  return (record) => textFormOfStored({ type }, record[name] ?? null);
}

function placeOf(fields: Fields, name: string, position: number): Place {
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (field === undefined) throw new SchemaError(`${member("fields", name)}: is missing`);
  return Object.freeze({ name, position, field });
}

/** Returns the function after checking that it puts each value under the name of its field. */
function checkedMaker(places: readonly Place[], create: CreateWireRecord): CreateRecord {
  const record = create(places.map(({ name }) => name));
  for (const { name, field } of places) {
    if (field.stored && record[name] !== name) {
      throw new SchemaError(`${member("fields", name)}: its value is stored under another name`);
    }
  }
  // Given for records in wire form only.
  return create as CreateRecord;
}

/**
 * A clone of a record would get a hidden class of its own. The members of all records are in one order, and listing their
 * values takes a fraction of the time of reading them by name.
 */
function remakerOf(make: CreateRecord, places: readonly Place[]): ChangeRecord {
  const nulls = places.map(() => null);
  const positionOf = new Map(places.map(({ name, position }) => [name, position]));
  const positions = Object.keys(make(nulls)).map((name) => positionOf.get(name) ?? 0);
  return (record, changes) => {
    const values: FieldValue[] = nulls.slice();
    Object.values(record).forEach((value, i) => (values[positions[i] ?? 0] = value));
    for (const { position, stored } of changes) values[position] = stored;
    return make(values);
  };
}

const schemas = new WeakSet();

/** @internal Whether the value was made by {@link defineSchema}. */
export function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && schemas.has(value);
}

/** @internal Throws for anything but a schema: usually for fields without a call of defineSchema. */
export function requireSchema(schema: unknown): asserts schema is Schema {
  if (isSchema(schema)) return;
  throw new SchemaError(`schema: ${notMadeBy("defineSchema()", schema)}`);
}

function recordMaker(places: readonly Place[]): CreateRecord {
  const stored = places.filter(({ field }) => field.stored);
  return rowMaker(
    stored.map(({ name }) => name),
    stored.map(({ position }) => position),
  );
}
