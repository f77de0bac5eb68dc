// A collection saved and opened again, or rebuilt row by row, with the same codec and settings.

import { openWith } from "../../src/arrow/read/open.ts";
import { saveCollection, type ByteSource, type SaveOptions } from "../../src/arrow/index.ts";
import { collectionOf } from "../../src/collection/create.ts";
import type { Collection } from "../../src/collection/collection.ts";
import { RowsBuilder } from "../../src/engine/columns/columns/rows-builder.ts";
import type { Schema } from "../../src/index.ts";
import { storedValue } from "../../src/schema/field.ts";
import { textFormColumn } from "../../src/schema/names.ts";
import { tuned } from "../tuned.ts";

/** How a collection is saved and opened: whether in pieces, as a large file is, and with which orders. */
export interface Reopening extends SaveOptions {
  readonly inPieces?: boolean;
  /** Whether its bytes are read into arrays, as those of a file on disk are. */
  readonly isOnDisk?: boolean;
  /** Whether its rows are filled into columns, and no file is made. */
  readonly isFilled?: boolean;
}

export function reopened<S extends Schema, Input>(
  collection: Collection<S, Input>,
  { inPieces = false, isOnDisk = false, isFilled = false, ...options }: Reopening = {},
): Collection<S, Input> {
  const { codec, options: settings } = collection.state;
  if (isFilled) return filled(collection);
  const bytes = saveCollection(collection, options);
  using _ = tuned(inPieces ? { smallSection: 0 } : {});
  return openWith<S, Input>(isOnDisk ? onDisk(bytes) : bytes, { codec, settings });
}

/** Bytes that are copied whenever they are read. */
export function onDisk(bytes: Uint8Array): ByteSource & Required<Pick<ByteSource, "readInto">> {
  return {
    size: bytes.length,
    read: (from, to) => bytes.slice(from, to),
    readInto: (from, target) => target.set(bytes.subarray(from, from + target.length)),
  };
}

function filled<S extends Schema, Input>({ state }: Collection<S, Input>): Collection<S, Input> {
  const { codec, options, snapshot } = state;
  const [{ rows, keys }] = snapshot.compact().segments;
  const names = [...codec.names, ...codec.layout.hidden];
  const { schema } = codec;
  const readers = names.map((name) => {
    const read = rows.readerOf(textFormColumn(schema, name));
    const field = typeof name === "string" ? schema.fields[name] : undefined;
    return field === undefined ? read : (row: number) => storedValue(schema.form, field, read(row));
  });
  const builder = new RowsBuilder(codec);
  for (let row = 0; row < rows.size; row++) builder.add(readers.map((read) => read(row)));
  return collectionOf<S, Input>(codec, options, builder.finish(), keys, snapshot.nextKey);
}

/** Whole sections or pieces, orders or none; or columns that no file has. */
export const reopenings: readonly Reopening[] = [
  {},
  { orders: "all" },
  { orders: "none", inPieces: true },
  { orders: "all", inPieces: true, isOnDisk: true },
  { isFilled: true },
];
