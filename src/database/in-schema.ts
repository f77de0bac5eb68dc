// Converts a collection to another schema, as when a store is opened with a changed one.

import { collectionOf } from "../collection/create.ts";
import { Collection } from "../collection/collection.ts";
import type { CollectionState } from "../collection/types.ts";
import { Codec } from "../engine/columns/codec.ts";
import type { Document } from "../engine/columns/layout.ts";
import { Loader, RecordSink } from "../engine/columns/loader.ts";
import type { LastIds } from "../engine/columns/last-ids.ts";
import { InputError, TercetError } from "../schema/errors.ts";
import type { Schema } from "../schema/schema.ts";
import { documentsOf } from "./changes.ts";

/** How many of the records that do not fit are named in the error. */
const MOST_NAMED = 3;

/**
 * The records of a collection in another schema, each with its key.
 *
 * @param name of the collection, for errors
 * @param convert makes an input record of an old record
 * @param lastIds the numbers given so far, by the new names of fields
 * @throws InputError with the number of records that do not fit, and the first of them; whatever `convert` throws
 */
export function inSchema(
  state: CollectionState,
  schema: Schema,
  name: string,
  convert: (document: Document, key: number) => unknown,
  lastIds: LastIds,
): Collection {
  const codec = Codec.of(schema);
  const sink = new RecordSink(codec);
  const loader = new Loader(codec, sink, undefined, lastIds);
  const keys: number[] = [];
  const named: string[] = [];
  let refused = 0;
  for (const [key, document] of documentsOf(state)) {
    const input: unknown = convert(document, key);
    try {
      loader.addOne(input, name, key);
      keys.push(key);
    } catch (thrown) {
      if (!(thrown instanceof TercetError)) throw thrown;
      if (refused++ < MOST_NAMED) named.push(thrown.message);
    }
  }
  if (refused > 0) {
    if (refused > MOST_NAMED) named.push("…");
    const { size } = state.snapshot;
    throw new InputError(name, `${refused} of ${size} records do not fit: ${named.join("; ")}`);
  }
  const { nextKey } = state.snapshot;
  const made = collectionOf(codec, state.options, sink.finish(), keys, nextKey).state;
  return Collection.of({ ...made, snapshot: made.snapshot.countingFrom(nextKey, lastIds) });
}
