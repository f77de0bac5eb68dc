// The parameter and result types of collections.

import type { DraftValueOf, Flat, Writable } from "../schema/field-types.ts";
import type { CountedValueOf, InputOf } from "../schema/record-types.ts";
import type { FieldName, NameOfType } from "../schema/names.ts";
import type { Schema } from "../schema/schema.ts";
import type { Versioned } from "../engine/changes/delta.ts";
import type { Column } from "../engine/execution/columns.ts";
import type { Summary, ValueSummary } from "../engine/execution/summary.ts";
import { Codec } from "../engine/columns/codec.ts";
import { type CollectionSettings } from "../engine/settings.ts";

/**
 * A record in a recipe: every field in the form of records, and the other members of input. In the service's records,
 * an int field accepts numbers, bigints and strings of integers; to add to it, write `draft.size = Number(draft.size) +
 * 5`. The result of a recipe is checked like an input record.
 */
export type DraftOf<S extends Schema, Input = InputOf<S>> = Flat<
  {
    -readonly [K in FieldName<S>]: "json" extends S["fields"][K]["type"]
      ? Writable<DraftValueOf<S["fields"][K], S["form"]>>
      : DraftValueOf<S["fields"][K], S["form"]>;
  } & {
    -readonly [K in keyof Input as K extends FieldName<S> ? never : K]: Writable<Input[K]>;
  }
>;

/** Changes the draft of a record, or returns another record, as in Immer. */
export type Recipe<S extends Schema, Input = InputOf<S>> = (draft: DraftOf<S, Input>) => unknown;

/** New values of some fields, in any input form. `undefined` changes nothing. */
export type ChangesOf<Input> = { readonly [K in keyof Input]?: Input[K] | undefined };

/** A record to upsert: with `merge`, only the fields that change and those that identify it. */
export type UpsertInput<Input, Merge extends boolean = false> = Merge extends true
  ? ChangesOf<Input>
  : Input;

/**
 * Input records. An array is also iterable; listing it separately lets the compiler report errors at one of its
 * records.
 */
export type Records<Input> = readonly Input[] | Iterable<Input>;

/** The names of the int and float fields. */
export type NumericName<S extends Schema> =
  | NameOfType<S["fields"], "int">
  | NameOfType<S["fields"], "float">;

/** The number of first characters to count a field by. Only for string fields. */
export type PrefixFor<S extends Schema, Name> =
  Name extends NameOfType<S["fields"], "string"> ? number | undefined : undefined;

/** The quantiles of a field. Only for fields of numbers. */
export type QuantilesFor<S extends Schema, Name> =
  Name extends NumericName<S> ? readonly number[] : readonly [];

/** The summary of a field. */
export type SummaryOf<S extends Schema, Name, Quantiles extends readonly number[]> =
  Name extends NumericName<S> ? Summary<Quantiles> : ValueSummary;

/** The columns of some fields, in the order of the given names. */
export type ColumnsOf<S extends Schema, Names extends readonly string[]> = {
  readonly [I in keyof Names]: Column<
    Names[I] extends FieldName<S> ? CountedValueOf<S, Names[I]> : never
  >;
};

export interface CollectionState<S extends Schema = Schema> extends Versioned {
  readonly codec: Codec<S>;
  readonly options: CollectionSettings;
}

/**
 * The `this` of methods that read a collection. Their types depend on it alone, so they can also be called on a union:
 * `db[name]` with `name: "orders" | "customers"`.
 */
export interface HasSchema {
  readonly schema: Schema;
}
