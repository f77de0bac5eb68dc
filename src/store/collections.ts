// The collections of a store, except those of the service: opened with the schemas in its data, and converted if the
// given schemas differ.

import type { LastIds } from "../engine/columns/last-ids.ts";
import { differenceOf, readSchema } from "../arrow/schema-json.ts";
import { collect } from "../collection/create.ts";
import type { CollectionState } from "../collection/types.ts";
import type { Collection } from "../collection/collection.ts";
import { Codec } from "../engine/columns/codec.ts";
import { documentsOf } from "../database/changes.ts";
import { CollectionMember } from "../database/collection-member.ts";
import type { DatabaseState } from "../database/database-state.ts";
import { inSchema } from "../database/in-schema.ts";
import { readSource, type Member } from "../database/member.ts";
import {
  collectionMember,
  databaseOver,
  requireName,
  type Database,
} from "../database/database.ts";
import { InputError, member, quote } from "../schema/errors.ts";
import { isComputed, type Field } from "../schema/field.ts";
import { isFunction, isMembers } from "../schema/input.ts";
import type { Schema } from "../schema/schema.ts";
import { ownCollections, readData } from "./data.ts";
import { memberOf } from "./named-files.ts";
import { closing, StoreError } from "./errors.ts";
import type { Folder } from "./folder.ts";
import type { Identity } from "./identity.ts";
import { Log } from "./log.ts";
import {
  fieldsAfter,
  latestOf,
  migrated,
  type MigrationsByName,
  type NumberedMigration,
  type SavedSchema,
  type SavedSchemas,
} from "./migrations.ts";

export type GivenSchemas = ReadonlyMap<string, Schema>;

/** The schema versions of collections by name, for collections with migrations. */
export type Versions = ReadonlyMap<string, number>;

/** Adds the collections in the data to a database, with the given schema if it is equal to the saved one. */
export function declare(
  data: DatabaseState,
  schemas: SavedSchemas,
  given: GivenSchemas = new Map(),
): void {
  for (const [name, { json }] of schemas) {
    if (data.members.has(name)) continue;
    const saved = readSchema(json);
    const schema = given.get(name);
    requireName(name, "collections");
    data.add(emptyMember(data, name, isSame(schema, saved) ? schema : saved));
  }
}

/**
 * Refuses to open a store as what it is not. A service over a database stores its data beside the collections, so a
 * store may be both.
 *
 * @param given the schemas of a database, which may be none; `undefined` for a service
 * @param isService whether the store was made of a service; `undefined` if that is unknown
 * @throws StoreError that says how to open it
 */
export function requireKind(
  state: DatabaseState,
  given: GivenSchemas | undefined,
  isService: boolean | undefined,
  path: string,
): void {
  // A repair has found no data.
  if (isService === undefined) return;
  const own = Array.from(ownCollections(state), ([name]) => name);
  const hasData = () =>
    [...state.collections()].some(
      ({ source, collection }) =>
        !own.includes(readSource(source).name) && collection.state.snapshot.size > 0,
    );
  if (given === undefined && !isService && !hasData()) {
    const [first = "name"] = own;
    const names = own.length === 0 ? "" : `, ${own.slice(0, MOST_NAMED).map(quote).join(", ")}`;
    const reason = `is a store of collections${names}, not of a service; pass their schemas: openStore(directory, { ${JSON.stringify(first)}: schema })`;
    throw new StoreError(path, reason, { code: "conflict" });
  }
  if (given !== undefined && given.size > 0 && own.length === 0 && (isService || hasData())) {
    const reason = "is the store of a service and has no collections; open it without schemas";
    throw new StoreError(path, reason, { code: "conflict" });
  }
}

/** How many collections an error names. */
const MOST_NAMED = 20;

/** The database of all collections except those of the service. */
export function ownDatabase(data: DatabaseState): Database {
  const names = Array.from(ownCollections(data), ([name]) => name);
  return databaseOver(data, names);
}

/** A collection without records, with the settings of the others. */
function emptyMember(data: DatabaseState, name: string, schema: Schema): Member {
  const { settings } = memberOf(data, "files", name).destinationFor("files", undefined);
  const codec = Codec.of(schema);
  const own = { ...settings, milliseconds: data.milliseconds, name };
  return collectionMember(
    name,
    collect(codec, own, () => undefined),
  );
}

/** The schemas of the collections of a generation, with their versions. @throws StoreError */
export function schemasIn(folder: Folder, identity: Identity): SavedSchemas {
  return closing(new Log(folder.disk, folder.dataPath(identity.generation), "r"), (log) => {
    const [, first] = readData(log, identity);
    return first?.schemas ?? new Map<string, SavedSchema>();
  });
}

/**
 * Whether a database has exactly the collections of a generation, in the same versions, apart from those of the
 * service.
 */
export function hasSchemas(data: DatabaseState, versions: Versions, saved: SavedSchemas): boolean {
  const own = [...ownCollections(data)];
  const isAlike = ([name, { schema }]: (typeof own)[number]) => {
    const there = saved.get(name);
    if (there === undefined || there.version !== versions.get(name)) return false;
    return isSame(readSchema(there.json), schema);
  };
  return own.length === saved.size && own.every(isAlike);
}

function isSame(schema: Schema | undefined, saved: Schema): schema is Schema {
  return schema?.form === saved.form && differenceOf(schema, saved) === undefined;
}

/**
 * Converts collections to the given schemas, and adds missing ones.
 *
 * @param versions of the schemas in the store; receives the new ones
 * @param path of the store, for errors
 * @returns whether anything changed, which makes a checkpoint necessary
 * @throws StoreError if a schema of the store is newer than the migrations; if records do not fit a schema, with their
 *   number and the first of them; if a schema lacks fields that have values
 */
export function adapt(
  data: DatabaseState,
  given: GivenSchemas,
  migrate: MigrationsByName,
  versions: Map<string, number>,
  path: string,
): boolean {
  let isChanged = false;
  for (const [name, schema] of given) {
    const migrations = migrate.get(name) ?? [];
    const latest = latestOf(migrations);
    const there = data.members.get(name);
    const version = versions.get(name);
    if (there instanceof CollectionMember) {
      const { state } = there.collection as Collection;
      const isAlike = isSame(schema, state.codec.schema);
      const pending = pendingIn(migrations, name, version, isAlike, path);
      const isRecorded = (version ?? 0) === latest;
      if (isAlike && pending.length === 0 && isRecorded) continue;
      if (!isAlike || pending.length > 0) {
        data.add(collectionMember(name, converted(name, state, schema, pending, latest, path)));
      }
    } else {
      data.add(emptyMember(data, name, schema));
    }
    if (latest > 0) versions.set(name, latest);
    isChanged = true;
  }
  return isChanged;
}

/**
 * The migrations that have not run on a store's records.
 *
 * @param version of their schema; `undefined` if the store records none
 * @throws StoreError if other migrations have run, or some are missing
 */
function pendingIn(
  migrations: readonly NumberedMigration[],
  name: string,
  version: number | undefined,
  isAlike: boolean,
  path: string,
): readonly NumberedMigration[] {
  const latest = latestOf(migrations);
  requireNotNewer(name, version, latest, path);
  // Created with this schema, but without `migrate`.
  if (version === undefined && isAlike) return [];
  const next = (version ?? 0) + 1;
  const pending = migrations.filter(({ number }) => number >= next);
  const [first] = pending;
  if (first === undefined || first.number === next) return pending;
  const reason = `${quote(name)} needs migration ${next}, which ${member("migrate", name)} no longer has: it starts with ${first.number}`;
  throw new StoreError(path, reason, { code: "conflict" });
}

/** Refuses a store whose schema is newer than this program. @throws StoreError */
export function requireNotNewer(
  name: string,
  version: number | undefined,
  latest: number,
  path: string,
): void {
  if (version === undefined || version <= latest) return;
  const known =
    latest === 0
      ? `there is no ${member("migrate", name)}`
      : `${member("migrate", name)} ends with ${latest}`;
  const reason = `the schema of ${quote(name)} has version ${version} in the store, but ${known}: the program is older than the store; open it with the newer program`;
  throw new StoreError(path, reason, { code: "conflict" });
}

function converted(
  name: string,
  state: CollectionState,
  schema: Schema,
  pending: readonly NumberedMigration[],
  latest: number,
  path: string,
): Collection {
  const option = member("migrate", name);
  try {
    const convert = conversion(name, state, schema, pending, latest);
    return inSchema(state, schema, name, convert, lastIdsAfter(state, pending));
  } catch (thrown) {
    if (!(thrown instanceof InputError)) throw thrown;
    const isOfStep = thrown.path.startsWith("options.");
    const place = isOfStep ? thrown.path : (pending.at(-1)?.path ?? option);
    const remedy = `; open the store with ${option}, which converts the old records`;
    const reason =
      pending.length === 0 || thrown instanceof LossError
        ? `the schema of ${quote(name)} has changed: ${thrown.reason}${thrown instanceof LossError ? "" : remedy}`
        : `${place.replace(/^options\./, "")}: ${thrown.reason}`;
    throw new StoreError(path, reason, { cause: thrown.cause ?? thrown, code: "conflict" });
  }
}

/** The numbers given so far, by the names of fields after some steps. A function may rename fields unseen. */
function lastIdsAfter(
  { snapshot }: CollectionState,
  pending: readonly NumberedMigration[],
): LastIds {
  const renamed = (first: string) =>
    pending.reduce(
      (name, { step }) => (isFunction(step) ? name : (step.renamed.get(name) ?? name)),
      first,
    );
  return new Map(Array.from(snapshot.lastIds, ([name, last]) => [renamed(name), last]));
}

/** Converts an old record to an input record. @throws InputError if values would be lost, or the conversion fails */
function conversion(
  name: string,
  state: CollectionState,
  schema: Schema,
  pending: readonly NumberedMigration[],
  latest: number,
): (record: unknown, key: number) => unknown {
  let fields: ReadonlyMap<string, string> = new Map(
    givenPlaces(state.codec.schema).map((place) => [place.name, place.name]),
  );
  for (const { path, step } of pending) {
    // The result of a function is checked after the function has run.
    if (isFunction(step)) return (record, key) => migrated(record, `${name}[${key}]`, pending);
    fields = fieldsAfter(fields, { path, step });
  }
  const fieldsOf = (of: Schema) =>
    new Map(givenPlaces(of).map((place) => [place.name, place.field]));
  const before = fieldsOf(state.codec.schema);
  const after = fieldsOf(schema);
  for (const [next, first] of fields) {
    const [was, is] = [before.get(first)?.type, after.get(next)?.type];
    if (is !== undefined && is !== was) {
      throw new InputError(name, `${quote(next)} was ${was} and is ${is}`);
    }
  }
  const lost = [...fields].filter(([next]) => !after.has(next));
  const kept = [...fields].filter(([next]) => after.has(next));
  refuseLoss(name, state, lost, newFieldsIn(fields, after, before), latest);
  return (record) => {
    const members = isMembers(record) ? record : {};
    return Object.fromEntries(kept.map(([next, first]) => [next, members[first]]));
  };
}

/** The fields that input records have: computed ones are computed anew. */
const givenPlaces = ({ places }: Schema) => places.filter(({ field }) => !isComputed(field));

/** New fields of the same type, one of which may be the renamed field. */
function newFieldsIn(
  fields: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, Field>,
  before: ReadonlyMap<string, Field>,
): (first: string) => string | undefined {
  return (first) =>
    [...after].find(
      ([name, { type }]) => !fields.has(name) && type === before.get(first)?.type,
    )?.[0];
}

/** @throws InputError if a field that is no longer in the schema has values */
function refuseLoss(
  name: string,
  state: CollectionState,
  lost: readonly (readonly [next: string, first: string])[],
  newNameOf: (first: string) => string | undefined,
  latest: number,
): void {
  if (lost.length === 0) return;
  const counts = new Map<string, number>();
  for (const [, document] of documentsOf(state)) {
    for (const [next, first] of lost) {
      if ((document[first] ?? null) !== null) counts.set(next, (counts.get(next) ?? 0) + 1);
    }
  }
  const named = lost.filter(([next]) => counts.has(next));
  const [one] = named;
  if (one === undefined) return;
  const [next, first] = one;
  const written = (step: object) =>
    `migrate: ${JSON.stringify({ [name]: { [latest + 1]: step } })}`;
  const rename = written({ rename: { [next]: newNameOf(first) ?? "…" } });
  const drop = written({ drop: named.map(([each]) => each) });
  const what = `it lacks ${quote(next)}, which has values in ${counts.get(next)} of ${state.snapshot.size} records`;
  const rest = named.length === 1 ? "" : `, and ${named.length - 1} more such fields`;
  const how = `if the field was renamed, write ${rename}; to delete its values, write ${drop}; or pass a function from an old record to a new one`;
  throw new LossError(name, `${what}${rest}; ${how}`);
}

/** Values would be lost. The reason says how to keep or drop them. */
class LossError extends InputError {}
