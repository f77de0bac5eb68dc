// What is selected of a table for the records of a schema, and how they are made of it.

import { InputError } from "../schema/errors.ts";
import { oneOf, optional, type ReadOption } from "../schema/options.ts";
import type { FieldType } from "../schema/field.ts";
import type { Schema } from "../schema/schema.ts";
import type { Dialect } from "./dialect.ts";
import { nameOf, requireCompared, type FieldColumns, type Table } from "./names.ts";

export type TextForm = "texts" | "bytes";

export const readTextForm: ReadOption<TextForm> = optional(oneOf("texts", "bytes"), "texts");

/** A value as it is selected. */
export function inForm(value: string, type: FieldType, dialect: Dialect, texts: TextForm): string {
  return texts === "bytes" && type === "string" ? dialect.toBytes(value) : value;
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
  { fields }: Pick<Table, "fields">,
  dialect: Dialect,
  texts: TextForm,
): SelectedRecords {
  const stored = schema.places.filter(({ field }) => field.stored);
  const names = stored.map((_, i) => nameOf(i));
  const selected = stored.map(({ name, field }, i) => {
    const value = inForm(fields.get(name)?.returned ?? "", field.type, dialect, texts);
    return `${value} AS ${nameOf(i)}`;
  });
  const make = (values: readonly (string | null)[]) => {
    const all: (string | null)[] = [];
    stored.forEach(({ position }, i) => (all[position] = values[i] ?? null));
    return Object.freeze(schema.makeRecord(all));
  };
  return { selected, names, make };
}

/** The columns of a table by the name of their field; criteria were checked, so that there are such. */
export function columnsIn({ fields }: Pick<Table, "fields">): (field: string) => FieldColumns {
  return (field) => {
    const columns = fields.get(field);
    if (columns === undefined) throw new InputError("options.table", `has no column for ${field}`);
    return requireCompared(columns);
  };
}
