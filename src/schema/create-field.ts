// Makes fields from options, each of which is checked.

import { describe, InputError, SchemaError } from "./errors.ts";
import { explainRefusal, isNext, toTextForm, type Field, type FieldType } from "./field.ts";
import { isFolded, type Folding } from "./folding.ts";
import { isFunction, iterate, readMembers } from "./input.ts";
import { kinds } from "./kinds.ts";
import type { OptionName } from "./kinds/kind.ts";
import { readTimeOptions } from "./kinds/time.ts";
import { callable, flag, optional } from "./options.ts";
import { readReference } from "./references.ts";
type Flag = "nullable" | "searchable" | "stored" | "unique" | keyof Folding;

/** The fields that were made here. */
const fields = new WeakSet();

const NO_TIME = { precision: undefined, zone: undefined };

/** @internal A field of a type, with unchecked options. @throws SchemaError */
export function createField<Type extends FieldType>(type: Type, options: unknown): Field<Type> {
  const given = schemaErrors(() => readMembers(options, `${type}()`, kinds[type].options));
  const flagOf = (name: Flag, otherwise: boolean): boolean =>
    schemaErrors(() => optional(flag, otherwise)(given[name], name));
  const nullable = flagOf("nullable", false);
  const searchable = flagOf("searchable", kinds[type].options.includes("searchable"));
  const { path, compute } = schemaErrors(() => readComputed(given));
  const isStored = path === undefined && compute === undefined;
  if (!isStored) refuseIn(given, path === undefined ? "compute" : "path");
  const stored = isStored && flagOf("stored", true);
  const unique = flagOf("unique", false);
  const oneOf = given.oneOf === undefined ? undefined : schemaErrors(() => readOneOf(given.oneOf));
  const ignoreCase = flagOf("ignoreCase", false);
  const ignoreAccents = flagOf("ignoreAccents", false);
  if (isFolded({ ignoreCase, ignoreAccents }) && oneOf !== undefined) {
    const option = ignoreCase ? "ignoreCase" : "ignoreAccents";
    throw new SchemaError(
      `${option}: can't be combined with oneOf, which fixes how values are spelled`,
    );
  }
  const isTime = kinds[type].options.includes("precision");
  const { precision, zone } = isTime ? readTimeOptions(given) : NO_TIME;
  const { references, onRemove } = schemaErrors(() => readReference(given));
  // Written out, because V8 gives each frozen clone of an unfrozen object its own hidden class, and every access to a
  // member of a field would become a lookup.
  const fieldWith = (value: Field["default"]): Field<Type> =>
    Object.freeze({
      type,
      nullable,
      searchable,
      stored,
      unique,
      oneOf,
      ignoreCase,
      ignoreAccents,
      precision,
      zone,
      references,
      onRemove,
      default: value,
      path,
      compute,
    });
  const field = fieldWith(isStored ? defaultOf(fieldWith(undefined), given.default) : undefined);
  fields.add(field);
  return field;
}

/** The default in text form, or a function (V14); `undefined` if the field can't be omitted. */
function defaultOf(field: Field, given: unknown): Field["default"] {
  if (given === undefined) return field.nullable ? null : undefined;
  if (isFunction(given)) return given;
  if (isNext(given) && kinds[field.type].counts === true) return given;
  const textForm = toTextForm(field, given);
  if (textForm === undefined) throw new SchemaError(`default: ${explainRefusal(field, given)}`);
  return textForm;
}

/** The options of which a computed field has one. */
function readComputed(
  given: Partial<Record<OptionName, unknown>>,
): Pick<Field, "path" | "compute"> {
  const path = optional(readPath)(given.path, "path");
  const compute = optional(callable)(given.compute, "compute");
  if (path !== undefined && compute !== undefined) {
    throw new SchemaError("compute: can't be combined with path");
  }
  return { path, compute };
}

function readPath(given: unknown): readonly string[] {
  const names: readonly unknown[] = Array.isArray(given) ? Array.from<unknown>(given) : [];
  const path = names.filter((name) => typeof name === "string" && name.isWellFormed());
  if (path.length > 0 && path.length === names.length) return Object.freeze(path as string[]);
  const what = "the name of a json field, and the names of the members that lead to the value";
  throw new SchemaError(`path: must be ${what}, as in ["address", "city"], not ${describe(given)}`);
}

/** Refuses options that a computed field can't have. */
function refuseIn(given: Partial<Record<OptionName, unknown>>, option: "path" | "compute"): void {
  for (const name of ["default", "stored", "references", "onRemove"] as const) {
    if (given[name] === undefined) continue;
    throw new SchemaError(
      `${name}: can't be combined with ${option}; the value is computed from the rest of the record`,
    );
  }
}

function readOneOf(given: unknown): readonly string[] {
  if (!Array.isArray(given))
    throw new SchemaError(`oneOf: must be an array, not ${describe(given)}`);
  const values = new Set<string>();
  for (const value of iterate(given, "oneOf")) {
    if (typeof value !== "string" || !value.isWellFormed()) {
      throw new SchemaError(
        `oneOf: must hold strings of well-formed Unicode, not ${describe(value)}`,
      );
    }
    if (values.has(value)) throw new SchemaError(`oneOf: has ${describe(value)} twice`);
    values.add(value);
  }
  if (values.size === 0) throw new SchemaError("oneOf: needs at least one value");
  return Object.freeze([...values]);
}

/** Returns the result of `read`; throws SchemaError if the options can't be read. */
export function schemaErrors<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof InputError) throw new SchemaError(error.message, { cause: error.cause });
    throw error;
  }
}

/** Whether the value was made by {@link createField}. */
export function isField(value: unknown): value is Field {
  return typeof value === "object" && value !== null && fields.has(value);
}
