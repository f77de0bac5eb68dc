// Writes a schema into a file, and reads it.

import { describe, InputError, member, reworded } from "../schema/errors.ts";
import { createField, isFieldType, type Field } from "../schema/field.ts";
import { isMembers } from "../schema/input.ts";
import { parseJson } from "../schema/json.ts";
import { schemaOfEntries, type Schema } from "../schema/schema.ts";
import { FileError } from "./file-error.ts";

/** The properties of a field that a file contains. */
const WORDS = [
  "type",
  "nullable",
  "searchable",
  "stored",
  "unique",
  "default",
  "oneOf",
  "ignoreCase",
] as const;

/** A schema as JSON: what its records hold, and its fields in their order. */
export function writeSchema({ form, places }: Schema): unknown {
  const fields = places.map(({ name, field }) => ({
    name,
    ...Object.fromEntries(wordsOf(field).map((word) => [word, field[word]])),
  }));
  return { form, fields };
}

/** A field of JSON has no other properties, and only one of texts may ignore case. */
function wordsOf({ type, ignoreCase }: Field): readonly (typeof WORDS)[number][] {
  if (type === "json") return ["type", "nullable", "default"];
  return ignoreCase ? WORDS : WORDS.slice(0, -1);
}

/** @throws FileError if it is not the JSON of a schema */
export function readSchema(json: unknown): Schema {
  // Before there were forms, a schema was the list of its fields, and all records were in wire form.
  const { form, fields: list } = isMembers(json) ? json : { form: "wire", fields: json };
  if (form !== "values" && form !== "wire" && form !== "contract") {
    throw new FileError("schema", `has records of the form ${describe(form)}`);
  }
  if (!Array.isArray(list)) {
    throw new FileError("schema", `must be a list of fields, not ${describe(list)}`);
  }
  const fields = new Map<string, Field>();
  for (const each of list as unknown[]) {
    const { name, ...rest } = isMembers(each) ? each : {};
    if (typeof name !== "string" || fields.has(name)) {
      throw new FileError("schema", `has ${describe(name)} as the name of a field`);
    }
    fields.set(name, readField(name, rest));
  }
  if (fields.size === 0) throw new FileError("schema", "has no field");
  return schemaOfEntries(fields, form);
}

function readField(name: string, { type, ...given }: Readonly<Record<string, unknown>>): Field {
  if (!isFieldType(type)) {
    throw new FileError("schema", `${member("fields", name)} has the type ${describe(type)}`);
  }
  // A nullable field defaults to null anyway, and no option says so.
  const { default: otherwise, ...others } = given;
  const isImplied = otherwise === undefined || (otherwise === null && others.nullable === true);
  // Options have values, a file has wire texts.
  const isText = typeof otherwise === "string" && type === "json";
  const value = () => (isText ? parseJson(otherwise) : otherwise);
  return reworded(
    () => createField(type, isImplied ? others : { ...others, default: value() }),
    (message, cause) => new FileError("schema", `${member("fields", name)}: ${message}`, cause),
  );
}

/** How a schema describes a field otherwise than the file does, with its name; `undefined` if it does not. */
export function differenceOf(given: Schema, inFile: Schema): InputError | undefined {
  const names = new Set([...Object.keys(inFile.fields), ...Object.keys(given.fields)]);
  for (const name of names) {
    const path = member("options.schema.fields", name);
    const field = given.places.find((place) => place.name === name)?.field;
    const other = inFile.places.find((place) => place.name === name)?.field;
    if (field === undefined) return new InputError(path, "is missing: the file has it");
    if (other === undefined) return new InputError(path, "is not in the file");
    for (const word of WORDS) {
      const [here, there] = [JSON.stringify(field[word]), JSON.stringify(other[word])];
      if (here === there) continue;
      return new InputError(path, `has ${word} ${here}, in the file ${there}`);
    }
  }
  return undefined;
}

/**
 * Checks that a schema describes each field as the file does.
 *
 * @throws InputError that names the field
 */
export function requireSameSchema(given: Schema, inFile: Schema): void {
  const difference = differenceOf(given, inFile);
  if (difference !== undefined) throw difference;
}
