// The types of fields that options fix, and how their values are then read.

import { looseNumber, type ConvertOptions } from "../import/index.ts";
import { InputError, readSchema, writeSchema, type Schema } from "../index.ts";
import { UsageError } from "./errors.ts";

/** The options, as typed. */
export interface FieldTypeFlags {
  /** Types of fields, such as `placed=time`. */
  readonly type?: readonly string[];
  /** The fields whose values are numbers as people write them. */
  readonly looseNumbers?: readonly string[];
  /** The decimal separator. */
  readonly decimal?: string;
}

/** How the reader of a table converts the values of such fields. */
export function looseReaders({ looseNumbers = [], decimal }: FieldTypeFlags): ConvertOptions {
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

/**
 * An inferred schema with the types that options fix. A field stays nullable if a value is missing.
 *
 * @throws UsageError that names the option, if the table has no such field or a type can't be
 */
export function amended(schema: Schema, flags: FieldTypeFlags): Schema {
  requireFields(schema, flags);
  const { type = [], looseNumbers = [] } = flags;
  const types = new Map([
    ...looseNumbers.flatMap((name) => {
      const isString = schema.fields[name]?.type === "string";
      return isString ? [[name, { type: "float", nullable: true }] as const] : [];
    }),
    ...type.map((each) => {
      const [name, type] = typeIn(each);
      requireField(schema, name, "--type");
      return [name, { type, nullable: schema.fields[name]?.nullable }] as const;
    }),
  ]);
  if (types.size === 0) return schema;
  const { fields, order } = writeSchema(schema);
  try {
    return readSchema({ fields: { ...fields, ...Object.fromEntries(types) }, order });
  } catch (thrown) {
    if (!(thrown instanceof InputError)) throw thrown;
    throw new UsageError(`--type: ${thrown.message.replace(/^fields\./, "")}`);
  }
}

/**
 * Checks the options for a table whose schema is given.
 *
 * @throws UsageError that names the option
 */
export function requireFields(schema: Schema, { looseNumbers = [] }: FieldTypeFlags): void {
  for (const name of looseNumbers) requireField(schema, name, "--loose-numbers");
}

function requireField({ fields }: Schema, name: string, option: string): void {
  if (Object.hasOwn(fields, name)) return;
  const known = Object.keys(fields).join(", ");
  throw new UsageError(`${option}: there is no field ${name}; the fields are ${known}`);
}

function typeIn(typed: string): readonly [name: string, type: string] {
  const at = typed.lastIndexOf("=");
  if (at < 1) throw new UsageError(`--type: must be FIELD=TYPE, such as placed=time, not ${typed}`);
  return [typed.slice(0, at), typed.slice(at + 1)];
}
