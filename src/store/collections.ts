// The collections of a store besides those of the service: declared by the schemas that its data hold, and
// brought to other schemas when they have changed.

import { readSchema, requireSameSchema } from "../arrow/schema-json.ts";
import {
  collect,
  collectionOf,
  type CollectionState,
  type Collection,
} from "../collection/collection.ts";
import { Codec } from "../collection/records/codec.ts";
import { Loader, RecordSink } from "../collection/records/loader.ts";
import { documentsOf } from "../database/changes.ts";
import { CollectionGroup } from "../database/collection-group.ts";
import type { Data } from "../database/data.ts";
import type { Group } from "../database/group.ts";
import { databaseOver, groupOf, requireName, type Database } from "../database/database.ts";
import { InputError, member, quote, TercetError } from "../schema/errors.ts";
import type { AnyFunction } from "../schema/input.ts";
import type { Schema } from "../schema/schema.ts";
import { ownCollections, type Schemas } from "./data.ts";
import { groupOf as groupIn } from "./data-files.ts";
import { StoreError } from "./errors.ts";

/** Schemas by the names of collections. */
export type GivenSchemas = ReadonlyMap<string, Schema>;

/** Adds the collections that data hold to a database: with the schema that is given, where it is the same. */
export function declare(data: Data, schemas: Schemas, given: GivenSchemas = new Map()): void {
  for (const [name, json] of schemas) {
    if (data.groups.has(name)) continue;
    const saved = readSchema(json);
    const schema = given.get(name);
    requireName(name, "collections");
    const isSame = schema !== undefined && differenceOf(schema, saved) === undefined;
    data.add(emptyGroup(data, name, isSame ? schema : saved));
  }
}

/** The database of the collections that are not those of the service. */
export function ownDatabase(data: Data): Database {
  return databaseOver(
    data,
    Array.from(ownCollections(data), ([name]) => name),
  );
}

/** A collection without records, with the settings of the others. */
function emptyGroup(data: Data, name: string, schema: Schema): Group {
  const { settings } = groupIn(data, "files", name).roomFor("files", undefined);
  const codec = new Codec(schema, { complete: schema.complete });
  return groupOf(
    name,
    collect(codec, settings, () => undefined),
  );
}

function differenceOf(schema: Schema, saved: Schema): InputError | undefined {
  try {
    requireSameSchema(schema, saved);
    return schema.form === saved.form ? undefined : new InputError("form", "has changed");
  } catch (thrown) {
    if (thrown instanceof InputError) return thrown;
    throw thrown;
  }
}

/**
 * Brings collections to the schemas that are given, and adds those that are not there.
 *
 * @param migrate makes an input record of an old record, by the name of a collection
 * @param path of the store, for errors
 * @returns whether anything changed, so that the store must be written anew
 * @throws StoreError with the first record that stands against a schema
 */
export function adapt(
  data: Data,
  given: GivenSchemas,
  migrate: ReadonlyMap<string, AnyFunction>,
  path: string,
): boolean {
  let isChanged = false;
  for (const [name, schema] of given) {
    const group = data.groups.get(name);
    if (group instanceof CollectionGroup) {
      const before = group.collection as Collection;
      const [run, difference] = [migrate.get(name), differenceOf(schema, before.schema)];
      if (difference === undefined && run === undefined) continue;
      data.add(groupOf(name, converted(name, before.state, schema, run, path)));
    } else {
      data.add(emptyGroup(data, name, schema));
    }
    isChanged = true;
  }
  return isChanged;
}

/** The records of a collection in another schema, each with its key. */
function converted(
  name: string,
  state: CollectionState,
  schema: Schema,
  migrate: AnyFunction | undefined,
  path: string,
): Collection {
  const fail = (reason: string, cause?: unknown) =>
    new StoreError(
      path,
      `the schema of ${quote(name)} has changed: ${reason}; open the store with ${member("migrate", name)}, which makes a new record of an old one`,
      { cause },
    );
  if (migrate === undefined) {
    for (const { name: field, field: old } of state.codec.schema.places) {
      const type = schema.places.find((place) => place.name === field)?.field.type ?? old.type;
      if (type !== old.type) throw fail(`${quote(field)} was ${old.type} and is ${type}`);
    }
  }
  const kept = new Set(schema.places.map((place) => place.name));
  const codec = new Codec(schema, { complete: schema.complete });
  const sink = new RecordSink(codec);
  const loader = new Loader(codec, sink);
  const keys: number[] = [];
  try {
    for (const [key, document] of documentsOf(state)) {
      keys.push(key);
      const rest = Object.entries(document).filter(([field]) => kept.has(field));
      loader.addOne(
        migrate === undefined ? Object.fromEntries(rest) : migrate(document),
        name,
        key,
      );
    }
    return collectionOf(codec, state.options, sink.finish(), keys, state.snapshot.nextKey);
  } catch (thrown) {
    if (thrown instanceof TercetError && migrate === undefined) throw fail(thrown.message, thrown);
    throw thrown;
  }
}
