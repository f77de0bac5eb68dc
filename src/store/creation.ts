// A store that is being made. Until the store is named, the folder has the next name, written first: it
// marks the other files as those of an unfinished store. If making it fails, they are removed at once;
// if it is interrupted, the next process that makes or opens a store there removes them.

import { dirname } from "node:path";
import type { Disk } from "./disk.ts";
import { tried } from "../schema/errors.ts";
import { attempt, closing, closingOnError, codeOf, StoreError } from "./errors.ts";
import type { Folder } from "./folder.ts";
import { lock } from "./lock.ts";
import { Log } from "./log.ts";

export const FIRST = 1;

/**
 * Returns the result of `run`, which makes a store in a folder. The folder and the parents created for
 * it are durable before `run` starts; if it throws, they are removed.
 *
 * @throws StoreError if the folder can't be made, or has files of something other than a store
 */
export function inFolder<Result>(folder: Folder, run: () => Result): Result {
  const { path, disk } = folder;
  const made: string[] = [];
  try {
    attempt(path, "made", () => makeDirectories(disk, path, made));
    for (const each of new Set([path, ...made])) syncAbove(folder, each);
    const [foreign] = folder.foreign(FIRST);
    if (foreign !== undefined) {
      throw new StoreError(path, `is not empty: there is ${foreign}`, { code: "conflict" });
    }
    return run();
  } catch (thrown) {
    // Unless something was put there meanwhile.
    tried(() => made.forEach((each) => disk.removeDirectory(each)));
    throw thrown;
  }
}

/** @param made receives each created directory, the innermost first */
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

/** Makes the name of a folder durable, if the parent may be read: otherwise nobody can. */
function syncAbove({ disk }: Folder, path: string): void {
  const above = dirname(path);
  try {
    attempt(above, "synced", () => disk.syncDirectory(above));
  } catch (thrown) {
    if (!(thrown instanceof StoreError && NOT_ALLOWED.has(codeOf(thrown.cause)))) throw thrown;
  }
}

const NOT_ALLOWED = new Set<unknown>(["EACCES", "EPERM"]);

/** Returns the result of `run`, which writes and names the files of a store. If it throws, removes them. */
export function making<Result>(folder: Folder, run: () => Result): Result {
  const close = () => {
    folder.unname();
    removeLeftovers(folder);
  };
  return closingOnError({ close }, () => {
    folder.announce(FIRST);
    return run();
  });
}

/** @throws StoreError if a folder holds a store */
export function refuseStore(folder: Folder): void {
  const { path } = folder;
  if (folder.isNamed()) throw new StoreError(path, "is a store already", { code: "conflict" });
  if (leftoversIn(folder) !== undefined) return;
  const reason = "holds a store without its store.json; tercet store repair writes a new one";
  throw new StoreError(path, reason);
}

/**
 * Removes what an interrupted creation of a store has left, and nothing else: nothing of a store, and
 * nothing of one that another process is making.
 *
 * @throws StoreError if another process is making one
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
  tried(() => {
    folder.sync();
    // Last: without it nobody would know what the others are.
    folder.remove([folder.nextNamePath]);
  });
}

/** The files that an unfinished store has left; `undefined` if they may be those of a store. */
function leftoversIn(folder: Folder): string[] | undefined {
  const files = folder.filesOf();
  if (files.length === 0) return files;
  if (folder.announced() !== FIRST) return undefined;
  if (folder.isNamed() || folder.latest() > FIRST || hasChanges(folder)) return undefined;
  return files;
}

function hasChanges(folder: Folder): boolean {
  const journal = tried(() => new Log(folder.disk, folder.journalPath(FIRST), "r"));
  if (journal === undefined) return false;
  return closing(journal, () => journal.entryAfter(0) !== undefined);
}
