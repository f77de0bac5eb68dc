// Loads a table with the types that it declares or that are inferred from it, except where the reader
// chose other types. A column of texts that are all times in one format becomes a column of times.

import {
  loadCollection,
  type AnyRecord,
  type ConvertOptions,
  type ImportOf,
  type Reading,
} from "../../import/index.ts";
import { readSchema, writeSchema, type Collection, type Schema } from "../../index.ts";
import type { ColumnType, Read, ReadAs, TextRead } from "../messages.ts";
import { isInForm, readTime, type TimeForm } from "../times.ts";

export type Indexes = "deferred" | "none";

/** A table in a file, or one that is generated. */
export interface Table {
  /** Its first records, as they stand. */
  readonly sample: readonly AnyRecord[];
  /** How its text was read, as far as it is known. */
  readonly textRead?: () => TextRead;
  /** What was said of its columns when it was read. */
  readonly notices?: () => readonly string[];
  /** The schema that it declares, or that is inferred. */
  readonly infer: () => Schema | Promise<Schema>;
  readonly read: <S extends Schema>(
    options: ConvertOptions & { readonly schema: S },
  ) => Reading<ImportOf<S>>;
  /** Opens it as it stands, where that is quicker than reading. */
  readonly open?: (indexes: Indexes) => Collection;
}

export interface LoadedTable {
  readonly collection: Collection;
  /** The columns that are times, each with the form of its texts if it has texts. */
  readonly times: Times;
  readonly read: Read;
}

export type Times = ReadonlyMap<string, TimeForm | undefined>;

type Conversion = Read["conversions"][number][1];

/** How a column is read otherwise than it stands. */
interface Amended {
  /** As `readSchema` takes it. */
  readonly field: object;
  readonly conversion?: Conversion | undefined;
  readonly isTime?: true;
}

/** @throws InputError with the place of the first value that is not of its type */
export async function loadTable(
  table: Table,
  { types }: ReadAs,
  indexes: Indexes,
): Promise<LoadedTable> {
  const inferred = await table.infer();
  const { fields } = writeSchema(inferred);
  const chosen = new Map<string, Amended>();
  for (const [name, type] of types) {
    const field = fields[name];
    if (Object.hasOwn(fields, name) && field !== undefined) {
      chosen.set(name, amended(type, field, firstOf(table, name)));
    }
  }
  const found = new Map<string, Amended>();
  for (const [name, field] of Object.entries(fields)) {
    const time = chosen.has(name) ? undefined : formOf(table, name);
    if (time === undefined || inferred.fields[name]?.type !== "string") continue;
    found.set(name, { field: { ...field, type: "int" }, conversion: time, isTime: true });
  }
  for (;;) {
    const columns = new Map([...chosen, ...found]);
    const read = {
      schema: { fields: withFields(fields, columns) },
      conversions: [...columns].flatMap(([name, { conversion }]) =>
        conversion === undefined ? [] : [[name, conversion] as const],
      ),
      text: table.textRead?.(),
      notices: table.notices?.() ?? [],
    };
    /** Columns that have other texts than their first ones. */
    const others: string[] = [];
    const convert = Object.fromEntries(
      read.conversions.map(([name, conversion]) => [
        name,
        converterOf(conversion, found.has(name) ? () => others.push(name) : undefined),
      ]),
    );
    try {
      return {
        collection:
          columns.size === 0 && table.open !== undefined
            ? table.open(indexes)
            : await loaded(table, columns.size === 0 ? inferred : readSchema(read.schema)),
        times: new Map([...columns].flatMap(([name, column]) => timesOf(name, column))),
        read: columns.size === 0 ? { ...read, schema: undefined } : read,
      };
    } catch (thrown) {
      if (others.length === 0) throw thrown;
      for (const name of others) found.delete(name);
    }
    function loaded(from: Table, schema: Schema) {
      return loadCollection(schema, from.read({ schema, convert }), { indexes });
    }
  }
}

const timesOf = (name: string, { conversion, isTime }: Amended) =>
  isTime ? [[name, typeof conversion === "object" ? conversion : undefined] as const] : [];

const withFields = (fields: Readonly<Record<string, object>>, by: ReadonlyMap<string, Amended>) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, by.get(name)?.field ?? field]),
  );

function amended(type: ColumnType, inferred: object, first: unknown): Amended {
  const nullable = true;
  switch (type) {
    case "string":
      return { field: { ...inferred, type } };
    case "string, any case":
      return { field: { ...inferred, type: "string", ignoreCase: true } };
    case "float, decimal comma":
      return { field: { type: "float", nullable }, conversion: "comma" };
    case "time": {
      const text = textOf(first);
      // Numbers are times as they stand.
      const conversion = text === undefined ? undefined : (readTime(text)?.form ?? ANY_FORM);
      return { field: { type: "int", nullable }, conversion, isTime: true };
    }
    default:
      return { field: { type, nullable } };
  }
}

const ANY_FORM: TimeForm = { separator: "T", length: 23, zone: "Z" };

/** A text that may be a time. Parquet has dates as they are. */
function textOf(value: unknown): string | undefined {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "" : value.toISOString();
  return typeof value === "string" && !/^-?\d+$/.test(value) ? value : undefined;
}

const valuesOf = ({ sample }: Table, name: string): unknown[] =>
  sample.flatMap((record) => record[name] ?? []);

const firstOf = (table: Table, name: string): unknown => valuesOf(table, name)[0];

/** The form of the first texts of a column, if all of them are times in that form. */
function formOf(table: Table, name: string): TimeForm | undefined {
  const texts = valuesOf(table, name).map(textOf);
  const form = readTime(texts[0] ?? "")?.form;
  return form !== undefined && texts.every((text) => isInForm(text ?? "", form)) ? form : undefined;
}

/**
 * Converts the values of a column.
 *
 * @param onOther gets a text that is not in the form; without it, any text that is a time will do
 */
function converterOf(conversion: Conversion, onOther: (() => void) | undefined) {
  if (conversion === "comma") return fromComma;
  return (value: unknown) => {
    const text = textOf(value);
    // Refused, or taken, by its field.
    if (text === undefined) return value;
    const time = readTime(text);
    if (onOther !== undefined && (time === undefined || !isInForm(text, conversion))) onOther();
    else if (time !== undefined) return time.value;
    throw new Error(`must be a time such as 2024-03-05 or 2024-03-05T10:30Z, not ${quoted(text)}`);
  };
}

const WITH_COMMA = /^[+-]?(?:\d+|\d{1,3}(?:\.\d{3})+)(?:,\d+)?$/;

function fromComma(value: unknown): unknown {
  if (typeof value !== "string") return value;
  if (WITH_COMMA.test(value)) return Number(value.replaceAll(".", "").replace(",", "."));
  throw new Error(`must be a number such as 0,50 or 1.234,5, not ${quoted(value)}`);
}

const quoted = (text: string): string => JSON.stringify(text.slice(0, 60));
