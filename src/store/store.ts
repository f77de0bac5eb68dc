// A service that lasts: made of one that is there, or opened from its folder.

import { InputError, type Service } from "../index.ts";
import { serviceWithState, stateOf } from "../service/service.ts";
import { clear, FIRST, inFolder, making, refuseStore, removeLeftovers } from "./creation.ts";
import { DataFiles } from "./data-files.ts";
import { nodeDisk, type Disk } from "./disk.ts";
import { extended } from "./extended.ts";
import { Folder } from "./folder.ts";
import { cutOff, type CutOff } from "./journal.ts";
import { letGo, readGeneration } from "./load.ts";
import { lock } from "./lock.ts";
import { closingOnError } from "./log.ts";
import {
  readOpenOptions,
  readPath,
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
   * Lets go of the store, and of its files. The service takes no more changes. It still answers from
   * what is in memory; what would have to be read from a file of a collection is a StoreError.
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
 * Where it throws, nothing is left of the store, not even the folders that it made. What is left where
 * the process was killed is removed by the next who makes or opens a store in the folder.
 *
 * @param directory a folder that is empty, or not there yet
 * @param service one that `createService` made; it may be used as before, and lasts
 * @throws StoreError where the folder is in use or can't be written; InputError where an argument is
 *   not valid
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
 *   where an argument is not valid
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

/** Whether a folder holds a store, damaged or not. @throws InputError where `directory` is no path */
export function isStore(directory: string): boolean {
  return new Folder(readPath(directory, "directory"), nodeDisk).isStore();
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
  const folder = new Folder(readPath(directory, "directory"), disk);
  const files = new DataFiles(folder, fewRows);
  return inFolder(folder, () =>
    holding(folder, settings, (unlock) => {
      refuseStore(folder);
      removeLeftovers(folder);
      return making(folder, () => {
        const generation = writeGeneration(files, FIRST, 0, state.capture(), []);
        return closingOnError(generation.journal, () => {
          folder.sync();
          folder.name();
          folder.sync();
          const writer = new Writer(files, state, settings, unlock, generation);
          return stored(service, writer, { replayed: 0, cutOff: undefined });
        });
      });
    }),
  );
}

/** {@link openStore} on any disk. @param fewRows as that of {@link createStoreOn} */
export function openStoreOn(
  disk: Disk,
  directory: string,
  given: OpenOptions,
  fewRows?: number,
): Service {
  const { readOnly, follow, settings, serviceOptions } = readOpenOptions(given);
  const folder = new Folder(readPath(directory, "directory"), disk);
  const files = new DataFiles(folder, fewRows);
  if (readOnly) return openReader(files, serviceOptions, follow);
  clear(folder, settings.isLocked);
  // First of all: a folder that is no store gets no lock file.
  folder.generation();
  return holding(folder, settings, (unlock) => {
    const { service, state } = serviceWithState(serviceOptions);
    const generation = readGeneration(files, state, "r+");
    return closingOnError({ close: () => letGo(generation) }, () => {
      const { journal, first, last, number } = generation;
      const found = { replayed: last.number - first.number, cutOff: cutOff(journal, last) };
      folder.removeAllBut(number, namesOf(generation.files));
      return stored(service, new Writer(files, state, settings, unlock, generation), found);
    });
  });
}

/** What `run` returns, which holds the lock from then on; where it throws, the lock is let go. */
function holding<Result>(
  folder: Folder,
  { isLocked }: Settings,
  run: (unlock: () => void) => Result,
): Result {
  const unlock = lock(folder, isLocked);
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
