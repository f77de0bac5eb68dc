// The types of the records of a schema.

import type {
  Fields,
  InputOfFields,
  InputValueOf,
  NewRecordOfFields,
  RecordOfFields,
  SearchRecordOfFields,
  SelectableOfFields,
} from "./field-types.ts";
import type { FieldName } from "./names.ts";
import type { Schema } from "./schema.ts";

/** A record as queries return it: every stored field, with its value as given or in wire form. */
export type RecordOf<S extends Schema> = RecordOfFields<S["fields"], S["form"]>;

/** The fields that a query may select, and their values: those of its records, and the computed ones. */
export type SelectableOf<S extends Schema> = SelectableOfFields<S["fields"], S["form"]>;

/** The value in counts by a field: one of its values, or an element of its arrays. */
export type CountedValueOf<S extends Schema, Name extends FieldName<S>> = ElementOf<
  SearchRecordOf<S>[Name]
>;
type ElementOf<Value> = Value extends readonly (infer Element)[] ? Element : Value;

/** A record with every field, including fields that are not stored and computed ones. */
export type SearchRecordOf<S extends Schema> = SearchRecordOfFields<S["fields"], S["form"]>;

/**
 * A record in input form: integers may also be strings or bigints; fields that are nullable or have a default may be
 * omitted.
 */
export type InputOf<S extends Schema> = InputOfFields<S["fields"]>;

/**
 * A record to insert, as {@link InputOf}, with values in the form that records hold them: an int is a number, so you can
 * compute with it. Each is also an `InputOf` the schema.
 */
export type NewRecordOf<S extends Schema> = NewRecordOfFields<S["fields"], S["form"]>;

/** The values that a field accepts in input, for functions that are generic over a field. */
export type FieldInputOf<S extends Schema, Name extends FieldName<S>> = InputValueOf<
  S["fields"][Name]
>;

/** The values of a unique combination, by field name. */
export type UniqueValuesOf<S extends Schema> = ValuesOfEach<S["fields"], S["unique"][number]>;
type ValuesOfEach<
  F extends Fields,
  Combination extends readonly string[],
> = Combination extends readonly string[]
  ? { readonly [K in Combination[number]]: InputValueOf<F[K]> }
  : never;
