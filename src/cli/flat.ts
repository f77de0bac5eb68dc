// Streams records in any format: Files, or Contacts with their Lists.

import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { decompress as unzstd } from "fzstd";
import { parquetMetadataAsync, parquetRead, parquetSchema, type FileMetaData } from "hyparquet";
import * as flechette from "@uwdata/flechette";
import { readArrow, readParquet, readRecords } from "../import/index.ts";
import type {
  ColumnNotice,
  Compressors,
  ImportOf,
  ParquetOptions,
  Reading,
} from "../import/index.ts";
import type { RecordFormat, RecordsOptions, SyncReading } from "../import/index.ts";
import type { Schema } from "../index.ts";
import type { ByteSource } from "./bytes.ts";
import { warn } from "./errors.ts";
import { binaryFormatIn, type FileFormat } from "./formats.ts";
import { startProgress } from "./progress.ts";
import { inPlace, located, type Source } from "./records.ts";

/** How to read them. */
export type FlatOptions<S extends Schema | undefined> = Omit<
  RecordsOptions<S>,
  "format" | "onProgress"
> & {
  /** Default: detected from the first bytes. */
  readonly format?: FileFormat | undefined;
};

/** @throws UsageError with the place, also during iteration */
export async function openRecords<S extends Schema>(
  bytes: ByteSource,
  { format = binaryFormatOf(bytes), ...options }: FlatOptions<S>,
): Promise<Source<Iterable<ImportOf<S>>>> {
  if (format === "parquet") {
    return inPlace(bytes, () => readWholeParquet(bytes, options));
  }
  const reading = syncReadingOf<S>(bytes, { ...options, format });
  const { place } = bytes;
  return { place, content: located(place, reading), recordPlace: () => reading.place };
}

/** Reads a source in any format. */
export function readingOf<S extends Schema | undefined = undefined>(
  bytes: ByteSource,
  { format = binaryFormatOf(bytes), ...options }: FlatOptions<S>,
): Reading<ImportOf<S>> {
  if (format === "parquet") return readParquetOf(bytes, options);
  return syncReadingOf<S>(bytes, { ...options, format });
}

function syncReadingOf<S extends Schema | undefined>(
  bytes: ByteSource,
  { format, ...options }: FlatOptions<S> & { readonly format: "arrow" | RecordFormat | undefined },
): SyncReading<ImportOf<S>> {
  return format === "arrow"
    ? readArrow<S>(flechette, bytes, { ...options, compressors, onNotice })
    : readRecords<Iterable<Uint8Array>, S>(bytes.chunks("Importing"), { ...options, format });
}

function readParquetOf<S extends Schema | undefined>(
  bytes: ByteSource,
  options: ParquetOptions<S>,
): Reading<ImportOf<S>> {
  const { size } = bytes;
  const file = {
    byteLength: size,
    slice: (start: number, end = size) => bytes.read(start, end).buffer,
  };
  const hyparquet = { parquetMetadataAsync, parquetRead, parquetSchema };
  return readParquet<FileMetaData, S>(hyparquet, file, { ...options, compressors, onNotice });
}

/** The format detected from the first bytes, if it is binary. */
export function binaryFormatOf(bytes: ByteSource): "arrow" | "parquet" | undefined {
  return binaryFormatIn(bytes.read(0, Math.min(bytes.size, 8)));
}

const onNotice = ({ column, reason }: ColumnNotice) =>
  warn(`the column ${JSON.stringify(column)} ${reason}`);

/** Decompressors for Parquet pages and Arrow columns, in addition to the built-in ones. */
const compressors: Compressors = {
  GZIP: (page, length) => gunzipSync(page, { maxOutputLength: Math.max(1, length) }),
  BROTLI: (page, length) => brotliDecompressSync(page, { maxOutputLength: Math.max(1, length) }),
  // Only available in Node.js since version 22.15.
  ZSTD: (page, length) => unzstd(page, new Uint8Array(length)),
};

/** All records at once, because Parquet is read asynchronously and consumers of records are synchronous. */
async function readWholeParquet<S extends Schema>(
  bytes: ByteSource,
  options: ParquetOptions<S>,
): Promise<Source<Iterable<ImportOf<S>>>> {
  const progress = startProgress("Importing", {});
  let before = 0;
  const reading = readParquetOf(bytes, {
    ...options,
    onProgress(rows) {
      progress.advance(rows - before);
      before = rows;
    },
  });
  const records: ImportOf<S>[] = [];
  const places: string[] = [];
  try {
    for await (const record of reading) {
      records.push(record);
      places.push(reading.place);
    }
  } finally {
    progress.stop();
  }
  let given = 0;
  const all = function* () {
    for (const [index, record] of records.entries()) {
      given = index;
      yield record;
    }
  };
  return { place: bytes.place, content: all(), recordPlace: () => places[given] };
}
