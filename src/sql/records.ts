// How statements refer to the records of a schema, and how records are made from the rows that drivers return (rule
// V1).

import type { AnyRecord } from "../schema/field-types.ts";
import type { ParsedQuery } from "../engine/query.ts";
import type { Place } from "../schema/place.ts";
import { rowMaker } from "../schema/row-maker.ts";
import { isFolded } from "../schema/folding.ts";
import { describe, InputError, TercetError, type TercetErrorCode } from "../schema/errors.ts";
import {
  explainRefusal,
  isText,
  storedValue,
  toTextForm,
  type Field,
  type FieldValue,
  type TextValue,
} from "../schema/field.ts";
import { parseJson } from "../schema/json.ts";
import { oneOf, optional, type ReadOption } from "../schema/options.ts";
import type { Schema } from "../schema/schema.ts";
import type { Asked } from "./condition.ts";
import type { Dialect, Row, TextForm } from "./dialect.ts";
import { columnIn, named, nameOf } from "./result-columns.ts";
import { requireCompared, type FieldColumns, type NamedColumns } from "./columns.ts";
import type { AskedTable } from "./names.ts";

export const readTextForm: ReadOption<TextForm> = optional(oneOf("texts", "bytes"), "texts");

/** The expression that selects a field. */
export function selectedOf(
  { field: { type }, value, select, own }: Pick<FieldColumns, "field" | "value" | "select" | "own">,
  { dialect, texts }: Pick<Asked, "dialect" | "texts">,
): string {
  const isText = type === "string" || type === "strings" || type === "json";
  const selected = (own?.text ?? select)?.(value) ?? value;
  return texts === "bytes" && isText ? dialect.toBytes(selected) : selected;
}

/** A row that does not match its statement, because of the driver or the table. */
export class RowError extends TercetError {
  protected static override readonly code = "driver";
  override readonly name = "RowError";
  declare readonly code: TercetErrorCode;
}

// Keeps a leading U+FEFF.
const decoder = new TextDecoder("utf-8", { ignoreBOM: true, fatal: true });

/**
 * The values of a row in the order of the columns.
 *
 * @throws RowError if a value is missing or invalid
 */
export function readRow(row: Row, columns: number): TextValue[] {
  const values: readonly unknown[] | undefined = Array.isArray(row) ? row : undefined;
  const read: TextValue[] = [];
  for (let i = 0; i < columns; i++) {
    read.push(readValue(values === undefined ? Reflect.get(row, nameOf(i)) : values[i], i));
  }
  return read;
}

function readValue(value: unknown, place: number): TextValue {
  if (typeof value === "string" || value === null) return value;
  if (typeof value === "number" || typeof value === "bigint" || typeof value === "boolean") {
    return String(value);
  }
  if (typeof value === "object") {
    // DuckDB's driver returns bytes in this form.
    const bytes: unknown = "bytes" in value ? value.bytes : value;
    if (bytes instanceof Uint8Array) return decoded(bytes, place);
  }
  throw new RowError(
    `the driver must return a string, a number, a boolean or null for ${nameOf(place)}, not ${describe(value)}`,
  );
}

function decoded(bytes: Uint8Array, place: number): string {
  try {
    return decoder.decode(bytes);
  } catch (cause) {
    throw new RowError(`the bytes of ${nameOf(place)} are not UTF-8`, { cause });
  }
}

/**
 * The text form of a value from the driver.
 *
 * @throws RowError if the field can't have the value
 */
export function textFormOf(
  { field, own }: Pick<FieldColumns, "own"> & { readonly field: Field },
  name: string,
  given: TextValue,
): TextValue {
  if (given !== null && own?.isCanonical(given) === false) {
    throw new RowError(
      `the column of ${name} has the value ${describe(given)}, which is not in the canonical form of its type`,
    );
  }
  let textForm: TextValue | undefined;
  try {
    textForm = toTextForm(field, given === null ? null : inputOf(field, given));
  } catch (cause) {
    throw new RowError(`the column of ${name} has a string that is not JSON`, { cause });
  }
  // Another text of an instant would not compare with those of criteria.
  const isCompared = given === null || !isText(field.type) || given === textForm;
  if (textForm !== undefined && isCompared) return textForm;
  throw new RowError(`the column of ${name} has an invalid value: ${explainRefusal(field, given)}`);
}

/** Engines format floats differently, return integers for booleans, and nulls within JSON. */
function inputOf({ type }: Field, given: string): unknown {
  switch (type) {
    case "float":
      return given === "" ? given : Number(given);
    case "boolean":
      return given === "1" ? true : given === "0" ? false : given;
    case "json":
    case "strings":
      return parseJson(given);
    default:
      return given;
  }
}

/** The rows to fetch, and the columns to select. */
export interface Source extends Asked {
  /** The column with the insertion order; without one, several ORDER BY items. */
  readonly position: string;
  readonly selected: readonly string[];
}

/** The rows of a table as the records of a schema. */
export interface RecordSource extends Source {
  readonly schema: Schema;
  /** The frozen record of a result row. */
  readonly make: (values: readonly (string | null)[]) => AnyRecord;
  /** The same rows as records of some fields, if a query selects these. */
  readonly selecting: (query: Pick<ParsedQuery, "select">) => RecordSource;
}

/**
 * @param order the ORDER BY items for the insertion order; default: the table's
 * @param names the fields of the records, in their order; default: all that are stored
 */
export function sourceOf(
  schema: Schema,
  asked: AskedTable & Pick<Asked, "conditions">,
  dialect: Dialect,
  texts: TextForm,
  order = columnIn(asked.name, asked.position, dialect),
  names?: readonly string[],
): RecordSource {
  const { name: table, fields, conditions } = asked;
  const isStored = ({ field }: Place) => field.stored;
  const stored =
    names?.flatMap((name) => schema.places.filter((place) => place.name === name)) ??
    schema.places.filter(isStored);
  const makeSome = names && rowMaker<FieldValue>(names);
  const selected = stored.map(({ name, field }, i) => {
    const columns = fields.get(name);
    if (columns === undefined) return named("NULL", i);
    // Folded values are in a different column than the spelling.
    const of = isFolded(field) ? { field: columns.field, value: columns.returned } : columns;
    return named(selectedOf(of, { dialect, texts }), i);
  });
  const make = (values: readonly (string | null)[]) => {
    const all: FieldValue[] = [];
    stored.forEach(({ position, name, field }, i) => {
      const textForm = textFormOf({ field, own: fields.get(name)?.own }, name, values[i] ?? null);
      all[makeSome ? i : position] = storedValue(schema.form, field, textForm);
    });
    return Object.freeze(makeSome ? makeSome(all) : schema.makeRecord(all));
  };
  const source: RecordSource = {
    schema,
    dialect,
    texts,
    table,
    columnsOf: columnsIn({ fields }),
    conditions,
    position: order,
    selected,
    make,
    selecting: ({ select }) =>
      select === undefined ? source : sourceOf(schema, asked, dialect, texts, order, select.names),
  };
  return source;
}

/** The columns of a table by field name; they exist, since criteria were checked. */
export function columnsIn({ fields }: Pick<AskedTable, "fields">): (field: string) => NamedColumns {
  return (field) => {
    const columns = fields.get(field);
    if (columns === undefined) throw new InputError("options.table", `has no column for ${field}`);
    return requireCompared(columns);
  };
}
