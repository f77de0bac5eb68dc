// The types of the records of a schema.

import type {
  Fields,
  InputOfFields,
  InputValueOf,
  RecordOfFields,
  SearchRecordOfFields,
} from "./field-types.ts";
import type { FieldName } from "./names.ts";
import type { Schema } from "./schema.ts";

/** A record as queries return it: every stored field, its value as it was put in or in wire form. */
export type RecordOf<S extends Schema> = RecordOfFields<S["fields"], S["form"]>;

/** What counts by a field have: a value of it, or an element of strings. */
export type CountedValueOf<S extends Schema, Name extends FieldName<S>> = ElementOf<
  SearchRecordOf<S>[Name]
>;
type ElementOf<Value> = Value extends readonly (infer Element)[] ? Element : Value;

/** Every field, including those that are not stored. */
export type SearchRecordOf<S extends Schema> = SearchRecordOfFields<S["fields"], S["form"]>;

/**
 * A record in input form: integers also as numbers or bigints; fields that are nullable or have a default
 * may be left out.
 */
export type InputOf<S extends Schema> = InputOfFields<S["fields"]>;

/** The values of a combination that is unique, by the names of its fields. */
export type UniqueValuesOf<S extends Schema> = ValuesOfEach<S["fields"], S["unique"][number]>;
type ValuesOfEach<
  F extends Fields,
  Combination extends readonly string[],
> = Combination extends readonly string[]
  ? { readonly [K in Combination[number]]: InputValueOf<F[K]> }
  : never;
