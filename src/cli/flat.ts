// Streams of records in any format: Files, or Contacts with their Lists.

import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { decompress as unzstd } from "fzstd";
import { parquetMetadataAsync, parquetRead, parquetSchema } from "hyparquet";
import { readArrow, readParquet, readRecords } from "../import/index.ts";
import type { Compressors, ImportOf, ParquetOptions, RecordsOptions } from "../import/index.ts";
import type { Schema } from "../index.ts";
import type { ByteSource } from "./bytes.ts";
import { binaryFormatIn, type FileFormat } from "./formats.ts";
import { startProgress } from "./progress.ts";
import { inPlace, located, type Source } from "./records.ts";

/** How to read them. */
export type FlatOptions<S extends Schema> = Omit<RecordsOptions<S>, "format" | "onProgress"> & {
  /** Default: inferred from the first bytes. */
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
  const reading =
    format === "arrow"
      ? readArrow<S>(bytes, options)
      : readRecords<Iterable<Uint8Array>, S>(bytes.chunks("Importing"), { ...options, format });
  const { place } = bytes;
  return { place, content: located(place, reading), recordPlace: () => reading.place };
}

/** The format inferred from the first bytes, if it is binary. */
export function binaryFormatOf(bytes: ByteSource): "arrow" | "parquet" | undefined {
  return binaryFormatIn(bytes.read(0, Math.min(bytes.size, 8)));
}

/** Decompressors for Parquet pages, besides Snappy. */
const compressors: Compressors = {
  GZIP: (page, length) => gunzipSync(page, { maxOutputLength: Math.max(1, length) }),
  BROTLI: (page, length) => brotliDecompressSync(page, { maxOutputLength: Math.max(1, length) }),
  // Node.js has it only since version 22.15.
  ZSTD: (page, length) => unzstd(page, new Uint8Array(length)),
};

/** All records at once, because Parquet is read asynchronously and consumers of records do not wait. */
async function readWholeParquet<S extends Schema>(
  bytes: ByteSource,
  options: ParquetOptions<S>,
): Promise<Source<Iterable<ImportOf<S>>>> {
  const { size, place } = bytes;
  const file = {
    byteLength: size,
    slice: (start: number, end = size) => bytes.read(start, end).buffer,
  };
  const progress = startProgress("Importing", {});
  let before = 0;
  const reading = readParquet({ parquetMetadataAsync, parquetRead, parquetSchema }, file, {
    ...options,
    compressors,
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
  return { place, content: all(), recordPlace: () => places[given] };
}
