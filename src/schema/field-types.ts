// The types of the values of fields, and of the records that have them.

import type {
  ComputedField,
  Field,
  FieldTrait,
  FieldTraits,
  FieldType,
  FieldValue,
  JsonField,
  RecordForm,
  TextValue,
} from "./field.ts";

/** An instant: a `Date`, epoch milliseconds, or an ISO 8601 text. */
export type TimeInput = Date | number | bigint | string;

/** Fields by name. */
export type Fields = Readonly<Record<string, Field>>;

/** The traits of a field; for a field that is known only at run time, all possible traits. */
export type TraitOf<F extends Field> =
  F extends Field<FieldType, infer Traits extends FieldTraits> ? Traits[number] : never;
/** Whether a field certainly has a trait. */
type Has<F extends Field, Trait extends FieldTrait> =
  FieldTrait extends TraitOf<F> ? false : Trait extends TraitOf<F> ? true : false;
/** Whether a field certainly has one of some traits. */
type HasOne<F extends Field, Trait extends FieldTrait> =
  FieldTrait extends TraitOf<F> ? false : [TraitOf<F> & Trait] extends [never] ? false : true;
/** Whether criteria may name a field. Also true for fields that are known only at run time. */
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
      : F["type"] extends "strings"
        ? readonly string[]
        : F["type"] extends "time"
          ? string
          : F extends JsonField<infer Value>
            ? Value
            : unknown;
/** A record's value in a field. A conditional type per field type, because the compiler caches each. */
type RecordValueOf<F extends Field, Form extends RecordForm> = "values" extends Form
  ? ValueOf<F> | NullOf<F>
  : F["type"] extends "string"
    ? (ValueOf<F> & string) | NullOf<F>
    : string | NullOf<F>;

/** The input of a field: for an int field, also a string or bigint. Conditional types, which editors resolve. */
export type InputValueOf<F extends Field> = F["type"] extends "int"
  ? string | number | bigint | NullOf<F>
  : F["type"] extends "float"
    ? number | `${number}` | NullOf<F>
    : F["type"] extends "boolean"
      ? boolean | `${boolean}` | NullOf<F>
      : F["type"] extends "time"
        ? TimeInput | NullOf<F>
        : ValueOf<F> | NullOf<F>;

/**
 * An integer in a draft in wire form. It rejects `draft.size += 5`, which would turn `"5"` into `"55"`. Its type is
 * neither `string` nor a template alone, since `+=` would widen these to `string`.
 */
export type DraftInteger = number | bigint | (`${bigint}` & {});

/** What a draft in wire form contains and accepts. */
type DraftByType<Value> = {
  int: DraftInteger;
  float: number | (`${number}` & {});
  boolean: boolean | `${boolean}`;
  string: Value;
  strings: Value;
  json: Value;
  time: TimeInput;
};

/** A draft's value in a field, and what it accepts. */
export type DraftValueOf<F extends Field, Form extends RecordForm> = "values" extends Form
  ? ValueOf<F> | NullOf<F>
  : DraftByType<ValueOf<F>>[F["type"]] | NullOf<F>;

/**
 * A value whose members can be assigned, at any depth. Not Immer's own type, which would appear in declarations of
 * programs that do not depend on Immer.
 */
export type Writable<T> = T extends readonly unknown[]
  ? number extends T["length"]
    ? Writable<T[number]>[]
    : WritableMembers<T>
  : T extends object
    ? WritableMembers<T>
    : T;
type WritableMembers<T> = { -readonly [K in keyof T]: Writable<T[K]> };

/** The same type without the names of the types it is made from, so that editors and messages show its members. */
export type Flat<T> = { [K in keyof T]: T[K] } & {};

/** A record of some fields as queries return it: every stored field, with its value as given or in wire form. */
export type RecordOfFields<F extends Fields, Form extends RecordForm> = {
  readonly [
    K in keyof F as HasOne<F[K], "unstored" | "computed"> extends true ? never : K
  ]: RecordValueOf<F[K], Form>;
} & {};

/** The fields that a query may select: those of its records, and the computed ones. */
export type SelectableOfFields<F extends Fields, Form extends RecordForm> = {
  readonly [K in keyof F as Has<F[K], "unstored"> extends true ? never : K]: RecordValueOf<
    F[K],
    Form
  >;
} & {};

/** Computed fields, whose functions take records of the other fields. */
export type ComputedFields<F extends Fields> = Readonly<
  Record<string, ComputedField<FieldType, FieldTraits, RecordOfFields<F, "values">>>
>;

/** Fields with computed ones, of which there may be none. */
export type WithComputed<F extends Fields, C extends Fields> = [keyof C] extends [never]
  ? F
  : Flat<F & C>;

/** A record with every field, including fields that are not stored and computed ones. */
export type SearchRecordOfFields<F extends Fields, Form extends RecordForm> = {
  readonly [K in keyof F]: RecordValueOf<F[K], Form>;
} & {};

/**
 * A validated record, which is in no collection: it has no computed fields, and a number that a collection gives may be
 * `undefined`.
 */
export type ValidatedOfFields<F extends Fields, Form extends RecordForm> = {
  readonly [K in keyof F as Has<F[K], "computed"> extends true ? never : K]:
    | RecordValueOf<F[K], Form>
    | UnnumberedOf<F[K]>;
} & {};
type UnnumberedOf<F extends Field> = Has<F, "next"> extends true ? undefined : never;

/** A record of some fields in input form. */
export type InputOfFields<F extends Fields> = Flat<
  {
    readonly [
      K in keyof F & string as HasOne<F[K], "default" | "nullable" | "computed"> extends true
        ? never
        : K
    ]: InputValueOf<F[K]>;
  } & {
    readonly [K in keyof F & string as MayBeLeftOut<F[K]> extends true ? K : never]?:
      | InputValueOf<F[K]>
      | undefined;
  }
>;
/** A record of some fields to insert, with values as records hold them. */
export type NewRecordOfFields<F extends Fields, Form extends RecordForm> = {
  [K in keyof InputOfFields<F>]:
    | RecordValueOf<F[K & keyof F], Form>
    | Extract<InputOfFields<F>[K], undefined>;
} & {};

/** Whether an input record may omit a field. Fields known only at run time may all be omitted. */
type MayBeLeftOut<F extends Field> =
  Has<F, "computed"> extends true ? false : HasOne<F, "default" | "nullable">;

/** Any record in wire form. */
export type WireRecord = Readonly<Record<string, TextValue>>;

/** Any record, whatever its form. */
export type AnyRecord = Readonly<Record<string, FieldValue>>;
