// The data of a generation. For segments with many rows, it names their files and lists the dead rows of each. For rows
// that are in no file, it has patches, which create a collection or add to the segments in files. So each row keeps its
// key. The last entry has the number of the last change included, and the next unused keys: the keys of removed rows
// are never reused.

import { writeSavedSchema } from "../schema/schema-json.ts";
import type { Collection } from "../collection/collection.ts";
import { CollectionMember } from "../database/collection-member.ts";
import { recordsAdded } from "../database/changes.ts";
import type { DatabaseState } from "../database/database-state.ts";
import { NO_IDS, type LastIds } from "../engine/columns/last-ids.ts";
import { isCount, isMembers } from "../schema/input.ts";
import { FilesMember } from "../service/state.ts";
import type { Adding, DataFile, Filed } from "./named-files.ts";
import type { Disk } from "./disk.ts";
import { closing, StoreError } from "./errors.ts";
import { headLine, requireHead, type Identity } from "./identity.ts";
import { Log } from "./log.ts";
import { readFileName } from "./folder.ts";
import type { SavedSchemas } from "./migrations.ts";
import { linesAdding, linesOf, patchesOf } from "./patches.ts";

/** The approximate number of characters in an entry, which is also how much a flipped bit destroys. */
const ENTRY_LENGTH = 64 * 1024;

export interface DataEnd {
  /** The number of the last change in the data. */
  readonly number: number;
  /** The next key of each collection. */
  readonly nextKeys: ReadonlyMap<string, number>;
  /** The last numbers of each collection that numbers records. */
  readonly lastIds?: ReadonlyMap<string, LastIds> | undefined;
  /** Whether the store was made of a service; `undefined` if that is unknown. */
  readonly isService?: boolean | undefined;
  /** The files that the data name, without their dead rows; `undefined` in version 1. */
  readonly files?: readonly DataFile[] | undefined;
}

/**
 * Writes a state into a new file. When it returns, the bytes are durable.
 *
 * @param identity of its generation
 * @param isService whether the store was made of a service, if that is known
 * @param number of the last change in the state
 * @param filed the collections in files
 * @param versions the versions of their schemas
 * @param permissions of the new file
 * @returns the size of the file
 */
export function writeData(
  disk: Disk,
  path: string,
  identity: Identity,
  isService: boolean | undefined,
  state: DatabaseState,
  number: number,
  filed: ReadonlyMap<string, Filed>,
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
    // Alone in its entry, which a backup replaces.
    add(headLine(identity, { isService }));
    flush();
    const collections = Array.from(ownCollections(state), ([name, { schema }]) => [
      name,
      writeSavedSchema(schema),
      versions.get(name),
    ]);
    // Also in the last entry, in case this one is damaged.
    if (collections.length > 0) add(JSON.stringify({ collections }));
    const patches = patchesOf(state, (source) => filed.has(source));
    for (const { files } of filed.values()) {
      for (const each of files) add(fileLine(each));
    }
    for (const line of linesOf(patches, path)) add(line);
    for (const [source, { path: at, rest }] of filed) {
      if (rest === undefined) continue;
      for (const line of linesAdding(source, recordsAdded(at, rest, "key"), path)) add(line);
    }
    flush();
    const nextKeys = Array.from(state.collections(), ({ source, collection }) => [
      source,
      collection.state.snapshot.nextKey,
    ]);
    const files = [...filed.values()].flatMap((each) =>
      each.files.map(({ file, checksum }) => [file, checksum]),
    );
    const lastIds = [...state.collections()].flatMap(({ source, collection }) => {
      const ids = [...collection.state.snapshot.lastIds];
      return ids.length === 0 ? [] : [[source, ids]];
    });
    const counts = { nextKeys, lastIds: lastIds.length === 0 ? undefined : lastIds };
    lines.push(JSON.stringify({ number, ...counts, collections, files, isService }));
    flush();
    log.sync();
    return end;
  });
}

/** The line that names a file. The first entry of the journal has the same line. */
export function fileLine({ file, checksum, dead }: DataFile): string {
  return JSON.stringify({ file, checksum, dead });
}

/** All collections except those of the service, by name. */
export function* ownCollections({ members }: DatabaseState): Generator<[name: string, Collection]> {
  for (const [name, member] of members) {
    if (member instanceof CollectionMember && !(member instanceof FilesMember)) {
      yield [name, member.collection as Collection];
    }
  }
}

/** A line of data, with exactly one of these members; only the last line has an end. */
export interface Line {
  readonly schemas: SavedSchemas;
  readonly file?: DataFile | undefined;
  readonly end?: DataEnd | undefined;
  readonly patch?: unknown;
  /** A patch to a collection in files, to be applied once these are open. */
  readonly adding?: Adding | undefined;
}

export function readLine(line: unknown): Line {
  const members = isMembers(line) ? line : {};
  const { head, collections, file, checksum, dead, source, adds } = members;
  const { number, nextKeys, lastIds, files, isService } = members;
  const schemas = new Map(
    pairsIn(collections)?.map(([name, json, version]) => [
      name,
      { json, version: isCount(version) ? version : undefined },
    ]),
  );
  const keys = keysIn(nextKeys);
  if (isCount(number) && keys !== undefined) {
    const named = pairsIn(files)?.flatMap(([name, value]) => fileIn(name, value) ?? []);
    return {
      schemas,
      end: {
        number,
        nextKeys: keys,
        lastIds: idsIn(lastIds),
        files: named,
        isService: isService === undefined ? undefined : isService === true,
      },
    };
  }
  if (head !== undefined) return { schemas };
  const named = fileIn(file, checksum);
  if (named !== undefined) {
    return { schemas, file: typeof dead === "string" ? { ...named, dead } : named };
  }
  if (typeof source === "string") return { schemas, adding: { source, patch: adds } };
  return schemas.size > 0 ? { schemas } : { schemas, patch: line };
}

/** The file that a line names; `undefined` if it names none. */
function fileIn(file: unknown, checksum: unknown): DataFile | undefined {
  const isNamed = typeof file === "string" && readFileName(file)?.source !== undefined;
  return isNamed && typeof checksum === "number" ? { file, checksum } : undefined;
}

/** The items of a list, each with a name and values; `undefined` if it is not a list. */
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

/** The last numbers by source; `undefined` if they are not a list. */
function idsIn(lastIds: unknown): ReadonlyMap<string, LastIds> | undefined {
  const all = pairsIn(lastIds)?.map(([source, ids]) => [source, keysIn(ids) ?? NO_IDS] as const);
  return all && new Map(all);
}

/**
 * The lines of a data file.
 *
 * @param expected its generation
 * @throws StoreError if it was damaged or modified, or belongs to another generation or store
 */
export function* readData(log: Log, expected: Identity): Generator<Line, void> {
  const { path, size } = log;
  requireHead(log, expected);
  let last: Line | undefined;
  for (let offset = 0, number = 1; offset < size; number++) {
    const entry = log.entryAt(offset);
    if (entry?.number !== number) throw new StoreError(path, "is damaged", { offset });
    offset = entry.end;
    for (const line of log.values(entry)) yield (last = readLine(line));
  }
  if (last?.end === undefined) throw new StoreError(path, "is truncated");
}

/** Ensures that no key and no number is used twice. */
export function keepKeys(state: DatabaseState, { nextKeys, lastIds }: DataEnd): void {
  const memberChanges = Array.from(state.collections(), ({ source, collection, to }) => {
    const { snapshot } = collection.state;
    const [key, ids] = [nextKeys.get(source) ?? 0, lastIds?.get(source) ?? NO_IDS];
    return to({ ...collection.state, snapshot: snapshot.countingFrom(key, ids) });
  });
  state.transactions.run(() => memberChanges);
}
