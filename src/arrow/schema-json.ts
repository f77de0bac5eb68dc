// Writes a schema into a file, and reads it.

import { describe, InputError, member, SchemaError } from "../schema/errors.ts";
import { createField, type Field } from "../schema/field.ts";
import { isMembers } from "../schema/input.ts";
import { schemaOf, type Schema } from "../schema/schema.ts";
import { FileError } from "./file-error.ts";

/** The properties of a field that a file contains. */
const WORDS = ["type", "nullable", "searchable", "stored", "unique", "default", "oneOf"] as const;

/** The fields of a schema, in their order, as JSON. */
export function writeSchema({ places }: Schema): readonly unknown[] {
  return places.map(({ name, field }) => ({
    name,
    ...Object.fromEntries(WORDS.map((word) => [word, field[word]])),
  }));
}

/** @throws FileError if it is not the JSON of a schema */
export function readSchema(json: unknown): Schema {
  if (!Array.isArray(json)) {
    throw new FileError("schema", `must be a list of fields, not ${describe(json)}`);
  }
  const fields = new Map<string, Field>();
  for (const each of json as unknown[]) {
    const { name, ...rest } = isMembers(each) ? each : {};
    if (typeof name !== "string" || fields.has(name)) {
      throw new FileError("schema", `has ${describe(name)} as the name of a field`);
    }
    fields.set(name, readField(name, rest));
  }
  if (fields.size === 0) throw new FileError("schema", "has no field");
  return schemaOf(Object.fromEntries(fields), { names: [...fields.keys()] });
}

function readField(name: string, { type, ...given }: Readonly<Record<string, unknown>>): Field {
  if (type !== "int" && type !== "string") {
    throw new FileError("schema", `${member("fields", name)} has the type ${describe(type)}`);
  }
  // A nullable field defaults to null anyway, and no option says so.
  const { default: otherwise, ...others } = given;
  const options = otherwise === null && others.nullable === true ? others : given;
  try {
    return createField(type, options);
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    throw new FileError("schema", `${member("fields", name)}: ${error.message}`, { cause: error });
  }
}

/**
 * Checks that a schema describes each field as the file does.
 *
 * @throws InputError that names the field
 */
export function requireSameSchema(given: Schema, inFile: Schema): void {
  const names = new Set([...Object.keys(inFile.fields), ...Object.keys(given.fields)]);
  for (const name of names) {
    const path = member("options.schema.fields", name);
    const field = given.places.find((place) => place.name === name)?.field;
    const other = inFile.places.find((place) => place.name === name)?.field;
    if (field === undefined) throw new InputError(path, "is missing: the file has it");
    if (other === undefined) throw new InputError(path, "is not in the file");
    for (const word of WORDS) {
      const [here, there] = [JSON.stringify(field[word]), JSON.stringify(other[word])];
      if (here === there) continue;
      throw new InputError(path, `has ${word} ${here}, in the file ${there}`);
    }
  }
}
