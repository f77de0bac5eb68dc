// Loads a Batch from the bytes of its JSON into columns, without making records of valid Contacts.

import { collectionOf } from "../collection/collection.ts";
import { RowsBuilder } from "../collection/records/columns/rows-builder.ts";
import { Loader } from "../collection/records/loader.ts";
import { readSettings, type CollectionOptions } from "../collection/settings.ts";
import { Batch, declareBatch } from "../service/batch.ts";
import { LIST_FIELDS_MEMBER } from "../service/contact.ts";
import { JsonRows, type JsonColumn } from "./json-rows.ts";
import { NotedRecords, openBatch } from "./open-batch.ts";
import type { SyncBytes } from "./source.ts";

/** The options of {@link loadBatch}. */
export interface LoadBatchOptions extends CollectionOptions {
  /** The start of paths, by default `batch`. */
  readonly name?: string;
  /** How many bytes the text may have, decompressed if it is gzipped. Default: any number. */
  readonly maxBytes?: number | undefined;
}

/**
 * Loads the JSON of a Batch of any size, gzipped or not, for `createService`. It is stored as columns, like
 * a collection opened from a file: it takes a fraction of the memory, and a Contact is made only when it is
 * returned. The limits are those of {@link openBatch}.
 *
 * @param read returns the bytes from the start on each call
 * @throws InputError with the path of the first offending member, such as
 *   `batch.lists[0].contacts[3].send_id`, and the byte where it is not JSON
 */
export function loadBatch(
  read: (pass: "check" | "load") => SyncBytes,
  { name = "batch", maxBytes, ...options }: LoadBatchOptions = {},
): Batch {
  const settings = readSettings(options);
  const { id, lists, sources } = declareBatch(openBatch(read, { name, maxBytes }), name);
  const { codec, layout } = lists;
  const builder = new RowsBuilder(codec);
  const loader = new Loader(codec, builder);
  for (const { contacts, path, ...list } of sources) {
    const source = `${path}.contacts`;
    const within = layout.within(list.id);
    if (!(contacts instanceof NotedRecords)) {
      loader.add(contacts, source, within);
      continue;
    }
    const columns = codec.schema.places.flatMap(({ name, position, field }): JsonColumn[] => {
      if (field.stored) return [{ path: [name], position, field }];
      return list.fields.has(name) ? [{ path: [LIST_FIELDS_MEMBER, name], position, field }] : [];
    });
    const defaults = [...codec.fields.map((field) => field.default), list.id];
    const rows = new JsonRows(builder, columns, defaults);
    const placeOf = (number: number) => `${contacts.path}[${number}]`;
    for (const stretch of contacts.stretches()) {
      rows.readAll(stretch, placeOf, (contact, number) =>
        loader.addOne(contact, source, number, undefined, within),
      );
    }
  }
  return new Batch(id, lists, collectionOf(codec, settings, builder.finish()));
}
