// The types of questions that cross collections.

import type { Field, FieldTrait, JsonField, ListedField } from "../../schema/field.ts";
import type { Fields, TraitOf } from "../../schema/field-types.ts";
import type { References, Target } from "../../schema/references.ts";
import type { Schema } from "../../schema/schema.ts";
import type { SchemaOf } from "../collections.ts";

/** Collections, or others that have records of a schema, by their names. */
export type SchemasByName = Readonly<Record<string, { readonly schema: Schema }>>;

/**
 * The schema of a collection of a database with the fields of the records to which its own refer, such as
 * `customer.country`, up to three steps away. The compiler knows no longer paths: give these the type `string`, which is
 * checked at run time.
 */
export type JoinedSchema<C extends SchemasByName, Name extends keyof C> = string extends keyof C
  ? SchemaOf<C[Name]>
  : [PathName<C, FieldsOf<C, Name>, Steps> | HolderName<C, Name>] extends [never]
    ? SchemaOf<C[Name]>
    : Schema<JoinedFields<C, FieldsOf<C, Name>>, "values", never> & {
        /** Only for the compiler; absent at run time. */
        readonly "~conditions": {
          readonly [Holder in HolderName<C, Name>]: JoinedSchema<C, CollectionIn<C, Holder>>;
        };
      };

/** The collections that refer to one, such as `orders`, and the fields that do, such as `orders.customer`. */
type HolderName<C extends SchemasByName, To extends keyof C> = {
  [From in keyof C & string]: {
    [K in ReferenceName<C, FieldsOf<C, From>>]: FieldsOf<C, From>[K] extends References<
      infer Its extends Target
    >
      ? Its[0] extends To
        ? From | `${From}.${K}`
        : never
      : never;
  }[ReferenceName<C, FieldsOf<C, From>>];
}[keyof C & string];

type CollectionIn<C extends SchemasByName, Holder> = Holder extends keyof C
  ? Holder
  : Holder extends `${infer From extends keyof C & string}.${string}`
    ? From
    : never;

type FieldsOf<C extends SchemasByName, Name extends keyof C> = SchemaOf<C[Name]>["fields"];

/** One element for each step that a path may have. */
type Steps = [1, 1, 1];

type JoinedFields<C extends SchemasByName, F extends Fields> = F & {
  readonly [Path in PathName<C, F, Steps>]: FieldAtPath<C, F, Path>;
};

/** The fields that refer to records of the database. */
type ReferenceName<C extends SchemasByName, F extends Fields> = {
  [K in keyof F & string]: F[K] extends References<infer To extends Target>
    ? To[0] extends keyof C
      ? K
      : never
    : never;
}[keyof F & string];

/** The fields of the records to which a field refers. */
type FieldsBehind<C extends SchemasByName, F extends Field> =
  F extends References<infer To extends Target> ? FieldsOf<C, To[0]> : never;

type PathName<
  C extends SchemasByName,
  F extends Fields,
  Left extends readonly unknown[],
> = Left extends readonly [unknown, ...infer Fewer]
  ? {
      [By in ReferenceName<C, F>]: `${By}.${
        | (keyof FieldsBehind<C, F[By]> & string)
        | PathName<C, FieldsBehind<C, F[By]>, Fewer>}`;
    }[ReferenceName<C, F>]
  : never;

type FieldAtPath<
  C extends SchemasByName,
  F extends Fields,
  Path,
> = Path extends `${infer By extends keyof F & string}.${infer Rest}`
  ? Rest extends keyof FieldsBehind<C, F[By]>
    ? FieldOfOther<FieldsBehind<C, F[By]>[Rest]>
    : FieldAtPath<C, FieldsBehind<C, F[By]>, Rest>
  : never;

/** A field of another record: null without a reference, and in results only where it is selected. */
type FieldOfOther<F extends Field> =
  F extends JsonField<infer Value>
    ? JsonField<Value, OtherTraits<F>>
    : F extends ListedField<infer Value>
      ? ListedField<Value, OtherTraits<F>>
      : Field<F["type"], OtherTraits<F>>;

type OtherTraits<F extends Field> = readonly (
  | "nullable"
  | "computed"
  | Extract<TraitOf<F>, "unsearchable">
)[] &
  readonly FieldTrait[];
