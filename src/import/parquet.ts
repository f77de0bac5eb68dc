// Parquet, with hyparquet and hyparquet-writer. The caller passes them in, so that nobody else needs
// them and no bundler looks for them.

import { InputError, member } from "../schema/errors.ts";
import type { Schema } from "../schema/schema.ts";
import { RecordMaker, ROWS, type RowOptions } from "./columns.ts";
import type { AnyRecord, ImportOf } from "./form.ts";
import { formOf, Records, type Parsed, type Reading } from "./reading.ts";
import { decodeUtf8 } from "./utf8.ts";
import { flatTable, type FlatOptions } from "./write-text.ts";

/** The part of the package `hyparquet` that is used. */
export interface Hyparquet<Metadata extends ParquetMetadata = ParquetMetadata> {
  parquetMetadataAsync(file: ParquetFile): Promise<Metadata>;
  parquetSchema(metadata: Pick<Metadata, "schema">): {
    readonly children: readonly { readonly element: { readonly name: string } }[];
  };
  parquetRead(options: {
    file: ParquetFile;
    metadata: Metadata;
    columns: string[];
    parsers: { stringFromBytes(bytes: Uint8Array): unknown };
    compressors: Compressors;
    rowStart: number;
    rowEnd: number;
    rowFormat: "array";
    onComplete: (rows: unknown[][]) => void;
  }): Promise<void>;
}

export interface ParquetMetadata {
  readonly num_rows: bigint;
  readonly schema: readonly object[];
  readonly row_groups: readonly {
    readonly columns: readonly {
      readonly meta_data?: { readonly codec: string; readonly path_in_schema: readonly string[] };
    }[];
  }[];
}

/** Functions that decompress pages, by Parquet's names for codecs: `GZIP`, `ZSTD`. */
export type Compressors = Readonly<
  Record<string, (page: Uint8Array, length: number) => Uint8Array>
>;

/** The part of the package `hyparquet-writer` that is used. */
export interface HyparquetWriter {
  parquetWriteBuffer(options: {
    columnData: { name: string; data: (string | bigint | null)[]; type: "INT64" | "STRING" }[];
  }): ArrayBuffer;
}

/** A file with random access, because Parquet is read from its end. */
export interface ParquetFile {
  readonly byteLength: number;
  /** The bytes from `start` to `end`, or to the end of the file. */
  slice(start: number, end?: number): ArrayBuffer | Promise<ArrayBuffer>;
}

export interface ParquetOptions<S extends Schema | undefined = undefined> extends RowOptions<S> {
  /**
   * Functions that decompress codecs other than Snappy, such as those of `hyparquet-compressors`. They take a
   * page and the number of bytes to return.
   */
  readonly compressors?: Compressors;
}

/**
 * Reads a Parquet file, some rows at a time. Integers of every width are integers, and strings are
 * strings. A schema refuses anything else, such as a date; without a schema it is passed on as it
 * is. Pages may be compressed with Snappy, with a codec of `options.compressors`, or not at all.
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

  async function* read(): AsyncGenerator<Parsed, void> {
    const damaged = (thrown: unknown) => {
      const reason = thrown instanceof Error ? thrown.message : String(thrown);
      return new InputError("source", `can't be read as Parquet: ${reason}`, { cause: thrown });
    };
    let names: string[];
    let rows: number;
    let metadata: Metadata;
    try {
      metadata = await hyparquet.parquetMetadataAsync(stretches);
      names = hyparquet.parquetSchema(metadata).children.map(({ element }) => element.name);
      rows = Number(metadata.num_rows);
    } catch (thrown) {
      throw damaged(thrown);
    }
    const maker = new RecordMaker(names, form, options, "columns");
    const columns = maker.columns.map(({ name }) => name);
    requireCodecs(metadata, columns, compressors);
    for (let start = 0; start < rows; start += ROWS) {
      const rowEnd = Math.min(rows, start + ROWS);
      let found: unknown[][] = [];
      try {
        await hyparquet.parquetRead({
          file: stretches,
          metadata,
          columns,
          parsers: { stringFromBytes },
          compressors,
          rowStart: start,
          rowEnd,
          // Not objects, because a column may be named `__proto__`.
          rowFormat: "array",
          onComplete: (all: unknown[][]) => (found = all),
        });
        // Otherwise a file of a few bytes could be read for days.
        if (found.length < rowEnd - start) throw new Error("it has fewer rows than it says");
      } catch (thrown) {
        throw damaged(thrown);
      }
      const values = found.map((row) => maker.recordOfRow(row));
      yield { values, placeOf: (index) => `row ${start + index + 1}` };
      options.onProgress?.(rowEnd);
    }
  }
  // The schema that types the records has checked them.
  return new Records(read, form, options) as unknown as Reading<ImportOf<S>>;
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
    );
  }
}

/**
 * Writes records as a Parquet file, compressed with Snappy. Integer fields become 64-bit integers, all
 * others strings. Holds the records column by column, and the file, in memory.
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
  const data = columns.map((): (string | bigint | null)[] => []);
  for (const values of rows) {
    for (const [i, value] of values.entries()) {
      data[i]?.push(columns[i]?.isInteger && value !== null ? BigInt(value) : value);
    }
  }
  const written = writer.parquetWriteBuffer({
    columnData: columns.map(({ name, isInteger }, i) => ({
      name,
      data: data[i] ?? [],
      type: isInteger ? "INT64" : "STRING",
    })),
  });
  return new Uint8Array(written);
}

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
