// Loads the records of a reader into the columns of a collection.

import { collectionOf } from "../collection/create.ts";
import type { Collection } from "../collection/collection.ts";
import { Codec } from "../engine/columns/codec.ts";
import { readSettings, type CollectionOptions } from "../engine/settings.ts";
import { InputError } from "../schema/errors.ts";
import { requireSchema, type Schema } from "../schema/schema.ts";
import { RecordForm, type ImportOf } from "./form.ts";
import { formRows } from "./form-rows.ts";
import { Records, type Reading, type SyncReading } from "./reading.ts";

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
  options?: CollectionOptions,
): Collection<S>;
export function loadCollection<S extends Schema>(
  schema: S,
  reading: Reading<ImportOf<S>>,
  options?: CollectionOptions,
): Promise<Collection<S>>;
export function loadCollection<S extends Schema>(
  schema: S,
  reading: unknown,
  options: CollectionOptions = {},
): Collection<S> | Promise<Collection<S>> {
  requireSchema(schema);
  const settings = readSettings(options);
  if (!(reading instanceof Records) || reading.schema !== schema) {
    throw new InputError("reading", "must come from a reader with this schema");
  }
  const rows = formRows(new RecordForm(schema), reading.refusing);
  return reading.pour(rows, () => {
    const codec = new Codec(schema, { deriveFields: schema.deriveFields });
    return collectionOf(codec, settings, rows.finish(codec));
  });
}
