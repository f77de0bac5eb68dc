// Reads arbitrary input, where getters and proxies may throw and iterators may fail. Such failures become InputErrors
// with the path.

import { LongNumber } from "./exact-json.ts";
import { alternatives, describe, quote, InputError, TercetError } from "./errors.ts";

/** The value as an object whose members can be read; throws an error that says what it is instead. */
export function membersOf(value: unknown, path: string): Readonly<Record<string, unknown>> {
  if (!isMembers(value)) throw new InputError(path, `must be an object, not ${describe(value)}`);
  return value;
}

/** Whether the value is an object whose members can be read. */
export function isMembers(value: unknown): value is Readonly<Record<string, unknown>> {
  return (
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    LongNumber.textIn(value) === undefined
  );
}

type Members<Name extends string> = Readonly<Partial<Record<Name, unknown>>>;

/** Reads each of the members once; an unknown one is an error. */
export function readMembers<const Name extends string>(
  input: unknown,
  path: string,
  names: readonly Name[],
): Members<Name> {
  try {
    checkMembers(input, path, names);
    return { ...input };
  } catch (error) {
    throw unreadable(path, error);
  }
}

/**
 * Checks that the input is an object, and has no other members. One that is `undefined` is as good as omitted.
 *
 * @throws InputError, or what a getter or a proxy throws
 */
export function checkMembers<Name extends string>(
  input: unknown,
  path: string,
  names: readonly Name[],
): asserts input is Members<Name> {
  const known: readonly string[] = names;
  const members = membersOf(input, path);
  for (const key of Object.keys(members)) {
    if (known.includes(key) || members[key] === undefined) continue;
    throw new InputError(path, `has no member ${quote(key)}; use ${alternatives(names)}`);
  }
}

/** The error for input that could not be read: a TercetError is kept, any other error becomes a cause. */
function unreadable(path: string, error: unknown): TercetError {
  if (error instanceof TercetError) return error;
  return new InputError(path, "could not be read", { cause: error });
}

/** Returns the result of `read`. Errors other than TercetErrors come from getters or proxies of the input. */
export function reading<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw unreadable(path, error);
  }
}

/** The members of an iterable; throws an error if it is not one, or fails. */
export function* iterate(value: unknown, path: string): Generator<unknown, void> {
  try {
    if (!isIterable(value)) {
      throw new InputError(path, `must be iterable, not ${describe(value)}`);
    }
    for (const each of value) yield each;
  } catch (error) {
    throw unreadable(path, error);
  }
}

/** The members of an array, including holes, each with its path; or just the value. */
export function oneOrMore(value: unknown, path: string): { value: unknown; path: string }[] {
  return reading(path, () =>
    Array.isArray(value)
      ? Array.from(value, (each: unknown, i) => ({ value: each, path: `${path}[${i}]` }))
      : [{ value, path }],
  );
}

/** Whether the value can be iterated over. */
export function isIterable(value: unknown): value is Iterable<unknown> {
  return (
    typeof value === "object" &&
    value !== null &&
    Symbol.iterator in value &&
    typeof value[Symbol.iterator] === "function"
  );
}

/** Whether the value is a non-negative safe integer. */
export function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

export type AnyFunction = (...given: unknown[]) => unknown;

export function isFunction(value: unknown): value is AnyFunction {
  return typeof value === "function";
}
