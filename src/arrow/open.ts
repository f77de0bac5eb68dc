// Opens a collection from the bytes of a file.

import { Collection, collect } from "../collection/collection.ts";
import { Codec } from "../collection/records/codec.ts";
import type { ColumnName, Rows } from "../collection/records/rows.ts";
import {
  readOptions,
  type CollectionOptions,
  type CollectionSettings,
} from "../collection/settings.ts";
import { Segment } from "../collection/snapshot/segment.ts";
import { Snapshot } from "../collection/snapshot/snapshot.ts";
import type { WireValue } from "../schema/field.ts";
import { describe, InputError } from "../schema/errors.ts";
import { isCount, isFunction, isMembers, readMembers } from "../schema/input.ts";
import { requireSchema, type InputOf, type Schema } from "../schema/schema.ts";
import type { ByteSource } from "./byte-source.ts";
import { readDirectory } from "./directory.ts";
import { FileError } from "./file-error.ts";
import { openTable, verifyTable, type FileColumn, type FileTable } from "./file.ts";
import { readForeign } from "./foreign.ts";
import { readFooter } from "./footer.ts";
import { requireSameSchema } from "./schema-json.ts";

export interface OpenOptions<S extends Schema = Schema> extends CollectionOptions {
  /**
   * The schema that the file must have: its fields are checked against the file's, and the collection
   * is typed by it. Default: the file's own.
   */
  readonly schema?: S | undefined;
  /** Whether all of the file is checked at once, and not each part when it is first used. */
  readonly verify?: boolean | undefined;
}

/**
 * Opens a collection that was saved, or what another tool wrote as an Arrow file. Of a file of ours
 * nothing is read but its directory, and the rest when a query needs it.
 *
 * @param bytes the file: in memory, where it must not be changed afterwards, or what reads it
 * @throws FileError that names the part of the file that is not what it has to be; InputError where an
 *   option is not valid, or the schema is not the file's
 */
export function openCollection<S extends Schema>(
  bytes: Uint8Array | ByteSource,
  options: OpenOptions<S> & { readonly schema: S },
): Collection<S>;
export function openCollection(bytes: Uint8Array | ByteSource, options?: OpenOptions): Collection;
export function openCollection(
  bytes: Uint8Array | ByteSource,
  options: OpenOptions = {},
): Collection {
  const { schema, verify, ...others } = readMembers(options, "options", OPTIONS);
  if (schema !== undefined) requireSchema(schema);
  const settings = readOptions(others);
  const source = requireSource(bytes);
  const footer = readFooter(source);
  const directory = readDirectory(footer.metadata, footer.start);
  if (directory === undefined) {
    const foreign = readForeign(source, footer, schema);
    return collect(codecOf(foreign.schema), settings, (loader) => loader.add(foreign.records));
  }
  const table = openTable(source, directory);
  if (schema !== undefined) requireSameSchema(schema, table.schema);
  return collectionOf(table, codecOf(schema ?? table.schema), settings, verify === true);
}

/**
 * @internal Opens a collection whose records are read and written in a way of their own, such as the
 * Contacts of a Batch.
 *
 * @throws FileError; InputError where the codec's schema is not the file's
 */
export function openWith<S extends Schema, Input = InputOf<S>>(
  bytes: Uint8Array | ByteSource,
  codec: Codec<S>,
  settings: CollectionSettings,
  verify = false,
): Collection<S, Input> {
  const source = requireSource(bytes);
  const footer = readFooter(source);
  const directory = readDirectory(footer.metadata, footer.start);
  if (directory === undefined) throw new FileError("directory", "is missing");
  const table = openTable(source, directory);
  requireSameSchema(codec.schema, table.schema);
  return collectionOf(table, codec, settings, verify);
}

function collectionOf<S extends Schema, Input>(
  table: FileTable,
  codec: Codec<S>,
  options: CollectionSettings,
  verify: boolean,
): Collection<S, Input> {
  if (table.hidden.length !== codec.layout.hidden.length) {
    throw new FileError("directory", "has other hidden columns than the collection");
  }
  if (verify) verifyTable(table);
  const keys = table.keys && Array.from(table.keys.all());
  const base = Segment.of(codec.schema, rowsOf(table, codec), keys, options);
  return Collection.of({ codec, options, snapshot: new Snapshot([base], table.nextKey) });
}

const OPTIONS = ["schema", "verify", "indexes", "indexBytes", "maxCriteria", "maxValues"] as const;

function requireSource(bytes: Uint8Array | ByteSource): ByteSource {
  if (bytes instanceof Uint8Array) {
    const { length: size } = bytes;
    return { size, read: (from, to) => bytes.subarray(from, to) };
  }
  const given: unknown = bytes;
  if (isMembers(given) && isCount(given.size) && isFunction(given.read)) return bytes;
  throw new InputError(
    "bytes",
    `must be a Uint8Array or a source of bytes, not ${describe(bytes)}`,
  );
}

function codecOf<S extends Schema>(schema: S): Codec<S> {
  return new Codec(schema, { complete: schema.complete });
}

function rowsOf({ rows, columns, hidden }: FileTable, { schema, columns: kept }: Codec): Rows {
  const values = [...columns, ...hidden].map(valuesOf);
  const records = Array.from({ length: rows }, (_, row) =>
    Object.freeze(schema.makeRecord(values.map((column) => column[row] ?? null))),
  );
  return {
    records,
    columns: new Map<ColumnName, WireValue[]>(
      kept.map(({ name, position }) => [name, values[position] ?? []]),
    ),
  };
}

function valuesOf({ dictionary, codes }: FileColumn): WireValue[] {
  dictionary.load();
  const all = Array.from({ length: dictionary.length }, (_, code) => dictionary.at(code));
  return Array.from(codes.all(), (code) => all[code] ?? null);
}
