// Parquet, with hyparquet and hyparquet-writer. The caller passes them in, so that nobody else needs
// them and no bundler looks for them.

import { InputError, member } from "../schema/errors.ts";
import { createField } from "../schema/declare.ts";
import { fromWire, Unreadable, type FieldType } from "../schema/field.ts";
import { schemaOfEntries, type Schema } from "../schema/schema.ts";
import { recordMaker, ROWS, type RowOptions } from "./columns.ts";
import { inputOf } from "./flat-value.ts";
import type { AnyRecord, ImportOf } from "./form.ts";
import { formOf, Records, type Reading } from "./reading.ts";
import { rowWith, type Sink } from "./sink.ts";
import { withCheckedPages, type ParquetFile, type ParquetMetadata } from "./parquet-pages.ts";
import type { ParquetStatistics } from "./parquet-pages.ts";
import { decodeUtf8 } from "./utf8.ts";
import { flatTable, type FlatOptions } from "./write-text.ts";

/** The part of the package `hyparquet` that is used. */
export interface Hyparquet<Metadata extends ParquetMetadata = ParquetMetadata> {
  parquetMetadataAsync(file: ParquetFile): Promise<Metadata>;
  parquetSchema(metadata: Pick<Metadata, "schema">): {
    readonly children: readonly { readonly element: ParquetColumn }[];
  };
  parquetRead(options: {
    file: ParquetFile;
    metadata: Metadata;
    columns: string[];
    parsers: {
      stringFromBytes(bytes: Uint8Array): unknown;
      jsonFromBytes(bytes: Uint8Array): unknown;
    };
    compressors: Compressors;
    rowStart: number;
    rowEnd: number;
    rowFormat: "array";
    onComplete: (rows: unknown[][]) => void;
  }): Promise<void>;
}

/** A column as the file declares it. */
export interface ParquetColumn {
  readonly name: string;
  readonly type?: string;
  readonly converted_type?: string;
  readonly repetition_type?: string;
  readonly logical_type?: { readonly type: string };
}

/** Functions that decompress pages, by Parquet's names for codecs: `GZIP`, `ZSTD`. */
export type Compressors = Readonly<
  Record<string, (page: Uint8Array, length: number) => Uint8Array>
>;

/** The part of the package `hyparquet-writer` that is used. */
export interface HyparquetWriter {
  parquetWriteBuffer(options: {
    columnData: {
      name: string;
      data: unknown[];
      type: "INT64" | "DOUBLE" | "BOOLEAN" | "STRING" | "JSON";
    }[];
  }): ArrayBuffer;
}

export interface ParquetOptions<S extends Schema | undefined = undefined> extends RowOptions<S> {
  /**
   * Functions that decompress codecs other than Snappy, such as those of `hyparquet-compressors`. They take a
   * page and the number of bytes to return.
   */
  readonly compressors?: Compressors;
}

/**
 * Reads a Parquet file, some rows at a time. A field takes values of its own type, a float field integers
 * too, a string field the text of a number or the ISO text of a date, an int field the epoch
 * milliseconds of a date, and a field of JSON anything nested. Without a schema values are passed on as
 * they are. Pages may be compressed with Snappy, with a codec of `options.compressors`, or not at all.
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
  const stretches = file instanceof Uint8Array ? bufferOf(file) : file;

  const damaged = (thrown: unknown) => {
    if (thrown instanceof InputError) return thrown;
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    return new InputError("source", `can't be read as Parquet: ${reason}`, { cause: thrown });
  };
  const makerOf = (declared: readonly ParquetColumn[]) =>
    recordMaker(
      declared.map(({ name }) => name),
      form,
      options,
      "columns",
    );
  async function open() {
    try {
      const metadata = await hyparquet.parquetMetadataAsync(stretches);
      const declared = hyparquet.parquetSchema(metadata).children.map(({ element }) => element);
      return { metadata, declared, rows: Number(metadata.num_rows) };
    } catch (thrown) {
      throw damaged(thrown);
    }
  }
  async function schemaOfFile(): Promise<Schema> {
    const { metadata, declared } = await open();
    const fields = makerOf(declared).columns.map(({ index, name, path: [target] }) => {
      return [target, fieldOf(declared[index]!, statisticsOf(metadata, name))] as const;
    });
    return schemaOfEntries(fields, "values");
  }

  async function* read<To extends Sink>(sink: To): AsyncGenerator<To, void> {
    const { metadata, declared, rows } = await open();
    const maker = makerOf(declared);
    const columns = maker.columns.map(({ name }) => name);
    const isJson = maker.columns.map(
      ({ index, field }) => field === undefined && isDeclaredJson(declared[index]!),
    );
    requireCodecs(metadata, columns, compressors);
    const flat = declared.filter((column) => column.type && column.repetition_type !== "REPEATED");
    const pages = withCheckedPages(stretches, metadata, new Set(flat.map(({ name }) => name)));
    for (let start = 0; start < rows; start += ROWS) {
      const rowEnd = Math.min(rows, start + ROWS);
      let found: unknown[][] = [];
      try {
        await hyparquet.parquetRead({
          file: pages,
          metadata,
          columns,
          // As text: which value a string is depends on the field.
          parsers: { stringFromBytes, jsonFromBytes: stringFromBytes },
          compressors,
          rowStart: start,
          rowEnd,
          // Not objects, because a column may be named `__proto__`.
          rowFormat: "array",
          onComplete: (all: unknown[][]) => (found = all),
        });
        // Otherwise a file of a few bytes could be read for days.
        if (found.length < rowEnd - start) throw new Error("it has fewer rows than it says");
        if (isJson.includes(true)) for (const row of found) parseJsonIn(row, isJson);
      } catch (thrown) {
        throw damaged(thrown);
      }
      for (const [i, row] of found.entries()) {
        sink.take(maker.recordOfRow(row), start + i + 1, rowWith);
      }
      yield sink;
      options.onProgress?.(rowEnd);
    }
  }
  // The schema that types the records has checked them.
  const reading = new Records(read, form, options, schemaOfFile);
  return reading as unknown as Reading<ImportOf<S>>;
}

const INTEGER_TYPES = ["INT32", "INT64"];
const FLOAT_TYPES = ["FLOAT", "DOUBLE"];
/** What other types stand for where a column says no more of its values. */
const PLAIN_INTEGERS = /^U?INT_\d+$/;

/** The field for the values of a column, from what the file says of it. */
function fieldOf(column: ParquetColumn, statistics: readonly (ParquetStatistics | undefined)[]) {
  const type = typeOf(column);
  const isWide = statistics.some(
    (known) => isBeyond(known?.min_value) || isBeyond(known?.max_value),
  );
  const nullable =
    column.repetition_type !== "REQUIRED" &&
    !(statistics.length > 0 && statistics.every((known) => known?.null_count === 0n));
  return createField(type === "int" && isWide ? "string" : type, { nullable });
}

function typeOf(column: ParquetColumn): FieldType {
  const { type, converted_type: converted, logical_type: logical } = column;
  // A list, a map or a struct.
  if (type === undefined || column.repetition_type === "REPEATED") return "json";
  if (isDeclaredJson(column)) return "json";
  if (type === "BOOLEAN") return "boolean";
  if (FLOAT_TYPES.includes(type) || converted === "DECIMAL" || logical?.type === "FLOAT16") {
    return "float";
  }
  const isPlain = converted === undefined ? logical === undefined : PLAIN_INTEGERS.test(converted);
  return INTEGER_TYPES.includes(type) && (isPlain || logical?.type === "INTEGER")
    ? "int"
    : "string";
}

function isDeclaredJson({ converted_type: converted }: ParquetColumn): boolean {
  return converted === "JSON";
}

function isBeyond(bound: unknown): boolean {
  return typeof bound === "bigint" && !Number.isSafeInteger(Number(bound));
}

/** What each part of the file says of the values of a column. */
function statisticsOf({ row_groups: groups }: ParquetMetadata, name: string) {
  return groups.flatMap(({ columns }) =>
    columns.flatMap(({ meta_data: data }) =>
      data?.path_in_schema[0] === name ? [data.statistics] : [],
    ),
  );
}

const anyJson = createField("json", {});

function parseJsonIn(row: unknown[], isJson: readonly boolean[]): void {
  for (let i = 0; i < row.length; i++) {
    if (!isJson[i]) continue;
    row[i] = inputOf(anyJson, row[i] ?? null);
    if (row[i] instanceof Unreadable) throw new Error("a value is not JSON");
  }
}

/** The codecs that hyparquet decompresses by itself. */
const OWN_CODECS = ["UNCOMPRESSED", "SNAPPY"];

/** @throws InputError that names the codec of a column, if it is not supported */
function requireCodecs(
  { row_groups: groups }: ParquetMetadata,
  columns: readonly string[],
  compressors: Compressors,
): void {
  for (const { meta_data: data } of groups.flatMap((group) => group.columns)) {
    if (data === undefined || !columns.includes(data.path_in_schema[0] ?? "")) continue;
    if (OWN_CODECS.includes(data.codec) || Object.hasOwn(compressors, data.codec)) continue;
    const known = [...OWN_CODECS.slice(1), ...Object.keys(compressors)].join(", ");
    throw new InputError(
      member("columns", data.path_in_schema[0] ?? ""),
      `is compressed with ${data.codec}, which is not supported; these codecs are: ${known}`,
      { code: "unsupported" },
    );
  }
}

/**
 * Writes records as a Parquet file, compressed with Snappy. Each field has the column type of
 * its own type: 64-bit integers, doubles, booleans, strings, JSON. Holds the records column by column, and the file, in memory.
 *
 * @param writer the package `hyparquet-writer`: `import * as writer from "hyparquet-writer"`
 * @throws InputError with the path of what can't be written, such as `records[3].size`
 */
export function writeParquet<S extends Schema | undefined = undefined>(
  writer: HyparquetWriter,
  records: Iterable<AnyRecord>,
  options: FlatOptions<S> = {},
): Uint8Array {
  const { columns, rows } = flatTable(records, options) ?? { columns: [], rows: [] };
  const data = columns.map(({ name, type }) => ({
    name,
    data: [] as unknown[],
    type: COLUMN_TYPES[type],
    valueOf: valueOf(type),
  }));
  for (const values of rows) {
    for (const [i, value] of values.entries()) {
      const column = data[i]!;
      column.data.push(value === null ? null : column.valueOf(value));
    }
  }
  const columnData = data.map(({ name, data, type }) => ({ name, data, type }));
  return new Uint8Array(writer.parquetWriteBuffer({ columnData }));
}

function valueOf(type: FieldType): (wire: string) => unknown {
  if (type === "int") return BigInt;
  const held = fromWire.bind(undefined, createField(type, {}));
  if (type !== "json") return held;
  return (wire) => {
    const value = held(wire);
    // Theirs copies arrays and objects, and so loses a member `__proto__`, but none without a prototype.
    return typeof value === "object" ? { __proto__: null, toJSON: () => value } : value;
  };
}

const COLUMN_TYPES = {
  int: "INT64",
  float: "DOUBLE",
  boolean: "BOOLEAN",
  string: "STRING",
  json: "JSON",
} as const satisfies Record<FieldType, string>;

/** Theirs drops a byte order mark at the start of a string, and replaces bytes that are not UTF-8. */
function stringFromBytes(bytes: Uint8Array | undefined): string | undefined {
  if (bytes === undefined) return undefined;
  const text = decodeUtf8(bytes);
  if (text === undefined) throw new Error("a string is not UTF-8");
  return text;
}

function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): ParquetFile {
  return {
    byteLength,
    slice: (start, end = byteLength) =>
      new Uint8Array(buffer, byteOffset, byteLength).slice(start, end).buffer,
  };
}
