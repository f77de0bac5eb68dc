// The data of a generation: the names of the files that hold collections of many rows, and for all
// others the patches that make them from nothing, so that each row keeps its key. The last entry has
// the number of the last change included, and the next unused keys: the keys of removed rows are never
// reused.

import { Collection, type CollectionState } from "../collection/collection.ts";
import { isCount, isMembers } from "../schema/input.ts";
import type { Schema } from "../schema/schema.ts";
import type { ServiceState } from "../service/state.ts";
import type { ServiceData } from "../service/data.ts";
import type { DataFile } from "./data-files.ts";
import type { Disk } from "./disk.ts";
import { StoreError } from "./errors.ts";
import { Log } from "./log.ts";
import { linesOf, patchesOf } from "./patches.ts";

/** The approximate number of characters in an entry: what one changed bit destroys. */
const ENTRY_LENGTH = 64 * 1024;

/** The content of the last entry. */
export interface DataEnd {
  /** The number of the last change in the data. */
  readonly number: number;
  /** The key of the next row: of the Files, and of the Contacts of each Batch by its id. */
  readonly nextKeys: { readonly files: number; readonly batches: Readonly<Record<string, number>> };
}

/**
 * Writes a state into a new file. When it returns, the bytes are durable.
 *
 * @param number of the last change in the state
 * @param files that hold collections, by the id of the Batch
 * @returns the size of the file
 */
export function writeData(
  disk: Disk,
  path: string,
  state: ServiceState,
  number: number,
  files: ReadonlyMap<string | undefined, DataFile>,
): number {
  const log = new Log(disk, path, "w+");
  try {
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
    for (const { file, checksum } of files.values()) add(JSON.stringify({ file, checksum }));
    const patches = patchesOf(state, (batch) => files.has(batch));
    for (const line of linesOf(patches, path)) add(line);
    flush();
    lines.push(JSON.stringify(endOf(state, number)));
    flush();
    log.sync();
    return end;
  } finally {
    log.close();
  }
}

function endOf({ files, batches }: ServiceState, number: number): DataEnd {
  const nextKeyOf = ({ state }: { readonly state: CollectionState }) => state.snapshot.nextKey;
  const ofBatches = Array.from(batches, ([id, { contacts }]) => [id, nextKeyOf(contacts)] as const);
  return {
    number,
    nextKeys: { files: nextKeyOf(files), batches: Object.fromEntries<number>(ofBatches) },
  };
}

/**
 * The lines of a file of data: names of files, and patches.
 *
 * @returns what its last entry says
 * @throws StoreError if it is not as it was written
 */
export function* readData(log: Log): Generator<unknown, DataEnd> {
  const { path, size } = log;
  let last: unknown;
  for (let offset = 0, number = 1; offset < size; number++) {
    const entry = log.entryAt(offset);
    if (entry?.number !== number) throw new StoreError(path, "is damaged", { offset });
    offset = entry.end;
    if (offset < size) yield* log.values(entry);
    else [last] = log.values(entry);
  }
  const end = readEnd(last);
  if (end === undefined) throw new StoreError(path, "has no end");
  return end;
}

/** The content of a line, if it is that of the last entry. */
export function readEnd(line: unknown): DataEnd | undefined {
  if (!isMembers(line) || !isMembers(line.nextKeys)) return undefined;
  const { number, nextKeys } = line;
  const { files, batches } = nextKeys;
  if (!isCount(number) || !isCount(files) || !isMembers(batches)) return undefined;
  const given = Object.entries(batches).flatMap(([id, key]) =>
    isCount(key) ? [[id, key] as const] : [],
  );
  return { number, nextKeys: { files, batches: Object.fromEntries<number>(given) } };
}

/** Makes sure that no key is given twice. */
export function keepKeys(state: ServiceData, { nextKeys }: DataEnd): void {
  const batches = Array.from(state.batches, ([id, batch]) => {
    const contacts = keysFrom(batch.contacts, nextKeys.batches[id] ?? 0);
    return [id, batch.with(contacts)] as const;
  });
  state.replace({ files: keysFrom(state.files, nextKeys.files), batches: new Map(batches) });
}

function keysFrom<S extends Schema, Input>(
  collection: Collection<S, Input>,
  key: number,
): Collection<S, Input> {
  const { state } = collection;
  const snapshot = state.snapshot.keysFrom(key);
  // Whatever a reader has already stays the same collection, with its caches and indexes.
  return snapshot === state.snapshot ? collection : Collection.of({ ...state, snapshot });
}
