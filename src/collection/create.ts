import { requireSchema, type Schema } from "../schema/schema.ts";
import type { InputOf } from "../schema/record-types.ts";
import { Codec } from "../engine/columns/codec.ts";
import { RowsBuilder } from "../engine/columns/columns/rows-builder.ts";
import { Loader, RecordSink } from "../engine/columns/loader.ts";
import type { Rows } from "../engine/columns/rows.ts";
import {
  readCreateSettings,
  type CollectionSettings,
  type CreateOptions,
} from "../engine/settings.ts";
import { Segment, type Keys } from "../engine/versions/segment.ts";
import { lastIdsIn, type LastIds } from "../engine/columns/last-ids.ts";
import { Snapshot } from "../engine/versions/snapshot.ts";
import { type Records } from "./types.ts";
import { Collection } from "./collection.ts";

/**
 * Makes a collection. Every record is checked and copied; the input is not kept. Cost: linear in the records and their
 * fields. No index is built.
 *
 * @param records input records, each of the schema's `InputOf` type; default: none
 * @throws SchemaError if the schema is not one; InputError with the path of the first offending member, such as
 *   `records[3].size` or `options.indexes`
 */
export function createCollection<const S extends Schema>(
  schema: S,
  records: Records<InputOf<S>> = [],
  options?: CreateOptions,
): Collection<S> {
  requireSchema(schema);
  const settings = readCreateSettings(options);
  return collect(Codec.of(schema), settings, (loader) => loader.add(records));
}

/** @internal The collection of the records put into a loader. */
export function collect<S extends Schema, Input = InputOf<S>>(
  codec: Codec<S>,
  options: CollectionSettings,
  load: (loader: Loader) => void,
): Collection<S, Input> {
  const sink = options.storage === "columns" ? new RowsBuilder(codec) : new RecordSink(codec);
  load(new Loader(codec, sink));
  return collectionOf(codec, options, sink.finish());
}

/**
 * @internal The collection of rows.
 *
 * @param keys of the rows; default: their numbers
 * @param nextKey greater than any key ever used
 * @param lastIds the numbers given so far, for fields where they are known; default: those of the rows
 */
export function collectionOf<S extends Schema, Input = InputOf<S>>(
  codec: Codec<S>,
  options: CollectionSettings,
  rows: Rows,
  keys?: Keys,
  nextKey = rows.size,
  lastIds?: LastIds,
): Collection<S, Input> {
  const base = Segment.of(codec.schema, rows, keys, options);
  return Collection.of({
    codec,
    options,
    snapshot: new Snapshot([base], nextKey, lastIdsIn(codec, rows, lastIds)),
  });
}
