// What is selected of a table for the records of a schema, and how they are made of it.

import { InputError } from "../schema/errors.ts";
import {
  explainRefusal,
  toWire,
  type Field,
  type FieldType,
  type WireValue,
} from "../schema/field.ts";
import { parseJson } from "../schema/json.ts";
import { oneOf, optional, type ReadOption } from "../schema/options.ts";
import type { Schema } from "../schema/schema.ts";
import type { Dialect } from "./dialect.ts";
import {
  nameOf,
  requireCompared,
  type FieldColumns,
  type NamedColumns,
  type AskedTable,
} from "./names.ts";
import { RowError } from "./read-row.ts";

export type TextForm = "texts" | "bytes";

export const readTextForm: ReadOption<TextForm> = optional(oneOf("texts", "bytes"), "texts");

/** A value as it is selected. */
export function inForm(value: string, type: FieldType, dialect: Dialect, texts: TextForm): string {
  const isText = type === "string" || type === "json";
  return texts === "bytes" && isText ? dialect.toBytes(value) : value;
}

/** What is selected of a field. */
export function selectedOf(
  { field: { type }, value, select }: FieldColumns,
  dialect: Dialect,
  texts: TextForm,
): string {
  return inForm(select?.(value) ?? value, type, dialect, texts);
}

/**
 * The wire text of what a driver gave for a field.
 *
 * @throws RowError where the field has no such value
 */
export function wireOf(field: Field, name: string, given: WireValue): WireValue {
  let wire: WireValue | undefined;
  try {
    wire = toWire(field, given === null ? null : heldIn(field, given));
  } catch (cause) {
    throw new RowError(`the column of ${name} has a text that is not JSON`, { cause });
  }
  if (wire !== undefined) return wire;
  throw new RowError(
    `the column of ${name} has a value that is none: ${explainRefusal(field, given)}`,
  );
}

/** Engines write floats each in their own way, have integers for booleans, and `null` in JSON, too. */
function heldIn({ type }: Field, given: string): unknown {
  switch (type) {
    case "float":
      return given === "" ? given : Number(given);
    case "boolean":
      return given === "1" ? true : given === "0" ? false : given;
    case "json":
      return parseJson(given);
    default:
      return given;
  }
}

/** What is selected for records, and how they are made of it. */
export interface SelectedRecords {
  readonly selected: readonly string[];
  /** What drivers call the columns that make objects of rows. */
  readonly names: readonly string[];
  readonly make: (values: readonly (string | null)[]) => object;
}

/** The fields that records carry, as they are selected. */
export function selectRecords(
  schema: Schema,
  { fields }: Pick<AskedTable, "fields">,
  dialect: Dialect,
  texts: TextForm,
): SelectedRecords {
  const stored = schema.places.filter(({ field }) => field.stored);
  const names = stored.map((_, i) => nameOf(i));
  const selected = stored.map(({ name, field }, i) => {
    const columns = fields.get(name);
    if (columns === undefined) return `NULL AS ${nameOf(i)}`;
    // What is compared without case is another column than that of the spelling.
    const value = field.ignoreCase ? columns.returned : columns.value;
    return `${selectedOf({ ...columns, value }, dialect, texts)} AS ${nameOf(i)}`;
  });
  const make = (values: readonly (string | null)[]) => {
    const all: (string | null)[] = [];
    stored.forEach(({ position, name, field }, i) => {
      all[position] = wireOf(field, name, values[i] ?? null);
    });
    return Object.freeze(schema.makeRecord(all));
  };
  return { selected, names, make };
}

/** The columns of a table by the name of their field; criteria were checked, so that there are such. */
export function columnsIn({ fields }: Pick<AskedTable, "fields">): (field: string) => NamedColumns {
  return (field) => {
    const columns = fields.get(field);
    if (columns === undefined) throw new InputError("options.table", `has no column for ${field}`);
    return requireCompared(columns);
  };
}
