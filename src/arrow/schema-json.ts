// Reads the schema in a file, and compares it with another one.

import { InputError, member, rethrowAs } from "../schema/errors.ts";
import { readSavedSchema } from "../schema/schema-json.ts";
import type { Schema } from "../schema/schema.ts";
import { FileError } from "./file-error.ts";

/** The properties by which schemas are compared. */
const WORDS = [
  "type",
  "nullable",
  "searchable",
  "stored",
  "unique",
  "default",
  "oneOf",
  "ignoreCase",
  "ignoreAccents",
  "precision",
  "zone",
  "references",
  "onRemove",
  "path",
  "compute",
] as const;

/** @throws FileError if it is not the JSON of a schema */
export function readSchema(json: unknown): Schema {
  return rethrowAs(
    () => readSavedSchema(json),
    (message, cause) =>
      new FileError("schema", message.replace(/^schema\.?/, "").replace(/^: /, ""), cause),
  );
}

/** The first difference between a schema and the file's, with its path; `undefined` if there is none. */
export function differenceOf(given: Schema, inFile: Schema): InputError | undefined {
  const names = new Set([...Object.keys(inFile.fields), ...Object.keys(given.fields)]);
  for (const name of names) {
    const path = member("options.schema.fields", name);
    const field = given.places.find((place) => place.name === name)?.field;
    const other = inFile.places.find((place) => place.name === name)?.field;
    if (field === undefined)
      return new InputError(path, "is missing from the schema; the file has it");
    if (other === undefined) return new InputError(path, "is not in the file");
    for (const word of WORDS) {
      const [here, there] = [field[word], other[word]].map((value) =>
        typeof value === "function" ? "a function" : JSON.stringify(value),
      );
      if (here === there) continue;
      return new InputError(path, `has ${word} ${here}, in the file ${there}`);
    }
  }
  const [here, there] = [given, inFile].map(combinationsOf);
  return here === there
    ? undefined
    : new InputError("options.schema.unique", `has ${here}, in the file ${there}`);
}

/** The unique combinations as JSON, independent of their order. */
const combinationsOf = ({ unique }: Schema): string => {
  const each = unique.map((fields) => JSON.stringify([...fields].sort()));
  return `[${each.sort().join()}]`;
};

/**
 * Checks that a schema has the fields and unique combinations of the file's.
 *
 * @throws InputError that names the field
 */
export function requireSameSchema(given: Schema, inFile: Schema): void {
  const difference = differenceOf(given, inFile);
  if (difference !== undefined) throw difference;
}
