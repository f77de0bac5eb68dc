// The lock of the operating system on the file `lock`. The system releases it when the process ends, however it ends. No
// clock is needed, and no process id, which another process may have by then, or which means nothing in another
// container. Nothing ever depends on the content of the file. The file stays as long as the store exists. Its holder
// removes it only if making the store has failed, so whoever gets the lock checks that the file still exists.
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
import { orUndefined } from "../schema/errors.ts";
import type { Lock } from "./disk.ts";
import { attempt, closingOnError, codeOf, StoreError, taken } from "./errors.ts";
import { LOCK_SIGNATURE } from "./folder.ts";
import { identityOf, isWindows, openToWrite } from "./node-files.ts";

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

/** {@link Disk.lock} */
export function lockFile(path: string, isNeeded: () => boolean): Lock {
  for (;;) {
    const file = lockedFile(path);
    const close = () => closeSync(file);
    const held = closingOnError(
      { close },
      () => isAt(file, path) && heldLock(path, file, isNeeded),
    );
    if (held) return held;
    close();
  }
}

function heldLock(path: string, file: number, isNeeded: () => boolean): Lock {
  let isHeld = true;
  sign(file);
  const identity = attempt(path, "read", () => identityOf(file));
  const isThere = () => attempt(path, "read", () => identityOf(path) === identity);

  /** Removes the file unless it belongs to a store, or that is unknown. */
  function removeUnneeded(): void {
    orUndefined(() => {
      if (!isNeeded() && (isWindows || isThere())) unlinkSync(path);
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

/** @throws StoreError if the lock is held elsewhere */
function lockedFile(path: string): number {
  const locking = LOCKING_FLAGS[process.platform];
  const file = attempt(path, "opened", () => {
    try {
      return openToWrite(path, constants.O_CREAT | (locking ?? 0));
    } catch (thrown) {
      throw locking !== undefined && TAKEN.has(codeOf(thrown)) ? takenBy(path) : thrown;
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
  if (status === CONFLICT) throw takenBy(path);
  const reason = error?.message ?? stderr.trim();
  throw new StoreError(
    path,
    `can't be locked by the command flock: ${reason}; the option lock: false disables locking`,
    { cause: error, code: "unsupported" },
  );
}

function takenBy(path: string): StoreError {
  // On Windows no other process can read it.
  const text = orUndefined(() => readFileSync(path, "utf8")) ?? "";
  return taken(path, /^process \d+ on [\w.-]+$/m.exec(text)?.[0]);
}
