// The types of queries of groups, and of the groups that they find.

import type { CheckedCriteria } from "../criteria/criteria.ts";
import type { Flat } from "../schema/field-types.ts";
import type { Field } from "../schema/field.ts";
import type { CountableName, FieldName, NameOfType, SortableName } from "../schema/names.ts";
import type { CountedValueOf } from "../schema/record-types.ts";
import type { DefinedSchema, Schema } from "../schema/schema.ts";
import type {
  AggregateFields,
  AggregateFinds,
  AggregateName,
  AggregateTakesShare,
} from "./aggregates/aggregates.ts";
import type { Totals } from "./aggregates/totals.ts";
import type { CalendarPart, TimeUnit } from "./execution/calendar.ts";
import type { SortOrder } from "./query.ts";

/** The names of the int and float fields. */
type NumberName<S extends Schema> =
  | NameOfType<S["fields"], "int">
  | NameOfType<S["fields"], "float">;

/** What records are grouped by: the values of a field, or a part of them, under the name `as`. */
export type GroupKey<S extends Schema = Schema> =
  | CountableName<S>
  | WholeKey<CountableName<S>>
  | PrefixKey<NameOfType<S["fields"], "string">>
  | CalendarKey<NumberName<S>>
  | TimeKey<NameOfType<S["fields"], "time">>
  | WidthKey<NumberName<S>>
  | EdgesKey<NumberName<S>>;

/** By the values of a field. */
export interface WholeKey<Name extends string = string> {
  readonly field: Name;
  readonly as?: string;
  // So that the keys below are not taken for this one, whatever their fields.
  readonly prefix?: undefined;
  readonly step?: undefined;
  readonly width?: undefined;
  readonly edges?: undefined;
}

/** By the first characters (Unicode code points) of strings. A shorter string counts as itself. */
export interface PrefixKey<Name extends string = string> {
  readonly field: Name;
  /** How many, at least 1. */
  readonly prefix: number;
  readonly as?: string;
}

/** By steps of the calendar, or by what repeats. */
export interface CalendarKey<Name extends string = string> {
  /** Numbers that count from the start of 1970 in UTC. */
  readonly field: Name;
  /**
   * A `"minute"`, `"hour"`, `"day"`, `"week"` from Monday, `"month"`, `"quarter"` or `"year"`: the key is its start.
   * `"weekday"`: from 1, Monday, to 7. `"hourOfDay"`: from 0 to 23.
   */
  readonly step: CalendarPart;
  /** What the numbers count. Default `"milliseconds"`. */
  readonly unit?: TimeUnit;
  /** A zone of the IANA database, such as `"Europe/Berlin"`. Default `"UTC"`. */
  readonly zone?: string;
  readonly as?: string;
}

/** By steps of the calendar of a time field, whose key is a time as well, or by what repeats. */
export interface TimeKey<Name extends string = string> {
  readonly field: Name;
  /** As for numbers. */
  readonly step: CalendarPart;
  /** A zone of the IANA database. Default: that of the field. */
  readonly zone?: string | undefined;
  readonly as?: string;
  readonly unit?: undefined;
}

/** By ranges of equal width: the key is where the range begins. */
export interface WidthKey<Name extends string = string> {
  readonly field: Name;
  /** Greater than 0. */
  readonly width: number;
  /** Where a range begins. Default 0. */
  readonly origin?: number;
  readonly as?: string;
}

/** By ranges between given numbers: the key is where the range begins, or `-Infinity` below the first number. */
export interface EdgesKey<Name extends string = string> {
  readonly field: Name;
  /** Ascending, from 1 to 10,000 of them. */
  readonly edges: readonly number[];
  readonly as?: string;
}

/**
 * What is found of each group. `"count"`: how many records it has. Otherwise an aggregate and a field: `"count"`, how
 * many values; `"distinct"`, how many different ones; the exact `"sum"` and `"mean"`, rounded once; `"minimum"` and
 * `"maximum"`; the `"variance"` and `"deviation"` of a sample; or `"quantile"` with a share from 0 to 1, the smallest
 * number that at least this share of the numbers does not exceed. `null` is no value.
 */
export type Measure<S extends Schema = Schema> = "count" | MeasureBy<S>[AggregateName];

/** A table, which the compiler evaluates once per schema. */
interface MeasureTable<S extends Schema> {
  readonly numbers: NumberName<S>;
  readonly ordered: SortableName<S>;
  readonly countable: CountableName<S>;
}
type MeasureBy<S extends Schema> = {
  readonly [A in AggregateName]: AggregateTakesShare[A] extends true
    ? readonly [aggregate: A, field: MeasureTable<S>[AggregateFields[A]], share: number]
    : readonly [aggregate: A, field: MeasureTable<S>[AggregateFields[A]]];
};

/** Measures by the names that results give them. */
export type Measures<S extends Schema = Schema> = Readonly<Record<string, Measure<S>>>;

/** The keys of a query: one, or several. */
export type GroupKeys<S extends Schema = Schema> = GroupKey<S> | readonly GroupKey<S>[];

/** Which groups are formed, and what of them is listed. */
export interface GroupQuery<
  S extends Schema = Schema,
  By = GroupKeys<S>,
  Found extends Measures<S> = Measures<S>,
  Summarized extends string = NumberName<S>,
  C = unknown,
  Having = unknown,
> {
  /** What records are grouped by: from 1 to 8 keys, of which one may be a strings field, grouped by its elements. */
  readonly by: By;
  /** What is found of each group, by name. Default: `{ count: "count" }`. */
  readonly measures?: Found | undefined;
  /** Fields of numbers whose sum, extremes and mean are found as well, under their names. */
  readonly summarize?: readonly Summarized[] | undefined;
  /** Which records are grouped. Omitted or `null`: all. */
  readonly criteria?: C | undefined;
  /** Criteria on the measures: which groups are listed. Omitted or `null`: all. */
  readonly having?: Having | undefined;
  /**
   * Keys and measures to sort by, each with its order; ties are in the order of the keys. Default: the order of the
   * keys. `null` is the lowest.
   */
  readonly sort?:
    | readonly (readonly [name: KeyNames<By> | (keyof Found & string), order: SortOrder])[]
    | undefined;
  /** The largest number of groups. Default: all. */
  readonly limit?: number | undefined;
  /** How many groups to skip. Default 0. */
  readonly offset?: number | undefined;
}

type KeyIn<By> = By extends readonly unknown[] ? By[number] : By;
type KeyName<Key> = Key extends string
  ? Key
  : Key extends { readonly as: infer Name extends string }
    ? Name
    : Key extends { readonly field: infer Name extends string }
      ? Name
      : never;
type KeyNames<By> =
  KeyIn<By> extends infer Key ? (Key extends unknown ? KeyName<Key> : never) : never;

type KeyValueOf<S extends Schema, Key> =
  Key extends FieldName<S>
    ? CountedValueOf<S, Key>
    : Key extends { readonly field: infer Name extends FieldName<S> }
      ? | (Key extends { readonly prefix: number }
            ? string
            : Key extends
                  | { readonly step: unknown }
                  | { readonly width: number }
                  | { readonly edges: unknown }
              ? S["fields"][Name]["type"] extends "time"
                ? Key extends { readonly step: "weekday" | "hourOfDay" }
                  ? number
                  : string
                : number
              : never)
        | (Key extends PrefixKey | CalendarKey | TimeKey | WidthKey | EdgesKey
            ? Extract<CountedValueOf<S, Name>, null>
            : CountedValueOf<S, Name>)
      : never;

type FoundOf<S extends Schema, M> = M extends readonly [
  infer A extends AggregateName,
  infer Name,
  ...unknown[],
]
  ? {
      readonly count: number;
      readonly number: A extends "sum" ? number : number | null;
      readonly value: Name extends FieldName<S> ? CountedValueOf<S, Name> | null : unknown;
    }[AggregateFinds[A]]
  : number;

/** A group in a result: its keys and what was found of it, by name. */
export type GroupOf<S extends Schema, By, Found, Summarized extends string> = Flat<
  {
    readonly [Key in KeyIn<By> as KeyName<Key>]: KeyValueOf<S, Key>;
  } & ([keyof Found] extends [never]
    ? [Summarized] extends [never]
      ? { readonly count: number }
      : unknown
    : { readonly [Name in keyof Found]: FoundOf<S, Found[Name]> }) &
    Readonly<Record<Summarized, Totals>>
>;

/** Criteria on measures, whose fields are numbers. */
export type CheckedHaving<Found, Having> = CheckedCriteria<
  DefinedSchema<Record<MeasureNames<Found>, Field<"float", ["nullable"]>>>,
  Having
>;
type MeasureNames<Found> = [keyof Found] extends [never] ? "count" : keyof Found & string;
