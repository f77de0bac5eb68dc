// Reads options by a table of readers, so that all errors have the same wording.

import { alternatives, describe, InputError, member } from "./errors.ts";
import { isCount, isFunction, membersOf, reading, readMembers, type AnyFunction } from "./input.ts";

/**
 * Reads the value of an option.
 *
 * @param path the option's path in errors, such as `options.limits.rows`
 * @throws InputError if the value is not valid
 */
export type ReadOption<Value> = (given: unknown, path: string) => Value;

/** How each option is read. */
export type OptionReaders<Options> = {
  readonly [Name in keyof Options]: ReadOption<Options[Name]>;
};

/** The values read by a table. */
export type OptionsOf<Readers> = {
  readonly [Name in keyof Readers]: Readers[Name] extends ReadOption<infer Value> ? Value : never;
};

/**
 * Reads options: throws if a name is unknown, then reads each option in the order of the table.
 *
 * @throws InputError with the path of the first option that is not valid
 */
export function readOptions<Options extends object>(
  input: unknown,
  path: string,
  readers: OptionReaders<Options>,
): Options {
  const table = Object.entries<ReadOption<unknown>>(readers);
  const given = readMembers(input, path, Object.keys(readers));
  const read = table.map(([name, reader]) => [name, reader(given[name], `${path}.${name}`)]);
  // One member for each reader, of the type that it reads.
  return Object.fromEntries(read) as Options;
}

/** A required option that must pass a test. @param what completes "must be …" */
export function must<Value>(
  what: string,
  isLegal: (given: unknown) => given is Value,
): ReadOption<Value> {
  return (given, path) => {
    if (isLegal(given)) return given;
    throw new InputError(path, `must be ${what}, not ${describe(given)}`);
  };
}

/** An option that may be omitted or `undefined`. */
export function optional<Value>(read: ReadOption<Value>): ReadOption<Value | undefined>;
export function optional<Value>(read: ReadOption<Value>, otherwise: Value): ReadOption<Value>;
export function optional<Value>(
  read: ReadOption<Value>,
  otherwise?: Value,
): ReadOption<Value | undefined> {
  return (given, path) => (given === undefined ? otherwise : read(given, path));
}

/** One of some words. */
export function oneOf<const Word extends string>(...words: readonly Word[]): ReadOption<Word> {
  const isWord = (given: unknown): given is Word => words.some((word) => word === given);
  return must(alternatives(words), isWord);
}

export function integerFrom(low: number, high: number): ReadOption<number> {
  const isLegal = (given: unknown): given is number =>
    isInteger(given) && given >= low && given <= high;
  return must(`an integer from ${low} to ${high}`, isLegal);
}

/** An option that is checked elsewhere. */
export const anything: ReadOption<unknown> = (given) => given;

const isBoolean = (given: unknown): given is boolean => typeof given === "boolean";
const isInteger = (given: unknown): given is number => Number.isSafeInteger(given);
const isFinite = (given: unknown): given is number => Number.isFinite(given);
const isPositive = (given: unknown): given is number => isCount(given) && given > 0;
const isAmount = (given: unknown): given is number => typeof given === "number" && given >= 0;

export const flag: ReadOption<boolean> = must("true or false", isBoolean);
export const integer: ReadOption<number> = must("a safe integer", isInteger);
export const finite: ReadOption<number> = must("a finite number", isFinite);
export const count: ReadOption<number> = must("a non-negative integer", isCount);
export const positiveCount: ReadOption<number> = must("a positive integer", isPositive);
export const amount: ReadOption<number> = must("a non-negative number", isAmount);
export const callable: ReadOption<AnyFunction> = must("a function", isFunction);

/** Functions by name. */
export const callables: ReadOption<ReadonlyMap<string, AnyFunction>> = (given, path) => {
  const entries = reading(path, () => Object.entries(membersOf(given, path)));
  return new Map(entries.map(([name, each]) => [name, callable(each, member(path, name))]));
};
