// Loads the records of a reader into the columns of a collection.

import { collectionOf } from "../collection/create.ts";
import type { Collection } from "../collection/collection.ts";
import { Codec } from "../engine/columns/codec.ts";
import type { ColumnRows } from "../engine/columns/column-rows.ts";
import { readSettings, type CollectionOptions } from "../engine/settings.ts";
import { InputError } from "../schema/errors.ts";
import { requireSchema, type Schema } from "../schema/schema.ts";
import { duplicate } from "../schema/unique.ts";
import { RecordForm, type ImportOf } from "./form.ts";
import { formRows } from "./form-rows.ts";
import { Runs, type Room } from "./room.ts";
import { Records, type Reading, type SyncReading } from "./reading.ts";

/** The options of {@link loadCollection}. */
export interface LoadOptions extends CollectionOptions {
  /**
   * Where records are put that memory should not hold; `importStore` and `importCollection` of `tercet/store` give
   * it. Default: memory holds the columns of all records.
   */
  readonly room?: Room | undefined;
}

/**
 * Loads the records of a source into a collection that is stored as columns. This takes a fraction of the memory of
 * `createCollection`; records are made when they are returned.
 *
 * @param reading what a reader of `tercet/import` returned, given this schema
 * @returns the collection, or a promise of it if the bytes are asynchronous
 * @throws InputError with the place, such as `line 17.size`
 */
export function loadCollection<S extends Schema>(
  schema: S,
  reading: SyncReading<ImportOf<S>>,
  options?: LoadOptions,
): Collection<S>;
export function loadCollection<S extends Schema>(
  schema: S,
  reading: Reading<ImportOf<S>>,
  options?: LoadOptions,
): Promise<Collection<S>>;
export function loadCollection<S extends Schema>(
  schema: S,
  reading: unknown,
  { room, ...options }: LoadOptions = {},
): Collection<S> | Promise<Collection<S>> {
  requireSchema(schema);
  const settings = readSettings(options);
  if (!(reading instanceof Records) || reading.schema !== schema) {
    throw new InputError("reading", "must come from a reader with this schema");
  }
  const codec = new Codec(schema, { deriveFields: schema.deriveFields });
  const runs = room && new Runs(room);
  const overflow = runs && {
    bytes: runs.bytes,
    isForAll: runs.isForAll,
    take: (moved: ColumnRows) => runs.add(codec, moved),
  };
  const rows = formRows(new RecordForm(schema), reading.refusing, codec, overflow);
  return reading.pour(rows, () => {
    if (runs === undefined || !rows.areOut()) return collectionOf(codec, settings, rows.finish());
    const { placeOfRow } = rows;
    const merged = runs.merged(codec, {
      unique: codec.unique,
      repeated: (constraint, { row, value, earlier }) =>
        duplicate(constraint, placeOfRow(row), value, placeOfRow(earlier)),
    });
    return collectionOf(codec, settings, merged);
  });
}
