// A service that lasts: made of one that is there, or opened from its folder.

import { resolve } from "node:path";
import { InputError, type Service } from "../index.ts";
import { serviceWithState, stateOf } from "../service/service.ts";
import { DataFiles } from "./data-files.ts";
import { nodeDisk, type Disk } from "./disk.ts";
import { attempt, StoreError } from "./errors.ts";
import { extended } from "./face.ts";
import { Folder } from "./folder.ts";
import { cutOff, type CutOff } from "./journal.ts";
import { readGeneration } from "./load.ts";
import { lock } from "./lock.ts";
import { closingOnError, Log } from "./log.ts";
import {
  readOpenOptions,
  readStoreOptions,
  type OpenOptions,
  type Settings,
  type StoreOptions,
} from "./options.ts";
import { openReader, type StoreReader } from "./reader.ts";
import { namesOf, writeGeneration, Writer } from "./writer.ts";

/** A service whose changes last. */
export interface StoredService extends Service {
  /** What was found when the store was opened. */
  readonly found: Found;

  /**
   * Writes the collections that have changed anew, and begins an empty journal. It happens by itself
   * when the journal has outgrown the option `checkpointRatio`; this is to choose the time. Cost: linear
   * in these collections, and in those of few records.
   *
   * @throws StoreError; nothing is then lost, and the journal goes on
   */
  checkpoint(): void;

  /**
   * Lets go of the store. The service still answers, but takes no more changes.
   *
   * @throws StoreError where what `durability: "os"` left to the system could not be synced
   */
  close(): void;
}

/** What was found when a store was opened. */
export interface Found {
  /** How many changes were in the journal. */
  readonly replayed: number;
  /** The end of the journal, where that was no whole entry: a change that was never acknowledged. */
  readonly cutOff: CutOff | undefined;
}

/**
 * Makes a store of a service. From now on each of its changes is on disk before it is made; one that
 * can't be written is not made. Cost: linear in the data.
 *
 * @param directory a folder that is empty, or not there yet
 * @param service one that `createService` made; it may be used as before, and lasts
 * @throws StoreError where the folder is in use or can't be written; InputError where the service or
 *   an option is not valid
 */
export function createStore(
  directory: string,
  service: Service,
  options: StoreOptions = {},
): StoredService {
  return createStoreOn(nodeDisk, directory, service, options);
}

/**
 * Opens a store: to change it, or to follow who does. Cost: linear in the journal and the collections
 * of few records; of the others, what the journal's changes need is read.
 *
 * @param options those of `createService`, but for the data; and those of the store
 * @throws StoreError where it is damaged, can't be read, or another writer has it open; InputError
 *   where an option is not valid
 */
export function openStore(
  directory: string,
  options: OpenOptions & { readonly readOnly: true },
): StoreReader;
export function openStore(
  directory: string,
  options?: OpenOptions & { readonly readOnly?: false | undefined },
): StoredService;
export function openStore(directory: string, options: OpenOptions = {}): Service {
  return openStoreOn(nodeDisk, directory, options);
}

/** Whether a folder holds a store, damaged or not. */
export function isStore(directory: string): boolean {
  return new Folder(resolve(directory), nodeDisk).isStore();
}

/**
 * {@link createStore} on any disk.
 *
 * @param fewRows up to so many rows a collection has no file of its own. For tests with few rows
 */
export function createStoreOn(
  disk: Disk,
  directory: string,
  service: Service,
  options: StoreOptions,
  fewRows?: number,
): StoredService {
  const settings = readStoreOptions(options);
  const state = stateOf(service);
  if (state === undefined || state.isKept) {
    throw new InputError("service", "must be made by createService(), and be in no store yet");
  }
  const folder = new Folder(resolve(directory), disk);
  attempt(folder.path, "made", () => disk.makeDirectory(folder.path));
  const files = new DataFiles(folder, fewRows);
  return holding(folder, settings, (unlock) => {
    refuseUsed(folder);
    const generation = writeGeneration(files, 1, 0, state.capture(), []);
    return closingOnError(generation.journal, () => {
      try {
        folder.sync();
      } catch (thrown) {
        folder.unname();
        throw thrown;
      }
      folder.removeAllBut(1, namesOf(generation.files));
      const writer = new Writer(files, state, settings, unlock, generation);
      return stored(service, writer, { replayed: 0, cutOff: undefined });
    });
  });
}

/** {@link openStore} on any disk. @param fewRows as that of {@link createStoreOn} */
export function openStoreOn(
  disk: Disk,
  directory: string,
  given: OpenOptions,
  fewRows?: number,
): Service {
  const { readOnly, follow, settings, serviceOptions } = readOpenOptions(given);
  const folder = new Folder(resolve(directory), disk);
  const files = new DataFiles(folder, fewRows);
  if (readOnly) return openReader(files, serviceOptions, follow);
  // First of all: a folder that is no store gets no lock file.
  folder.generation();
  return holding(folder, settings, (unlock) => {
    const { service, state } = serviceWithState(serviceOptions);
    const generation = readGeneration(files, state, "r+");
    return closingOnError(generation.journal, () => {
      const { journal, first, last, number } = generation;
      const found = { replayed: last.number - first.number, cutOff: cutOff(journal, last) };
      folder.removeAllBut(number, namesOf(generation.files));
      return stored(service, new Writer(files, state, settings, unlock, generation), found);
    });
  });
}

/** What `run` returns, which holds the lock from then on; where it throws, the lock is let go. */
function holding<Result>(
  { lockPath }: Folder,
  { isLocked }: Settings,
  run: (unlock: () => void) => Result,
): Result {
  const unlock = isLocked ? lock(lockPath) : () => undefined;
  try {
    return run(unlock);
  } catch (thrown) {
    unlock();
    throw thrown;
  }
}

function stored(service: Service, writer: Writer, found: Found): StoredService {
  return extended(service, {
    found,
    checkpoint: () => writer.checkpoint(),
    close: () => writer.close(),
  });
}

/** Refuses a folder that holds anything but what is left where making a store was broken off. */
function refuseUsed(folder: Folder): void {
  const { path, disk } = folder;
  if (folder.isNamed()) throw new StoreError(path, "is a store already");
  const [foreign] = folder.foreign();
  if (foreign !== undefined) throw new StoreError(path, `is not empty: there is ${foreign}`);
  for (const number of folder.generations()) {
    if (number === 1 && !hasChanges(disk, folder.journalPath(1))) continue;
    const reason = "holds a store without its store.json; tercet store repair makes another one";
    throw new StoreError(path, reason);
  }
}

function hasChanges(disk: Disk, journalPath: string): boolean {
  let journal: Log;
  try {
    journal = new Log(disk, journalPath, "r");
  } catch {
    return false;
  }
  try {
    return journal.entryAfter(0) !== undefined;
  } finally {
    journal.close();
  }
}
