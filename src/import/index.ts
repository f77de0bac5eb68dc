// The public names of tercet/import: records in other formats.

export {
  readArrow,
  writeArrow,
  type ArrowOptions,
  type ArrowTable,
  type Flechette,
} from "./arrow.ts";
export type { ArrowCodec, ArrowCodecs, ArrowCodecType } from "./arrow-codecs.ts";
export type { ArrowColumn, ArrowType } from "./arrow-types.ts";
export type { ColumnNotice, ColumnOptions } from "./columns.ts";
export type { ConvertOptions } from "./convert.ts";
export type { CsvDialect, CsvFormatOptions } from "./csv-format.ts";
export { readCsv, type CsvOptions } from "./csv.ts";
export { UndeclaredError, type AnyRecord, type ImportOf, type ListFields } from "./form.ts";
export type { FormatOptions, FoundFormat, RecordFormat, Renamed } from "./found-format.ts";
export { inferSchema } from "./infer-schema.ts";
export type { JsonFormatOptions } from "./json-format.ts";
export { readBatch, readJson, type JsonOptions } from "./json.ts";
export type { ColumnType } from "../arrow/column-types.ts";
export { isMissing, looseNumber, type LooseNumberOptions } from "./loose-numbers.ts";
export { loadCollection, type LoadOptions } from "./load-collection.ts";
export { loadContacts, type LoadContactsOptions } from "./load-contacts.ts";
export { readNdjson, type NdjsonOptions } from "./ndjson.ts";
export { loadBatch, openBatch, type LoadBatchOptions } from "./open-batch.ts";
export {
  readParquet,
  writeParquet,
  type HyparquetWriter,
  type ParquetOptions,
  type WrittenElement,
} from "./parquet.ts";
export type { Compressors, Hyparquet } from "./parquet-file.ts";
export type { ParquetColumn, ParquetNode, ParquetParsers } from "./parquet-schema.ts";
export type { ParquetFile, ParquetMetadata } from "./parquet-pages.ts";
export type {
  Reading,
  ReadingOf,
  ReadOptions,
  Refused,
  SyncReading,
  TextOptions,
} from "./reading.ts";
export { formatOf, readRecords, type RecordsOptions } from "./records.ts";
export type { Spill } from "./spill.ts";
export { isCompressed } from "./signatures.ts";
export { decompress, type Bytes, type ByteStream, type SyncBytes } from "./source.ts";
export type { UnpackOptions } from "./unpack.ts";
export type { Fzstd } from "./unzstd.ts";
export type { NonFinite } from "./value-types.ts";
export type { WriteTypedOptions } from "./written-types.ts";
export {
  writeCsv,
  writeJson,
  writeNdjson,
  type FlatOptions,
  type WriteCsvOptions,
  type WriteJsonOptions,
} from "./write-text.ts";
