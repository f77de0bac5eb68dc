// Where a command's output goes. A file is written under a temporary name and renamed when complete. An existing file
// is replaced only with `--force`, and never if the command reads it.

import { accessSync, closeSync, constants, fchmodSync, fstatSync, fsyncSync } from "node:fs";
import { lstatSync, openSync } from "node:fs";
import { realpathSync, renameSync, rmSync, statSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { gzipSync } from "node:zlib";
import { isStore } from "../store/index.ts";
import { systemReason, UsageError } from "./errors.ts";
import { namingOf, type Content } from "./formats.ts";
import { inPieces } from "./output.ts";
import { refuseSource } from "./same-file.ts";

export interface TargetOptions {
  /** What the file will contain. */
  readonly content: Content;
  /** Whether an existing file may be replaced. */
  readonly force?: true | undefined;
  /** The sources of the command, as typed. */
  readonly sources?: readonly string[];
}

/** A file being written, compressed if its name says so. */
export interface Target {
  /** Whether its name says that values are separated by tabs. */
  readonly isTabbed: boolean;
  readonly write: (piece: string | Uint8Array) => void;
  /** Moves it into place. */
  readonly commit: () => void;
  /** Closes it, and removes it unless it was committed. */
  readonly close: () => void;
}

/**
 * Checks that a command may write a file, which is created with the first piece. Called before reading, which may take
 * long. A device or a pipe is written directly.
 *
 * @throws UsageError if the file may not or can't be written, or would not be what its name says
 */
export function openTarget(path: string, { content, force, sources = [] }: TargetOptions): Target {
  const run = <Result>(act: () => Result): Result => {
    try {
      return act();
    } catch (thrown) {
      throw new UsageError(`${path}: ${systemReason(thrown)}`);
    }
  };
  const refuseExisting = () => {
    if (force || lstatSync(path, { throwIfNoEntry: false }) === undefined) return;
    throw new UsageError(`${path}: already exists; --force replaces it`);
  };

  const there = run(() => statSync(path, { bigint: true, throwIfNoEntry: false }));
  if (there?.isDirectory()) throw new UsageError(`${path}: is a directory`);
  const isReplaced = there === undefined || there.isFile();
  // A link is kept, and points to the new file.
  const place = there?.isFile() ? realpathSync(path) : path;
  if (isReplaced) {
    refuseSource(path, path, sources);
    refuseExisting();
    if (isStore(dirname(place))) throw new UsageError(`${path}: is in the folder of a store`);
    run(() => accessSync(dirname(place), constants.W_OK));
  }

  const { isGzip, isTabbed } = namingOf(path, content);
  const beside = isReplaced ? `${place}.${process.pid}.part` : path;
  let file: number | undefined;
  let isLeft = false;
  const open = () => {
    // The permissions of the old file, so that nobody else can read the new one.
    const mode = Number(there?.mode ?? 0o666n) & 0o777;
    if (!isReplaced) return run(() => openDevice(path));
    const opened = run(() => openSync(beside, "wx", mode));
    isLeft = true;
    // Opening applies the umask of the process. Windows has no permissions.
    if (there !== undefined && process.platform !== "win32") run(() => fchmodSync(opened, mode));
    return opened;
  };
  const end = () => {
    if (file !== undefined) closeSync(file);
    file = undefined;
  };
  const write = (bytes: Uint8Array) => {
    const opened = (file ??= open());
    for (let start = 0; start < bytes.length;) {
      start += run(() => writeSync(opened, bytes, start));
    }
  };
  const packing = isGzip ? gzipInto(write) : { write, end: () => undefined };
  return {
    isTabbed,
    write(piece) {
      packing.write(typeof piece === "string" ? Buffer.from(piece) : piece);
    },
    commit() {
      packing.end();
      const opened = (file ??= open());
      if (isReplaced) run(() => fsyncSync(opened));
      end();
      if (!isReplaced) return;
      refuseExisting();
      run(() => renameSync(beside, place));
      isLeft = false;
    },
    close() {
      end();
      if (isLeft) rmSync(beside, { force: true });
    },
  };
}

/** The size of the members of a gzip file, before compression: Node.js compresses synchronously only as a whole. */
const MEMBER_BYTES = 1 << 20;

/** Compresses pieces. An empty file has an empty member. */
function gzipInto(write: (bytes: Uint8Array) => void) {
  let pieces: Uint8Array[] = [];
  let length = 0;
  let isBegun = false;
  const flush = () => {
    write(gzipSync(Buffer.concat(pieces)));
    isBegun = true;
    pieces = [];
    length = 0;
  };
  return {
    write(piece: Uint8Array) {
      pieces.push(piece);
      length += piece.length;
      if (length >= MEMBER_BYTES) flush();
    },
    end() {
      if (length > 0 || !isBegun) flush();
    },
  };
}

/** Opens a device or a pipe, but never a file that has taken its name meanwhile, which would be overwritten. */
function openDevice(path: string): number {
  const file = openSync(path, constants.O_WRONLY);
  if (!fstatSync(file).isFile()) return file;
  closeSync(file);
  throw new UsageError(`${path}: is now a file; it was a device or a pipe`);
}

/** Writes pieces to a file and moves it into place. If making a piece fails, nothing is left. */
export function writeTarget(target: Target, pieces: Iterable<string | Uint8Array>): void {
  try {
    for (const piece of inPieces(pieces)) target.write(piece);
    target.commit();
  } finally {
    target.close();
  }
}
