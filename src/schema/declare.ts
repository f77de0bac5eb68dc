// Functions that declare fields, such as `int` and `string`, and the types of their options.

import { createField } from "./create-field.ts";
import type { ComputedField, Field, FieldTraits, JsonField, ListedField } from "./field.ts";
import type { TimeInput } from "./field-types.ts";
import type { JsonValue } from "./json.ts";
import type { Precision } from "./kinds/kind.ts";
import type { Next } from "./next.ts";
import type { ReferenceOptions, References, Target } from "./references.ts";

/** The options of a field that is stored but not searched. */
export interface JsonOptions<Nullable extends boolean = boolean, Default = unknown> {
  /** Whether the value may be `null`; a record that omits the field then has `null`. */
  readonly nullable?: Nullable | undefined;
  /**
   * The value for a record that omits the field, or a function without parameters that is called for each such record,
   * for example to make an id: `() => crypto.randomUUID()`. Its result is checked like any input.
   */
  readonly default?: Default | (() => Default) | undefined;
}

/** The options of a computed field. It has either a path or a function. */
export type ComputedOptions<Options, Source, Value> = Omit<
  Options,
  "default" | "stored" | "references" | "onRemove"
> &
  (ByPath | ByFunction<Source, Value>);

/** A field whose values are at a path. */
interface ByPath {
  /**
   * Where the value is: the name of a json field, and the names of the members that lead to it, as in `["address",
   * "city"]`. The value is `null` if a member is missing. A field with a path is computed: it is not given on input, and
   * records have it only where a query selects it.
   */
  readonly path: readonly string[];
  readonly compute?: undefined;
}

/** A field whose values are those of a function. */
interface ByFunction<Source, Value> {
  /**
   * The value for a record: a pure function of its stored fields, which may not be computed themselves. A field with a
   * function is computed, like one with a path. The compiler infers the record for fields in the option `computed` of
   * `defineSchema`; elsewhere, it takes the type that is declared.
   */
  readonly compute: (record: Source) => Value;
  readonly path?: undefined;
}

/** The options of a field that can be used for searching and sorting. */
export interface FieldOptions<
  Nullable extends boolean = boolean,
  Searchable extends boolean = boolean,
  Stored extends boolean = boolean,
  Default = unknown,
  Unique extends boolean = boolean,
> extends JsonOptions<Nullable, Default> {
  /** Whether criteria may name the field. Default `true`. */
  readonly searchable?: Searchable | undefined;
  /** Whether returned records contain the field. Default `true`. */
  readonly stored?: Stored | undefined;
  /** Whether no two records of a collection may have the same value, except `null`. Default `false`. */
  readonly unique?: Unique | undefined;
}

/** The options of a strings field, which can't be unique. */
export type StringsOptions<
  Nullable extends boolean = boolean,
  Searchable extends boolean = boolean,
  Stored extends boolean = boolean,
  Default = unknown,
> = Omit<FieldOptions<Nullable, Searchable, Stored, Default>, "unique">;

/** The options of `int()`. */
export interface IntOptions<
  Nullable extends boolean = boolean,
  Searchable extends boolean = boolean,
  Stored extends boolean = boolean,
  Default = unknown,
  Unique extends boolean = boolean,
  To extends Target = Target,
>
  extends FieldOptions<Nullable, Searchable, Stored, Default, Unique>, ReferenceOptions<To> {}

/** The options of `string()`. */
export interface StringOptions<
  Nullable extends boolean = boolean,
  Searchable extends boolean = boolean,
  Stored extends boolean = boolean,
  Default extends string = string,
  Value extends string = string,
  Unique extends boolean = boolean,
  To extends Target = Target,
>
  extends FieldOptions<Nullable, Searchable, Stored, Default, Unique>, ReferenceOptions<To> {
  /** The only values that the field accepts. */
  readonly oneOf?: readonly Value[] | undefined;
  /**
   * Whether every operator, the order, and uniqueness ignore case: they compare the results of `toLowerCase()`, with
   * `σ` for every `ς`. A record keeps its spelling. Can't be combined with `oneOf`. Default `false`.
   */
  readonly ignoreCase?: (string extends Value ? boolean : false) | undefined;
  /**
   * Whether every operator, the order, and uniqueness ignore accents: they compare strings without combining marks, so
   * that `"José"` equals `"Jose"`, and two normal forms of a string are equal. With `ignoreCase`, they ignore both. A
   * record keeps its spelling. Can't be combined with `oneOf`. Default `false`.
   */
  readonly ignoreAccents?: (string extends Value ? boolean : false) | undefined;
}

/** The options of `time()`. */
export interface TimeOptions<
  Nullable extends boolean = boolean,
  Searchable extends boolean = boolean,
  Stored extends boolean = boolean,
  Default extends TimeInput = TimeInput,
  Unique extends boolean = boolean,
> extends FieldOptions<Nullable, Searchable, Stored, Default, Unique> {
  /** The fractions of a second that values have. Default `"milliseconds"`. */
  readonly precision?: Precision | undefined;
  /**
   * The zone of texts without an offset, and of the periods of criteria, by its name in the IANA database, such as
   * `"Europe/Zurich"`. Default: UTC.
   */
  readonly zone?: string | undefined;
}

/** The traits of a field with these options. */
type TraitsOf<
  Nullable extends boolean,
  Searchable extends boolean,
  Stored extends boolean,
  Default,
  Unique extends boolean,
> = [
  ...(Unique extends true ? ["unique"] : []),
  ...(Nullable extends true ? ["nullable"] : []),
  ...([Default] extends [never]
    ? []
    : [Default] extends [Next]
      ? ["default", "next"]
      : ["default"]),
  ...(Searchable extends true ? [] : ["unsearchable"]),
  ...(Stored extends true ? [] : ["unstored"]),
];

/** A field, and to which records its values refer. */
type Referring<F, To extends Target> = [To] extends [never] ? F : F & References<NoInfer<To>>;

/** The traits of a computed field with these options. */
type ComputedTraits<
  Nullable extends boolean,
  Searchable extends boolean,
  Unique extends boolean,
> = [...TraitsOf<Nullable, Searchable, true, never, Unique>, "computed"];

/** What a function may return besides values. */
type NullIf<Nullable extends boolean> = Nullable extends true ? null | undefined : never;

/**
 * An integer field: safe integers, given as numbers, bigints or canonical decimal strings; sorts by number. With the
 * default `next`, a collection numbers the records that omit it.
 *
 * @throws SchemaError if an option is unknown, has an invalid type, or is a default that the field does not accept; its
 *   message names the option
 */
export function int<
  Source,
  const Nullable extends boolean = false,
  const Searchable extends boolean = true,
  const Unique extends boolean = false,
>(
  options: ComputedOptions<
    FieldOptions<Nullable, Searchable, boolean, unknown, Unique>,
    Source,
    string | number | bigint | NullIf<Nullable>
  >,
): ComputedField<"int", ComputedTraits<Nullable, Searchable, Unique>, Source>;
export function int<
  const Nullable extends boolean = false,
  const Searchable extends boolean = true,
  const Stored extends boolean = true,
  const Default extends string | number | bigint | Next = never,
  const Unique extends boolean = false,
  const To extends Target = never,
>(
  options?: IntOptions<Nullable, Searchable, Stored, Default, Unique, To>,
): Referring<Field<"int", TraitsOf<Nullable, Searchable, Stored, Default, Unique>>, To>;
export function int(options: unknown = {}): Field<"int"> {
  return createField("int", options);
}

/**
 * A field of finite numbers, given as numbers or in the form that `String` gives; sorts by number.
 *
 * @throws SchemaError like {@link int}
 */
export function float<
  Source,
  const Nullable extends boolean = false,
  const Searchable extends boolean = true,
  const Unique extends boolean = false,
>(
  options: ComputedOptions<
    FieldOptions<Nullable, Searchable, boolean, unknown, Unique>,
    Source,
    number | NullIf<Nullable>
  >,
): ComputedField<"float", ComputedTraits<Nullable, Searchable, Unique>, Source>;
export function float<
  const Nullable extends boolean = false,
  const Searchable extends boolean = true,
  const Stored extends boolean = true,
  const Default extends number = never,
  const Unique extends boolean = false,
>(
  options?: FieldOptions<Nullable, Searchable, Stored, Default, Unique>,
): Field<"float", TraitsOf<Nullable, Searchable, Stored, Default, Unique>>;
export function float(options: unknown = {}): Field<"float"> {
  return createField("float", options);
}

/**
 * A field of `true` and `false`, given as booleans or as these strings; `false` sorts first.
 *
 * @throws SchemaError like {@link int}
 */
export function boolean<
  Source,
  const Nullable extends boolean = false,
  const Searchable extends boolean = true,
  const Unique extends boolean = false,
>(
  options: ComputedOptions<
    FieldOptions<Nullable, Searchable, boolean, unknown, Unique>,
    Source,
    boolean | NullIf<Nullable>
  >,
): ComputedField<"boolean", ComputedTraits<Nullable, Searchable, Unique>, Source>;
export function boolean<
  const Nullable extends boolean = false,
  const Searchable extends boolean = true,
  const Stored extends boolean = true,
  const Default extends boolean = never,
  const Unique extends boolean = false,
>(
  options?: FieldOptions<Nullable, Searchable, Stored, Default, Unique>,
): Field<"boolean", TraitsOf<Nullable, Searchable, Stored, Default, Unique>>;
export function boolean(options: unknown = {}): Field<"boolean"> {
  return createField("boolean", options);
}

/**
 * A string field: well-formed Unicode; sorts by code point.
 *
 * @throws SchemaError if an option is unknown, has an invalid type, or is a default that the field does not accept, or
 *   if `oneOf` is empty or has a value twice; its message names the option
 */
export function string<
  Source,
  const Nullable extends boolean = false,
  const Searchable extends boolean = true,
  const Value extends string = string,
  const Unique extends boolean = false,
>(
  options: ComputedOptions<
    StringOptions<Nullable, Searchable, boolean, string, Value, Unique>,
    Source,
    Value | NullIf<Nullable>
  >,
): ComputedStringField<Value, ComputedTraits<Nullable, Searchable, Unique>, Source>;
export function string<
  const Nullable extends boolean = false,
  const Searchable extends boolean = true,
  const Stored extends boolean = true,
  const Default extends string = never,
  const Value extends string = string,
  const Unique extends boolean = false,
  const To extends Target = never,
>(
  options?: StringOptions<Nullable, Searchable, Stored, Default, Value, Unique, To>,
): Referring<StringField<Value, TraitsOf<Nullable, Searchable, Stored, Default, Unique>>, To>;
export function string(options: unknown = {}): unknown {
  return createField("string", options);
}

/**
 * A field of instants of the years 0000 to 9999: each is a `Date`, epoch milliseconds or an ISO 8601 text. A record holds
 * the ISO text in UTC, such as `"2024-03-05T10:30:00.000Z"`; sorts by instant. A criterion may name a period instead: a
 * year (`2024`), a month (`"2024-03"`), a day, an hour or a minute.
 *
 * @throws SchemaError like {@link int}
 */
export function time<
  Source,
  const Nullable extends boolean = false,
  const Searchable extends boolean = true,
  const Unique extends boolean = false,
>(
  options: ComputedOptions<
    TimeOptions<Nullable, Searchable, boolean, TimeInput, Unique>,
    Source,
    TimeInput | NullIf<Nullable>
  >,
): ComputedField<"time", ComputedTraits<Nullable, Searchable, Unique>, Source>;
export function time<
  const Nullable extends boolean = false,
  const Searchable extends boolean = true,
  const Stored extends boolean = true,
  const Default extends TimeInput = never,
  const Unique extends boolean = false,
>(
  options?: TimeOptions<Nullable, Searchable, Stored, Default, Unique>,
): Field<"time", TraitsOf<Nullable, Searchable, Stored, Default, Unique>>;
export function time(options: unknown = {}): Field<"time"> {
  return createField("time", options);
}

type StringField<Value extends string, Traits extends FieldTraits> = string extends Value
  ? Field<"string", Traits>
  : ListedField<Value, Traits>;

interface ComputedStringField<
  Value extends string,
  Traits extends FieldTraits,
  Source,
> extends ComputedField<"string", Traits, Source> {
  readonly oneOf: string extends Value ? readonly string[] | undefined : readonly Value[];
}

/**
 * The options of a json field with a default. Nothing is inferred from the default, since `[]` is also a list of
 * strings. With a member that is JSON or a function, the compiler would take members of the JSON for members of a
 * function.
 */
type JsonDefault<Value, Nullable extends boolean> = Pick<JsonOptions<Nullable>, "nullable"> &
  (
    | { readonly default: NoInfer<Value> | (Nullable extends true ? null : never) }
    | { readonly default: () => NoInfer<Value> | (Nullable extends true ? null : never) }
  );

/**
 * A field of JSON values, which are stored but can't be used for searching or sorting. A record holds a frozen copy.
 * Not for schemas in text form.
 *
 * @typeParam Value the type of the values; nothing checks it
 * @throws SchemaError like {@link int}
 */
export function json<Value = JsonValue>(
  options: JsonDefault<Value, true> & { readonly nullable: true },
): JsonField<Value, ["nullable", "default"]>;
export function json<Value = JsonValue>(
  options: JsonDefault<Value, false>,
): JsonField<Value, ["default"]>;
export function json<Value = JsonValue>(
  options: JsonOptions<true, undefined> & { readonly nullable: true },
): JsonField<Value, ["nullable"]>;
export function json<Value = JsonValue>(
  options?: JsonOptions<false, undefined>,
): JsonField<Value, []>;
export function json<Value = JsonValue>(
  options: Omit<JsonOptions, "default"> & { readonly default?: NoInfer<Value> | null | undefined },
): JsonField<Value, readonly ("nullable" | "default")[]>;
export function json(options: unknown = {}): unknown {
  return createField("json", options);
}

/**
 * A field of arrays of strings, such as tags, with order and duplicates kept. A record holds a frozen copy. Criteria
 * search it by `has`, `has_any` and `has_all`, and counts are by element; it can't be sorted by. Not for schemas in text form.
 *
 * @throws SchemaError like {@link int}
 */
export function strings<
  Source,
  const Nullable extends boolean = false,
  const Searchable extends boolean = true,
>(
  options: ComputedOptions<
    StringsOptions<Nullable, Searchable>,
    Source,
    readonly string[] | NullIf<Nullable>
  >,
): ComputedField<"strings", ComputedTraits<Nullable, Searchable, false>, Source>;
export function strings<
  const Nullable extends boolean = false,
  const Searchable extends boolean = true,
  const Stored extends boolean = true,
  const Default extends readonly string[] = never,
>(
  options?: StringsOptions<Nullable, Searchable, Stored, Default>,
): Field<"strings", TraitsOf<Nullable, Searchable, Stored, Default, false>>;
export function strings(options: unknown = {}): Field<"strings"> {
  return createField("strings", options);
}
