// The fields of a table whose values are numbers as people write them.

import { looseNumber, type ConvertOptions } from "../import/index.ts";
import { readSchema, writeSchema, type Schema } from "../index.ts";
import { UsageError } from "./errors.ts";
import type { FormatFlags } from "./formats.ts";

/** How the reader of a table converts them. */
export function looseReaders({ looseNumbers = [], decimal }: FormatFlags): ConvertOptions {
  if (looseNumbers.length === 0) return {};
  const [separator, example] =
    decimal === "," ? ([",", "1.234,50"] as const) : ([".", "1,234.50"] as const);
  const read = (value: unknown) => {
    if (typeof value !== "string") return value;
    const number = looseNumber(value, { decimal: separator });
    if (number !== undefined) return number;
    throw new Error(`must be a number such as ${example}, not ${JSON.stringify(value)}`);
  };
  return { convert: Object.fromEntries(looseNumbers.map((name) => [name, read])) };
}

/** @throws UsageError if the table has no such field */
export function requireFields({ fields }: Schema, { looseNumbers = [] }: FormatFlags): void {
  const missing = looseNumbers.find((name) => !Object.hasOwn(fields, name));
  if (missing === undefined) return;
  const known = Object.keys(fields).join(", ");
  throw new UsageError(`--loose-numbers: there is no field ${missing}; the fields are ${known}`);
}

/** An inferred schema, with these fields as numbers if they are strings. */
export function withNumbers(schema: Schema, { looseNumbers = [] }: FormatFlags): Schema {
  const numbers = looseNumbers.flatMap((name) =>
    schema.fields[name]?.type === "string"
      ? [[name, { type: "float", nullable: true }] as const]
      : [],
  );
  if (numbers.length === 0) return schema;
  const { fields, order } = writeSchema(schema);
  return readSchema({ fields: { ...fields, ...Object.fromEntries(numbers) }, order });
}
