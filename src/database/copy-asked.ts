// Copies queries, so that later changes by their caller have no effect.

import { DEEPEST } from "../criteria/parse.ts";
import { isDate } from "../schema/errors.ts";
import { isMembers, reading } from "../schema/input.ts";

/** The nesting of a query, its criteria, groups, triples and lists of values. */
const DEPTH = 5 + DEEPEST;

/** A copy of a query, so that later changes by the caller have no effect. */
export function copyOfAsked<Value>(value: Value, place: string): Value {
  return reading(place, () => copyOf(value, DEPTH, new Map())) as Value;
}

/**
 * @param copies the arrays copied so far: each is copied once, however many groups share it, even if it contains itself
 */
function copyOf(value: unknown, depth: number, copies: Map<unknown, unknown[]>): unknown {
  if (isDate(value)) return new Date(Date.prototype.getTime.call(value));
  if (depth === 0) return value;
  const copy = (each: unknown) => copyOf(each, depth - 1, copies);
  if (Array.isArray(value)) return copies.get(value) ?? copyOfArray(value, copy, copies);
  // Groups contain no objects, so objects from the caller are not copied.
  if (!isMembers(value) || depth <= DEEPEST) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, copy(each)]));
}

/** A very long array costs its caller nothing, so an array without elements is not copied to its end. */
function copyOfArray(
  array: readonly unknown[],
  copy: (each: unknown) => unknown,
  all: Map<unknown, unknown[]>,
): unknown[] {
  const copies: unknown[] = [];
  all.set(array, copies);
  const { length } = array;
  for (let i = 0; i < length; i++) {
    copies.push(copy(array[i]));
    if (i > MOST_PARAMETERS && !(i in array)) break;
  }
  return copies;
}

/** Beyond this, a missing element can only be part of an invalid list. */
const MOST_PARAMETERS = 100;
