// Loads the records of a reader into the columns of a collection.

import { collectionOf } from "../collection/create.ts";
import type { Collection } from "../collection/collection.ts";
import { Codec } from "../engine/columns/codec.ts";
import type { ColumnRows } from "../engine/columns/column-rows.ts";
import { collectionOptions, settingsOf, type CollectionOptions } from "../engine/settings.ts";
import { InputError } from "../schema/errors.ts";
import { readOptions } from "../schema/options.ts";
import { requireSchema, type Schema } from "../schema/schema.ts";
import { duplicate } from "../schema/unique.ts";
import { RecordForm, type ImportOf } from "./form.ts";
import { formRows } from "./form-rows.ts";
import { Runs, spillOption, type Spill } from "./spill.ts";
import { Records, type Reading, type SyncReading } from "./reading.ts";

const loadOptions = { ...collectionOptions, ...spillOption };

/** The options of {@link loadCollection}. */
export interface LoadOptions extends CollectionOptions {
  /**
   * Where to put records beyond those that memory should hold; `importStore` and `importCollection` of `tercet/store`
   * provide it. Default: memory holds the columns of all records.
   */
  readonly spill?: Spill | undefined;
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
  options: LoadOptions = {},
): Collection<S> | Promise<Collection<S>> {
  requireSchema(schema);
  const { spill, ...others } = readOptions(options, "options", loadOptions);
  const settings = settingsOf(others);
  if (!(reading instanceof Records) || reading.schema !== schema) {
    throw new InputError("reading", "must come from a reader with this schema");
  }
  const codec = Codec.of(schema);
  const runs = spill && new Runs(spill);
  const overflow = runs && {
    bytes: runs.bytes,
    isForAll: runs.isForAll,
    take: (moved: ColumnRows) => runs.add(codec, moved),
  };
  const rows = formRows(new RecordForm(schema), reading.refusing, codec, overflow);
  return reading.pour(rows, () => {
    if (runs === undefined || !rows.areOut()) return collectionOf(codec, settings, rows.finish());
    const { placeOf } = rows;
    const merged = runs.merged(codec, {
      unique: {
        constraints: codec.unique,
        error: (constraint, { row, value, earlier }) =>
          duplicate(constraint, placeOf(row), value, placeOf(earlier)),
      },
    });
    return collectionOf(codec, settings, merged);
  });
}
