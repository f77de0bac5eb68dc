// The public names of tercet/import: records in other formats.

export {
  readArrow,
  writeArrow,
  type ArrowOptions,
  type ArrowTable,
  type Flechette,
} from "./arrow.ts";
export type { ArrowColumn, ArrowType } from "./arrow-types.ts";
export type { ColumnOptions } from "./columns.ts";
export type { ConvertOptions } from "./convert.ts";
export { readCsv, type CsvFormatOptions, type CsvOptions } from "./csv.ts";
export { findDelimiter, type DelimiterOptions } from "./delimiter.ts";
export { UndeclaredError, type AnyRecord, type ImportOf, type ListFields } from "./form.ts";
export { inferSchema } from "./infer-schema.ts";
export { readBatch, readJson } from "./json.ts";
export { loadCollection } from "./load-collection.ts";
export { loadContacts, type LoadContactsOptions } from "./load-contacts.ts";
export { readNdjson } from "./ndjson.ts";
export { loadBatch, openBatch, type LoadBatchOptions } from "./open-batch.ts";
export {
  readParquet,
  writeParquet,
  type Compressors,
  type Hyparquet,
  type HyparquetWriter,
  type ParquetColumn,
  type ParquetOptions,
} from "./parquet.ts";
export type { ParquetFile, ParquetMetadata, ParquetStatistics } from "./parquet-pages.ts";
export type {
  Reading,
  ReadingOf,
  ReadOptions,
  Refused,
  SyncReading,
  TextOptions,
} from "./reading.ts";
export { formatOf, readRecords, type RecordFormat, type RecordsOptions } from "./records.ts";
export type { Bytes, ByteStream, SyncBytes } from "./source.ts";
export { readSchema, writeSchema } from "../schema/schema-json.ts";
export { toBatch, type ToBatchOptions } from "./to-batch.ts";
export {
  writeCsv,
  writeJson,
  writeNdjson,
  type FlatOptions,
  type WriteCsvOptions,
} from "./write-text.ts";
