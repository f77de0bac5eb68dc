// What an operator of criteria declares. Each has a file in operators/; operators.ts lists them.

import type { Comparison, TextBounds } from "./bounds.ts";

/**
 * The fields that an operator applies to: any, those with a single value, those of numbers and strings, or those of
 * arrays of strings.
 */
export type Applicable = "any" | "single" | "ordered" | "strings";

/** The values for which an operator holds, by the kind of value that it takes. */
export interface Selects {
  /** A value of its field, or null. */
  readonly value: "equal" | "other";
  /** Any string. */
  readonly text: TextBounds["kind"];
  /** A number or, on a string field, a string to compare with. */
  readonly bound: Comparison;
  /** Two of these, the lower one first. */
  readonly range: readonly [low: ">" | ">=", high: "<" | "<="];
  /** Several values. */
  readonly values: "equal";
  /** A string, as an element of arrays. */
  readonly element: "containing";
  /** Several strings: at least one of them, or all. */
  readonly elements: "containing" | "containing all";
}

/**
 * The kind of value that an operator takes: a `value` of its field or null, any string (`text`), a `bound` to compare
 * with (a number, or a string on a string field), a `range` of two bounds, several `values`, one `element` of an array
 * of strings, or several `elements`.
 */
export type Taken = keyof Selects;

/**
 * An operator of criteria, as data. How values are read, tests, ranges of indexes, SQL, TypeScript's types, messages
 * and documents follow from it.
 */
export interface Operator<
  Name extends string = string,
  Fields extends Applicable = Applicable,
  Takes extends Taken = Taken,
  Own extends boolean = boolean,
> {
  readonly name: Name;
  /** What it says of the field, after "the field", as in "begins with the value". */
  readonly words: string;
  readonly fields: Fields;
  /** Whether only your own schemas have it, and not the two methods of the service. */
  readonly isOwn: Own;
  /** The kind of the criterion's third element. */
  readonly takes: Takes;
  /** Which values it selects: those equal to the value or all others, those it is a part of, those beyond it. */
  readonly selects: Selects[Takes];
  /** A criterion that is true of a record with the `size` 2048, the `name` "logo.png" and the `tags` "work", "home". */
  readonly example: readonly [field: "size" | "name" | "tags", operator: Name, value: unknown];
}

/** Declares an operator. */
export function operator<
  const Name extends string,
  const Fields extends Applicable,
  const Takes extends Taken,
  const Own extends boolean,
>(declared: Operator<Name, Fields, Takes, Own>): Operator<Name, Fields, Takes, Own> {
  return Object.freeze(declared);
}
