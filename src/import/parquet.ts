// Reads and writes Parquet with hyparquet and hyparquet-writer. The caller passes these in, so that other programs do
// not need them and no bundler resolves them.

import { createField } from "../schema/create-field.ts";
import { fromTextForm, type Field, type FieldType } from "../schema/field.ts";
import type { Precision } from "../schema/kinds/kind.ts";
import { schemaOfEntries, type Schema } from "../schema/schema.ts";
import {
  fieldWithNotice,
  isUndeclared,
  noticeNames,
  readNonFinite,
  recordMaker,
  type RowOptions,
} from "./columns.ts";
import type { AnyRecord, ImportOf } from "./form.ts";
import { openParquet } from "./parquet-file.ts";
import type { Compressors, Hyparquet, ParquetTable, TableColumn } from "./parquet-file.ts";
import type { ParquetFile, ParquetMetadata } from "./parquet-pages.ts";
import { formOf, Records, type Reading } from "./reading.ts";
import { rowWith, type Sink } from "./sink.ts";
import {
  BYTES_OR_TEXT,
  fieldOf,
  inputReader,
  isUnsupported,
  mayBeLeftOut,
  noFacts,
} from "./value-types.ts";
import type { ToInput } from "./value-types.ts";
import { integerOf, type WrittenType } from "../arrow/column-types.ts";
import { member } from "../schema/errors.ts";
import { flatTable } from "./write-text.ts";
import { writtenTypesOf, type WriteTypedOptions } from "./written-types.ts";

/** A column of the schema that `hyparquet-writer` gets, or a level within one, before its children. */
export interface WrittenElement {
  name: string;
  type?: "INT32" | "INT64" | "DOUBLE" | "BOOLEAN" | "BYTE_ARRAY" | "FIXED_LEN_BYTE_ARRAY";
  type_length?: number;
  repetition_type?: "REQUIRED" | "OPTIONAL" | "REPEATED";
  num_children?: number;
  precision?: number;
  scale?: number;
  converted_type?:
    | "UTF8"
    | "JSON"
    | "LIST"
    | "DATE"
    | "DECIMAL"
    | "TIMESTAMP_MILLIS"
    | "TIMESTAMP_MICROS";
  logical_type?: { type: "TIMESTAMP"; isAdjustedToUTC: boolean; unit: "MILLIS" | "MICROS" };
}

/** The part of `hyparquet-writer` that tercet uses. */
export interface HyparquetWriter {
  parquetWriteBuffer(options: {
    columnData: { name: string; data: unknown[] }[];
    schema: WrittenElement[];
  }): ArrayBuffer;
}

/** The options of `readParquet`. */
export interface ParquetOptions<S extends Schema | undefined = undefined> extends RowOptions<S> {
  /**
   * Functions that decompress codecs other than Snappy and LZ4, such as those of `hyparquet-compressors`. They
   * take a page and the number of bytes to return.
   */
  readonly compressors?: Compressors | undefined;
}

/**
 * Reads a Parquet file, some rows at a time. The README of `src/import` says which columns a field takes. Without a
 * schema, values are those of the inferred fields.
 *
 * @param hyparquet the package of that name: `import * as hyparquet from "hyparquet"`
 * @param file an ArrayBuffer, a Uint8Array, or an object that reads ranges
 * @throws InputError with the place, such as `row 17.size` (counted from 1), during iteration
 */
export function readParquet<
  Metadata extends ParquetMetadata,
  S extends Schema | undefined = undefined,
>(
  hyparquet: Hyparquet<Metadata>,
  file: ParquetFile | Uint8Array,
  options: ParquetOptions<S> = {},
): Reading<ImportOf<S>> {
  const form = formOf(options);
  const { compressors = {} } = options;
  const nonFinite = readNonFinite(options);
  const ranges = file instanceof Uint8Array ? bufferOf(file) : file;
  const open = () => openParquet(hyparquet, ranges, { nonFinite, compressors });
  const makerOf = ({ columns }: ParquetTable, leftOut: ReadonlySet<TableColumn>) =>
    recordMaker(
      columns.map(({ name }) => name),
      form,
      options,
      "columns",
      { isLeftOut: (index) => leftOut.has(columns[index]!) },
    );

  async function schemaOfFile(): Promise<Schema> {
    const table = await open();
    const names = table.columns.map(({ name }) => name);
    noticeNames(table.givenNames, names, options);
    const fields: [string, Field][] = [];
    for (const {
      index,
      name,
      path: [target],
    } of makerOf(table, new Set()).columns) {
      const column = table.columns[index]!;
      const field = fieldWithNotice(name, column.type, await table.factsOf(column), options);
      if (field !== undefined) fields.push([target, field]);
    }
    return schemaOfEntries(fields, "values");
  }

  /** Columns that no field can hold: an inferred schema does not have them. */
  async function columnsLeftOut(table: ParquetTable): Promise<Set<TableColumn>> {
    const leftOut = new Set<TableColumn>();
    for (const column of table.columns) {
      const isOpen = mayBeLeftOut(column.type) && isUndeclared(column.name, form, options);
      const field = isOpen ? fieldOf(column.type, await table.factsOf(column)) : undefined;
      if (isUnsupported(column.type) || (isOpen && field === undefined)) leftOut.add(column);
    }
    return leftOut;
  }

  async function* read<To extends Sink>(sink: To): AsyncGenerator<To, void> {
    const table = await open();
    const maker = makerOf(table, await columnsLeftOut(table));
    const columns = maker.columns.map(({ index }) => table.columns[index]!);
    const texts = new Set<string>();
    const readers: [number, ToInput][] = [];
    for (const [at, { field }] of maker.columns.entries()) {
      const column = columns[at]!;
      const needsFacts = column.type.needsFacts?.(field) === true;
      const facts = needsFacts ? await table.factsOf(column) : noFacts();
      if (column.type === BYTES_OR_TEXT && !facts.isUnusual) texts.add(column.name);
      const toInput = inputReader(column.type, facts, field);
      if (toInput !== undefined) readers.push([at, toInput]);
    }
    let number = 0;
    for await (const rows of table.rowsOf(columns, texts)) {
      for (const row of rows) {
        for (const [at, toInput] of readers) row[at] = toInput(row[at]);
        sink.take(maker.recordOfRow(row), ++number, rowWith);
      }
      yield sink;
      options.onProgress?.(number);
    }
  }
  // The schema that types the records has checked them.
  const reading = new Records(read, form, options, schemaOfFile);
  return reading as unknown as Reading<ImportOf<S>>;
}

/**
 * Writes records as a Parquet file, compressed with Snappy. Each field has the column type of its own type: 64-bit
 * integers, doubles, booleans, strings, lists of strings, JSON, and for times timestamps in UTC of milliseconds or
 * microseconds. The option `types` writes strings as dates, local times or decimals. Holds the records column by column,
 * and the file, in memory.
 *
 * @param writer the package `hyparquet-writer`: `import * as writer from "hyparquet-writer"`
 * @throws InputError with the path of what can't be written, such as `records[3].size`
 */
export function writeParquet<S extends Schema | undefined = undefined>(
  writer: HyparquetWriter,
  records: Iterable<AnyRecord>,
  options: WriteTypedOptions<S> = {},
): Uint8Array {
  const { columns, rows } = flatTable(records, options) ?? { columns: [], rows: [] };
  const types = writtenTypesOf(columns, options);
  const data = columns.map(({ name, type, precision }) => {
    const as = types.get(name);
    return {
      name,
      data: [] as unknown[],
      elements: as === undefined ? elementsOf[type](name, precision) : [typedElement(name, as)],
      valueOf: as === undefined ? valueOf(type, precision) : typedValue(name, as),
    };
  });
  let index = 0;
  for (const values of rows) {
    for (const [i, value] of values.entries()) {
      const column = data[i]!;
      column.data.push(value === null ? null : column.valueOf(value, index));
    }
    index++;
  }
  const columnData = data.map(({ name, data }) => ({ name, data }));
  const root = { name: "root", num_children: data.length };
  const schema = [root, ...data.flatMap(({ elements }) => elements)];
  return new Uint8Array(writer.parquetWriteBuffer({ columnData, schema }));
}

function valueOf(
  type: FieldType,
  precision: Precision | undefined,
): (textForm: string, index: number) => unknown {
  if (type === "int") return BigInt;
  if (type === "time") return precision === "microseconds" ? microsecondsOf : millisecondsOf;
  const read = fromTextForm.bind(undefined, createField(type, {}));
  if (type !== "json") return read;
  return (textForm) => {
    const value = read(textForm);
    // The writer's own conversion copies arrays and objects, and so loses members called `__proto__`, except in objects
    // without a prototype.
    return typeof value === "object" ? { __proto__: null, toJSON: () => value } : value;
  };
}

const millisecondsOf = (textForm: string): bigint => BigInt(Date.parse(textForm));

/** `Date.parse` reads milliseconds. */
const microsecondsOf = (textForm: string): bigint =>
  millisecondsOf(`${textForm.slice(0, MILLISECONDS)}Z`) * 1000n +
  BigInt(textForm.slice(MILLISECONDS, -1));

/** The length of `2024-02-29T13:05:00.123`. */
const MILLISECONDS = 23;

/** The columns of the schema for a field. */
const elementsOf: Readonly<
  Record<FieldType, (name: string, precision: Precision | undefined) => WrittenElement[]>
> = {
  int: (name) => [{ ...nullable(name), type: "INT64" }],
  float: (name) => [{ ...nullable(name), type: "DOUBLE" }],
  boolean: (name) => [{ ...nullable(name), type: "BOOLEAN" }],
  string: (name) => [{ ...nullable(name), type: "BYTE_ARRAY", converted_type: "UTF8" }],
  json: (name) => [{ ...nullable(name), type: "BYTE_ARRAY", converted_type: "JSON" }],
  strings: (name) => [
    { ...nullable(name), converted_type: "LIST", num_children: 1 },
    { name: "list", repetition_type: "REPEATED", num_children: 1 },
    { name: "element", repetition_type: "REQUIRED", type: "BYTE_ARRAY", converted_type: "UTF8" },
  ],
  time(name, precision) {
    const unit = precision === "microseconds" ? "MICROS" : "MILLIS";
    const logical_type = { type: "TIMESTAMP", isAdjustedToUTC: true, unit } as const;
    return [
      { ...nullable(name), type: "INT64", converted_type: `TIMESTAMP_${unit}`, logical_type },
    ];
  },
};

const typedValue = (name: string, as: WrittenType) => (text: string, index: number) => {
  const integer = integerOf(as, text, () => member(`records[${index}]`, name));
  return as.kind === "date" ? Number(integer) : integer;
};

/** The most digits of a decimal in 64 bits. */
const LONG_DIGITS = 18;

function typedElement(name: string, { kind, digits, precision }: WrittenType): WrittenElement {
  const element = nullable(name);
  switch (kind) {
    case "date":
      return { ...element, type: "INT32", converted_type: "DATE" };
    case "timestamp": {
      const unit = digits === 3 ? "MILLIS" : "MICROS";
      const logical_type = { type: "TIMESTAMP", isAdjustedToUTC: false, unit } as const;
      return { ...element, type: "INT64", logical_type };
    }
    case "decimal": {
      const decimal = { converted_type: "DECIMAL", precision, scale: digits } as const;
      return precision <= LONG_DIGITS
        ? { ...element, ...decimal, type: "INT64" }
        : { ...element, ...decimal, type: "FIXED_LEN_BYTE_ARRAY", type_length: 16 };
    }
  }
}

const nullable = (name: string) => ({ name, repetition_type: "OPTIONAL" }) as const;

function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): ParquetFile {
  return {
    byteLength,
    slice: (start, end = byteLength) =>
      new Uint8Array(buffer, byteOffset, byteLength).slice(start, end).buffer,
  };
}
