// Loads a table with the types that it declares or that are inferred from it, except where the reader
// chose other types. A column of texts that are all times in one format becomes a column of times.

import {
  isMissing,
  loadCollection,
  looseNumber,
  type AnyRecord,
  type ConvertOptions,
  type ImportOf,
  type Reading,
} from "../../import/index.ts";
import { readSchema, writeSchema, type Collection, type Schema } from "../../index.ts";
import type { ColumnType, Conversion, NearlyTyped, Read, ReadAs, TextRead } from "../messages.ts";
import { isFine, isInForm, readTime } from "../times.ts";
import type { TimeForm } from "../messages.ts";

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
  readonly times: Times;
  readonly read: Read;
}

/** The columns that are times, by the form of their texts or as numbers, and those that somebody said are none. */
export type Times = ReadonlyMap<string, TimeForm | "numbers" | "never">;

/** How a column writes its times as texts, if it does. */
export function formOf(times: Times, name: string): TimeForm | undefined {
  const time = times.get(name);
  return typeof time === "object" ? time : undefined;
}

/** How a column is read otherwise than it stands. */
interface Amended {
  /** As `readSchema` takes it. */
  readonly field: object;
  readonly conversion?: Conversion | undefined;
  readonly time: TimeForm | "numbers" | "never";
}

/** @throws InputError with the place of the first value that is not of its type */
export async function loadTable(
  table: Table,
  { types }: ReadAs,
  indexes: Indexes,
): Promise<LoadedTable> {
  const declared = await table.infer();
  const inferred = withTimesAsTexts(declared);
  const { fields, order } = writeSchema(inferred);
  // The reader of CSV makes values of a type from texts by itself.
  const isText = table.textRead?.().found.format === "csv";
  const chosen = new Map<string, Amended>();
  for (const [name, type] of types) {
    const field = fields[name];
    if (Object.hasOwn(fields, name) && field !== undefined) {
      const { conversion, ...column } = amended(type, field, firstOf(table, name));
      const isNeeded = !(isText && conversion === "text");
      chosen.set(name, isNeeded ? { ...column, conversion } : column);
    }
  }
  const found = new Map<string, Amended>();
  for (const [name, field] of Object.entries(fields)) {
    if (chosen.has(name) || inferred.fields[name]?.type !== "string") continue;
    const time = formIn(table, name);
    if (time === undefined) continue;
    found.set(name, { field: { ...field, type: typeFor(time) }, conversion: time, time });
  }
  for (;;) {
    const columns = new Map([...chosen, ...found]);
    const read = {
      schema: { fields: withFields(fields, columns), ...(order !== undefined && { order }) },
      conversions: [...columns].flatMap(([name, { conversion }]) =>
        conversion === undefined ? [] : [[name, conversion] as const],
      ),
      text: table.textRead?.(),
      notices: table.notices?.() ?? [],
      nearly: nearlyTyped(table, inferred).filter(({ name }) => !columns.has(name)),
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
          columns.size === 0 && inferred === declared && table.open !== undefined
            ? table.open(indexes)
            : await loaded(table, columns.size === 0 ? inferred : readSchema(read.schema)),
        times: new Map([...columns].map(([name, { time }]) => [name, time])),
        read: columns.size === 0 && inferred === declared ? { ...read, schema: undefined } : read,
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

/** Times that a file declares are the texts of them, which are then times of the page. */
function withTimesAsTexts(schema: Schema): Schema {
  const texts = schema.places.flatMap(({ name, field: { type, nullable } }) =>
    type === "time" ? [[name, { type: "string", nullable }] as const] : [],
  );
  if (texts.length === 0) return schema;
  const { fields, order } = writeSchema(schema);
  return readSchema({ fields: { ...fields, ...Object.fromEntries(texts) }, order });
}

const withFields = (fields: Readonly<Record<string, object>>, by: ReadonlyMap<string, Amended>) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, by.get(name)?.field ?? field]),
  );

/** A type that somebody chose takes whatever says the same in another type. */
function amended(type: ColumnType, { nullable = false }: ReadField, first: unknown): Amended {
  const time = "never";
  const others = nullable ? { nullable } : {};
  switch (type) {
    case "string":
      return { field: { type, ...others }, conversion: "text", time };
    case "string, any case": {
      const field = { type: "string", ...others, ignoreCase: true };
      return { field, conversion: "text", time };
    }
    case "float, decimal comma":
      return { field: { type: "float", nullable: true }, conversion: "comma", time };
    case "int":
    case "float":
      return { field: { type, nullable: true }, conversion: "number", time };
    case "boolean":
      return { field: { type, nullable: true }, conversion: "boolean", time };
    case "time": {
      const text = textOf(first);
      // Numbers are times as they stand.
      const conversion = text === undefined ? undefined : (readTime(text)?.form ?? ANY_FORM);
      const field = {
        type: conversion === undefined ? "int" : typeFor(conversion),
        nullable: true,
      };
      return { field, conversion, time: conversion ?? "numbers" };
    }
  }
}

interface ReadField {
  readonly nullable?: boolean;
}

/** Microseconds are fractions. */
const typeFor = (form: TimeForm) => (isFine(form) ? "float" : "int");

const ANY_FORM: TimeForm = { separator: "T", length: 23, zone: "Z" };

/** A text that may be a time. Parquet has dates as they are. */
function textOf(value: unknown): string | undefined {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "" : value.toISOString();
  return typeof value === "string" && !/^-?\d+$/.test(value) ? value : undefined;
}

const valuesOf = ({ sample }: Table, name: string): unknown[] =>
  sample.flatMap((record) => record[name] ?? []);

/** Null and what is missing are no value. */
const firstOf = ({ sample }: Table, name: string): unknown =>
  sample.find((record) => (record[name] ?? null) !== null)?.[name];

/** The form of the first texts of a column, if all of them are times in that form. */
function formIn(table: Table, name: string): TimeForm | undefined {
  const form = readTime(textOf(firstOf(table, name)) ?? "")?.form;
  if (form === undefined) return undefined;
  const isIn = (value: unknown) => isInForm(textOf(value) ?? "", form);
  return valuesOf(table, name).every(isIn) ? form : undefined;
}

/**
 * Converts the values of a column.
 *
 * @param onOther gets a text that is not in the form; without it, any text that is a time will do
 */
function converterOf(conversion: Conversion, onOther: (() => void) | undefined) {
  if (typeof conversion === "string") return CONVERTERS[conversion];
  return (value: unknown) => {
    const text = textOf(value);
    // Refused, or taken, by its field.
    if (text === undefined) return value;
    if (onOther === undefined && isMissing(text)) return null;
    const time = readTime(text);
    if (onOther !== undefined && (time === undefined || !isInForm(text, conversion))) onOther();
    else if (time !== undefined) return time.value;
    throw new Error(`must be a time such as 2024-03-05 or 2024-03-05T10:30Z, not ${quoted(text)}`);
  };
}

/** Numbers as people write them. */
const numberIn = (decimal: "." | ",") => (value: unknown) => {
  if (typeof value === "boolean") return Number(value);
  if (typeof value !== "string") return value;
  const number = looseNumber(value, { decimal });
  if (number !== undefined) return number;
  const example = decimal === "," ? "1.234,50" : "1,234.50";
  throw new Error(`must be a number such as ${example}, not ${quoted(value)}`);
};

const BOOLEANS: Readonly<Record<string, boolean>> = {
  ...{ "1": true, true: true, yes: true, "0": false, false: false, no: false },
};

const CONVERTERS: Readonly<Record<Exclude<Conversion, TimeForm>, (value: unknown) => unknown>> = {
  comma: numberIn(","),
  text: (value) => {
    if (value === null || typeof value === "string") return value;
    return textOf(value) ?? (typeof value === "bigint" ? String(value) : JSON.stringify(value));
  },
  number: numberIn("."),
  boolean: (value) => {
    const word = String(value).toLowerCase();
    return Object.hasOwn(BOOLEANS, word) ? BOOLEANS[word] : value;
  },
};

/** At least this share of the values of a column that is nearly one of numbers or times. */
const NEARLY = 0.8;

/** How many of the other values are named. */
const MOST_OTHERS = 5;

/** Digits that are no numbers: those of codes begin with 0. */
const CODE = /^0\d/;

/** The columns of strings most of whose values are numbers or times, as far as the sample tells. */
export function nearlyTyped({ sample }: Pick<Table, "sample">, schema: Schema): NearlyTyped[] {
  return schema.places.flatMap(({ name, field }) => {
    if (field.type !== "string") return [];
    const texts = sample.flatMap((record) => {
      const value = record[name];
      return typeof value === "string" ? value : [];
    });
    const readAs = (type: ColumnType, isOf: (text: string) => boolean): NearlyTyped[] => {
      const others = texts.filter((text) => !isOf(text));
      const values = texts.length - others.length;
      if (values === 0 || values < NEARLY * texts.length) return [];
      const counts = new Map<string, number>();
      for (const each of others) counts.set(each, (counts.get(each) ?? 0) + 1);
      const named = [...counts].sort(([, a], [, b]) => b - a).slice(0, MOST_OTHERS);
      return [{ name, type, values, of: texts.length, others: named }];
    };
    const isNumber = (decimal: "." | ",") => (text: string) =>
      !CODE.test(text) && typeof looseNumber(text, { decimal }) === "number";
    const [first] = [
      ...readAs("float", isNumber(".")),
      ...readAs("float, decimal comma", isNumber(",")),
      ...readAs("time", (text) => readTime(text) !== undefined),
    ].sort((a, b) => b.values - a.values);
    return first ?? [];
  });
}

const quoted = (text: string): string => JSON.stringify(text.slice(0, 60));
