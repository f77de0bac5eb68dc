// The files that a browser keeps for the origin of a page, in its origin private file system. They are read and written
// synchronously, by the access handles that only dedicated workers have.

import { describe, InputError, orUndefined } from "../schema/errors.ts";
import { optional, readOptions, amount } from "../schema/options.ts";
import { StoreError, taken } from "./errors.ts";
import { readPath } from "./options.ts";
import { LEAST_FREE, PoolDisk, type PoolHandle, type PoolSource } from "./pool-disk.ts";
import { PrivatePath } from "./private-path.ts";

/** The options of {@link openPrivateFiles}. */
export interface PrivateFilesOptions {
  /** How many files are ready to be used, at least. Default 8. */
  readonly reserve?: number | undefined;
}

/** Files that are private to the origin of a page. */
export interface PrivateFiles {
  /**
   * The path of a folder or a file, for the functions of `tercet/store`.
   *
   * @param path of names with slashes between them, such as `shop` or `backups/monday`
   * @throws InputError if it is not a path
   */
  at(path: string): PrivatePath;
  /**
   * Ensures that as many files can be made without waiting. A store makes one for each collection of more than 1,000
   * records, and three more; those that a later checkpoint of it needs are reserved automatically.
   *
   * @throws as a rejection: StoreError if the browser makes no more
   */
  reserve(files: number): Promise<void>;
  /** Closes all files, and lets others open them. Close the stores in them first. */
  close(): void;
}

/**
 * Opens the files of the origin. Only one worker can have them open at a time. The first call makes them.
 *
 * @param name distinguishes them from other files of the origin
 * @throws as a rejection: StoreError if another worker has them open, the browser has no such files, or a newer version
 *   has written them; InputError if an argument is not valid
 */
export async function openPrivateFiles(
  name = "tercet",
  options: PrivateFilesOptions = {},
): Promise<PrivateFiles> {
  const { reserve } = readFileOptions(name, options);
  return (await lockedFiles(name, reserve, { ifAvailable: true })).files;
}

const fileOptions = { reserve: optional(amount, LEAST_FREE) };

/** @throws InputError */
export function readFileOptions(name: unknown, options: unknown): { readonly reserve: number } {
  if (typeof name !== "string" || name === "") {
    throw new InputError("name", `must be a string, not ${describe(name)}`);
  }
  return readOptions(options, "options", fileOptions);
}

/** Files with what else their opener needs. */
export interface LockedFiles {
  readonly files: PrivateFiles;
  readonly disk: PoolDisk;
}

/**
 * Opens the files once their lock is held, which is released when they are closed, or when the worker ends.
 *
 * @param waiting for the lock, as for `navigator.locks.request`
 * @throws as a rejection: StoreError
 */
export async function lockedFiles(
  name: string,
  reserve: number,
  waiting: LockOptions,
): Promise<LockedFiles> {
  const place = placeOf(name);
  const folder = await folderOf(place, name);
  const release = await held(place, lockName(name), waiting);
  let disk: PoolDisk;
  try {
    disk = await openPool(folder, reserve);
  } catch (thrown) {
    release();
    throw storeError(place, "opened", thrown);
  }
  const close = () => {
    disk.closeAll();
    release();
  };
  const files: PrivateFiles = {
    at: (path) => new PrivatePath(disk, readPath(disk, path, "path")),
    reserve: async (count) => {
      try {
        await disk.reserve(count);
      } catch (thrown) {
        throw storeError(place, "reserved", thrown);
      }
    },
    close,
  };
  return { files: Object.freeze(files), disk };
}

/** The name of the lock of who has the files open. */
export const lockName = (name: string): string => `tercet/store ${name}`;

function storeError(place: string, what: string, thrown: unknown): unknown {
  if (thrown instanceof StoreError) return thrown;
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  return new StoreError(place, `can't be ${what}: ${reason}`, { cause: thrown, code: "io" });
}

/** Holds a lock of the browser. @returns the function that releases it */
async function held(place: string, name: string, waiting: LockOptions): Promise<() => void> {
  return new Promise((resolve, reject) => {
    const hold = (lock: Lock | null) => {
      if (lock === null) {
        reject(taken(place, "another tab or worker"));
        return undefined;
      }
      return new Promise<void>((release) => resolve(() => release()));
    };
    navigator.locks.request(name, waiting, hold).catch((thrown: unknown) => {
      reject(thrown instanceof Error ? thrown : new Error(String(thrown)));
    });
  });
}

/** What a file has in a dedicated worker. */
interface WithAccess {
  createSyncAccessHandle(): Promise<PoolHandle>;
}

const hasAccess = (entry: object): entry is WithAccess => "createSyncAccessHandle" in entry;

/** What a folder has; TypeScript declares it elsewhere. */
interface WithKeys {
  keys(): AsyncIterable<string>;
}

const hasKeys = (folder: object): folder is WithKeys => "keys" in folder;

/** @throws StoreError where there are no such files */
export function requirePrivateFiles(name: string): void {
  const place = placeOf(name);
  const platform: { readonly storage?: Partial<StorageManager> } =
    "navigator" in globalThis ? navigator : {};
  if (platform.storage?.getDirectory === undefined) {
    const reason = "need a browser, and a page from https or localhost";
    throw new StoreError(place, reason, { code: "unsupported" });
  }
  if (!hasAccess(FileSystemFileHandle.prototype)) {
    const reason = "can only be opened in a dedicated worker: new Worker(…)";
    throw new StoreError(place, reason, { code: "unsupported" });
  }
}

const placeOf = (name: string): string => `private files ${JSON.stringify(name)}`;

/** @throws StoreError */
async function folderOf(place: string, name: string): Promise<FileSystemDirectoryHandle> {
  requirePrivateFiles(name);
  try {
    const root = await navigator.storage.getDirectory();
    return await root.getDirectoryHandle(`tercet-${encodeURIComponent(name)}`, { create: true });
  } catch (thrown) {
    throw storeError(place, "opened", thrown);
  }
}

async function openPool(folder: FileSystemDirectoryHandle, reserve: number): Promise<PoolDisk> {
  const names: string[] = [];
  if (hasKeys(folder)) {
    for await (const each of folder.keys()) if (/^\d+$/.test(each)) names.push(each);
  }
  const handles: PoolHandle[] = [];
  let next = Math.max(-1, ...names.map(Number)) + 1;
  const [first = String(next)] = names;
  try {
    for (const each of names) handles.push(await opened(folder, each));
    const source: PoolSource = {
      make: async () => {
        const handle = await opened(folder, String(next++));
        handles.push(handle);
        return handle;
      },
      check: async () => void (await folder.getFileHandle(first)),
    };
    const disk = new PoolDisk(handles, source);
    await disk.reserve(reserve);
    return disk;
  } catch (thrown) {
    for (const each of handles) orUndefined(() => each.close());
    throw thrown;
  }
}

/** How often an open file is tried again, and for how many milliseconds each time. */
const TRIES = 100;
const PAUSE = 50;

/** Opens a file, which is made if it is not there. */
async function opened(folder: FileSystemDirectoryHandle, name: string): Promise<PoolHandle> {
  const entry = await folder.getFileHandle(name, { create: true });
  if (!hasAccess(entry)) throw new TypeError("this browser has no access handles");
  for (let tries = 1; ; tries++) {
    try {
      return await entry.createSyncAccessHandle();
    } catch (thrown) {
      // A browser releases the lock of a worker that has ended, and the files a while later.
      const isOpen = thrown instanceof Error && thrown.name === "NoModificationAllowedError";
      if (!isOpen || tries === TRIES) throw thrown;
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
}
