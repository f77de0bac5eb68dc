// A durable service: created from an in-memory service, or opened from its folder.

import { notMadeBy } from "../schema/errors.ts";
import { InputError, type Service, type ServiceOptions } from "../index.ts";
import type { Collection } from "../collection/collection.ts";
import { stateOf, type DatabaseState } from "../database/database-state.ts";
import type { DatabaseChange } from "../database/changes.ts";
import {
  requireName,
  type Changing,
  type Database,
  type DatabaseDraft,
} from "../database/database.ts";
import type { Collections } from "../database/collections.ts";
import { isMembers } from "../schema/input.ts";
import { isSchema, type Schema } from "../schema/schema.ts";
import { serviceWithData } from "../service/service.ts";
import { readSchema } from "../arrow/schema-json.ts";
import type { Copyable } from "./backup.ts";
import { adapt, ownDatabase, requireKind, schemasIn, type GivenSchemas } from "./collections.ts";
import { beginStore, clear } from "./creation.ts";
import { ownCollections } from "./data.ts";
import { DataFiles } from "./data-files.ts";
import type { Disk } from "./disk.ts";
import { extended } from "./extended.ts";
import { Folder } from "./folder.ts";
import { identityFor } from "./identity.ts";
import { cutOff, type CutOff } from "./journal.ts";
import { closingOnError } from "./errors.ts";
import { expiryOf } from "../database/expiry.ts";
import { Integrity } from "../database/relations/integrity.ts";
import { letGo, readGeneration } from "./load.ts";
import { lock } from "./lock.ts";
import { latestOf, type MigrationsByName } from "./migrations.ts";
import {
  readOpenOptions,
  readCreateOptions,
  readPath,
  type DatabaseOpenOptions,
  type DatabaseStoreOptions,
  type OpenOptions,
  type Settings,
  type StoreOptions,
} from "./options.ts";
import type { PrivatePath } from "./private-path.ts";
import { folderAt, readPlace } from "./place.ts";
import { openReader, type Reading, type StoreReader } from "./reader.ts";
import { writeGeneration, writing, type Writer } from "./writer.ts";

/** The additional methods of a store. @template Draft the draft that recipes change */
export interface Stored<Draft = never> extends Copyable {
  /** The state of the store when it was opened. */
  readonly found: Found;

  /**
   * Changes the data as `update` does, without waiting for the disk. The change is in memory when this returns, and on
   * disk when the promise resolves. Changes in flight share one write and one `fdatasync`, and become durable in order;
   * an `update` in the meantime makes them durable along with its own change.
   *
   * If they can't be written, all changes in flight are undone, latest first; subscribers are notified, and the
   * promises reject. Cost: that of `update`, without the wait. Changes in flight take memory; await them to limit that.
   *
   * @param recipe as for `update`; it must not return a promise
   * @returns what changed
   * @throws as a rejection: StoreError if the change can't be written or the store is closed; whatever `update` throws
   */
  updateAsync(recipe: (draft: Draft) => unknown): Promise<DatabaseChange>;

  /**
   * Writes all changed data to new files, and starts an empty journal. This happens automatically when the journal
   * exceeds the option `checkpointRatio`; call it to choose the time. Cost: linear in the segments that changed since
   * the last one, and in small collections.
   *
   * @throws StoreError; nothing is lost, and the journal continues
   */
  checkpoint(): void;

  /**
   * Closes the store and its files, after making changes in flight durable: their promises resolve. It accepts no more
   * changes. Queries still work on data in memory; reading from a file then throws a StoreError.
   *
   * @throws StoreError if changes in flight, or what `durability: "os"` left to the system, could not be written or
   *   synced. The store is closed anyway
   */
  close(): void;
}

/** A service whose changes are durable. */
export type StoredService<S extends Service = Service> = S & Stored<DraftOf<S>>;

export type DraftOf<Holder> = Holder extends Changing<infer Draft> ? Draft : never;

/** A database whose changes are durable. */
export type StoredDatabase<C extends Collections = Collections> = Database<C> &
  Stored<DatabaseDraft<C>>;

/** A database over a store that another process may be changing. */
export type DatabaseReader<C extends Collections = Collections> = Database<C> & Reading;

/** The collections with some schemas. */
export type CollectionsOf<S extends Readonly<Record<string, Schema>>> = {
  readonly [Name in keyof S]: Collection<S[Name]>;
};

/** The state of a store when it was opened. */
export interface Found {
  /** How many changes were in the journal. */
  readonly replayed: number;
  /** The end of the journal, if it was not a complete entry: a change that was never acknowledged. */
  readonly cutOff: CutOff | undefined;
}

/**
 * Creates a store from a service or a database. From then on, each change is on disk before it takes effect. If the
 * call throws, it leaves no files or folders behind. Cost: linear in the data.
 *
 * @param directory a folder that is empty or does not exist
 * @param holder made by `createService` or `createDatabase`; it stays usable, and its changes are durable too
 * @throws StoreError if the folder is in use or can't be written; InputError if an argument is invalid
 */
export function createStore<S extends Service>(
  directory: string | PrivatePath,
  service: S,
  options?: StoreOptions,
): StoredService<S>;
export function createStore<C extends Collections>(
  directory: string | PrivatePath,
  database: Database<C>,
  options?: DatabaseStoreOptions,
): StoredDatabase<C>;
export function createStore(
  directory: string | PrivatePath,
  holder: Service | Database,
  options: DatabaseStoreOptions = {},
): Service | Database {
  const { disk, path } = readPlace(directory, "directory");
  return createStoreOn(disk, path, holder, options);
}

/**
 * Opens a store, as its writer or as a reader that follows it. Cost: linear in the journal and in small collections; of
 * large ones, only the parts that the journal's changes need are read.
 *
 * @param schemas the schemas of the collections by name, to open a database; without them, a service is opened
 * @param options the options of `createService` except the data, and those of the store
 * @throws StoreError if the store is damaged, unreadable, locked, newer, or does not match the schemas
 */
export function openStore<const S extends Readonly<Record<string, Schema>>>(
  directory: string | PrivatePath,
  schemas: S,
  options: DatabaseOpenOptions & { readonly readOnly: true },
): DatabaseReader<CollectionsOf<S>>;
export function openStore<const S extends Readonly<Record<string, Schema>>>(
  directory: string | PrivatePath,
  schemas: S,
  options?: DatabaseOpenOptions & { readonly readOnly?: false | undefined },
): StoredDatabase<CollectionsOf<S>>;
export function openStore(
  directory: string | PrivatePath,
  options: OpenOptions & { readonly readOnly: true },
): StoreReader;
export function openStore(
  directory: string | PrivatePath,
  options?: OpenOptions & { readonly readOnly?: false | undefined },
): StoredService;
export function openStore(
  directory: string | PrivatePath,
  given: unknown = {},
  options?: unknown,
): Service | Database {
  const schemas = givenIn(given, options !== undefined);
  const { disk, path } = readPlace(directory, "directory");
  return openStoreOn(disk, path, schemas === undefined ? given : (options ?? {}), schemas);
}

/**
 * Schemas by name, if given.
 *
 * @param hasOptions whether options follow: an empty object then has no schemas, and otherwise no options
 * @throws InputError if a name can't be one
 */
function givenIn(given: unknown, hasOptions: boolean): GivenSchemas | undefined {
  if (!isMembers(given)) return undefined;
  const entries = Object.entries(given);
  const schemas = new Map<string, Schema>();
  for (const [name, schema] of entries) {
    if (!isSchema(schema)) return undefined;
    schemas.set(requireName(name, "schemas"), schema);
  }
  return schemas.size === 0 && !hasOptions ? undefined : schemas;
}

/**
 * The schemas of the collections in a store, by name, as {@link openStore} accepts them, without those of a service's
 * Files and Batches. Reads the beginning of the data.
 *
 * @throws StoreError if there is no store, or it is damaged; InputError if `directory` is not a path
 */
export function schemasOf(directory: string | PrivatePath): Readonly<Record<string, Schema>> {
  const folder = folderAt(directory);
  const saved = schemasIn(folder, folder.current());
  return Object.fromEntries(Array.from(saved, ([name, { json }]) => [name, readSchema(json)]));
}

/** Whether a folder holds a store, damaged or not. @throws InputError if `directory` is not a path */
export function isStore(directory: string | PrivatePath): boolean {
  return folderAt(directory).isStore();
}

/** The number of the first generation. */
export const FIRST = 1;

/** {@link createStore} on any disk. */
export function createStoreOn<Holder extends Service | Database>(
  disk: Disk,
  directory: string,
  holder: Holder,
  options: DatabaseStoreOptions,
): Holder & Stored<DraftOf<Holder>> {
  const state = stateFor(holder);
  const names = Array.from(ownCollections(state), ([name]) => name);
  const { settings, migrate } = readCreateOptions(options, names);
  return closingOnError(beginning(disk, directory, settings), ({ files, finish }) => {
    for (const [name, migrations] of migrate) files.versions.set(name, latestOf(migrations));
    return finish(holder, state);
  });
}

/** The state of what is to be stored. @throws InputError if it can't be */
export function stateFor(holder: Service | Database): DatabaseState {
  const state = stateOf(holder);
  if (state === undefined) {
    throw new InputError("service", notMadeBy("createService() or createDatabase()", holder));
  }
  if (state.transactions.beforeCommit === undefined) return state;
  throw new InputError("service", "is in a store already");
}

/** Begins a store: its folder is there, locked and marked as unfinished. Closing it removes everything that was made. */
export function beginning(disk: Disk, directory: string, settings: Settings) {
  const folder = new Folder(readPath(disk, directory, "directory"), disk);
  const files = new DataFiles(folder);
  folder.refuseOtherVersions();
  const first = identityFor(FIRST);
  const unfinished = beginStore(folder, settings.lock, first);
  return {
    files,
    close: () => {
      files.close();
      unfinished.close();
    },
    /** Makes it the store of a service or database. */
    finish: <Holder extends Service | Database>(
      holder: Holder,
      state: DatabaseState,
    ): Holder & Stored<DraftOf<Holder>> => {
      // A store always has room for a service's data.
      files.isService = state.members.has("files");
      if (!files.isService) serviceWithData({ database: holder });
      const generation = writeGeneration(files, first, 0, state, []);
      return closingOnError(generation.journal, () => {
        const writer = writing(files, state, settings, unfinished.finish(), generation);
        return extended(holder, {
          found: { replayed: 0, cutOff: undefined },
          ...membersOf(writer),
        });
      });
    },
  };
}

/** {@link openStore} on any disk. */
export function openStoreOn(
  disk: Disk,
  directory: string,
  given: unknown,
  schemas?: GivenSchemas,
): Service | Database {
  const { readOnly, follow, settings, serviceOptions, migrate, expire, now } = readOpenOptions(
    given,
    schemas && [...schemas.keys()],
  );
  if (readOnly) {
    const files = new DataFiles(new Folder(readPath(disk, directory, "directory"), disk));
    return openReader(files, serviceOptions, schemas, migrate, follow, settings.lock);
  }
  const opened = openWriter(disk, directory, settings, serviceOptions, schemas, migrate);
  const { state, service, writer, found } = opened;
  closingOnError(writer, () => (state.expiry = expiryOf(state.members, expire, now)));
  const holder = schemas === undefined ? service : ownDatabase(state);
  return extended(holder, { found, ...membersOf(writer) });
}

/** What a store has of its writer. */
function membersOf({ updateAsync, checkpoint, backup, close }: Writer) {
  return { updateAsync, checkpoint, backup, close };
}

/**
 * Opens a store to change it.
 *
 * @param into the state that takes over what is in it; default: a state of its own
 */
export function openWriter(
  disk: Disk,
  directory: string,
  settings: Settings,
  serviceOptions: ServiceOptions,
  schemas?: GivenSchemas,
  migrate: MigrationsByName = new Map(),
  into?: DatabaseState,
) {
  const folder = new Folder(readPath(disk, directory, "directory"), disk);
  const files = new DataFiles(folder);
  folder.refuseOtherVersions();
  clear(folder, settings.lock);
  // First, so that a folder without a store gets no lock file.
  folder.current();
  return closingOnError(lock(folder, settings.lock), (held) => {
    folder.hold(held);
    const { service, data: state } = serviceWithData(serviceOptions);
    const generation = readGeneration(files, state, "r+", schemas);
    return closingOnError({ close: () => letGo(generation) }, () => {
      const { journal, first, last, identity } = generation;
      requireKind(state, schemas, files.isService, folder.path);
      const found = { replayed: last.number - first.number, cutOff: cutOff(journal, last) };
      let isChanged = false;
      try {
        if (schemas !== undefined) {
          isChanged = adapt(state, schemas, migrate, files.versions, folder.path);
          if (isChanged) Integrity.of(state.members)?.check();
        }
      } catch (thrown) {
        throw files.damageOf(thrown, generation.files);
      }
      folder.removeAllBut(identity.generation, generation.files);
      into?.replace(state, () => undefined);
      const target = into ?? state;
      return closingOnError(writing(files, target, settings, held, generation), (writer) => {
        // Before any change, because the journal applies to the collections in the data.
        if (isChanged) writer.checkpoint();
        return { files, state: target, service, generation, writer, found };
      });
    });
  });
}
