// Opens files of the system: only regular ones, and never for writing through a link.

import * as fs from "node:fs";
import type { FileHandle } from "./disk.ts";
import { closingOnError } from "./errors.ts";

export const isWindows = process.platform === "win32";

/** Without it, opening a FIFO blocks. Windows has neither. */
const NO_WAIT = isWindows ? 0 : fs.constants.O_NONBLOCK;

/** Windows has no such flag; a check before opening refuses links there. */
const NO_FOLLOW = isWindows ? 0 : fs.constants.O_NOFOLLOW;

/** Opens a file for reading if it is a regular file. A symbolic link may lead to it. */
export function openToRead(path: string): FileHandle {
  return regular(fs.openSync(path, fs.constants.O_RDONLY | NO_WAIT));
}

/**
 * Opens only a regular file for writing, since the target of a symbolic link may not belong to the store.
 *
 * @param flags additional flags of the system
 */
export function openToWrite(path: string, flags = 0): FileHandle {
  if (fs.lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) {
    throw new Error("it is a symbolic link; remove it");
  }
  return regular(fs.openSync(path, fs.constants.O_RDWR | NO_WAIT | NO_FOLLOW | flags, 0o666));
}

function regular(file: FileHandle): FileHandle {
  return kept(file, () => {
    const found = fs.fstatSync(file);
    if (found.isFile()) return;
    const what = found.isDirectory()
      ? "a folder; use openStore() for a store"
      : "not a regular file";
    throw new Error(`it is ${what}`);
  });
}

/** Returns an open file; closes it if `prepare` throws. */
function kept(file: FileHandle, prepare: () => void): FileHandle {
  return closingOnError({ close: () => fs.closeSync(file) }, () => {
    prepare();
    return file;
  });
}

/** Creates a new file. An existing one is unlinked rather than overwritten, since other hard links may lead to it. */
export function makeFile(path: string, permissions: number | undefined): FileHandle {
  const there = fs.lstatSync(path, { throwIfNoEntry: false });
  if (there !== undefined) {
    if (!there.isFile() && !there.isSymbolicLink()) throw new Error("it is not a regular file");
    fs.unlinkSync(path);
  }
  const { O_RDWR, O_CREAT, O_EXCL } = fs.constants;
  const file = fs.openSync(path, O_RDWR | O_CREAT | O_EXCL, permissions ?? 0o666);
  return kept(file, () => {
    // Opening applies the umask of the process, so permissions are set afterwards.
    if (permissions !== undefined && !isWindows) fs.fchmodSync(file, permissions);
  });
}

/** The permissions a file may have, all except execution. */
const READ_AND_WRITE = 0o666;

/** {@link Disk.permissions} of the file at a path. */
export function permissionsOf(path: string): number | undefined {
  if (isWindows) return undefined;
  const there = fs.statSync(path, { throwIfNoEntry: false });
  return there?.isFile() ? there.mode & READ_AND_WRITE : undefined;
}

/** Distinguishes an open or named file or folder from all others that exist now; `undefined` if nothing has the name. */
export function identityOf(file: FileHandle | string): string | undefined {
  const found =
    typeof file === "string"
      ? fs.statSync(file, { bigint: true, throwIfNoEntry: false })
      : fs.fstatSync(file, { bigint: true });
  return found && `${found.dev}:${found.ino}`;
}
