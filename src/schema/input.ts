// Reading what a caller passed in, whatever it is: getters and proxies may throw, iterators may fail.
// What goes wrong there becomes a InputError that names the place.

import { alternatives, describe, quote, InputError, TercetError } from "./errors.ts";

/** The value as an object whose members can be read, or an error that says what it is instead. */
export function membersOf(value: unknown, path: string): Readonly<Record<string, unknown>> {
  if (!isMembers(value)) throw new InputError(path, `must be an object, not ${describe(value)}`);
  return value;
}

/** Whether the value is an object whose members can be read. */
export function isMembers(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Reads each of the members once; an unknown one is an error. */
export function readMembers<const Name extends string>(
  input: unknown,
  path: string,
  names: readonly Name[],
): Readonly<Partial<Record<Name, unknown>>> {
  return reading(path, () => {
    const members = membersOf(input, path);
    const found: Partial<Record<Name, unknown>> = {};
    for (const key of Object.keys(members)) {
      const name = names.find((known) => known === key);
      if (name === undefined) {
        throw new InputError(path, `has no member ${quote(key)}; use ${alternatives(names)}`);
      }
      found[name] = members[key];
    }
    return found;
  });
}

/** What `read` returns; whatever it throws that is not ours was thrown by the input itself. */
export function reading<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof TercetError) throw error;
    throw new InputError(path, "could not be read", { cause: error });
  }
}

/** The members of an iterable; where it is none, or fails, an error that says so. */
export function* iterate(value: unknown, path: string): Generator<unknown, void> {
  try {
    if (!isIterable(value)) {
      throw new InputError(path, `must be iterable, not ${describe(value)}`);
    }
    for (const each of value) yield each;
  } catch (error) {
    if (error instanceof TercetError) throw error;
    throw new InputError(path, "could not be read", { cause: error });
  }
}

function isIterable(value: unknown): value is Iterable<unknown> {
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
