// Loads a Batch from the bytes of its JSON into columns, without making records of valid Contacts.

import { collectionOf } from "../collection/collection.ts";
import { RowsBuilder } from "../collection/records/columns/rows-builder.ts";
import { Loader } from "../collection/records/loader.ts";
import { readSettings, type CollectionOptions } from "../collection/settings.ts";
import type { Codec } from "../collection/records/codec.ts";
import { Batch, declareBatch } from "../service/batch.ts";
import { LIST_FIELDS_MEMBER, type List } from "../service/contact.ts";
import { JsonRows, membersOf, type Member, type Members } from "./json-rows.ts";
import { NotedRecords, openBatch } from "./open-batch.ts";
import type { SyncBytes } from "./source.ts";

/** The options of {@link loadBatch}. */
export interface LoadBatchOptions extends CollectionOptions {
  /** The start of paths, by default `batch`. */
  readonly name?: string;
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
  { name = "batch", ...options }: LoadBatchOptions = {},
): Batch {
  const settings = readSettings(options);
  const { id, lists, sources } = declareBatch(openBatch(read, { name }), name);
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
    const rows = new JsonRows(builder, contactOf(codec, list), [
      ...codec.fields.map((field) => field.default),
      list.id,
    ]);
    for (const { bytes, offset, first } of contacts.stretches()) {
      rows.readAll(
        bytes,
        offset,
        (index) => `${contacts.path}[${first + index}]`,
        () => undefined,
        (contact, index) => loader.addOne(contact, source, first + index, undefined, within),
      );
    }
  }
  return new Batch(id, lists, collectionOf(codec, settings, builder.finish()));
}

/** The members that a Contact of a List may have. */
function contactOf({ schema }: Codec, { fields }: List): Members {
  const outer = new Map<string, Member["value"]>();
  const inner = new Map<string, Member["value"]>();
  for (const { name, position, field } of schema.places) {
    if (field.stored) outer.set(name, { position, field });
    else if (fields.has(name)) inner.set(name, { position, field });
  }
  return membersOf(outer.set(LIST_FIELDS_MEMBER, membersOf(inner)));
}
