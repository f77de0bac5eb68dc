// A store that is being made. Until it has its name, the folder has the next name, written first: it
// says that the other files are those of a store that never was. Where making it fails they are removed
// at once, and where it is broken off, by the next who makes or opens a store there.

import { dirname } from "node:path";
import type { Disk } from "./disk.ts";
import { attempt, codeOf, StoreError } from "./errors.ts";
import type { Folder } from "./folder.ts";
import { lock } from "./lock.ts";
import { Log } from "./log.ts";

/** The generation that a store begins with. */
export const FIRST = 1;

/**
 * What `run` returns, which makes a store in a folder. The folder and those above it that are made for
 * it last before; where it throws, they are removed.
 *
 * @throws StoreError where the folder can't be made, or has what is of no store
 */
export function inFolder<Result>(folder: Folder, run: () => Result): Result {
  const { path, disk } = folder;
  const made: string[] = [];
  try {
    attempt(path, "made", () => makeDirectories(disk, path, made));
    for (const each of new Set([path, ...made])) syncAbove(folder, each);
    const [foreign] = folder.foreign(FIRST);
    if (foreign !== undefined) throw new StoreError(path, `is not empty: there is ${foreign}`);
    return run();
  } catch (thrown) {
    try {
      for (const each of made) disk.removeDirectory(each);
    } catch {
      // Somebody has put something there.
    }
    throw thrown;
  }
}

/** @param made receives each directory that it makes, the innermost first */
function makeDirectories(disk: Disk, path: string, made: string[]): void {
  try {
    makeDirectory(disk, path, made);
  } catch (thrown) {
    if (codeOf(thrown) !== "ENOENT" || dirname(path) === path) throw thrown;
    makeDirectories(disk, dirname(path), made);
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

/** Makes the name of a folder last, where the one above may be read: otherwise nobody can. */
function syncAbove({ disk }: Folder, path: string): void {
  const above = dirname(path);
  try {
    attempt(above, "synced", () => disk.syncDirectory(above));
  } catch (thrown) {
    if (!(thrown instanceof StoreError && NOT_ALLOWED.has(codeOf(thrown.cause)))) throw thrown;
  }
}

const NOT_ALLOWED = new Set<unknown>(["EACCES", "EPERM"]);

/** What `run` returns, which writes the files of a store and names it. Where it throws, none are left. */
export function making<Result>(folder: Folder, run: () => Result): Result {
  try {
    folder.announce(FIRST);
    return run();
  } catch (thrown) {
    folder.unname();
    removeLeftovers(folder);
    throw thrown;
  }
}

/** @throws StoreError where a folder holds a store */
export function refuseStore(folder: Folder): void {
  const { path } = folder;
  if (folder.isNamed()) throw new StoreError(path, "is a store already");
  if (leftoversIn(folder) !== undefined) return;
  const reason = "holds a store without its store.json; tercet store repair makes another one";
  throw new StoreError(path, reason);
}

/**
 * Removes what making a store has left where it was broken off, and nothing else: nothing of a store,
 * and nothing of one that another process is making.
 *
 * @throws StoreError where another process is making one
 */
export function clear(folder: Folder, isLocked: boolean): void {
  const isLeft = folder.isAnnounced(FIRST) || folder.hasLock();
  if (!isLeft || leftoversIn(folder) === undefined) return;
  const unlock = lock(folder, isLocked);
  removeLeftovers(folder);
  unlock();
}

/** Removes them as far as the disk allows. */
export function removeLeftovers(folder: Folder): void {
  const left = leftoversIn(folder);
  if (left === undefined || !folder.isAnnounced(FIRST)) return;
  folder.remove(left);
  try {
    folder.sync();
  } catch {
    return;
  }
  // Last of all: without it nobody would know what the others are.
  folder.remove([folder.nextNamePath]);
}

/** The files that making a store has left; `undefined` where they may be those of a store. */
function leftoversIn(folder: Folder): string[] | undefined {
  const files = folder.filesOf();
  if (files.length === 0) return files;
  if (folder.announced() !== FIRST) return undefined;
  if (folder.isNamed() || folder.latest() > FIRST || hasChanges(folder)) return undefined;
  return files;
}

function hasChanges(folder: Folder): boolean {
  let journal: Log;
  try {
    journal = new Log(folder.disk, folder.journalPath(FIRST), "r");
  } catch {
    return false;
  }
  try {
    return journal.entryAfter(0) !== undefined;
  } finally {
    journal.close();
  }
}
