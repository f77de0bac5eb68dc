// A durable service: made from a service in memory, or opened from its folder.

import { InputError, type Service } from "../index.ts";
import { serviceWithData, dataOf } from "../service/service.ts";
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

/** A service whose changes are durable. */
export interface StoredService extends Service {
  /** What was found when the store was opened. */
  readonly found: Found;

  /**
   * Writes the changed collections to new files, and starts an empty journal. It happens automatically
   * when the journal exceeds the option `checkpointRatio`; call it to choose the time. Cost: linear
   * in these collections, and in those of few records.
   *
   * @throws StoreError; nothing is then lost, and the journal continues
   */
  checkpoint(): void;

  /**
   * Closes the store and its files. The service accepts no more changes. It still answers from memory;
   * reading from a file of a collection is then a StoreError.
   *
   * @throws StoreError if what `durability: "os"` left to the system could not be synced
   */
  close(): void;
}

/** The state of a store when it was opened. */
export interface Found {
  /** How many changes were in the journal. */
  readonly replayed: number;
  /** The end of the journal that was not a complete entry: a change that was never acknowledged. */
  readonly cutOff: CutOff | undefined;
}

/**
 * Makes a store from a service. From now on each change is on disk before it takes effect; a change
 * that can't be written is not made. Cost: linear in the data.
 *
 * If it throws, nothing of the store is left, not even the folders that it made. What a killed process
 * leaves is removed by the next one that makes or opens a store in the folder.
 *
 * @param directory a folder that is empty or does not exist
 * @param service one made by `createService`; it stays usable, and its changes are durable too
 * @throws StoreError if the folder is in use or can't be written; InputError if an argument is not
 *   valid
 */
export function createStore(
  directory: string,
  service: Service,
  options: StoreOptions = {},
): StoredService {
  return createStoreOn(nodeDisk, directory, service, options);
}

/**
 * Opens a store, as its writer or as a reader that follows it. Cost: linear in the journal and the
 * collections of few records; of the others, only what the journal's changes need is read.
 *
 * @param options those of `createService` except the data, and those of the store
 * @throws StoreError if it is damaged, can't be read, or another writer has it open; InputError if an
 *   argument is not valid
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

/** Whether a folder holds a store, damaged or not. @throws InputError if `directory` is not a path */
export function isStore(directory: string): boolean {
  return new Folder(readPath(directory, "directory"), nodeDisk).isStore();
}

/**
 * {@link createStore} on any disk.
 *
 * @param fewRows a collection of up to this many rows has no file of its own; for tests with few rows
 */
export function createStoreOn(
  disk: Disk,
  directory: string,
  service: Service,
  options: StoreOptions,
  fewRows?: number,
): StoredService {
  const settings = readStoreOptions(options);
  const state = dataOf(service);
  if (state === undefined || state.hasVeto) {
    throw new InputError(
      "service",
      "must be made by createService(), and must not be in a store yet",
    );
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
  // First, so that a folder without a store gets no lock file.
  folder.generation();
  return holding(folder, settings, (unlock) => {
    const { service, data: state } = serviceWithData(serviceOptions);
    const generation = readGeneration(files, state, "r+");
    return closingOnError({ close: () => letGo(generation) }, () => {
      const { journal, first, last, number } = generation;
      const found = { replayed: last.number - first.number, cutOff: cutOff(journal, last) };
      folder.removeAllBut(number, namesOf(generation.files));
      return stored(service, new Writer(files, state, settings, unlock, generation), found);
    });
  });
}

/** Returns the result of `run`, which then holds the lock; if it throws, releases the lock. */
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
