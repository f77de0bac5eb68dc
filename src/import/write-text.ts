// Records as text: NDJSON, a JSON array, CSV. Each writer yields the text piece by piece and never
// holds all of it. The readers restore the same records from it.

import { describe, InputError, member, quote } from "../schema/errors.ts";
import { isIndex } from "../schema/exact-json.ts";
import type { FieldType } from "../schema/field.ts";
import type { Precision } from "../schema/kinds/kind.ts";
import { toFloatText } from "../schema/numbers.ts";
import type { Schema } from "../schema/schema.ts";
import type { Contact } from "../service/contact.ts";
import { readFormat, type CsvFormatOptions } from "./csv-format.ts";
import { RecordForm, type AnyRecord, type ListFields } from "./form.ts";

/** The options of writers of a flat format. */
export interface FlatOptions<S extends Schema | undefined = undefined> {
  /** Determines the columns: its fields and, for Contacts, `list` and the List Fields. */
  readonly schema?: S | undefined;
  /** The List Fields of Contacts with their types. */
  readonly listFields?: (S extends typeof Contact ? ListFields : never) | undefined;
}

/** The options of `writeCsv`. */
export interface WriteCsvOptions<S extends Schema | undefined = undefined>
  extends FlatOptions<S>, CsvFormatOptions {
  /**
   * Puts an apostrophe before values other than numbers that begin with `=`, `+`, `-` or `@`, also in their full-width
   * forms or after white space and control characters, and before values that begin with a tab or a line end, so that
   * no spreadsheet treats them as formulas. Values with another separator are quoted, so that no part of them becomes a
   * cell. It applies to the names of columns, too. Reading does not remove the apostrophe.
   */
  readonly escapeFormulas?: boolean | undefined;
}

/** The options of `writeNdjson` and `writeJson`. */
export interface WriteJsonOptions {
  /**
   * Its fields come first, in their order. Without it, members have the order of the object's keys, in which JavaScript
   * puts names such as `2024` before others.
   */
  readonly schema?: Schema | undefined;
}

/** Lines of NDJSON, each with its line end. */
export function* writeNdjson(
  records: Iterable<AnyRecord>,
  options: WriteJsonOptions = {},
): Generator<string, void> {
  const toText = textIn(options);
  for (const record of records) yield `${toText(record)}\n`;
}

/** A JSON array with each record on its own line. */
export function* writeJson(
  records: Iterable<AnyRecord>,
  options: WriteJsonOptions = {},
): Generator<string, void> {
  const toText = textIn(options);
  let before = "[\n";
  for (const record of records) {
    yield before + toText(record);
    before = ",\n";
  }
  yield before === "[\n" ? "[]\n" : "\n]\n";
}

/** Separators of cells in spreadsheets, which depend on the settings of the system. */
const OTHER_SEPARATORS = ",;|\\t";

/** What a spreadsheet may treat as a formula: some skip white space, and some accept full-width signs. */
const FORMULA =
  /^(?:[\t\n\r]|[\s\p{Cc}\p{Cf}]*[=+\-@\uff1d\uff0b\uff0d\uff20\u2212\ufe62\ufe63\ufe66\ufe6b])/u;

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
  const { delimiter, nullTexts } = readFormat(options);
  const [nullText] = nullTexts;
  const { escapeFormulas = false } = options;
  const table = flatTable(records, options);
  if (table === undefined) return;
  const names = table.columns.map(({ name }) => name);
  const special = new RegExp(
    `["\\n\\r${escapeFormulas ? OTHER_SEPARATORS : ""}]|${delimiter.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")}|^(?:\\ufeff|sep=)`,
    "i",
  );

  const cellOf = (value: string | null, path: () => string): string => {
    if (value === null) {
      if (nullText !== undefined) return nullText;
      throw new InputError(path(), "is null, which needs a nullText");
    }
    const isFormula = escapeFormulas && FORMULA.test(value) && toFloatText(value) === undefined;
    const text = isFormula ? `'${value}` : value;
    return nullTexts.includes(text) || special.test(text)
      ? `"${text.replaceAll('"', '""')}"`
      : text;
  };
  const lineOf = (values: readonly (string | null)[], path: string): string => {
    const cells = values.map((value, i) => cellOf(value, () => member(path, names[i] ?? "")));
    const line = cells.join(delimiter);
    if (line !== "" || values.length !== 1) return `${line}\n`;
    // An empty value alone on its line would be read as a blank line.
    if (values[0] === "") return '""\n';
    const reason =
      'is null in the only column, which would be a blank line; set the option nullText, such as "\\N"';
    throw new InputError(member(path, names[0] ?? ""), reason);
  };
  // A column without a name would be given one when it is read.
  const header = names.map((name, i) => (name === "" ? '""' : cellOf(name, () => `columns[${i}]`)));
  yield `${header.join(delimiter)}\n`;
  let index = 0;
  for (const values of table.rows) yield lineOf(values, `records[${index++}]`);
}

export interface FlatColumn {
  readonly name: string;
  readonly type: FieldType;
  /** That of a time field. */
  readonly precision: Precision | undefined;
}

/** Records as a table with values in text form; `undefined` if neither a schema nor a record provides the columns. */
export function flatTable(
  records: Iterable<AnyRecord>,
  given: { readonly schema?: Schema | undefined; readonly listFields?: ListFields | undefined },
) {
  const { schema, listFields } = given;
  if (schema !== undefined) {
    const form = new RecordForm(schema, listFields ?? {});
    const rows = rowsOf(records, form.valuesOf.bind(form));
    const columns = form.columns.map(({ name, field: { type, precision } }): FlatColumn => {
      return { name, type, precision };
    });
    return { columns, rows };
  }
  const rest = records[Symbol.iterator]();
  const head = rest.next();
  if (head.done === true) return undefined;
  const first = head.value;
  const all = function* () {
    yield first;
    yield* { [Symbol.iterator]: () => rest };
  };
  const names = Object.keys(first);
  return {
    columns: names.map((name): FlatColumn => ({ name, type: "string", precision: undefined })),
    rows: rowsOf(all(), (record, path) => plainValues(record, names, path)),
  };
}

function* rowsOf<Row>(
  records: Iterable<AnyRecord>,
  valuesOf: (record: AnyRecord, path: string) => Row,
): Generator<Row, void> {
  let index = 0;
  for (const record of records) yield valuesOf(record, `records[${index++}]`);
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

/** Writes records with the fields of a schema in their order. */
function textIn({ schema }: WriteJsonOptions): (record: AnyRecord) => string {
  const names = schema?.places.map(({ name }) => name) ?? [];
  if (!names.some(isIndex)) return toJson;
  return (record) => {
    const all = new Set([...names, ...Object.keys(record)]);
    const members: string[] = [];
    for (const name of all) {
      const value: unknown = Object.hasOwn(record, name) ? record[name] : undefined;
      if (value !== undefined) members.push(`${JSON.stringify(name)}:${toJson(value)}`);
    }
    return `{${members.join(",")}}`;
  };
}

function toJson(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    typeof each === "bigint" ? String(each) : each,
  );
}
