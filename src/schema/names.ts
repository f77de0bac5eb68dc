// The types of field names, and looking up fields by names from callers.

import { describe, quote, type Refuse } from "./errors.ts";
import { isNumeric, type Field, type FieldType } from "./field.ts";
import { suggestion } from "./nearest.ts";
import type { Fields, TraitOf } from "./field-types.ts";
import type { Schema } from "./schema.ts";

/** The names of a schema's fields. */
export type FieldName<S extends Schema> = keyof S["fields"] & string;

/** The names of the `unique` fields. */
export type UniqueName<S extends Schema> = {
  [K in FieldName<S>]: "unique" extends TraitOf<S["fields"][K]> ? K : never;
}[FieldName<S>];

/** The names of the fields of a type. */
export type NameOfType<F extends Fields, Type extends FieldType> = {
  [K in keyof F & string]: Type extends F[K]["type"] ? K : never;
}[keyof F & string];

/** The names of the fields that can be sorted by: all except json and strings fields. */
export type SortableName<S extends Schema> = NamesOf<S>["sortable"];
/** The names of the fields that can be counted by and indexed: all except json fields. */
export type CountableName<S extends Schema> = NamesOf<S>["countable"];
/** A member of an interface, which the compiler evaluates once per schema. */
export interface NamesOf<S extends Schema> {
  readonly sortable: keyof FieldsBut<S["fields"], "json" | "strings"> & string;
  readonly countable: keyof FieldsBut<S["fields"], "json"> & string;
}
type FieldsBut<F extends Fields, Type extends FieldType> = {
  [K in keyof F as F[K]["type"] extends Type ? never : K]: F[K];
};

/** The field with a name; `undefined` if there is none. Inherited names such as `constructor` are unknown (E11). */
export function fieldOf(schema: Schema, name: string): Field | undefined {
  return Object.hasOwn(schema.fields, name) ? schema.fields[name] : undefined;
}

/**
 * What to write instead of a name that no field has, as the end of a sentence; empty if nobody knows.
 *
 * @param known the names that are meant
 */
export function hintFor(schema: Schema, name: string, known: () => Iterable<string>): string {
  const through = schema.places.find(
    ({ name: by, field }) => field.references !== undefined && name.startsWith(`${by}.`),
  );
  const [to] = through?.field.references ?? [];
  if (through === undefined || to === undefined) return suggestion(name, known());
  return `; a path through ${quote(through.name)} is asked of the database, and ends in a field of ${quote(to)}`;
}

/**
 * The field with a name from a caller.
 *
 * @param refuse makes the error to throw; the reason is the end of its sentence
 */
export function knownField(schema: Schema, name: unknown, refuse: Refuse): Field {
  const field = typeof name === "string" ? fieldOf(schema, name) : undefined;
  if (field !== undefined) return field;
  const near =
    typeof name === "string" ? hintFor(schema, name, () => Object.keys(schema.fields)) : "";
  const code = typeof name === "string" ? "unknown_field" : "invalid";
  throw refuse(`unknown field ${describe(name)}${near}`, { code });
}

/**
 * The field to count by or index.
 *
 * @param refuse makes the error to throw; the reason is the end of its sentence
 */
export function countableField(
  schema: Schema,
  name: unknown,
  refuse: Refuse,
): readonly [name: string, field: Field] {
  const field = knownField(schema, name, refuse);
  if (field.type !== "json") return [String(name), field];
  throw refuse(`${quote(String(name))} is a json field, which can't be sorted, counted or indexed`);
}

/** Like {@link countableField}, for a field to sort by. */
export function sortableField(
  schema: Schema,
  given: unknown,
  refuse: Refuse,
): readonly [name: string, field: Field] {
  const [name, field] = countableField(schema, given, refuse);
  if (field.type !== "strings") return [name, field];
  throw refuse(`${quote(name)} is a strings field, which can't be sorted`);
}

/** The column of the text forms of a field, or of a column that belongs to no field. */
export function textFormColumn<Name extends string | symbol>(
  { spellings }: Schema,
  column: Name,
): Name | symbol {
  return (typeof column === "string" ? spellings.get(column) : undefined) ?? column;
}

/** Like {@link countableField}, for the field of numbers of a histogram or a summary. */
export function numericField(
  schema: Schema,
  given: unknown,
  refuse: Refuse,
): readonly [name: string, field: Field] {
  const [name, field] = countableField(schema, given, refuse);
  if (isNumeric(field.type)) return [name, field];
  throw refuse(`must be an int or float field, not ${quote(name)}`);
}
