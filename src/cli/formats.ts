// File formats by name and first bytes, and the typed options for reading and writing them.

import { Decompress } from "fzstd";
import { formatOf, type CsvFormatOptions, type ListFields } from "../import/index.ts";
import { textReading, TYPED_OPTIONS, type TypedOptions } from "./typed-options.ts";
import { UsageError } from "./errors.ts";
import type { FieldTypeFlags } from "./field-types.ts";
import { FORMATS, FORMAT_NAMES } from "./words.ts";

export type FileFormat = (typeof FORMATS)[number];

const binaryEndings: Readonly<Record<string, FileFormat>> = {
  arrow: "arrow",
  feather: "arrow",
  parquet: "parquet",
};

/** The format given by an option, or else by the file name; `undefined` if neither determines it. */
export function fileFormat(
  option: "--format" | "--from",
  given: string | undefined,
  name = "",
): FileFormat | undefined {
  if (given === undefined) {
    const ending = /\.(arrow|feather|parquet)(?:\.(?:gz|zst))?$/i.exec(name)?.[1]?.toLowerCase();
    return ending === undefined ? formatOf(name) : binaryEndings[ending];
  }
  const format = FORMATS.find((each) => each === given);
  if (format !== undefined) return format;
  throw new UsageError(`${option}: must be ${FORMAT_NAMES}, not ${given}`);
}

/** What a command writes into a file. */
export type Content = FileFormat | "HTML" | "XML";

/** The endings of other formats that the commands might be expected to write. */
const otherEndings: Readonly<Record<string, string>> = {
  ...{ html: "HTML", htm: "HTML", xml: "XML", geojson: "GeoJSON", avro: "Avro", orc: "ORC" },
  ...{ xls: "Excel", xlsx: "Excel", ods: "OpenDocument", db: "SQLite", sqlite: "SQLite" },
  ...{ duckdb: "DuckDB", sql: "SQL", yaml: "YAML", yml: "YAML", pdf: "PDF" },
};

/** Endings of compressed files and archives. */
const PACKED =
  /\.(?:gz|gzip|zst|zstd|bz2?|bzip2|xz|lzma|br|lz4|lzo|sz|snappy|z|zip|7z|rar|tar|tgz|tbz2?|txz)$/i;

/** How a file with a name must be written, so that it is what its name says. */
export interface Naming {
  readonly isGzip: boolean;
  /** Whether CSV has tabs. */
  readonly isTabbed: boolean;
}

/** @throws UsageError if the name of a file promises something other than what it would get */
export function namingOf(path: string, content: Content): Naming {
  const isGzip = /\.gz$/i.test(path);
  const name = isGzip ? path.slice(0, -".gz".length) : path;
  const packed = PACKED.exec(name)?.[0];
  if (packed !== undefined) {
    const reason = isGzip ? "is compressed twice, by its name" : `can't be written as ${packed}`;
    throw new UsageError(`${path}: ${reason}; use .gz or no compression`);
  }
  const ending = /\.([^./\\]+)$/.exec(name)?.[1]?.toLowerCase() ?? "";
  const other = Object.hasOwn(otherEndings, ending) ? otherEndings[ending] : undefined;
  const named = other ?? fileFormat("--format", undefined, name);
  if (named !== undefined && named !== content) {
    throw new UsageError(`${path}: would contain ${content}, not ${named}; use another name`);
  }
  return { isGzip, isTabbed: ending === "tsv" };
}

/** The binary format detected from the first bytes of a file. */
export function binaryFormatIn(head: Uint8Array): "arrow" | "parquet" | undefined {
  const text = String.fromCharCode(...head.subarray(0, 6));
  // A stream begins with the marker that precedes the length of its schema.
  if (text === "ARROW1" || text.startsWith("\xff\xff\xff\xff")) return "arrow";
  return text.startsWith("PAR1") ? "parquet" : undefined;
}

/** Options for reading a source other than a store or a directory, as typed. */
export interface ReadingFlags {
  readonly column?: readonly string[];
  readonly ignoreColumns?: true;
  readonly allowEmpty?: true;
}

/** The same options for Contacts. */
export interface ContactFlags extends ReadingFlags {
  readonly listField?: readonly string[];
}

/** The format of a source, as typed, and how to read it as text. */
export interface FormatFlags extends TypedOptions, FieldTypeFlags {
  readonly from?: string | undefined;
}

/** The options that describe a text format. */
const typed = (flags: FormatFlags): TypedOptions =>
  Object.fromEntries(TYPED_OPTIONS.map((name) => [name, flags[name]]));

/** Decompresses Zstandard, which Node.js supports only since version 22.15. */
export const zstd = { Decompress };

/** The readers' options for a source, except List Fields. */
export function recordOptions(
  place: string,
  { column = [], ignoreColumns }: ReadingFlags,
  format: FormatFlags = {},
) {
  const columns = column.map((each) => {
    const at = each.lastIndexOf("=");
    if (at < 1) throw new UsageError(`--column: must be NAME=FIELD, not ${each}`);
    return [each.slice(0, at), at === each.length - 1 ? null : each.slice(at + 1)] as const;
  });
  const named = fileFormat("--from", format.from, place);
  const isBinary = named === "arrow" || named === "parquet";
  return {
    // For text formats, only the file name determines it.
    format: isBinary || format.from !== undefined ? named : undefined,
    name: place,
    zstd,
    ...textReading(typed(format)),
    ...(columns.length > 0 && { columns: Object.fromEntries(columns) }),
    ...(ignoreColumns && { otherColumns: "ignore" as const }),
  };
}

/** How to write CSV. */
export function writingOptions({ delimiter, null: nullText }: FormatFlags): CsvFormatOptions {
  return textReading({
    ...(delimiter !== undefined && { delimiter }),
    ...(nullText !== undefined && { null: nullText }),
  });
}

/** The given List Fields with their types. */
export function listFieldsOf({
  listField,
}: Pick<ContactFlags, "listField">): ListFields | undefined {
  if (listField === undefined) return undefined;
  return Object.fromEntries(
    listField.map((each) => {
      const [, name = each, type = "string"] = /^(.*)=(int|string)$/s.exec(each) ?? [];
      return [name, type as "int" | "string"];
    }),
  );
}
