// The data of a generation: the names of the files that hold collections of many rows, and for all
// others the patches that make them from nothing, so that each row keeps its key. The last entry has
// the number of the last change included, and the next unused keys: the keys of removed rows are never
// reused.

import { writeSavedSchema } from "../schema/schema-json.ts";
import type { Collection } from "../collection/collection.ts";
import { CollectionMember } from "../database/collection-member.ts";
import type { DatabaseState } from "../database/database-state.ts";
import { isCount, isMembers } from "../schema/input.ts";
import { FilesMember } from "../service/state.ts";
import type { DataFile } from "./data-files.ts";
import type { Disk } from "./disk.ts";
import { closing, StoreError } from "./errors.ts";
import { Log } from "./log.ts";
import { readFileName } from "./folder.ts";
import type { SavedSchemas } from "./migrations.ts";
import { linesOf, patchesOf } from "./patches.ts";

/** The approximate number of characters in an entry, which is what a changed bit destroys. */
const ENTRY_LENGTH = 64 * 1024;

export interface DataEnd {
  /** The number of the last change in the data. */
  readonly number: number;
  /** The key of the next row of each collection. */
  readonly nextKeys: ReadonlyMap<string, number>;
}

/**
 * Writes a state into a new file. When it returns, the bytes are durable.
 *
 * @param number of the last change in the state
 * @param files that hold collections
 * @param versions of their schemas
 * @param permissions of the new file
 * @returns the size of the file
 */
export function writeData(
  disk: Disk,
  path: string,
  state: DatabaseState,
  number: number,
  files: ReadonlyMap<string, DataFile>,
  versions: ReadonlyMap<string, number>,
  permissions: number | undefined,
): number {
  return closing(new Log(disk, path, "w+", permissions), (log) => {
    let end = 0;
    let entries = 0;
    let lines: string[] = [];
    let length = 0;
    const flush = () => {
      end = log.write(end, ++entries, lines).end;
      lines = [];
      length = 0;
    };
    const add = (line: string) => {
      lines.push(line);
      length += line.length;
      if (length >= ENTRY_LENGTH) flush();
    };
    const collections = Array.from(ownCollections(state), ([name, { schema }]) => [
      name,
      writeSavedSchema(schema),
      versions.get(name),
    ]);
    // Also in the last entry, should this one be damaged.
    if (collections.length > 0) add(JSON.stringify({ collections }));
    for (const { file, checksum } of files.values()) add(JSON.stringify({ file, checksum }));
    const patches = patchesOf(state, (source) => files.has(source));
    for (const line of linesOf(patches, path)) add(line);
    flush();
    const nextKeys = Array.from(state.collections(), ({ source, collection }) => [
      source,
      collection.state.snapshot.nextKey,
    ]);
    lines.push(JSON.stringify({ number, nextKeys, collections }));
    flush();
    log.sync();
    return end;
  });
}

/** The collections that are not those of the service, by their names. */
export function* ownCollections({ members }: DatabaseState): Generator<[name: string, Collection]> {
  for (const [name, member] of members) {
    if (member instanceof CollectionMember && !(member instanceof FilesMember)) {
      yield [name, member.collection as Collection];
    }
  }
}

/** A line of data, which is one of these; only the last has an end. */
export interface Line {
  readonly schemas: SavedSchemas;
  readonly file?: DataFile | undefined;
  readonly end?: DataEnd | undefined;
  readonly patch?: unknown;
}

export function readLine(line: unknown): Line {
  const { collections, file, checksum, number, nextKeys } = isMembers(line) ? line : {};
  const schemas = new Map(
    pairsIn(collections)?.map(([name, json, version]) => [
      name,
      { json, version: isCount(version) ? version : undefined },
    ]),
  );
  const keys = keysIn(nextKeys);
  if (isCount(number) && keys !== undefined) return { schemas, end: { number, nextKeys: keys } };
  if (typeof file === "string" && readFileName(file)?.source && typeof checksum === "number") {
    return { schemas, file: { file, checksum } };
  }
  return schemas.size > 0 ? { schemas } : { schemas, patch: line };
}

/** The items of a list, each of a name and values; `undefined` if it is not a list. */
function pairsIn(
  list: unknown,
): (readonly [name: string, value: unknown, another: unknown])[] | undefined {
  if (!Array.isArray(list)) return undefined;
  return list.flatMap((pair: unknown) => {
    const [name, value, another]: readonly unknown[] = Array.isArray(pair)
      ? (pair as unknown[])
      : [];
    return typeof name === "string" ? [[name, value, another] as const] : [];
  });
}

/** The next keys by source; `undefined` if they are not a list. */
function keysIn(nextKeys: unknown): ReadonlyMap<string, number> | undefined {
  const keys = pairsIn(nextKeys);
  return (
    keys &&
    new Map(
      keys.flatMap(([source, key]): [string, number][] => (isCount(key) ? [[source, key]] : [])),
    )
  );
}

/**
 * The lines of a file of data.
 *
 * @throws StoreError if it is not as it was written
 */
export function* readData(log: Log): Generator<Line, void> {
  const { path, size } = log;
  let last: Line | undefined;
  for (let offset = 0, number = 1; offset < size; number++) {
    const entry = log.entryAt(offset);
    if (entry?.number !== number) throw new StoreError(path, "is damaged", { offset });
    offset = entry.end;
    for (const line of log.values(entry)) yield (last = readLine(line));
  }
  if (last?.end === undefined) throw new StoreError(path, "has no end");
}

/** Ensures that no key is used twice. */
export function keepKeys(state: DatabaseState, { nextKeys }: DataEnd): void {
  const memberChanges = Array.from(state.collections(), ({ source, collection, to }) => {
    const { snapshot } = collection.state;
    return to({ ...collection.state, snapshot: snapshot.keysFrom(nextKeys.get(source) ?? 0) });
  });
  state.transactions.run(() => memberChanges);
}
