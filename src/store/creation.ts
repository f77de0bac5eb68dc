// A store that is being created. A marker file, written first, identifies the other files as those of an unfinished
// store. If the creation fails, they are removed immediately; if it is interrupted, the next process that creates or
// opens a store there removes them.

import type { Disk, Lock } from "./disk.ts";
import { orUndefined } from "../schema/errors.ts";
import { attempt, closing, closingOnError, codeOf, StoreError, type Closable } from "./errors.ts";
import type { Folder } from "./folder.ts";
import type { Identity } from "./identity.ts";
import { lock } from "./lock.ts";

/** A store that is being created. Closing it removes everything that was created, as far as possible. */
export interface Unfinished extends Closable {
  /**
   * Turns it into a store, once all files are written and durable.
   *
   * @returns its lock, which is held from the beginning on
   */
  readonly finish: () => Lock;
}

/**
 * Starts creating a store in a folder that is empty or does not exist. The folder and the parents created for it are
 * durable when it returns; if it throws, they are removed.
 *
 * @param first its first generation
 * @param permissions of the name file; default: those of the process
 * @throws StoreError if the folder can't be created, is locked, or has files of a store or any other files
 */
export function beginStore(
  folder: Folder,
  isLocked: boolean,
  first: Identity,
  permissions?: number,
): Unfinished {
  const { path, disk } = folder;
  const made: string[] = [];
  // Unless another process has put something there.
  const undo = [() => made.forEach((each) => disk.removeDirectory(each))];
  // Whatever fails, the lock must be released.
  const close = () => undo.toReversed().forEach((each) => orUndefined(each));
  return closingOnError({ close }, () => {
    attempt(path, "made", () => makeDirectories(disk, path, made));
    for (const each of new Set([path, ...made])) syncAbove(folder, each);
    const [foreign] = folder.foreign();
    if (foreign !== undefined) {
      throw new StoreError(path, `is not empty: there is ${foreign}`, { code: "conflict" });
    }
    const held = lock(folder, isLocked);
    undo.push(() => held.close());
    folder.hold(held);
    refuseStore(folder);
    removeLeftovers(folder);
    undo.push(() => {
      folder.unfinish();
      removeLeftovers(folder);
    });
    folder.begin(first, permissions);
    const finish = () => {
      folder.finish();
      return held;
    };
    return { finish, close };
  });
}

/** @param made receives each created directory, innermost first */
function makeDirectories(disk: Disk, path: string, made: string[]): void {
  try {
    makeDirectory(disk, path, made);
  } catch (thrown) {
    const above = disk.paths.dirname(path);
    if (codeOf(thrown) !== "ENOENT" || above === path) throw thrown;
    makeDirectories(disk, above, made);
    makeDirectory(disk, path, made);
  }
}

function makeDirectory(disk: Disk, path: string, made: string[]): void {
  try {
    disk.makeDirectory(path);
    made.unshift(path);
  } catch (thrown) {
    if (codeOf(thrown) !== "EEXIST" || !isDirectory(disk, path)) throw thrown;
  }
}

function isDirectory(disk: Disk, path: string): boolean {
  try {
    disk.list(path);
    return true;
  } catch (thrown) {
    return codeOf(thrown) !== "ENOTDIR";
  }
}

/** Makes the name of a folder durable, if the parent is readable. */
function syncAbove({ disk }: Folder, path: string): void {
  const above = disk.paths.dirname(path);
  try {
    attempt(above, "synced", () => disk.syncDirectory(above));
  } catch (thrown) {
    if (!(thrown instanceof StoreError && NOT_ALLOWED.has(codeOf(thrown.cause)))) throw thrown;
  }
}

const NOT_ALLOWED = new Set<unknown>(["EACCES", "EPERM"]);

/** @throws StoreError if a folder holds a store */
function refuseStore(folder: Folder): void {
  const { path } = folder;
  if (folder.isNamed()) throw new StoreError(path, "is already a store", { code: "conflict" });
  if (leftoversIn(folder) !== undefined) return;
  const reason = "holds a store without its store.json; tercet store repair writes a new one";
  throw new StoreError(path, reason);
}

/**
 * Removes the remains of an interrupted creation, but nothing of a store or of a running creation.
 *
 * @throws StoreError if another process is making one
 */
export function clear(folder: Folder, isLocked: boolean): void {
  const isLeft = folder.isUnfinished() || folder.hasLock();
  if (!isLeft || leftoversIn(folder) === undefined) return;
  closing(lock(folder, isLocked), () => removeLeftovers(folder));
}

/** Removes them as far as possible. */
function removeLeftovers(folder: Folder): void {
  const left = leftoversIn(folder);
  if (left === undefined || !folder.isUnfinished()) return;
  folder.remove(left);
  orUndefined(() => {
    folder.sync();
    // Last, because it identifies the other files.
    folder.remove([folder.newNamePath]);
  });
}

/** The remaining files of an unfinished store; `undefined` if they may be those of a store. */
function leftoversIn(folder: Folder): string[] | undefined {
  const files = folder.filesOf();
  return files.length === 0 || folder.isUnfinished() ? files : undefined;
}
