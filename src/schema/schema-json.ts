// A schema as JSON: as people read and write it, and as files hold it.

import { alternatives, describe, InputError, member, reworded } from "./errors.ts";
import { createField } from "./declare.ts";
import { fieldTypes, fromWire, isFieldType, type Field, type RecordForm } from "./field.ts";
import { isMembers, membersOf, readMembers } from "./input.ts";
import { parseJson } from "./json.ts";
import { oneOf, optional } from "./options.ts";
import { schemaOfEntries, type Schema } from "./schema.ts";

const readForm = optional<RecordForm>(oneOf("values", "wire", "contract"), "values");

/** A field: its name and its options. */
type Entry = readonly [name: string, options: unknown];

/**
 * The schema that JSON describes: `{ "fields": { "id": { "type": "int", "unique": true } } }`. A field has
 * its `type`, and the options of the function of that name. `form`, beside `fields`, is what records hold.
 *
 * @param json the parsed JSON, which may be anything
 * @throws InputError that names the field
 */
export function readSchema(json: unknown): Schema {
  const { form, fields } = readMembers(json, "schema", ["fields", "form"]);
  return schemaOfJson(Object.entries(membersOf(fields, "schema.fields")), form);
}

/** A schema as JSON, for {@link readSchema}, without options that have their defaults. */
export function writeSchema(schema: Schema): {
  readonly form?: RecordForm;
  readonly fields: Readonly<Record<string, object>>;
} {
  const { form, places } = schema;
  const fields = places.map(({ name, field }) => {
    const { default: wire } = field;
    // A nullable field that is left out is null anyway.
    const otherwise = typeof wire === "string" && { default: fromWire(field, wire) };
    return [name, { ...optionsOf(field), ...otherwise }] as const;
  });
  return { ...(form !== "values" && { form }), fields: Object.fromEntries(fields) };
}

/**
 * The schema in a file: a list of fields, because the members of an object would not keep their order if they were
 * called `1` or `2`, with their defaults in wire form.
 *
 * @throws InputError like {@link readSchema}
 */
export function readSavedSchema(json: unknown): Schema {
  // Before there were forms, a schema was the list of its fields, and all records were in wire form.
  const { form, fields } = Array.isArray(json)
    ? { form: "wire", fields: json as unknown[] }
    : readMembers(json, "schema", ["fields", "form"]);
  if (!Array.isArray(fields)) {
    throw new InputError("schema.fields", `must be a list of fields, not ${describe(fields)}`);
  }
  const entries = new Map<string, unknown>();
  for (const each of fields as unknown[]) {
    const { name, default: wire, ...options } = isMembers(each) ? each : {};
    if (typeof name !== "string" || entries.has(name)) {
      throw new InputError("schema.fields", `has ${describe(name)} as the name of a field`);
    }
    const isImplied = wire === undefined || (wire === null && options.nullable === true);
    const isText = options.type === "json" && typeof wire === "string";
    const path = member("schema.fields", name);
    const value = isText ? inField(path, () => parseJson(wire)) : wire;
    entries.set(name, isImplied ? options : { ...options, default: value });
  }
  return schemaOfJson([...entries], form);
}

/** A schema as JSON, for {@link readSavedSchema}. */
export function writeSavedSchema({ form, places }: Schema): unknown {
  const fields = places.map(({ name, field }) => ({
    name,
    ...optionsOf(field),
    default: field.default,
  }));
  return { form, fields };
}

function schemaOfJson(entries: readonly Entry[], givenForm: unknown): Schema {
  const form = readForm(givenForm, "schema.form");
  const fields = entries.map(
    ([name, options]) => [name, readField(options, member("schema.fields", name), form)] as const,
  );
  if (fields.length === 0) throw new InputError("schema.fields", "needs at least one field");
  return schemaOfEntries(fields, form);
}

function readField(json: unknown, path: string, form: RecordForm): Field {
  const { type, ...options } = membersOf(json, path);
  if (!isFieldType(type)) {
    throw new InputError(
      `${path}.type`,
      `must be ${alternatives(fieldTypes)}, not ${describe(type)}`,
    );
  }
  if (type === "json" && form !== "values") {
    throw new InputError(path, "JSON needs records that hold values");
  }
  return inField(path, () => createField(type, options));
}

/** What `run` returns. Errors name the field. */
function inField<Result>(path: string, run: () => Result): Result {
  return reworded(run, (...reason) => new InputError(path, ...reason));
}

const OPTIONS = ["nullable", "searchable", "stored", "unique", "ignoreCase", "oneOf"] as const;

/** The type of a field, and its options that do not have their defaults. */
function optionsOf(field: Field): object {
  const usual = createField(field.type, {});
  const given = OPTIONS.filter((name) => field[name] !== usual[name]);
  return { type: field.type, ...Object.fromEntries(given.map((name) => [name, field[name]])) };
}
