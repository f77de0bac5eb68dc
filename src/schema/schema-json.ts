// Schemas as JSON: the form that people read and write, and the form in files.

import { UNKNOWN_FUNCTION } from "./computed.ts";
import { alternatives, describe, InputError, member, rethrowAs } from "./errors.ts";
import { createField } from "./create-field.ts";
import {
  constantDefault,
  fieldTypes,
  fromTextForm,
  isComputed,
  isFieldType,
  isNext,
  Unreadable,
  type Field,
  type RecordForm,
} from "./field.ts";
import { isMembers, membersOf, readMembers } from "./input.ts";
import { next } from "./next.ts";
import { kinds } from "./kinds.ts";
import { parseJson } from "./json.ts";
import { flag, oneOf, optional } from "./options.ts";
import { schemaOfEntries, type Schema } from "./schema.ts";

const readForm = optional<RecordForm>(oneOf("values", "wire", "contract"), "values");

/** A field: its name and its options. */
type Entry = readonly [name: string, options: unknown];

/**
 * The schema that JSON describes: `{ "fields": { "id": { "type": "int", "unique": true } } }`. A field has a `type`,
 * and the options of the function with that name. `hasFunction` means that its default was a function, and
 * `isComputed` that its values are those of a function. JSON keeps neither: records can't omit the field then, or
 * can't be added. The default `"next"` of an `int` field is `next`. The members `unique` and `order` of the schema are like the options of
 * `defineSchema`.
 *
 * @param json the parsed JSON, unchecked
 * @throws InputError that names the field
 */
export function readSchema(json: unknown): Schema {
  const { fields, ...options } = readMembers(json, "schema", ["fields", "unique", "order"]);
  return schemaOfJson(Object.entries(membersOf(fields, "schema.fields")), "values", options);
}

/**
 * A schema as JSON, for {@link readSchema}, without options that have their defaults. It has the `order` of the fields if
 * their object does not keep it: keys that look like array indexes, such as `"2024"`, come first in any object.
 */
export function writeSchema(schema: Schema): {
  readonly fields: Readonly<Record<string, object>>;
  readonly unique?: Schema["unique"];
  readonly order?: readonly string[];
} {
  const entries = schema.places.map(({ name, field }) => {
    const textForm = constantDefault(field);
    // A nullable field that is omitted is null anyway.
    const otherwise = isNext(field.default)
      ? { default: field.default.toJSON() }
      : typeof textForm === "string" && { default: fromTextForm(field, textForm) };
    return [name, { ...optionsOf(field), ...otherwise }] as const;
  });
  const fields = Object.fromEntries(entries);
  const order = schema.places.map(({ name }) => name);
  const isKept = Object.keys(fields).every((name, i) => name === order[i]);
  return { fields, ...combinationsOf(schema), ...(!isKept && { order }) };
}

/** The unique combinations, if there are any. */
const combinationsOf = ({ unique }: Schema) => (unique.length === 0 ? undefined : { unique });

/**
 * Reads the schema in a file: a list of fields, because an object would not keep the order of names such as `1` or `2`,
 * with their defaults in wire form.
 *
 * @throws InputError like {@link readSchema}
 */
export function readSavedSchema(json: unknown): Schema {
  // The first format: a list of fields, for records in wire form.
  const { form, fields, unique } = Array.isArray(json)
    ? { form: "wire", fields: json as unknown[], unique: undefined }
    : readMembers(json, "schema", ["fields", "form", "unique"]);
  if (!Array.isArray(fields)) {
    throw new InputError("schema.fields", `must be a list of fields, not ${describe(fields)}`);
  }
  const entries = new Map<string, unknown>();
  for (const each of fields as unknown[]) {
    const { name, default: textForm, ...options } = isMembers(each) ? each : {};
    if (typeof name !== "string" || entries.has(name)) {
      throw new InputError("schema.fields", `has ${describe(name)} as the name of a field`);
    }
    const isImplied = textForm === undefined || (textForm === null && options.nullable === true);
    const { type } = options;
    const isText = (type === "json" || type === "strings") && typeof textForm === "string";
    const path = member("schema.fields", name);
    const value = isText ? inField(path, () => parseJson(textForm)) : textForm;
    entries.set(name, isImplied ? options : { ...options, default: value });
  }
  return schemaOfJson([...entries], form, { unique });
}

/** A schema as JSON, for {@link readSavedSchema}. */
export function writeSavedSchema(schema: Schema): unknown {
  const { form, places } = schema;
  const fields = places.map(({ name, field }) => ({
    name,
    ...optionsOf(field),
    default: isNext(field.default) ? field.default.toJSON() : constantDefault(field),
  }));
  return { form, fields, ...combinationsOf(schema) };
}

function schemaOfJson(
  entries: readonly Entry[],
  givenForm: unknown,
  { unique, order }: { readonly unique?: unknown; readonly order?: unknown },
): Schema {
  const form = readForm(givenForm, "schema.form");
  const fields = entries.map(
    ([name, options]) => [name, readField(options, member("schema.fields", name), form)] as const,
  );
  if (fields.length === 0) throw new InputError("schema.fields", "needs at least one field");
  const refuse = (reason: string, options: ErrorOptions) => {
    const [, place = "unique", rest = reason] =
      /^((?:unique|order)[^:]*|fields.*\.path): ([^]*)$/.exec(reason) ?? [];
    return new InputError(`schema.${place}`, rest, options);
  };
  return rethrowAs(() => schemaOfEntries(fields, form, { unique, order }), refuse);
}

function readField(json: unknown, path: string, form: RecordForm): Field {
  const { type, hasFunction, isComputed: hasCompute, ...options } = membersOf(json, path);
  if (!isFieldType(type)) {
    throw new InputError(
      `${path}.type`,
      `must be ${alternatives(fieldTypes)}, not ${describe(type)}`,
    );
  }
  if ((type === "json" || type === "strings") && form !== "values") {
    const what = type === "json" ? "JSON" : "an array of strings";
    throw new InputError(path, `${what} needs records that hold values`);
  }
  if ((options.path !== undefined || hasCompute === true) && form !== "values") {
    throw new InputError(path, "a computed field needs records that hold values");
  }
  const isGenerated = optional(flag, false)(hasFunction, `${path}.hasFunction`);
  const isCounted = kinds[type].counts === true && options.default === next.toJSON();
  const isCalculated = optional(flag, false)(hasCompute, `${path}.isComputed`);
  return inField(path, () =>
    createField(type, {
      ...options,
      ...(isGenerated ? { default: notKept } : isCounted && { default: next }),
      ...(isCalculated && { compute: UNKNOWN_FUNCTION }),
    }),
  );
}

/** Stands for a default function, which JSON does not keep. */
const notKept = () =>
  new Unreadable(
    undefined,
    () =>
      "is missing: its default is a function, which neither files nor JSON keep; give the field, or the schema that has the function",
  );

/** Returns the result of `run`. Errors name the field. */
function inField<Result>(path: string, run: () => Result): Result {
  return rethrowAs(run, (...reason) => new InputError(path, ...reason));
}

const OPTIONS = [
  ...(["nullable", "searchable", "stored", "unique", "oneOf"] as const),
  ...([
    "ignoreCase",
    "ignoreAccents",
    "precision",
    "zone",
    "references",
    "onRemove",
    "path",
  ] as const),
];

/** The type of a field, and its non-default options. */
function optionsOf(field: Field): object {
  const usual = createField(field.type, {});
  const given = OPTIONS.filter(
    (name) => field[name] !== usual[name] && !(name === "stored" && isComputed(field)),
  );
  const options = given.map((name) => [name, field[name]] as const);
  const isGenerated = typeof field.default === "function" && { hasFunction: true };
  const isCalculated = field.compute !== undefined && { isComputed: true };
  return { type: field.type, ...Object.fromEntries(options), ...isGenerated, ...isCalculated };
}
