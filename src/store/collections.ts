// The collections of a store besides those of the service: declared by the schemas that its data hold, and
// brought to other schemas when they have changed.

import { differenceOf, readSchema } from "../arrow/schema-json.ts";
import { collect, type CollectionState, type Collection } from "../collection/collection.ts";
import { Codec } from "../collection/records/codec.ts";
import { CollectionGroup } from "../database/collection-group.ts";
import type { Data } from "../database/data.ts";
import { inSchema } from "../database/in-schema.ts";
import type { Group } from "../database/group.ts";
import { databaseOver, groupOf, requireName, type Database } from "../database/database.ts";
import { InputError, member, quote } from "../schema/errors.ts";
import type { AnyFunction } from "../schema/input.ts";
import type { Schema } from "../schema/schema.ts";
import { ownCollections, readData, type Schemas } from "./data.ts";
import { groupOf as groupIn } from "./data-files.ts";
import { closing, StoreError } from "./errors.ts";
import type { Folder } from "./folder.ts";
import { Log } from "./log.ts";

export type GivenSchemas = ReadonlyMap<string, Schema>;

/** Adds the collections that data hold to a database: with the schema that is given, where it is the same. */
export function declare(data: Data, schemas: Schemas, given: GivenSchemas = new Map()): void {
  for (const [name, json] of schemas) {
    if (data.groups.has(name)) continue;
    const saved = readSchema(json);
    const schema = given.get(name);
    requireName(name, "collections");
    data.add(emptyGroup(data, name, isSame(schema, saved) ? schema : saved));
  }
}

/** The database of the collections that are not those of the service. */
export function ownDatabase(data: Data): Database {
  const names = Array.from(ownCollections(data), ([name]) => name);
  return databaseOver(data, names);
}

/** A collection without records, with the settings of the others. */
function emptyGroup(data: Data, name: string, schema: Schema): Group {
  const { settings } = groupIn(data, "files", name).destinationFor("files", undefined);
  const codec = new Codec(schema, { complete: schema.complete });
  const own = { ...settings, milliseconds: data.milliseconds };
  return groupOf(
    name,
    collect(codec, own, () => undefined),
  );
}

/** The schemas of the collections of a generation. @throws StoreError */
export function schemasIn(folder: Folder, generation: number): GivenSchemas {
  return closing(new Log(folder.disk, folder.dataPath(generation), "r"), (log) => {
    const [first] = readData(log);
    return new Map(Array.from(first?.schemas ?? [], ([name, json]) => [name, readSchema(json)]));
  });
}

/** Whether a database has the collections of some schemas, and no others but those of the service. */
export function hasSchemas(data: Data, schemas: GivenSchemas): boolean {
  const own = [...ownCollections(data)];
  const isAlike = ([name, { schema }]: (typeof own)[number]) => isSame(schemas.get(name), schema);
  return own.length === schemas.size && own.every(isAlike);
}

function isSame(schema: Schema | undefined, saved: Schema): schema is Schema {
  return schema?.form === saved.form && differenceOf(schema, saved) === undefined;
}

/**
 * Brings collections to the schemas that are given, and adds those that are not there.
 *
 * @param migrate makes an input record of an old record, by the name of a collection
 * @param path of the store, for errors
 * @returns whether anything changed, so that the store must be written anew
 * @throws StoreError with the number of records that stand against a schema, and the first of them
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
      const { state } = group.collection as Collection;
      // Also if there is a function: it has been run.
      if (isSame(schema, state.codec.schema)) continue;
      data.add(groupOf(name, converted(name, state, schema, migrate.get(name), path)));
    } else {
      data.add(emptyGroup(data, name, schema));
    }
    isChanged = true;
  }
  return isChanged;
}

function converted(
  name: string,
  state: CollectionState,
  schema: Schema,
  migrate: AnyFunction | undefined,
  path: string,
): Collection {
  try {
    return inSchema(state, schema, name, migrate);
  } catch (thrown) {
    if (!(thrown instanceof InputError)) throw thrown;
    const option = member("migrate", name);
    const reason =
      migrate === undefined
        ? `the schema of ${quote(name)} has changed: ${thrown.reason}; open the store with ${option}, which makes a new record of an old one`
        : `${option}: ${thrown.reason}`;
    throw new StoreError(path, reason, { cause: thrown, code: "conflict" });
  }
}
