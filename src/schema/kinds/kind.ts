// What a kind of field says of itself. A kind is one object in one file of this folder; `../kinds.ts` lists them all.

/** The name of an option of the functions that make fields. */
export type OptionName =
  | "nullable"
  | "searchable"
  | "stored"
  | "unique"
  | "default"
  | "oneOf"
  | "ignoreCase"
  | "ignoreAccents"
  | "precision"
  | "zone"
  | "references"
  | "onRemove"
  | "path"
  | "compute";

/** The options of a field that decide which values it takes. */
export interface ValueOptions {
  /** Of a time field. */
  readonly precision: Precision | undefined;
  /** Of a time field. */
  readonly zone: string | undefined;
}

/** The fractions of a second that the values of a time field have. */
export type Precision = "milliseconds" | "microseconds";

/**
 * How records hold values: as `numbers`, which sort and compare as such; as `texts`, which are their own text forms, and
 * sort and compare by code point; as `booleans`; as `arrays` of strings; or as any `json`.
 */
export type Held = "numbers" | "texts" | "booleans" | "arrays" | "json";

/** How values are stored in columns. */
export type Storage = "int" | "float" | "string";

/** A kind of field. */
export interface Kind<Value> {
  readonly holds: Held;
  readonly storage: Storage;
  /** Completes "must be …". */
  readonly accepts: string;
  /** The options of the function that makes such a field. */
  readonly options: readonly OptionName[];
  /** Converts an input value other than null to text form; `undefined` if it is not accepted. */
  readonly toTextForm: (value: unknown, options: ValueOptions) => string | undefined;
  /** Whether a string is the text form of a value, in columns of strings of which only some are. */
  readonly isTextForm?: (text: string, options: ValueOptions) => boolean;
  /** Whether text formats write some of its values in other ways than their text forms. */
  readonly hasSpellings: boolean;
  /** Converts the text form back to a value. */
  readonly fromTextForm: (text: string) => Value;
  /** A copy of an input value other than null as records hold it, where its text form is not the way to it. */
  readonly copy?: (value: unknown) => Value | undefined;
  /** Whether an input value is, for certain, what its text form converts back to. */
  readonly isStored: (value: unknown, options: ValueOptions) => boolean;
  /** A description of a value that was refused, if it is more than its type. */
  readonly describe?: (value: unknown) => string;
  /** How criteria name several values at once, if they can. */
  readonly spans?: Spans;
  /** Whether the default may be `next`. */
  readonly counts?: true;
  /** What to write instead of a value that was refused, as the end of a sentence; empty if nobody knows. */
  readonly remedy: (value: unknown, options?: ValueOptions) => string;
}

/** How the values of criteria name several values of a field at once, such as a month of times. */
export interface Spans {
  /** Completes "takes …". */
  readonly accepts: string;
  /** The first and the last value that is meant; `undefined` if the value is not accepted. */
  readonly of: (value: unknown, options: ValueOptions) => Span | undefined;
}

/** The first and the last value of a range, in text form; twice the same for a single value. */
export interface Span {
  readonly low: string;
  readonly high: string;
}

/** The options of computed fields. */
export const COMPUTED = ["path", "compute"] as const;

/** The options of a kind whose values can be searched and sorted. */
export const SEARCHED = [
  ...(["nullable", "searchable", "stored", "unique", "default"] as const),
  ...COMPUTED,
] as const;

/** The options of a kind whose values can name records. */
export const REFERRING = [...SEARCHED, "references", "onRemove"] as const;
