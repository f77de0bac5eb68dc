// Opens a collection from the bytes of a file.

import { collectionOf } from "../../collection/create.ts";
import type { Collection } from "../../collection/collection.ts";
import { Codec } from "../../engine/columns/codec.ts";
import { ColumnRows } from "../../engine/columns/column-rows.ts";
import { FieldIndex } from "../../engine/indexes/field-index.ts";
import { TrigramIndex } from "../../engine/indexes/trigram-index.ts";
import type { ColumnName } from "../../engine/columns/rows.ts";
import {
  collectionOptions,
  settingsOf,
  type CollectionOptions,
  type CollectionSettings,
} from "../../engine/settings.ts";
import { describe, InputError, orUndefined } from "../../schema/errors.ts";
import { isCount, isFunction, isMembers } from "../../schema/input.ts";
import { flag, optional, readOptions } from "../../schema/options.ts";
import { textFormColumn } from "../../schema/names.ts";
import type { InputOf } from "../../schema/record-types.ts";
import { requireSchema, type Schema } from "../../schema/schema.ts";
import type { ByteSource } from "../byte-source.ts";
import { readDirectory, type Directory } from "../directory.ts";
import { FileError } from "../file-error.ts";
import { openTable, verifyTable, type FileColumn, type FileTable } from "./file.ts";
import { FileIndex } from "./file-index.ts";
import { readFooter } from "./footer.ts";
import { requireSameSchema } from "../schema-json.ts";
import { sealIn } from "../seal.ts";
import { copyShared, noteShared, sourceOf } from "./shared.ts";

/** The options of `openCollection`. */
export interface OpenOptions<S extends Schema = Schema> extends CollectionOptions {
  /**
   * The expected schema: its fields are compared with the file's, and the collection has its type. Default: the schema
   * of the file.
   */
  readonly schema?: S | undefined;
  /** Whether to check the whole file immediately, instead of each part on first use. */
  readonly verify?: boolean | undefined;
  /**
   * Whether to read the whole file into shared memory immediately, so that other threads can open the same collection
   * without a copy: see {@link sharedMemoryOf}.
   */
  readonly shared?: boolean | undefined;
}

/** A file: bytes in memory, shared or not, or a source that reads them. */
export type FileBytes = Uint8Array | SharedArrayBuffer | ByteSource;

/**
 * Opens a saved collection. Only the directory of the file is read; queries read the rest on demand. Arrow
 * files of other programs are read by `readArrow` of `tercet/import`.
 *
 * @param bytes the file: in memory, where it must not be changed afterwards, or a source that reads it
 * @throws FileError that names the invalid part of the file; InputError if an option is not valid, or the
 *   schema is not the file's
 */
export function openCollection<S extends Schema>(
  bytes: FileBytes,
  options: OpenOptions<S> & { readonly schema: S },
): Collection<S>;
export function openCollection(bytes: FileBytes, options?: OpenOptions): Collection;
export function openCollection(bytes: FileBytes, options: OpenOptions = {}): Collection {
  const { schema, verify, shared, ...others } = readOptions(options, "options", openOptions);
  const settings = settingsOf(others);
  const given = requireSource(bytes);
  const memory = isShared(bytes) ? bytes : shared ? copyShared(given) : undefined;
  const source = memory === undefined ? given : sourceOf(memory, 0, memory.byteLength);
  const table = openTable(source, ownDirectory(source).directory);
  if (schema !== undefined) requireSameSchema(schema, table.schema);
  const collection = opened(table, codecOf(schema ?? table.schema), settings, verify);
  if (memory !== undefined) noteShared(collection.state.snapshot.segments[0].rows, memory);
  return collection;
}

/** @internal How to open a collection with a codec of its own. */
export interface Opening<S extends Schema = Schema> {
  readonly codec: Codec<S>;
  readonly settings: CollectionSettings;
  readonly verify?: boolean;
  /** The values allowed in columns that belong to no field. Default: any string, and null. */
  readonly hidden?: readonly string[] | undefined;
}

/**
 * @internal Opens a collection with a codec of its own.
 *
 * @param opening how to open it, or a function that decides this from the file's summary
 * @throws FileError; InputError if the codec's schema is not the file's
 */
export function openWith<S extends Schema, Input = InputOf<S>>(
  bytes: FileBytes,
  opening: Opening<S> | ((summary: FileSummary) => Opening<S>),
): Collection<S, Input> {
  const source = requireSource(bytes);
  const { directory, checksum } = ownDirectory(source);
  const { note } = directory;
  const asked = typeof opening === "function" ? opening({ note, checksum }) : opening;
  const { codec, settings, verify = false, hidden } = asked;
  const table = openTable(source, directory, { hidden });
  requireSameSchema(codec.schema, table.schema);
  return opened(table, codec, settings, verify);
}

/** The metadata of a tercet file. */
export interface FileSummary {
  /** The note of the program that saved it. */
  readonly note: unknown;
  /** Distinguishes it from other files: see `seal.ts`. */
  readonly checksum: number;
}

/**
 * @internal Reads the end of a tercet file.
 *
 * @throws FileError if it is damaged, or not a tercet file
 */
export function summaryOf(bytes: FileBytes): FileSummary {
  const { directory, checksum } = ownDirectory(requireSource(bytes));
  return { note: directory.note, checksum };
}

/**
 * @internal Checks everything in a tercet file except the meaning of its records.
 *
 * @throws FileError
 */
export function verifyFile(bytes: FileBytes): void {
  const source = requireSource(bytes);
  verifyTable(openTable(source, ownDirectory(source).directory));
}

/**
 * Whether the bytes are a collection that `saveCollection` saved. Reads the end of the file.
 *
 * @throws FileError if they are, but the footer has been modified; InputError if they are not bytes
 */
export function isSavedCollection(bytes: FileBytes): boolean {
  const source = requireSource(bytes);
  const footer = orUndefined(() => readFooter(source));
  return footer !== undefined && sealIn(source, footer) !== undefined;
}

/** The directory of a file that must be a tercet file, and the checksum in its seal. */
export function ownDirectory(source: ByteSource): {
  readonly directory: Directory;
  readonly checksum: number;
} {
  const footer = readFooter(source);
  const checksum = sealIn(source, footer);
  if (checksum === undefined) {
    throw new FileError(
      "file",
      "is an Arrow file written by another program; read it with readArrow of tercet/import",
      { code: "unsupported" },
    );
  }
  return { directory: readDirectory(footer.metadata, footer.start), checksum };
}

function opened<S extends Schema, Input>(
  table: FileTable,
  codec: Codec<S>,
  settings: CollectionSettings,
  verify: boolean,
): Collection<S, Input> {
  if (verify) verifyTable(table);
  const rows = rowsOf(table, codec);
  const keys = table.keys && Array.from(table.keys.all());
  return collectionOf(codec, settings, rows, keys, table.nextKey, table.lastIds);
}

/** @throws FileError if the columns are not those of the codec */
export function rowsOf(table: FileTable, codec: Codec): ColumnRows {
  const { schema, layout } = codec;
  if (table.hidden.length !== layout.hidden.length || table.folded.size !== schema.spellings.size) {
    throw new FileError("directory", "has hidden columns that do not match the collection");
  }
  const indexes = new Map<ColumnName, FieldIndex>();
  const trigrams = new Map<ColumnName, TrigramIndex>();
  const add = (name: ColumnName, column: FileColumn | undefined) => {
    if (column === undefined) throw new FileError("directory", `has no column ${String(name)}`);
    indexes.set(name, new FileIndex(column));
    if (column.postings !== undefined) trigrams.set(name, new TrigramIndex(column.postings));
  };
  const columns = new Map(table.columns.map((column) => [column.name, column]));
  for (const { name } of schema.places) add(textFormColumn(schema, name), columns.get(name));
  for (const [i, name] of layout.hidden.entries()) add(name, table.hidden[i]);
  for (const name of schema.spellings.keys()) add(name, table.folded.get(name));
  return new ColumnRows(schema, table.rows, indexes, table.pages, trigrams);
}

const openOptions = {
  schema: optional(readSchema),
  verify: optional(flag, false),
  shared: optional(flag, false),
  ...collectionOptions,
};

function readSchema(given: unknown): Schema {
  requireSchema(given);
  return given;
}

function isShared(bytes: FileBytes): bytes is SharedArrayBuffer {
  return typeof SharedArrayBuffer !== "undefined" && bytes instanceof SharedArrayBuffer;
}

/** @internal The source that reads the bytes. @throws InputError if they are not bytes */
export function requireSource(bytes: FileBytes): ByteSource {
  if (isShared(bytes)) return sourceOf(bytes, 0, bytes.byteLength);
  if (bytes instanceof Uint8Array) return sourceOf(bytes.buffer, bytes.byteOffset, bytes.length);
  const given: unknown = bytes;
  if (isMembers(given) && isCount(given.size) && isFunction(given.read)) return bytes;
  throw new InputError(
    "bytes",
    `must be a Uint8Array or a source of bytes, not ${describe(bytes)}`,
  );
}

function codecOf<S extends Schema>(schema: S): Codec<S> {
  // Its own, by which the file is known.
  return new Codec(schema, { deriveFields: schema.deriveFields });
}
