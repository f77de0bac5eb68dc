// A schema as JSON that people read and write.

import { alternatives, describe, InputError, member, reworded } from "../schema/errors.ts";
import {
  createField,
  fieldTypes,
  fromWire,
  isFieldType,
  type Field,
  type RecordForm,
} from "../schema/field.ts";
import { membersOf, readMembers } from "../schema/input.ts";
import { oneOf, optional } from "../schema/options.ts";
import { schemaOfEntries, type Schema } from "../schema/schema.ts";

const readForm = optional<RecordForm>(oneOf("values", "wire", "contract"), "values");

/**
 * The schema that JSON describes: `{ "fields": { "id": { "type": "int", "unique": true } } }`. A field has
 * its `type`, and the options of the function of that name. `form`, beside `fields`, is what records hold.
 *
 * @param json the parsed JSON, which may be anything
 * @throws InputError that names the field
 */
export function readSchema(json: unknown): Schema {
  const given = readMembers(json, "schema", ["fields", "form"]);
  const form = readForm(given.form, "schema.form");
  const fields = Object.entries(membersOf(given.fields, "schema.fields")).map(
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
  return reworded(
    () => createField(type, options),
    (...reason) => new InputError(path, ...reason),
  );
}

/** A schema as JSON, for {@link readSchema}, without options that have their defaults. */
export function writeSchema(schema: Schema): {
  readonly form?: RecordForm;
  readonly fields: Readonly<Record<string, object>>;
} {
  const { form, places } = schema;
  const fields = places.map(({ name, field }) => [name, optionsOf(field)] as const);
  return { ...(form !== "values" && { form }), fields: Object.fromEntries(fields) };
}

function optionsOf(field: Field): object {
  const usual = createField(field.type, {});
  const given = OPTIONS.filter((name) => field[name] !== usual[name]);
  const options = given.map((name) => [name, field[name]] as const);
  const { type, default: wire } = field;
  // A nullable field that is left out is null anyway.
  const otherwise = typeof wire === "string" && { default: fromWire(field, wire) };
  return { type, ...Object.fromEntries(options), ...otherwise };
}

const OPTIONS = ["nullable", "searchable", "stored", "unique", "ignoreCase", "oneOf"] as const;
