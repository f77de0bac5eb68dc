// Records as text: NDJSON, a JSON array, CSV. Each writer yields the text piece by piece and never
// holds all of it. The readers restore the same records from it.

import { describe, InputError, member, quote } from "../schema/errors.ts";
import { isCanonicalInteger } from "../schema/integer.ts";
import type { Schema } from "../schema/schema.ts";
import type { Contact } from "../service/contact.ts";
import { readFormat, type CsvFormatOptions } from "./csv.ts";
import { RecordForm, type AnyRecord, type ListFields } from "./form.ts";

/** The options of writers of a flat format. */
export interface FlatOptions<S extends Schema | undefined = undefined> {
  /** Determines the columns: its fields and, for Contacts, `list` and the List Fields. */
  readonly schema?: S;
  /** The List Fields of Contacts with their types. */
  readonly listFields?: S extends typeof Contact ? ListFields : never;
}

export interface WriteCsvOptions<S extends Schema | undefined = undefined>
  extends FlatOptions<S>, CsvFormatOptions {
  /**
   * Puts an apostrophe before values other than integers that begin with `=`, `+`, `-`, `@`, a tab or a
   * carriage return, so that no spreadsheet treats them as formulas. Reading does not remove it.
   */
  readonly escapeFormulas?: boolean;
}

/** Lines of NDJSON, each with its line end. */
export function* writeNdjson(records: Iterable<AnyRecord>): Generator<string, void> {
  for (const record of records) yield `${toJson(record)}\n`;
}

/** A JSON array with each record on its own line. */
export function* writeJson(records: Iterable<AnyRecord>): Generator<string, void> {
  let before = "[\n";
  for (const record of records) {
    yield before + toJson(record);
    before = ",\n";
  }
  yield before === "[\n" ? "[]\n" : "\n]\n";
}

/**
 * Rows of CSV, each with its line end: the header, then the records. Without a schema, the members of
 * the first record are the columns, and no other record may have more.
 *
 * @throws InputError with the path of what can't be written, such as `records[3].size`
 */
export function* writeCsv<S extends Schema | undefined = undefined>(
  records: Iterable<AnyRecord>,
  options: WriteCsvOptions<S> = {},
): Generator<string, void> {
  const { delimiter, nullText } = readFormat(options);
  const { escapeFormulas = false } = options;
  const special = new RegExp(`["\\n\\r${delimiter.replace(/[\\\]^-]/, "\\$&")}]|^\\ufeff`);

  const cellOf = (value: string | null, path: () => string): string => {
    if (value === null) {
      if (nullText !== undefined) return nullText;
      throw new InputError(path(), "is null, but no text represents null");
    }
    const isFormula = escapeFormulas && /^[=+\-@\t\r]/.test(value) && !isCanonicalInteger(value);
    const text = isFormula ? `'${value}` : value;
    return text === nullText || special.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  for (const { names, values, index } of flatRows(records, options)) {
    const cells = values.map((value, i) =>
      cellOf(value, () => member(`records[${index}]`, names[i] ?? "")),
    );
    const line = cells.join(delimiter);
    // Alone on its line, an empty string would read as a blank line.
    yield line === "" && values[0] === "" ? '""\n' : `${line}\n`;
  }
}

/** A row of a table. The header's values are the names, and its index is −1. */
export interface FlatRow {
  /** Which columns hold integers. */
  readonly integers: readonly boolean[];
  readonly names: readonly string[];
  readonly values: readonly (string | null)[];
  readonly index: number;
}

/** Records as rows, the header first. */
export function* flatRows(
  records: Iterable<AnyRecord>,
  {
    schema,
    listFields,
  }: { readonly schema?: Schema | undefined; readonly listFields?: ListFields },
): Generator<FlatRow, void> {
  const form = schema === undefined ? undefined : new RecordForm(schema, listFields ?? {});
  let names = form?.columns.map(({ name }) => name);
  const integers = form?.columns.map(({ field }) => field.type === "int") ?? [];
  let index = 0;
  if (names !== undefined) yield { names, integers, values: names, index: -1 };
  for (const record of records) {
    const path = `records[${index}]`;
    if (names === undefined) {
      names = Object.keys(record);
      yield { names, integers, values: names, index: -1 };
    }
    form?.check(record, path);
    const values = form === undefined ? plainValues(record, names, path) : form.valuesOf(record);
    yield { names, integers, values, index: index++ };
  }
}

function plainValues(record: AnyRecord, names: readonly string[], path: string): (string | null)[] {
  const unknown = Object.keys(record).find((name) => !names.includes(name));
  if (unknown !== undefined) {
    throw new InputError(path, `has ${quote(unknown)}, which the first record lacks`);
  }
  return names.map((name) => {
    const value: unknown = Object.hasOwn(record, name) ? record[name] : undefined;
    if (value === undefined || value === null) return null;
    if (typeof value === "string" || typeof value === "boolean") return String(value);
    if (typeof value === "number" || typeof value === "bigint") return String(value);
    throw new InputError(
      member(path, name),
      `must be a string, a number or null, not ${describe(value)}`,
    );
  });
}

function toJson(record: AnyRecord): string {
  return JSON.stringify(record, (_, value: unknown) =>
    typeof value === "bigint" ? String(value) : value,
  );
}
