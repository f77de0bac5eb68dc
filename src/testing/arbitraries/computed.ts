// The values of computed fields, for the arbitraries and the reference (V16).

import type { Field, Schema } from "../../index.ts";
import { storedForm, textFormFor } from "./values.ts";

/** Whether a field is computed. */
export const isComputed = ({ path, compute }: Partial<Pick<Field, "path" | "compute">>): boolean =>
  path !== undefined || compute !== undefined;

/** The names of the fields that input records have. */
export const givenIn = ({ fields }: Schema): string[] =>
  Object.keys(fields).filter((name) => !isComputed(fields[name] ?? {}));

/** The value at a path: of objects' own members only; `null` if one is missing. */
function valueAt(value: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined) return value ?? null;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  return valueAt(new Map<string, unknown>(Object.entries(value)).get(name), rest);
}

/** The value of a computed field of a record, in any input form. */
export const computedValue = (
  { path, compute }: Field,
  record: Parameters<NonNullable<Field["compute"]>>[0],
): unknown => (path === undefined ? compute?.(record) : valueAt(record, path)) ?? null;

/** An input record with the values of computed fields. A field that was omitted has its default if that is constant. */
export function withComputed(schema: Schema, input: object): ReadonlyMap<string, unknown> {
  const members = new Map<string, unknown>(Object.entries(input));
  const fields = Object.entries(schema.fields);
  const stored = fields.filter(([, field]) => field.stored);
  const record = Object.fromEntries(
    stored.map(([name, field]) => {
      const textForm = textFormFor(field, members.get(name)) ?? null;
      return [name, storedForm(schema, field, textForm)];
    }),
  );
  for (const [name, field] of fields) {
    if (isComputed(field)) members.set(name, computedValue(field, record));
  }
  return members;
}

/**
 * A JSON value with another one at a path, which it lacks if the other is `undefined`. What is no object on the way
 * becomes one.
 */
export function withValueAt(json: unknown, path: readonly string[], value: unknown): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return value ?? null;
  const isObject = typeof json === "object" && json !== null && !Array.isArray(json);
  if (value === undefined && !isObject) return json;
  const members = new Map<string, unknown>(isObject ? Object.entries(json) : []);
  if (rest.length > 0) members.set(name, withValueAt(members.get(name), rest, value));
  else if (value === undefined) members.delete(name);
  else members.set(name, value);
  return Object.fromEntries(members);
}
