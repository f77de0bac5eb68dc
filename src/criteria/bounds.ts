// The values for which an operator holds, as data. Tests of values, ranges of an index and SQL conditions are made from
// it, each by one function with a case for each kind; where a kind lacks a case, that function does not compile.

import type { TextValue } from "../schema/field.ts";

/** Exactly the values for which an operator holds, as data for indexes and SQL. */
export type Bounds =
  | PositiveBounds
  /** All values except these, null included; for the kind `values`, `inside` is false instead. */
  | { readonly kind: "complement"; readonly of: Exclude<PositiveBounds, ValueBounds> };

export type PositiveBounds = ValueBounds | TextBounds | IntervalBounds | ElementBounds;

/** These values or, if `inside` is false, all others. */
interface ValueBounds {
  readonly kind: "values";
  readonly values: readonly TextValue[];
  readonly inside: boolean;
}

/** The arrays that contain one of these strings or, if `areAll` is set, all of them. */
export interface ElementBounds {
  readonly kind: "elements";
  readonly elements: readonly string[];
  readonly areAll: boolean;
}

/** The strings that begin with, end with or contain a string. */
export interface TextBounds {
  readonly kind: "prefix" | "suffix" | "substring";
  readonly text: string;
}

/** The numbers, or the strings by code point, that satisfy all comparisons. */
export interface IntervalBounds {
  readonly kind: "interval";
  readonly limits: readonly [Limit] | readonly [Limit, Limit];
}

/** A comparison with a number, or with a string by code point. */
export interface Limit {
  readonly comparison: Comparison;
  readonly bound: number | string;
}

/** How a limit compares values with its bound. */
export type Comparison = ">" | ">=" | "<" | "<=";

/** The bounds of all other values. */
export function complementOf(bounds: Bounds): Bounds {
  if (bounds.kind === "values") {
    return { kind: "values", values: bounds.values, inside: !bounds.inside };
  }
  return bounds.kind === "complement" ? bounds.of : { kind: "complement", of: bounds };
}

/** The bounds themselves, or the bounds of which they are the complement. */
export const positiveOf = (bounds: Bounds): PositiveBounds =>
  bounds.kind === "complement" ? bounds.of : bounds;

/** A string that each value within the bounds contains; empty if there is none. */
export function requiredText(bounds: Bounds): string {
  switch (bounds.kind) {
    case "prefix":
    case "suffix":
    case "substring":
      return bounds.text;
    case "complement":
    case "values":
    case "interval":
    case "elements":
      return "";
  }
}
