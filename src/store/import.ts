// Stores of collections that are too large for memory.

import type { Collection } from "../collection/collection.ts";
import {
  collectionMember,
  createDatabase,
  requireName,
  type Collections,
  type Database,
} from "../database/database.ts";
import type { Room } from "../import/room.ts";
import { InputError, type Service } from "../index.ts";
import { quote } from "../schema/errors.ts";
import type { DataFiles } from "./data-files.ts";
import { nodeDisk, type Disk } from "./disk.ts";
import { Folder } from "./folder.ts";
import { readCreateOptions, readPath, type StoreOptions } from "./options.ts";
import { StoreRooms, type RoomOptions, type Rooms } from "./rooms.ts";
import {
  beginning,
  FIRST,
  openWriter,
  stateFor,
  type DraftOf,
  type Stored,
  type StoredDatabase,
  type StoredService,
} from "./store.ts";

/**
 * Makes a store of collections that are too large for memory. The loaders of `tercet/import` that are given room hold
 * some 64 MiB of columns at a time; the others go to files in the folder of the store, and are merged into one at the
 * end. Killed, it leaves no store; what it has written is removed by the next call that makes or opens one there.
 *
 * @param directory a folder that is empty or does not exist
 * @param make makes what is to be stored, of collections or Batches that were loaded with their rooms
 * @throws as a rejection: StoreError if the folder is in use or can't be written; whatever `make` throws. Nothing is
 *   left then
 */
export async function importStore<S extends Service>(
  directory: string,
  make: (rooms: Rooms) => S | Promise<S>,
  options?: StoreOptions,
): Promise<StoredService<S>>;
export async function importStore<C extends Collections>(
  directory: string,
  make: (rooms: Rooms) => Database<C> | Promise<Database<C>>,
  options?: StoreOptions,
): Promise<StoredDatabase<C>>;
export async function importStore(
  directory: string,
  make: (rooms: Rooms) => Service | Database | Promise<Service | Database>,
  options: StoreOptions = {},
): Promise<Service | Database> {
  return importStoreOn(nodeDisk, directory, make, options);
}

/** The options of {@link importCollection}. */
export interface ImportOptions extends StoreOptions, RoomOptions {}

/**
 * Puts a new collection into a store, which is made unless it is there. It becomes part of the store by a checkpoint,
 * whole or not at all. Cost and memory: those of {@link importStore}; nobody else can write to the store meanwhile.
 *
 * @param load loads the collection, with the room for what memory should not hold
 * @returns the number of its records
 * @throws as a rejection: StoreError if the store can't be opened or written; InputError if it has such a collection;
 *   whatever `load` throws. The store is then as it was
 */
export async function importCollection(
  directory: string,
  name: string,
  load: (room: Room) => Collection | Promise<Collection>,
  options: ImportOptions = {},
): Promise<number> {
  return importCollectionOn(nodeDisk, directory, name, load, options);
}

/** {@link importStore} on any disk. */
export async function importStoreOn<Holder extends Service | Database>(
  disk: Disk,
  directory: string,
  make: (rooms: Rooms) => Holder | Promise<Holder>,
  options: StoreOptions,
): Promise<Holder & Stored<DraftOf<Holder>>> {
  const { settings } = readCreateOptions(options, []);
  const { files, abandon, finish } = beginning(disk, directory, settings);
  const rooms = new StoreRooms(files, FIRST);
  try {
    const holder = await make(rooms);
    rooms.close();
    return finish(holder, stateFor(holder));
  } catch (thrown) {
    rooms.close();
    abandon();
    throw thrown;
  }
}

/** {@link importCollection} on any disk. */
export async function importCollectionOn(
  disk: Disk,
  directory: string,
  name: string,
  load: (room: Room) => Collection | Promise<Collection>,
  { index, ...options }: ImportOptions,
): Promise<number> {
  requireName(name, "name");
  const path = readPath(directory, "directory");
  if (!new Folder(path, disk).isStore()) {
    const make = async (rooms: Rooms) =>
      createDatabase({ [name]: await load(rooms.collection(name, { index })) });
    const store = await importStoreOn(disk, path, make, options);
    const { size } = store[name] ?? { size: 0 };
    store.close();
    return size;
  }
  const { settings } = readCreateOptions(options, []);
  const { files, state, writer, generation } = openWriter(disk, path, settings, {});
  const rooms = new StoreRooms(files, generation.number + 1);
  try {
    if (state.members.has(name)) {
      throw new InputError("name", `the store already has a collection ${quote(name)}`, {
        code: "conflict",
      });
    }
    const collection = await loading(files, () => load(rooms.collection(name, { index })));
    rooms.close();
    // Not a change of the journal: the next generation has it, or it is not there.
    state.add(collectionMember(name, collection));
    writer.checkpoint();
    return collection.size;
  } finally {
    rooms.close();
    writer.close();
  }
}

/** What is loaded. If that fails, its files are removed; later on, the next generation may name them. */
async function loading<Result>(
  files: DataFiles,
  load: () => Result | Promise<Result>,
): Promise<Result> {
  try {
    return await load();
  } catch (thrown) {
    files.folder.remove(Array.from(files.pending, (file) => files.pathOf(file)));
    throw thrown;
  }
}
