// One writer: a lock of the operating system on the file `lock`. The system releases it when the process
// ends, however it ends. No clock is needed, and no process id, which another process may have by then,
// or which means nothing in another container. Nothing ever depends on the content of the file. The file
// stays as long as the store exists. Its holder removes it only if making the store has failed, so
// whoever gets the lock checks that the file still exists.
//
// Node.js has no call for this, but:
//
// - Linux: `flock` belongs to the open file, not to the process that calls it. The command `flock`
//   (util-linux, BusyBox) gets our open file, locks it and ends; the lock stays.
// - macOS and the BSDs: `open` locks, with O_EXLOCK.
// - Windows: `open` excludes others, with libuv's UV_FS_O_EXLOCK.

import { spawnSync } from "node:child_process";
import {
  closeSync,
  constants,
  ftruncateSync,
  readFileSync,
  readSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { hostname } from "node:os";
import { identityOf, openToWrite } from "./disk.ts";
import { orUndefined } from "../schema/errors.ts";
import { attempt, closingOnError, codeOf, StoreError, type Closable } from "./errors.ts";
import { LOCK_SIGNATURE, type Folder } from "./folder.ts";

/** The flags of `open` that lock, by platform; on other platforms the command `flock` does. */
const LOCKING_FLAGS: Partial<Record<NodeJS.Platform, number>> = {
  darwin: 0x20 | constants.O_NONBLOCK,
  freebsd: 0x20 | constants.O_NONBLOCK,
  openbsd: 0x20 | constants.O_NONBLOCK,
  netbsd: 0x20 | constants.O_NONBLOCK,
  win32: 0x1000_0000,
};

/** The errors of `open` if another process holds the lock. */
const TAKEN = new Set<unknown>(["EAGAIN", "EWOULDBLOCK", "EBUSY"]);

/**
 * Takes the lock of a folder, or throws immediately if it is held elsewhere, in this process or another.
 *
 * @param isLocked `false`: takes no lock
 * @throws StoreError
 */
export function lock(folder: Folder, isLocked: boolean): Lock {
  if (!isLocked) return NO_LOCK;
  const { lockPath } = folder;
  for (;;) {
    const file = lockedFile(lockPath);
    const close = () => closeSync(file);
    const held = closingOnError({ close }, () => isAt(file, lockPath) && heldLock(folder, file));
    if (held) return held;
    close();
  }
}

/** A lock that is held until it is closed. */
export interface Lock extends Closable {
  /** Whether the file at the path of the lock is the locked one. @throws StoreError if that is unknown */
  readonly isThere: () => boolean;
}

const NO_LOCK: Lock = { isThere: () => true, close: () => undefined };

function heldLock(folder: Folder, file: number): Lock {
  const { lockPath } = folder;
  let isHeld = true;
  sign(file);
  const identity = attempt(lockPath, "read", () => identityOf(file));
  const isThere = () => attempt(lockPath, "read", () => identityOf(lockPath) === identity);

  /** Removes the file unless it belongs to a store, or that is unknown. */
  function removeUnneeded(): void {
    orUndefined(() => {
      if (!folder.isNamed() && (isWindows || isThere())) unlinkSync(lockPath);
    });
  }

  function close(): void {
    if (!isHeld) return;
    isHeld = false;
    // While it is held: a process that opened the file before and locks it afterwards sees that it is gone. Windows
    // does not remove open files, and locks while opening.
    if (!isWindows) removeUnneeded();
    closeSync(file);
    if (isWindows) removeUnneeded();
  }

  return { isThere, close };
}

const isWindows = process.platform === "win32";

/** @throws StoreError if the lock is held elsewhere */
function lockedFile(path: string): number {
  const locking = LOCKING_FLAGS[process.platform];
  const file = attempt(path, "opened", () => {
    try {
      return openToWrite(path, constants.O_CREAT | (locking ?? 0));
    } catch (thrown) {
      throw locking !== undefined && TAKEN.has(codeOf(thrown)) ? taken(path) : thrown;
    }
  });
  const close = () => closeSync(file);
  if (locking === undefined) closingOnError({ close }, () => flock(file, path));
  return file;
}

/** Whether a path refers to the open file. @throws StoreError if that is unknown */
function isAt(file: number, path: string): boolean {
  return attempt(path, "read", () => identityOf(file) === identityOf(path));
}

/** How many bytes to read to see whether a lock file is signed. */
const SIGNATURE_LENGTH = 64;

/** Writes the holder of the lock into the file, for the error of a second writer. */
function sign(file: number): void {
  // A full disk must not prevent a store from opening.
  orUndefined(() => {
    // The file may have hard links.
    const beginning = Buffer.alloc(SIGNATURE_LENGTH);
    const text = beginning.toString("latin1", 0, readSync(file, beginning, 0, SIGNATURE_LENGTH, 0));
    if (text !== "" && !LOCK_SIGNATURE.test(text)) return;
    ftruncateSync(file);
    writeSync(file, `process ${process.pid} on ${hostname()}\n`, 0);
  });
}

/** Exit code of `flock --nonblock` if another process holds the lock. */
const CONFLICT = 1;

function flock(file: number, path: string): void {
  const { status, error, stderr } = spawnSync("flock", ["-x", "-n", "3"], {
    stdio: ["ignore", "ignore", "pipe", file],
    encoding: "utf8",
  });
  if (status === 0) return;
  if (status === CONFLICT) throw taken(path);
  const reason = error?.message ?? stderr.trim();
  throw new StoreError(
    path,
    `can't be locked by the command flock: ${reason}; the option lock: false disables locking`,
    { cause: error, code: "unsupported" },
  );
}

function taken(path: string): StoreError {
  // On Windows no other process can read it.
  const text = orUndefined(() => readFileSync(path, "utf8")) ?? "";
  const owner = /^process \d+ on [\w.-]+$/m.exec(text)?.[0] ?? "";
  return new StoreError(path, `another writer has the store open${owner && `: ${owner}`}`, {
    code: "locked",
  });
}
