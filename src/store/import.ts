// Stores of collections that are too large for memory.

import type { Collection } from "../collection/collection.ts";
import {
  collectionMember,
  createDatabase,
  requireName,
  type Database,
} from "../database/database.ts";
import type { Collections } from "../database/collections.ts";
import { Integrity } from "../database/relations/integrity.ts";
import type { Spill } from "../import/spill.ts";
import { InputError, type Service } from "../index.ts";
import { quote } from "../schema/errors.ts";
import type { DataFiles } from "./data-files.ts";
import type { Disk } from "./disk.ts";
import { Folder } from "./folder.ts";
import { readCreateOptions, readPath, type StoreOptions } from "./options.ts";
import { readPlace } from "./place.ts";
import type { PrivatePath } from "./private-path.ts";
import { StoreSpills, type SpillOptions, type Spills } from "./spills.ts";
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
 * Creates a store of collections that may be too large for memory. With the option `spill`, the loaders of
 * `tercet/import` hold some 64 MiB of columns at a time; the rest goes to scratch files in the store's folder, and is
 * merged into one file at the end. If the process is killed, there is no store; the next call that creates or opens one
 * there removes what was written.
 *
 * @param directory a folder that is empty or does not exist
 * @param make returns the service or database to be stored. It loads each collection or Batch with its own spill
 * @throws as a rejection: StoreError if the folder is in use or can't be written; whatever `make` throws. Nothing is
 *   left then
 */
export async function importStore<S extends Service>(
  directory: string | PrivatePath,
  make: (spills: Spills) => S | Promise<S>,
  options?: StoreOptions,
): Promise<StoredService<S>>;
export async function importStore<C extends Collections>(
  directory: string | PrivatePath,
  make: (spills: Spills) => Database<C> | Promise<Database<C>>,
  options?: StoreOptions,
): Promise<StoredDatabase<C>>;
export async function importStore(
  directory: string | PrivatePath,
  make: (spills: Spills) => Service | Database | Promise<Service | Database>,
  options: StoreOptions = {},
): Promise<Service | Database> {
  const { disk, path } = readPlace(directory, "directory");
  return importStoreOn(disk, path, make, options);
}

/** The options of {@link importCollection}. */
export interface ImportOptions extends StoreOptions, SpillOptions {}

/**
 * Adds a new collection to a store, which is created unless it exists. It becomes part of the store by a checkpoint,
 * completely or not at all. Memory: as for {@link importStore}. The store is locked meanwhile.
 *
 * @param load loads the collection with this spill
 * @returns the number of its records
 * @throws as a rejection: StoreError if the store can't be opened or written; InputError if it has such a collection;
 *   whatever `load` throws. The store is then as it was
 */
export async function importCollection(
  directory: string | PrivatePath,
  name: string,
  load: (spill: Spill) => Collection | Promise<Collection>,
  options: ImportOptions = {},
): Promise<number> {
  const { disk, path } = readPlace(directory, "directory");
  return importCollectionOn(disk, path, name, load, options);
}

/** {@link importStore} on any disk. */
export async function importStoreOn<Holder extends Service | Database>(
  disk: Disk,
  directory: string,
  make: (spills: Spills) => Holder | Promise<Holder>,
  options: StoreOptions,
): Promise<Holder & Stored<DraftOf<Holder>>> {
  const { settings } = readCreateOptions(options, []);
  const unfinished = beginning(disk, directory, settings);
  const { files, finish } = unfinished;
  const spills = new StoreSpills(files, FIRST);
  try {
    const holder = await make(spills);
    spills.close();
    return finish(holder, stateFor(holder));
  } catch (thrown) {
    spills.close();
    unfinished.close();
    throw thrown;
  }
}

/** {@link importCollection} on any disk. */
export async function importCollectionOn(
  disk: Disk,
  directory: string,
  name: string,
  load: (spill: Spill) => Collection | Promise<Collection>,
  { index, ...options }: ImportOptions,
): Promise<number> {
  requireName(name, "name");
  const path = readPath(disk, directory, "directory");
  if (!new Folder(path, disk).isStore()) {
    const make = async (spills: Spills) =>
      createDatabase({ [name]: await load(spills.collection(name, { index })) });
    const store = await importStoreOn(disk, path, make, options);
    const { size } = store[name] ?? { size: 0 };
    store.close();
    return size;
  }
  const { settings } = readCreateOptions(options, []);
  const { files, state, writer, generation } = openWriter(disk, path, settings, {}, new Map());
  const spills = new StoreSpills(files, generation.identity.generation + 1);
  try {
    if (state.members.has(name)) {
      throw new InputError("name", `the store already has a collection ${quote(name)}`, {
        code: "conflict",
      });
    }
    const collection = await loading(files, async () => {
      const loaded = await load(spills.collection(name, { index }));
      const members = new Map([...state.members, [name, collectionMember(name, loaded)]]);
      Integrity.of(members)?.check();
      return loaded;
    });
    spills.close();
    // Not a change of the journal: the next generation has it, or it is not there.
    state.add(collectionMember(name, collection));
    writer.checkpoint();
    return collection.size;
  } finally {
    spills.close();
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
