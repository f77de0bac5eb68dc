// The unique fields and combinations of a schema: no two records have the same values.

import { describe, InputError, member, quote, SchemaError } from "./errors.ts";
import { comparisonText, textFormOfStored, type FieldValue, type TextValue } from "./field.ts";
import { suggestion } from "./nearest.ts";
import type { Place } from "./place.ts";

/** A unique field, or a unique combination of fields. */
export interface UniqueConstraint {
  /** The name of the field, or of the combination's own column. */
  readonly name: string;
  readonly places: readonly [Place, ...Place[]];
}

/** The maximum number of fields in a combination: paths of patches and indexes of databases list all of them. */
const MOST_FIELDS = 16;

/** Reads the combinations in an option. @throws SchemaError with the path of the first that is not valid */
export function readCombinations(places: readonly Place[], given: unknown): UniqueConstraint[] {
  if (given === undefined) return [];
  const example = 'a list of fields, such as ["list", "email"]';
  const read: UniqueConstraint[] = [];
  for (const [i, each] of elementsOf(given, "unique", "a list of combinations").entries()) {
    const path = `unique[${i}]`;
    const members: Place[] = [];
    for (const [j, name] of elementsOf(each, path, example).entries()) {
      const own = readMember(places, name, `${path}[${j}]`);
      if (members.includes(own)) throw new SchemaError(`${path}[${j}]: repeats ${describe(name)}`);
      members.push(own);
    }
    const [first, ...others] = members;
    if (first === undefined || others.length === 0) {
      throw new SchemaError(
        `${path}: needs at least two fields; one that is unique has the option unique: true`,
      );
    }
    if (members.length > MOST_FIELDS) {
      throw new SchemaError(`${path}: has more than ${MOST_FIELDS} fields`);
    }
    const same = read.findIndex((other) => isOn(other, names(members)));
    if (same >= 0) throw new SchemaError(`${path}: has the same fields as unique[${same}]`);
    let name = names(members).join(", ");
    const isTaken = (column: string) => [...places, ...read].some((any) => any.name === column);
    while (isTaken(name)) name += "_";
    read.push({ name, places: [first, ...others] });
  }
  return read;
}

const names = (places: readonly Place[]) => places.map(({ name }) => name);

function elementsOf(given: unknown, path: string, what: string): unknown[] {
  if (Array.isArray(given)) return Array.from<unknown>(given);
  throw new SchemaError(`${path}: must be ${what}, not ${describe(given)}`);
}

function readMember(places: readonly Place[], name: unknown, path: string): Place {
  const place = places.find((each) => each.name === name);
  if (place === undefined) {
    const near = typeof name === "string" ? suggestion(name, names(places)) : "";
    throw new SchemaError(`${path}: unknown field ${describe(name)}${near}`);
  }
  if (place.field.type !== "json") return place;
  throw new SchemaError(`${path}: ${quote(place.name)} is a json field, which can't be compared`);
}

/** Whether a constraint covers exactly these fields, in any order. */
function isOn({ places }: UniqueConstraint, fields: readonly unknown[]): boolean {
  return places.length === fields.length && places.every(({ name }) => fields.includes(name));
}

/**
 * The constraint on a combination of fields, named in any order.
 *
 * @throws InputError if there is none
 */
export function combinationOf(
  constraints: readonly UniqueConstraint[],
  fields: readonly unknown[],
  path: string,
): UniqueConstraint {
  const all = constraints.filter(({ places }) => places.length > 1);
  const found = all.find((each) => isOn(each, fields));
  if (found !== undefined) return found;
  const known = all.map(({ places }) => listed(places)).join(", or ");
  const what = known === "" ? "the schema makes no combination of fields unique" : `use ${known}`;
  throw new InputError(path, `must be a unique field or combination; ${what}`);
}

/**
 * The string by which the values of a constraint are compared: that of its field, or those of all its fields combined.
 * `null`, which equals nothing (V13), if one of them is.
 *
 * @param values of a record in its own form, by the positions of the fields
 */
export function uniqueText({ places }: UniqueConstraint, values: readonly FieldValue[]): TextValue {
  let text: string | undefined;
  for (const { field, position } of places) {
    const next = comparisonText(field, textFormOfStored(field, values[position] ?? null));
    if (next === null) return null;
    text = text === undefined ? next : joined(text, next);
  }
  return text ?? null;
}

/** The same as a key among such keys: a number need not be a text, unless it is combined with other values. */
export function uniqueKey(
  constraint: UniqueConstraint,
  values: readonly FieldValue[],
): string | number | null {
  const { places } = constraint;
  const value = values[places[0].position];
  return typeof value === "number" && places.length === 1 ? value : uniqueText(constraint, values);
}

/** {@link uniqueText} of strings in compared form, in the order of the fields. */
export function combinedText(texts: Iterable<TextValue>): TextValue {
  let text: string | undefined;
  for (const next of texts) {
    if (next === null) return null;
    text = text === undefined ? next : joined(text, next);
  }
  return text ?? null;
}

/** Combines two strings unambiguously. */
const joined = (before: string, next: string) => `${before.length}:${before}${next}`;

/** Reads the {@link uniqueText} of rows. @param readerOf reads a field in compared form */
export function combining(
  { places }: UniqueConstraint,
  readerOf: (field: string) => (row: number) => TextValue,
): (row: number) => TextValue {
  const readers = places.map(({ name }) => readerOf(name));
  return (row) => combinedText(readers.map((read) => read(row)));
}

/**
 * The error for a record with the same values as another one.
 *
 * @param path of the record
 * @param value of the field, as it is spelled
 * @param whose values they are
 */
export function duplicate(
  { places }: UniqueConstraint,
  path: string,
  value: TextValue,
  whose: string,
): InputError {
  const [field = "", ...others] = names(places);
  const [place, reason] =
    others.length === 0
      ? [member(path, field), `${describe(value)} is already used by ${whose}`]
      : [path, `its ${listed(places)} are already used by ${whose}`];
  return new InputError(place, reason, { code: "duplicate" });
}

/** `"list" and "email"`. */
const listed = (places: readonly Place[]) => {
  const [last = "", ...before] = names(places).map(quote).reverse();
  return before.length === 0 ? last : `${before.reverse().join(", ")} and ${last}`;
};
