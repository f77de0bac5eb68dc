// The disk of Node.js: the files of the system.

import * as fs from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import type { Disk } from "./disk.ts";
import {
  identityOf,
  isWindows,
  makeFile,
  openToRead,
  openToWrite,
  permissionsOf,
} from "./node-files.ts";
import { lockFile } from "./node-lock.ts";

export const nodeDisk: Disk = {
  paths: { join, dirname, basename, resolve },
  open(path, mode, permissions) {
    if (mode === "w+") return makeFile(path, permissions);
    return mode === "r" ? openToRead(path) : openToWrite(path);
  },
  permissions: permissionsOf,
  read: (file, into, position) => fs.readSync(file, into, 0, atMost(into), position),
  write: (file, bytes, position) => fs.writeSync(file, bytes, 0, atMost(bytes), position),
  size: (file) => fs.fstatSync(file).size,
  truncate: fs.ftruncateSync,
  sync: fs.fdatasyncSync,
  syncLater: promisify(fs.fdatasync),
  close: fs.closeSync,
  rename: fs.renameSync,
  link: fs.linkSync,
  identity: identityOf,
  remove: fs.unlinkSync,
  list: (directory) => fs.readdirSync(directory),
  makeDirectory: (path) => fs.mkdirSync(path),
  removeDirectory: fs.rmdirSync,
  syncDirectory(path) {
    // Windows makes names durable by itself, and can't open a directory.
    if (isWindows) return;
    const directory = fs.openSync(path, "r");
    try {
      fs.fsyncSync(directory);
    } finally {
      fs.closeSync(directory);
    }
  },
  lock: lockFile,
  soon(run, isIdle = false) {
    const waiting = setImmediate(run);
    if (isIdle) waiting.unref();
  },
};

/** How many of the bytes to read or write in one call: systems accept less than 2 GiB. */
function atMost(bytes: Uint8Array): number {
  return Math.min(bytes.length, 2 ** 30);
}
